import type { TaskMode, TaskPlatform, TaskStatus } from '@relay-hub/contract';
import { taskModes } from '@relay-hub/contract';
import type { StoredTaskMedia } from '#db/tables/tasks.ts';
import { isObject, parseJson } from '#json.ts';
import {
  creditsIn,
  lineIn,
  objectIn,
  type OldRow,
  OldValueError,
  proseIn,
  storableText,
  textIn,
  timeIn,
  wholeIn,
} from '../old-row.ts';
import { isHubLine, type OldWorld, readRows } from './old-world.ts';

/** A task of the old program that has ended, in our terms. */
export interface ArrivingTask {
  oldId: number;
  /** Image tasks have a table with its own ids. */
  table: 'midjourneys' | 'tasks';
  /** Its id for callers. */
  task_id: string;
  platform: TaskPlatform;
  action: string;
  model: string;
  mode: TaskMode | '';
  code: number;
  status: TaskStatus;
  submit_ms: number;
  start_ms: number;
  finish_ms: number;
  fail_reason: string;
  prompt: string;
  prompt_en: string;
  description: string;
  state: string;
  data: unknown;
  properties: Record<string, unknown>;
  media: StoredTaskMedia[];
  image_url: string;
  /** Credits; 0 for a failed one, whose charge was returned there. */
  quota: number;
  /** Old ids; 0 = not known. */
  user: number;
  token: number;
  channel: number;
}

/** Tasks that have succeeded or failed. Others end at the old side, which has their channel and their charge. */
export async function* readTasks(world: OldWorld): AsyncIterable<ArrivingTask> {
  yield* tasksIn(world, 'tasks', taskOf);
  yield* tasksIn(world, 'midjourneys', imageTaskOf);
}

function tasksIn(
  world: OldWorld,
  table: ArrivingTask['table'],
  read: (row: OldRow, world: Pick<OldWorld, 'program'>) => ArrivingTask,
): AsyncIterable<ArrivingTask> {
  const name = (row: OldRow): string =>
    table === 'tasks' ? `task ${lineIn(row, 'task_id', 100)}` : `image ${lineIn(row, 'mj_id', 100)}`;
  return readRows(world, {
    table,
    kind: 'task',
    name,
    topic: 'task_unknown',
    read: (row) => {
      if (isEnded(row)) return read(row, world);
      const state = lineIn(row, 'status', 100) || 'not started';
      world.report.remark('task_open', `${name(row)}: ${state}, ${lineIn(row, 'quota', 30) || 0} credits`);
      return undefined;
    },
  });
}

const isEnded = (row: OldRow): boolean => ['SUCCESS', 'FAILURE'].includes(textIn(row, 'status'));

function taskOf(row: OldRow, world: Pick<OldWorld, 'program'>): ArrivingTask {
  const platform = platformOf(textIn(row, 'platform'));
  const action = lineIn(row, 'action', LONGEST_NAME);
  const properties = objectIn(row, 'properties');
  const status = textIn(row, 'status') as TaskStatus; // as `isEnded` found
  const reason = textIn(row, 'fail_reason');
  // Older versions of new-api keep the address of a result here.
  const result = textOf(objectIn(row, 'private_data')['result_url']) || (status === 'SUCCESS' ? reason : '');
  const data = isHubLine(world) || platform !== 'suno' ? jsonIn(row, 'data') : songsOf(jsonIn(row, 'data'));
  const named = textOf(properties['origin_model_name']);
  return {
    ...common(row, 'tasks'),
    task_id: textIn(row, 'task_id'),
    platform,
    action,
    model: storableText(named || (platform === 'suno' ? `suno_${action.toLowerCase()}` : ''), LONGEST_NAME),
    mode: '',
    code: 0,
    status,
    submit_ms: timeIn(row, 'submit_time') * 1000,
    start_ms: timeIn(row, 'start_time') * 1000,
    finish_ms: timeIn(row, 'finish_time') * 1000,
    fail_reason: status === 'SUCCESS' ? '' : storableText(reason, LONGEST_TEXT),
    prompt: storableText(textOf(properties['input']) || textOf(properties['prompt']), LONGEST_TEXT),
    prompt_en: '',
    description: '',
    state: '',
    data,
    properties: {},
    media: videosOf(platform, result, data).map((url) => video(url)),
    image_url: '',
  };
}

