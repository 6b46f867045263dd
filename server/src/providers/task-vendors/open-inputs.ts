/** Orders at platforms that host models of many makers with different parameters. */
import { isObject, type Json, listOr, textOr } from '#json.ts';
import type { QuotedOrder, ReportedMedia, TaskQuote } from '../task-operation.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import { fileAt, type VendorAbilities, videoIn } from './video-fields.ts';

/**
 * Common parameters of hosted models that do not change what a video costs. Length, size, number and steps do, so they
 * are taken from the order only.
 */
const extra: readonly string[] = [
  'camera_fixed',
  'cfg_scale',
  'enable_safety_checker',
  'end_image',
  'end_image_url',
  'enhance_prompt',
  'first_frame_image',
  'guidance_scale',
  'image',
  'image_url',
  'input_image',
  'last_frame',
  'last_frame_image',
  'loop',
  'motion',
  'output_format',
  'prompt_optimizer',
  'prompt_strength',
  'prompt_upsampling',
  'safety_tolerance',
  'start_image',
  'style',
  'subject_reference',
  'tail_image_url',
];

export const openAbilities = (vendor: string): VendorAbilities => ({
  vendor,
  takes: ['negativePrompt', 'seconds', 'resolution', 'ratio', 'firstFrame', 'seed'],
  extra,
});

/** The order; the model's name decides about further abilities, which the platform checks. */
export const openVideo = (order: Pick<QuotedOrder, 'video'>, vendor: string): VideoOrder => {
  const video = videoIn(order, openAbilities(vendor));
  const { seconds } = video;
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60))
    throw new BadTaskRequest("'seconds' must be a whole number from 1 to 60.", 'seconds');
  return video;
};

/** A model's default length is not known: an order without one has no price per second. */
export function openQuote(order: QuotedOrder, model: string, vendor: string): TaskQuote {
  const { seconds, resolution } = openVideo(order, vendor);
  if (seconds !== undefined) return videoQuote(model, { seconds, resolution });
  return { prices: resolution === undefined ? [] : [{ name: `${model}_${resolution}`, perSecond: false }] };
}

const MOST_FILES = 20;

/** Files in an output: an address, a list, or objects with a `url`. Their kind is read from their endings. */
export function filesAnywhere(output: unknown): ReportedMedia[] {
  const files: ReportedMedia[] = [];
  const seen = new Set<string>();
  const visit = (value: unknown, depth: number): void => {
    if (files.length >= MOST_FILES || depth > 4) return;
    if (typeof value === 'string') {
      const file = fileAt(value);
      if (file && !seen.has(file.url)) files.push(file);
      seen.add(value);
    } else if (Array.isArray(value)) for (const one of listOr(value)) visit(one, depth + 1);
    else if (isObject(value)) {
      const { url, content_type: type } = value;
      const file = typeof url === 'string' ? fileAt(url) : undefined;
      if (file) addTyped(file, textOr(type, ''));
      else for (const one of Object.values(value)) visit(one, depth + 1);
    }
  };
  const addTyped = (file: ReportedMedia, type: string): void => {
    if (seen.has(file.url)) return;
    seen.add(file.url);
    const [, kind] = /^(image|audio|video)\/[\w.+-]+$/.exec(type) ?? [];
    files.push(kind === undefined ? file : { ...file, kind: kind as ReportedMedia['kind'], type }); // one of the three
  };
  visit(output, 0);
  return files;
}

/** Names of maker, model and more in a path; undefined if one of them could lead elsewhere. */
export function segmentsOf(model: string): string[] | undefined {
  const segments = model.split('/');
  return segments.length >= 2 && segments.every((one) => /^[a-z0-9_][\w.-]*$/i.test(one)) ? segments : undefined;
}

/** Reason of a failure: a text, or a list with messages. */
export function detailIn(json: Json): string {
  const { detail, error, message } = json;
  for (const value of [detail, error, message]) {
    if (typeof value === 'string' && value !== '') return value;
    const parts = listOr(value).map((one) => (isObject(one) ? textOr(one['msg'], '') : textOr(one, '')));
    if (parts.some(Boolean)) return parts.filter(Boolean).slice(0, 5).join('; ');
  }
  return '';
}
