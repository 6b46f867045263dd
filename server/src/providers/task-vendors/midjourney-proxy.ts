/**
 * The API of midjourney-proxy. Sources: novicezk/midjourney-proxy and trueai-org/midjourney-proxy 11, whose submissions
 * and task objects are alike.
 */
import type { TaskButton, TaskStatus } from '@relay-hub/contract';
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import {
  noTokenUsage,
  type ReportedMedia,
  type TaskOperation,
  type TaskReceipt,
  type TaskReport,
} from '../task-operation.ts';

const HOUR_S = 3600;

export const midjourneyTasks: TaskOperation = {
  dialect: 'openai',
  path: '/mj/submit/imagine',
  usage: noTokenUsage,
  platforms: ['midjourney'],
  deadlineS: HOUR_S,
  batch: 100,
  quote({ kind, body }, billedModel) {
    if (kind !== 'video') return { prices: [] };
    const size = textOr(body['videoType'], '').endsWith('_720') ? '720p' : '480p';
    const count = wholeOr(body['batchSize'], 4);
    const names = [`${billedModel}_${size}_${count}`, `${billedModel}_${size}`, `${billedModel}_${count}`];
    return { prices: names.map((name) => ({ name, perSecond: false })) };
  },
  submit({ kind, body, mode, ownId, parentId, notifyUrl }) {
    // `tools` makes the upstream fetch an address of the caller.
    const { tools: _, notifyHook: __, accountFilter: ___, prompt, ...rest } = body;
    return {
      method: 'POST',
      path: kind === 'swap' ? '/mj/insight-face/swap' : `/mj/submit/${kind}`,
      body: {
        ...rest,
        ...(typeof prompt === 'string' && { prompt: withoutSpeed(prompt) }),
        ...(parentId !== '' && { taskId: parentId }),
        ...(kind !== 'modal' && { accountFilter: { modes: [(mode || 'fast').toUpperCase()] } }),
        // Returned in lists, so that a task whose answer was lost is found.
        state: ownId,
        ...(notifyUrl !== '' && { notifyHook: notifyUrl }),
      },
    };
  },
  receipt({ status, json }, { action, kind }) {
    if (!isObject(json) || typeof json['code'] !== 'number') return undefined;
    const { code } = json;
    const properties = objectOr(json['properties']);
    const facts = { code, description: textOr(json['description'], ''), properties };
    const upstreamId = idOf(json['result']);
    if (code === 1 && kind === 'upload-discord-images')
      return { ...facts, kind: 'accepted', upstreamId: '', status: 'SUCCESS', result: json['result'] };
    if ((code === 1 || code === 22) && upstreamId !== '')
      return { ...facts, kind: 'accepted', upstreamId, status: 'SUBMITTED' };
    if (code === 21 && upstreamId !== '')
      return properties['remix'] === true || action === 'INPAINT' || action === 'CUSTOM_ZOOM'
        ? { ...facts, kind: 'accepted', upstreamId, status: 'MODAL' }
        : { ...facts, kind: 'existing', upstreamId };
    // An answer that says yes without an id was not understood.
    if (code === 1 || code === 21 || code === 22) return undefined;
    return refusedBy(facts, status);
  },
  poll: (tasks) => ({
    method: 'POST',
    path: '/mj/task/list-by-condition',
    body: { ids: tasks.map(({ upstreamId }) => upstreamId) },
  }),
  find: () => ({ method: 'GET', path: '/mj/task/list' }),
  seed: (id) => ({ method: 'GET', path: `/mj/task/${encodeURIComponent(id)}/image-seed` }),
  reports: ({ status, json }) =>
    status === 200 && Array.isArray(json) ? json.filter(isObject).flatMap((task) => reportOf(task) ?? []) : undefined,
};

function refusedBy(facts: Omit<TaskReceipt & { kind: 'refused' }, 'kind' | 'isBusy'>, status: number): TaskReceipt {
  const { code } = facts;
  // 3 with a 404: the parent task is unknown; otherwise no account is free. 23: the queue is full.
  return { ...facts, kind: 'refused', isBusy: (code === 3 && status !== 404) || code === 23 || code === 30 };
}

