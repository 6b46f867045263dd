/** The task API of Suno-API. Source: Suno-API/Suno-API. */
import type { TaskStatus } from '@relay-hub/contract';
import { isObject, type Json, textOr } from '#json.ts';
import { noTokenUsage, type ReportedMedia, type TaskOperation, type TaskReport } from '../task-operation.ts';

export const sunoTasks: TaskOperation = {
  dialect: 'openai',
  path: '/suno/submit/music',
  usage: noTokenUsage,
  platforms: ['suno'],
  deadlineS: 1800,
  batch: 50,
  submit({ kind, body, parentId }) {
    const { task_id: _, notify_hook: __, callBackUrl: ___, ...rest } = body;
    return {
      method: 'POST',
      path: kind === 'upload' ? '/suno/uploads/audio-url' : `/suno/submit/${kind}`,
      body: { ...rest, ...(parentId !== '' && { task_id: parentId }) },
    };
  },
  receipt({ json }) {
    if (!isObject(json) || typeof json['code'] !== 'string') return undefined;
    const description = textOr(json['message'], '');
    const upstreamId = textOr(json['data'], '');
    const facts = { code: 0, description, properties: {} };
    if (json['code'] !== 'success') return { ...facts, kind: 'refused', isBusy: false };
    return upstreamId === '' ? undefined : { ...facts, kind: 'accepted', upstreamId, status: 'SUBMITTED' };
  },
  poll: (tasks) => ({ method: 'POST', path: '/suno/fetch', body: { ids: tasks.map(({ upstreamId }) => upstreamId) } }),
  reports({ status, json }) {
    if (status !== 200 || !isObject(json) || json['code'] !== 'success') return undefined;
    const { data } = json;
    // No known id is answered with null.
    return Array.isArray(data) ? data.filter(isObject).flatMap((task) => reportOf(task) ?? []) : [];
  },
};

const statuses: Readonly<Record<string, TaskStatus>> = {
  NOT_START: 'SUBMITTED',
  SUBMITTED: 'SUBMITTED',
  QUEUED: 'QUEUED',
  IN_PROGRESS: 'IN_PROGRESS',
  FAILURE: 'FAILURE',
  SUCCESS: 'SUCCESS',
};

function reportOf(task: Json): TaskReport | undefined {
  const upstreamId = textOr(task['task_id'], '');
  if (upstreamId === '') return undefined;
  const word = textOr(task['status'], '');
  const status = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  const data = withoutOwner(task['data']);
  const report: TaskReport = {
    upstreamId,
    status: status ?? 'IN_PROGRESS',
    failReason: textOr(task['fail_reason'], ''),
    hasResult: Array.isArray(data) ? data.length > 0 : isObject(data) && Object.keys(data).length > 0,
  };
  if (status === undefined && word !== '') report.unknownWord = word;
  const progress = Number.parseInt(textOr(task['progress'], ''), 10);
  if (Number.isInteger(progress)) report.progress = progress;
  const startMs = msOf(task['start_time']);
  const finishMs = msOf(task['finish_time']);
  if (startMs > 0) report.startMs = startMs;
  if (finishMs > 0) report.finishMs = finishMs;
  if (report.hasResult) report.data = data;
  const media = songFiles(data);
  if (media.length > 0) report.media = media;
  return report;
}

/** The files of songs in a document of the Suno API. */
export function songFiles(data: unknown): ReportedMedia[] {
  return (Array.isArray(data) ? data.filter(isObject) : []).flatMap((song): ReportedMedia[] => {
    const more = { cover: webAddress(song['image_url']), title: textOr(song['title'], '') };
    const [audio, video] = [webAddress(song['audio_url']), webAddress(song['video_url'])];
    return [
      ...(audio === '' ? [] : [{ kind: 'audio' as const, url: audio, ...more }]),
      ...(video === '' ? [] : [{ kind: 'video' as const, url: video, ...more }]),
    ];
  });
}

/** An address that can be fetched; empty for anything else. */
const webAddress = (value: unknown): string => {
  const text = textOr(value, '');
  return /^https?:\/\//i.test(text) ? text : '';
};

const msOf = (seconds: unknown): number => (Number.isSafeInteger(seconds) ? Number(seconds) * 1000 : 0);

/** Songs name the vendor's account. */
function withoutOwner(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(withoutOwner);
  if (!isObject(data)) return data ?? null;
  const { user_id: _, display_name: __, handle: ___, ...shown } = data;
  return shown;
}
