import type { TaskMode, TaskPlatform, TaskStatus } from '@relay-hub/contract';
import { taskModes } from '@relay-hub/contract';
import type { StoredTaskMedia } from '#db/tables.ts';
import { isObject, parseJson } from '#json.ts';
import { objectIn, type OldRow, OldValueError, textIn, wholeIn } from '../old-row.ts';
import { isHubLine, type OldWorld } from './old-world.ts';

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

async function* tasksIn(
  { database, report, ...world }: OldWorld,
  table: ArrivingTask['table'],
  read: (row: OldRow, world: Pick<OldWorld, 'program'>) => ArrivingTask,
): AsyncIterable<ArrivingTask> {
  for await (const row of database.rows(table)) {
    const label = table === 'tasks' ? `task ${textIn(row, 'task_id')}` : `image ${textIn(row, 'mj_id')}`;
    if (!isEnded(row)) {
      report.remark(
        'task_open',
        `${label}: ${textIn(row, 'status') || 'not started'}, ${wholeIn(row, 'quota')} credits`,
      );
      continue;
    }
    try {
      yield read(row, world);
    } catch (error) {
      if (!(error instanceof OldValueError)) throw error;
      report.count('task', 'lost');
      report.remark('task_unknown', `${label}: ${error.message}`);
    }
  }
}

const isEnded = (row: OldRow): boolean => ['SUCCESS', 'FAILURE'].includes(textIn(row, 'status'));

function taskOf(row: OldRow, world: Pick<OldWorld, 'program'>): ArrivingTask {
  const platform = platformOf(textIn(row, 'platform'));
  const action = textIn(row, 'action').slice(0, LONGEST_NAME);
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
    model: plainText(named || (platform === 'suno' ? `suno_${action.toLowerCase()}` : ''), LONGEST_NAME),
    mode: '',
    code: 0,
    status,
    submit_ms: wholeIn(row, 'submit_time') * 1000,
    start_ms: wholeIn(row, 'start_time') * 1000,
    finish_ms: wholeIn(row, 'finish_time') * 1000,
    fail_reason: status === 'SUCCESS' ? '' : plainText(reason),
    prompt: plainText(textOf(properties['input']) || textOf(properties['prompt'])),
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
  const action = textIn(row, 'action').slice(0, LONGEST_NAME);
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
    submit_ms: wholeIn(row, 'submit_time'),
    start_ms: wholeIn(row, 'start_time'),
    finish_ms: wholeIn(row, 'finish_time'),
    fail_reason: plainText(textIn(row, 'fail_reason')),
    prompt: plainText(textIn(row, 'prompt')),
    prompt_en: plainText(textIn(row, 'prompt_en')),
    description: plainText(textIn(row, 'description')),
    state: plainText(textIn(row, 'state')),
    data: null,
    properties: objectIn(row, 'properties'),
    media: isAddress(recorded) ? [video(recorded)] : [],
    image_url: isAddress(textIn(row, 'image_url')) ? textIn(row, 'image_url') : '',
  };
}

const LONGEST_NAME = 100;

function common(row: OldRow, table: ArrivingTask['table']) {
  const failed = textIn(row, 'status') === 'FAILURE';
  return {
    oldId: wholeIn(row, 'id'),
    table,
    quota: failed ? 0 : Math.max(0, wholeIn(row, 'quota')),
    user: wholeIn(row, 'user_id'),
    token: wholeIn(row, 'token_id'),
    channel: wholeIn(row, 'channel_id'),
  };
}

/** New-api names the type of a video task's channel by its number. */
function platformOf(text: string): TaskPlatform {
  if (text === 'suno' || text === 'kling') return text;
  if (/^\d+$/.test(text)) return 'video';
  throw new OldValueError(`its platform ${text} has no counterpart`);
}

function jsonIn(row: OldRow, column: string): unknown {
  const value = row[column];
  if (typeof value === 'object' && !(value instanceof Uint8Array)) return value;
  return parseJson(textIn(row, column)) ?? null;
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

/** PostgreSQL refuses NUL. */
const plainText = (text: string, longest = 20_000): string => text.slice(0, longest).replaceAll('\0', '');
