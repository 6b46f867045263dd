import { textOr } from '#json.ts';
import type { QuotedOrder, TaskQuote } from '../task-operation.ts';
import { videoQuote } from '../video-prices.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { idOf } from './video-fields.ts';

/** Facts that decide the price of a video of Kling. */
export interface KlingTerms {
  mode: string;
  seconds: number;
  /** Of the newer API; the older one has a mode instead. */
  resolution?: string;
  audio: boolean;
}

/** The same as far as an order says. */
export type KlingWish = Partial<Pick<KlingTerms, 'mode' | 'seconds'>> & Pick<KlingTerms, 'audio'>;

interface KlingVariant {
  model: string;
  mode?: string;
  seconds?: number;
}

/** The parts of a model's name, which may be `kling-video_<model>_<mode>_<duration>`. */
function variantOf(name: string): KlingVariant {
  const [, model, mode = '', seconds] = /^kling-video_(.+?)_([a-z0-9]+)_(\d+)$/.exec(name) ?? [];
  return model === undefined ? { model: name } : { model, mode, seconds: Number(seconds) };
}

/** The vendor's name of a model. */
export const klingModel = (name: string): string => variantOf(name).model;

/** Models of the API that has their version in the path. */
export const isNewerKling = (name: string): boolean => /^kling-(?:\d|o\d)/.test(klingModel(name));

/** Mode and length of an order; a name with both allows no others. Throws `BadTaskRequest`. */
export function klingWish(wish: KlingWish, name: string): Required<KlingWish> {
  const variant = variantOf(name);
  const { mode = variant.mode ?? 'std', seconds = variant.seconds ?? 5, audio } = wish;
  if (mode !== (variant.mode ?? mode)) throw new BadTaskRequest(`The model ${name} has another mode.`, 'quality');
  if (seconds !== (variant.seconds ?? seconds))
    throw new BadTaskRequest(`The model ${name} has another length.`, 'seconds');
  return { mode, seconds, audio };
}

/** The price names of a video. With sound, only those that say so. */
export function klingQuote(billedModel: string, terms: KlingTerms): TaskQuote {
  const { mode, seconds, resolution, audio } = terms;
  const model = klingModel(billedModel);
  const own = `kling-video_${model}_${mode}_${seconds}${audio ? '_audio' : ''}`;
  const quality = resolution === undefined ? mode : undefined;
  const { prices } = videoQuote(model, { seconds, resolution, quality, audio });
  const fitting = audio ? prices.filter(({ name }) => /_audio(?:_|$)/.test(name)) : prices;
  return { prices: [{ name: own, perSecond: false }, ...fitting], seconds };
}

const modes: Readonly<Record<string, string>> = { '720p': 'std', '1080p': 'pro', '4k': '4k' };
const resolutions: Readonly<Record<string, string>> = { std: '720p', pro: '1080p', '4k': '4k' };

/** Reads an order for a video. Throws `BadTaskRequest`. */
export const wishOfVideo = (video: VideoOrder): KlingWish => ({
  ...definedOnly({ mode: modeOf(video), seconds: video.seconds }),
  audio: video.audio === true,
});

/** The mode that an order names, by itself or as a resolution. */
function modeOf({ quality, resolution }: VideoOrder): string | undefined {
  const byResolution = resolution === undefined ? undefined : modes[resolution];
  if (resolution !== undefined && byResolution === undefined)
    throw new BadTaskRequest("'resolution' must be one of 720p, 1080p, 4k here.", 'resolution');
  if (quality !== undefined && resolutions[quality] === undefined)
    throw new BadTaskRequest("'quality' must be one of std, pro here.", 'quality');
  if (quality !== undefined && byResolution !== undefined && quality !== byResolution)
    throw new BadTaskRequest(`The mode ${quality} makes ${resolutions[quality]}.`, 'resolution');
  return quality ?? byResolution;
}

export const resolutionOf = (mode: string): string => resolutions[mode] ?? '720p';

/** Reads a request in the vendor's older form. */
export function wishOfBody({ body }: Pick<QuotedOrder, 'body'>): KlingWish {
  const { mode, duration, sound } = body;
  const seconds = idOf(duration);
  return {
    ...definedOnly({ mode: textOr(mode, '') || undefined, seconds: seconds === '' ? undefined : Number(seconds) }),
    audio: sound === 'on',
  };
}

const definedOnly = ({ mode, seconds }: { mode: string | undefined; seconds: number | undefined }) => ({
  ...(mode !== undefined && { mode }),
  ...(seconds !== undefined && { seconds }),
});

/** Statuses of both APIs. */
export const klingStatuses = {
  submitted: 'QUEUED',
  queued: 'QUEUED',
  processing: 'IN_PROGRESS',
  succeed: 'SUCCESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
} as const;
