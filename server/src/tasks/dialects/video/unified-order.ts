import { isObject, type Json } from '#json.ts';
import type { MediaInput, VideoOrder } from '#providers/video-order.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import {
  flagField,
  mediaInput,
  mediaList,
  numberField,
  objectField,
  promptField,
  secondsField,
  textField,
  wholeField,
} from './fields.ts';

type SizeTerms = Pick<VideoOrder, 'size' | 'resolution' | 'ratio'>;

/** Reads `1280x720` or `1280*720`, `16:9`, or `720p`. Throws a 400 for anything else. */
function sizeTerms(size: string | undefined, name: string): SizeTerms {
  if (size === undefined) return {};
  const text = size.trim().toLowerCase();
  const [, width = '', height = ''] = /^(\d{2,5})[x*](\d{2,5})$/.exec(text) ?? [];
  if (width !== '') {
    const [w, h] = [Number(width), Number(height)];
    if (w < 16 || h < 16) throw badSize(name);
    return { size: { width: w, height: h }, resolution: resolutionOf(w, h), ratio: ratioOf(w, h) };
  }
  if (/^\d{1,3}:\d{1,3}$/.test(text)) return { ratio: text };
  if (/^(?:\d{3,4}p|[248]k)$/.test(text)) return { resolution: text };
  throw badSize(name);
}

const badSize = (name: string) => invalidTask(`'${name}' is not valid: it must be a size such as 1280x720.`, name);

const resolutionOf = (width: number, height: number): string => {
  const short = Math.min(width, height);
  return short === 2160 ? '4k' : `${short}p`;
};

function ratioOf(width: number, height: number): string {
  let [a, b] = [width, height];
  while (b > 0) [a, b] = [b, a % b];
  return `${width / a}:${height / a}`;
}

/** Fields that are read here; all others are the vendor's own parameters. */
const known = new Set(
  (
    'model prompt mode quality seconds duration size resolution aspect_ratio ratio negative_prompt seed audio ' +
    'generate_audio image images image_tail last_frame input_reference video metadata callback_url fps n user'
  ).split(' '),
);

/**
 * A request in OpenAI's form or in the generic one of new-api, which share their names. Throws a 400 that names the
 * field.
 */
export function unifiedOrder(body: Json, kind: VideoOrder['kind']): VideoOrder {
  if (numberField(body, 'n') !== undefined && numberField(body, 'n') !== 1)
    throw invalidTask("'n' is not valid: a request makes one video.", 'n');
  const sized = sizeTerms(textField(body, 'size', 40), 'size');
  const { first, last, references } = picturesIn(body);
  const extra: Json = { ...own(body), ...objectField(body, 'metadata') };
  if (numberField(body, 'fps') !== undefined) extra['fps'] = numberField(body, 'fps');
  return {
    kind,
    prompt: promptField(body, kind !== 'generate' || first === undefined),
    negativePrompt: textField(body, 'negative_prompt', 5000),
    seconds: secondsField(body, 'seconds') ?? secondsField(body, 'duration'),
    ...sized,
    resolution: textField(body, 'resolution', 20)?.toLowerCase() ?? sized.resolution,
    ratio: textField(body, 'aspect_ratio', 20) ?? textField(body, 'ratio', 20) ?? sized.ratio,
    quality: textField(body, 'mode', 40) ?? textField(body, 'quality', 40),
    firstFrame: first,
    lastFrame: last,
    ...(references.length > 0 && { references }),
    audio: flagField(body, 'audio') ?? flagField(body, 'generate_audio'),
    seed: wholeField(body, 'seed'),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

const own = (body: Json): Json =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => !known.has(name) && value !== null));

interface Pictures {
  first: MediaInput | undefined;
  last: MediaInput | undefined;
  references: MediaInput[];
}

/** As in new-api: one picture is the first frame, two are the first and the last, more are references. */
function picturesIn(body: Json): Pictures {
  const listed = [...mediaList(body['image'], 'image'), ...mediaList(body['images'], 'images')];
  const reference = referenceIn(body['input_reference']);
  const named = mediaInput(body['last_frame'], 'last_frame') ?? mediaInput(body['image_tail'], 'image_tail');
  const all = reference ? [reference, ...listed] : listed;
  if (all.length > 2) return { first: undefined, last: named, references: all };
  const [first, second] = all;
  return { first, last: named ?? second, references: [] };
}

/** A file or address, or OpenAI's object with one. */
function referenceIn(value: unknown): MediaInput | undefined {
  if (!isObject(value)) return mediaInput(value, 'input_reference');
  if (value['file_id'] !== undefined)
    throw invalidTask('Files are not stored here; send the picture itself or its address.', 'input_reference.file_id');
  const found = mediaInput(value['image_url'], 'input_reference.image_url');
  if (!found) throw invalidTask("'input_reference.image_url' is required.", 'input_reference.image_url');
  return found;
}

/** Parts of an order that are kept with its task for later answers. */
export const shownOf = (model: string, { seconds, size, resolution, ratio, quality }: VideoOrder): Json => ({
  model,
  ...(seconds !== undefined && { seconds }),
  ...(size && { size: `${size.width}x${size.height}` }),
  ...(resolution !== undefined && { resolution }),
  ...(ratio !== undefined && { ratio }),
  ...(quality !== undefined && { quality }),
});

/** The terms of an earlier task, for one that follows it up. */
export function termsOf(shown: Json): Pick<VideoOrder, 'seconds' | 'size' | 'resolution' | 'ratio' | 'quality'> {
  const sized = sizeTerms(textField(shown, 'size'), 'size');
  return {
    seconds: numberField(shown, 'seconds'),
    ...sized,
    resolution: textField(shown, 'resolution') ?? sized.resolution,
    ratio: textField(shown, 'ratio') ?? sized.ratio,
    quality: textField(shown, 'quality'),
  };
}