function imageTaskOf(row: OldRow): ArrivingTask {
  const action = lineIn(row, 'action', LONGEST_NAME);
  const mode = textIn(row, 'mode');
  const status = textIn(row, 'status') as TaskStatus; // as `isEnded` found
  const recorded = textIn(row, 'video_url');
  return {
    ...common(row, 'midjourneys'),
    task_id: textIn(row, 'mj_id'),
    platform: 'midjourney',
    action,
    model: `mj_${action.toLowerCase()}`,
    mode: taskModes.find((known) => known === mode) ?? '',
    code: wholeIn(row, 'code'),
    status,
    submit_ms: timeIn(row, 'submit_time', 1000),
    start_ms: timeIn(row, 'start_time', 1000),
    finish_ms: timeIn(row, 'finish_time', 1000),
    fail_reason: proseIn(row, 'fail_reason', LONGEST_TEXT),
    prompt: proseIn(row, 'prompt', LONGEST_TEXT),
    prompt_en: proseIn(row, 'prompt_en', LONGEST_TEXT),
    description: proseIn(row, 'description', LONGEST_TEXT),
    state: proseIn(row, 'state', LONGEST_TEXT),
    data: null,
    properties: objectIn(row, 'properties'),
    media: isAddress(recorded) ? [video(recorded)] : [],
    image_url: isAddress(textIn(row, 'image_url')) ? textIn(row, 'image_url') : '',
  };
}

const LONGEST_NAME = 100;
const LONGEST_TEXT = 20_000;

function common(row: OldRow, table: ArrivingTask['table']) {
  const failed = textIn(row, 'status') === 'FAILURE';
  return {
    oldId: wholeIn(row, 'id'),
    table,
    quota: failed ? 0 : Math.max(0, creditsIn(row, 'quota')),
    user: wholeIn(row, 'user_id'),
    token: wholeIn(row, 'token_id'),
    channel: wholeIn(row, 'channel_id'),
  };
}

/** New-api names the type of a video task's channel by its number. */
function platformOf(text: string): TaskPlatform {
  if (text === 'suno' || text === 'kling') return text;
  if (/^\d+$/.test(text)) return 'video';
  throw new OldValueError(`its platform ${text.slice(0, 40)} has no counterpart`);
}

/** Objects and lists; a bare number would become one of the database, with its bounds. */
function jsonIn(row: OldRow, column: string): unknown {
  const value = row[column];
  const parsed = typeof value === 'object' && !(value instanceof Uint8Array) ? value : parseJson(textIn(row, column));
  return isObject(parsed) || Array.isArray(parsed) ? parsed : null;
}

/** New-api keeps the whole answer about a song in some versions. */
const songsOf = (data: unknown): unknown => (isObject(data) && Array.isArray(data['data']) ? data['data'] : data);

/** Addresses of videos: as recorded, or in Kling's answer. */
function videosOf(platform: TaskPlatform, result: string, data: unknown): string[] {
  if (platform === 'suno') return [];
  if (isAddress(result)) return [result];
  const answer = isObject(data) && isObject(data['data']) ? data['data'] : {};
  const found = isObject(answer['task_result']) ? answer['task_result']['videos'] : [];
  return (Array.isArray(found) ? found : []).flatMap((each) =>
    isObject(each) && isAddress(textOf(each['url'])) ? [textOf(each['url'])] : [],
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const isAddress = (text: string): boolean => /^https?:\/\//i.test(text);

const video = (url: string): StoredTaskMedia => ({
  kind: 'video',
  url,
  type: '',
  cover: '',
  title: '',
  seconds: 0,
  stored: '',
  bytes: 0,
});
