/** Reading orders for videos, and vendors' reports about them. */
import type { TaskStatus } from '@relay-hub/contract';
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import type { QuotedOrder, ReportedMedia, TaskReceipt, TaskReport } from '../task-operation.ts';
import { BadTaskRequest, type MediaInput, type VideoOrder } from '../video-order.ts';

type VideoField = Exclude<keyof VideoOrder, 'kind' | 'prompt' | 'size' | 'extra'>;

/** Names of the fields in refusals. */
const labels: Record<VideoField, string> = {
  negativePrompt: 'negative_prompt',
  seconds: 'seconds',
  resolution: 'resolution',
  ratio: 'ratio',
  quality: 'quality',
  firstFrame: 'image',
  lastFrame: 'last_frame',
  references: 'references',
  video: 'video',
  audio: 'audio',
  seed: 'seed',
};

interface ModelAbilities {
  takes: readonly VideoField[];
  /** Parameters in the vendor's names that change neither price nor addresses. */
  free?: readonly string[];
}

/**
 * The order for a new video of a model with these abilities. Throws `BadTaskRequest` for another kind of order and for
 * other fields. A size is covered by `resolution` and `ratio`.
 */
export function newVideo(
  { video }: Pick<QuotedOrder, 'video'>,
  model: string,
  { takes, free = [] }: ModelAbilities,
): VideoOrder {
  if (!video) throw new BadTaskRequest(`The model ${model} makes videos only.`, 'model');
  if (video.kind !== 'generate') throw new BadTaskRequest(`The model ${model} cannot ${video.kind} videos.`, 'model');
  const given = (name: VideoField): boolean => {
    const value = video[name];
    // No sound is what a model without sound makes.
    return (
      value !== undefined && !(name === 'audio' && value === false) && !(Array.isArray(value) && value.length === 0)
    );
  };
  // Object.keys has lost the type of the keys
  const unfit = (Object.keys(labels) as VideoField[]).find((name) => !takes.includes(name) && given(name));
  if (unfit) throw new BadTaskRequest(`The model ${model} does not take '${labels[unfit]}' here.`, labels[unfit]);
  if (video.lastFrame && !video.firstFrame)
    throw new BadTaskRequest('A last frame needs a first frame.', labels.firstFrame);
  const odd = Object.keys(video.extra ?? {}).find((name) => !free.includes(name));
  if (odd !== undefined) throw notSettable(odd, `metadata.${odd.slice(0, 50)}`);
  return video;
}

/** A parameter that is unknown, changes the price or names an address. */
export const notSettable = (name: string, param = name.slice(0, 50)): BadTaskRequest =>
  new BadTaskRequest(`The parameter '${name.slice(0, 50)}' cannot be set here.`, param);

/** A value among those that the model has, or the default. Throws `BadTaskRequest`. */
export function oneOf<T extends string | number>(
  value: T | undefined,
  allowed: readonly T[],
  fallback: T,
  param: VideoField,
): T {
  const chosen = value ?? fallback;
  if (allowed.includes(chosen)) return chosen;
  throw new BadTaskRequest(`'${labels[param]}' must be one of ${allowed.join(', ')} here.`, labels[param]);
}

/** Whole seconds within the model's limits. Throws `BadTaskRequest`. */
export function secondsWithin(
  seconds: number | undefined,
  [min, max]: readonly [number, number],
  fallback: number,
): number {
  const chosen = seconds ?? fallback;
  if (Number.isInteger(chosen) && chosen >= min && chosen <= max) return chosen;
  throw new BadTaskRequest(`'seconds' must be a whole number from ${min} to ${max} here.`, labels.seconds);
}

/** An address, or the bytes as one. */
export const addressOf = (media: MediaInput): string =>
  'url' in media ? media.url : `data:${media.type};base64,${media.base64}`;

/** An address, or the bytes in base64 without a prefix. */
export const addressOrBase64 = (media: MediaInput): string => ('url' in media ? media.url : media.base64);

/** An id that some versions send as a number; empty: none. */
export const idOf = (value: unknown): string =>
  typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : textOr(value, '');

export type StatusTable = Readonly<Record<string, TaskStatus>>;

/** The status of a vendor's word; an unknown one is taken for a running task and reported. */
export function statusOf(table: StatusTable, word: string): Pick<TaskReport, 'status' | 'unknownWord'> {
  const status = Object.hasOwn(table, word) ? table[word] : undefined;
  return status ? { status } : { status: 'IN_PROGRESS', ...(word !== '' && { unknownWord: word }) };
}

/** A receipt without further facts. `status`: the vendor's status of the new task. */
export const acceptedAs = (
  upstreamId: string,
  status: TaskStatus = 'SUBMITTED',
  vendor: Json = {},
): TaskReceipt | undefined =>
  upstreamId === ''
    ? undefined
    : {
        kind: 'accepted',
        upstreamId,
        // A task that has ended already is seen at its first poll.
        status: status === 'QUEUED' || status === 'IN_PROGRESS' ? status : 'SUBMITTED',
        code: 0,
        description: '',
        properties: {},
        vendor,
      };

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);

/** A video among results; none if it has no address. */
export function videoMedia(
  url: unknown,
  { cover, seconds }: { cover?: unknown; seconds?: unknown } = {},
): ReportedMedia[] {
  if (!isAddress(url)) return [];
  const length = Number(seconds ?? Number.NaN);
  return [{ kind: 'video', url, ...(isAddress(cover) && { cover }), ...(length > 0 && { seconds: length }) }];
}

/** A picture among results; none if it has no address. */
export const imageMedia = (url: unknown): ReportedMedia[] => (isAddress(url) ? [{ kind: 'image', url }] : []);

/** Code and message of a vendor's error. */
export function reasonOf(error: unknown): string {
  const { code, message } = objectOr(error);
  return [idOf(code), textOr(message, '')].filter((part) => part !== '').join(': ');
}

/** Whether an answer has an error besides its other members. */
export const hasError = (json: Json): boolean => Object.keys(objectOr(json['error'])).length > 0;

/** The named members, as far as they have a value. */
export const pick = (from: Json, names: readonly string[]): Json =>
  Object.fromEntries(
    names
      .map((name): [string, unknown] => [name, from[name]])
      .filter(([, value]) => value !== undefined && value !== null),
  );

/** Whether an answer to a cancellation says that it was done. */
export const isDone = ({ status, json }: { status: number; json: unknown }): boolean =>
  status >= 200 && status < 300 && !(isObject(json) && ('error' in json || 'code' in json));
