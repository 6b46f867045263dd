/** Shared parts of the adapters of video vendors: checks of orders, and readers of unchecked answers. */
import { Buffer } from 'node:buffer';
import type { TaskMediaKind, TaskStatus } from '@relay-hub/contract';
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import type { QuotedOrder, ReportedMedia, TaskReceipt, TaskReport } from '../task-operation.ts';
import { BadTaskRequest, type MediaInput, type VideoOrder } from '../video-order.ts';

export const HOUR_S = 3600;

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

/** Parts of an order that a vendor has parameters for. */
export interface VendorAbilities {
  /** Name of the vendor in refusals. */
  vendor: string;
  /** Kinds of orders besides `generate`. */
  kinds?: readonly VideoOrder['kind'][];
  takes: readonly VideoField[];
  /** Names accepted in `extra`. */
  extra?: readonly string[];
}

/** Accepted in every order; `size` has become resolution and ratio, `extra` has a separate list. */
const always: readonly string[] = ['kind', 'prompt', 'size', 'extra'];

/** The ordered video. Throws `BadTaskRequest` for everything that the vendor cannot do. */
export function videoIn(
  { video }: Pick<QuotedOrder, 'video'>,
  { vendor, kinds = [], takes, extra = [] }: VendorAbilities,
): VideoOrder {
  if (!video) throw new BadTaskRequest(`${vendor} makes no such tasks.`, 'action');
  if (video.kind !== 'generate' && !kinds.includes(video.kind))
    throw new BadTaskRequest(`${vendor} cannot ${video.kind} a video.`, 'kind');
  for (const [name, value] of Object.entries(video)) {
    if (always.includes(name) || takes.some((part) => part === name) || isNothing(value)) continue;
    throw new BadTaskRequest(`${vendor} has no parameter for '${name}'.`, name);
  }
  for (const [name, value] of Object.entries(video.extra ?? {})) {
    if (!extra.includes(name))
      throw new BadTaskRequest(`${vendor} takes no '${name}' here, or it would change the price.`, name);
    if (typeof value === 'object' && value !== null)
      throw new BadTaskRequest(`'${name}' is not valid: it must be a text, a number or true or false.`, name);
  }
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

/** A file at an http(s) address; undefined for anything else. Its kind is read from its ending if none is named. */
export function fileAt(
  url: unknown,
  kind?: TaskMediaKind,
  { cover, seconds, type }: { cover?: unknown; seconds?: unknown; type?: unknown } = {},
): ReportedMedia | undefined {
  if (!isAddress(url)) return undefined;
  const length = Number(seconds ?? Number.NaN);
  return {
    kind: kind ?? kindOf(url),
    url,
    ...(isAddress(cover) && { cover }),
    ...(length > 0 && { seconds: length }),
    ...(typeof type === 'string' && type !== '' && { type }),
  };
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);

const kinds: readonly [RegExp, TaskMediaKind][] = [
  [/\.(?:png|jpe?g|webp|gif|avif|svg)$/i, 'image'],
  [/\.(?:mp3|wav|flac|ogg|m4a|aac)$/i, 'audio'],
];

function kindOf(url: string): TaskMediaKind {
  const { pathname } = new URL(url);
  return kinds.find(([names]) => names.test(pathname))?.[1] ?? 'video';
}

/** A file in base64; undefined if it is empty or no text. */
export function fileOf(base64: unknown, type: unknown, kind: TaskMediaKind = 'video'): ReportedMedia | undefined {
  if (typeof base64 !== 'string') return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0) return undefined;
  const usual = kind === 'image' ? 'image/png' : 'video/mp4';
  const named = textOr(type, '').toLowerCase();
  return { kind, url: '', bytes, type: named.startsWith(`${kind}/`) && /^[\w/.+-]+$/.test(named) ? named : usual };
}

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

const isNothing = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** The members that have a value. */
export const given = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isNothing(value)));

const plainId = /^[a-z0-9][\w.=-]{0,499}$/i;

/** A vendor's id, if it fits the pattern; else empty. */
export const idIn = (value: unknown, pattern = plainId): string =>
  typeof value === 'string' && pattern.test(value) ? value : '';

/** A report with its files. */
export const withMedia = (report: TaskReport, media: readonly (ReportedMedia | undefined)[]): TaskReport => {
  const files = media.filter((one) => one !== undefined);
  return { ...report, hasResult: files.length > 0, ...(files.length > 0 && { media: files }) };
};

export const failedReport = (upstreamId: string, failReason: string): TaskReport => ({
  upstreamId,
  status: 'FAILURE',
  failReason,
  hasResult: false,
});

export const MODERATED = 'The content was stopped by the vendor’s moderation.';

/** Progress in percent from a number of 0 to `whole`; empty if it is none. */
export function progressIn(value: unknown, whole = 100): Pick<TaskReport, 'progress'> {
  if (typeof value !== 'number' || !(value >= 0 && value <= whole)) return {};
  return { progress: Math.round((value / whole) * 100) };
}

/** Whether a result is at the host that the key was entered for. */
export const isAtHostOf = (url: string, baseUrl: string): boolean =>
  URL.canParse(url) && URL.canParse(baseUrl) && new URL(url).origin === new URL(baseUrl).origin;