const speeds = /(?:^|\s)--(?:fast|relax|turbo)(?=\s|$)/gi;
const withoutSpeed = (prompt: string): string => prompt.replace(speeds, '').trim();

/** Some versions send numbers. */
const idOf = (value: unknown): string => (typeof value === 'number' ? String(value) : textOr(value, ''));

const statuses: Readonly<Record<string, TaskStatus>> = {
  NOT_START: 'SUBMITTED',
  SUBMITTED: 'SUBMITTED',
  IN_PROGRESS: 'IN_PROGRESS',
  MODAL: 'MODAL',
  FAILURE: 'FAILURE',
  SUCCESS: 'SUCCESS',
  CANCEL: 'CANCEL',
};

/** Values that callers may see; the vendor's task object also has internal ones. */
const shownProperties = ['finalPrompt', 'finalZhPrompt'] as const;
const shownData = ['imageUrls', 'thumbnailUrl', 'videoUrl', 'videoUrls', 'videoDuration', 'width', 'height'] as const;

function reportOf(task: Json): TaskReport | undefined {
  const upstreamId = idOf(task['id']);
  if (upstreamId === '') return undefined;
  const word = textOr(task['status'], '');
  const status = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  const imageUrl = textOr(task['imageUrl'], '');
  const properties = pick(objectOr(task['properties']), shownProperties);
  const data = pick(task, shownData);
  const report: TaskReport = {
    upstreamId,
    ownId: textOr(task['state'], ''),
    status: status ?? 'IN_PROGRESS',
    hasResult: imageUrl !== '' || 'videoUrl' in data || 'finalPrompt' in properties,
    imageUrl,
    properties,
    failReason: textOr(task['failReason'], ''),
    promptEn: textOr(task['promptEn'], ''),
    prompt: textOr(task['prompt'], ''),
    description: textOr(task['description'], ''),
    buttons: listOr(task['buttons']).filter(isObject).map(buttonOf),
  };
  const media = filesOf(imageUrl, data);
  if (media.length > 0) report.media = media;
  if (status === undefined && word !== '') report.unknownWord = word;
  const progress = Number.parseInt(textOr(task['progress'], ''), 10);
  if (Number.isInteger(progress)) report.progress = progress;
  if (typeof task['startTime'] === 'number') report.startMs = task['startTime'];
  if (typeof task['finishTime'] === 'number') report.finishMs = task['finishTime'];
  if (Object.keys(data).length > 0) report.data = data;
  return report;
}

/** The picture first, then the videos and single pictures of newer versions, each address once. */
function filesOf(
  imageUrl: string,
  { videoUrl, videoUrls, imageUrls, videoDuration, thumbnailUrl }: Json,
): ReportedMedia[] {
  const seconds = typeof videoDuration === 'number' && videoDuration > 0 ? { seconds: videoDuration } : {};
  const listed = (kind: 'image' | 'video', list: unknown): ReportedMedia[] =>
    listOr(list)
      .filter(isObject)
      .map(({ url, thumbnail }) => ({ kind, url: textOr(url, ''), cover: textOr(thumbnail, '') }));
  const files: ReportedMedia[] = [
    { kind: 'image', url: imageUrl, cover: textOr(thumbnailUrl, '') },
    { kind: 'video', url: textOr(videoUrl, ''), ...seconds },
    ...listed('video', videoUrls).map((video) => ({ ...video, ...seconds })),
    ...listed('image', imageUrls),
  ];
  const seen = new Set(['']);
  return files.filter(({ url }) => !seen.has(url) && seen.add(url));
}

const buttonOf = (button: Json): TaskButton => ({
  customId: textOr(button['customId'], ''),
  emoji: textOr(button['emoji'], ''),
  label: textOr(button['label'], ''),
  style: wholeOr(button['style'], 2),
  type: wholeOr(button['type'], 2),
});

const wholeOr = (value: unknown, otherwise: number): number => (Number.isInteger(value) ? Number(value) : otherwise);

/** The named members, as far as they have a value. */
const pick = (from: Json, names: readonly string[]): Json =>
  Object.fromEntries(
    names
      .map((name): [string, unknown] => [name, from[name]])
      .filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
