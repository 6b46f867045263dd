/** Shared parts of the adapters of video vendors: checks of orders, and readers of unchecked answers. */
import type { TaskMediaKind } from '@relay-hub/contract';
import { isObject, type Json, textOr } from '#json.ts';
import type { QuotedOrder, ReportedMedia, TaskReport } from '../task-operation.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { type StatusTable, statusOf } from './video-fields.ts';

export const HOUR_S = 3600;

type Part = Exclude<keyof VideoOrder, 'kind' | 'prompt' | 'size' | 'extra'>;

/** Parts of an order that a vendor has parameters for. */
export interface VendorAbilities {
  /** Name of the vendor in refusals. */
  vendor: string;
  /** Kinds of orders besides `generate`. */
  kinds?: readonly VideoOrder['kind'][];
  takes: readonly Part[];
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

const isNothing = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** A whole number of seconds, or the usual one. Throws `BadTaskRequest`. */
export function secondsOf({ seconds }: VideoOrder, usual: number, [least, most]: readonly [number, number]): number {
  if (seconds === undefined) return usual;
  if (!Number.isInteger(seconds) || seconds < least || seconds > most)
    throw new BadTaskRequest(`'seconds' must be a whole number from ${least} to ${most}.`, 'seconds');
  return seconds;
}

/** A value of a list, or the usual one. Throws `BadTaskRequest`. */
export function choiceOf(
  video: VideoOrder,
  name: 'resolution' | 'ratio',
  usual: string,
  values: readonly string[],
): string {
  const value = video[name] ?? usual;
  if (!values.includes(value)) throw new BadTaskRequest(`'${name}' must be one of ${values.join(', ')}.`, name);
  return value;
}

/** The members that have a value. */
export const given = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isNothing(value)));

const plainId = /^[a-z0-9][\w.=-]{0,499}$/i;

/** A vendor's id, if it fits the pattern; else empty. */
export const idIn = (value: unknown, pattern = plainId): string =>
  typeof value === 'string' && pattern.test(value) ? value : '';

/** A report by the vendor's word for the status; an unknown word means that the task is running. */
export function reportAs(upstreamId: string, word: unknown, statuses: StatusTable): TaskReport {
  return { upstreamId, hasResult: false, ...statusOf(statuses, textOr(word, '')) };
}

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

/** A file at an http(s) address; undefined for anything else. */
export function fileAt(
  url: unknown,
  kind?: TaskMediaKind,
  more: Partial<ReportedMedia> = {},
): ReportedMedia | undefined {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  return { kind: kind ?? kindOf(url), url, ...more };
}

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

/** The named members, as far as they have a value that is a text, a number or a truth value. */
export const shown = (from: unknown, names: readonly string[]): Json =>
  isObject(from) ? given(Object.fromEntries(names.map((name) => [name, plainValue(from[name])]))) : {};

const plainValue = (value: unknown): unknown =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;

/** Whether a result is at the host that the key was entered for. */
export const isAtHostOf = (url: string, baseUrl: string): boolean =>
  URL.canParse(url) && URL.canParse(baseUrl) && new URL(url).origin === new URL(baseUrl).origin;
