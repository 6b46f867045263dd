import type { Deps } from '#deps.ts';
import { isObject, type Json, listOr, objectOr } from '#json.ts';
import type { Caller } from '#live/callers.ts';
import type { MediaInput, VideoOrder } from '#providers/video-order.ts';
import type { OrderedTask } from '#tasks/submit/task-submission.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import { objectField, promptField, secondsField, textField, wholeField } from '#tasks/dialects/video/fields.ts';
import { finishedVideo, orderedVideo } from '#tasks/dialects/video/ordered-video.ts';
import { termsOf } from '#tasks/dialects/video/unified-order.ts';
import { googleMedia } from './google-media.ts';

const kinds: Readonly<Record<string, VideoOrder['kind']>> = {
  text_to_video: 'generate',
  image_to_video: 'generate',
  reference_to_video: 'generate',
  edit: 'edit',
  extend: 'extend',
};

/** Members of a request that change nothing about the video or are Google's own bookkeeping. */
const ignored = new Set(['labels', 'store', 'service_tier', 'background', 'stream']);
const read = new Set(['model', 'input', 'response_format', 'generation_config', 'previous_interaction_id']);

/** Reads an interaction that makes a video. Throws a 400 that names the field. */
export async function interactionOrder(deps: Deps, { userId }: Caller, body: Json): Promise<OrderedTask> {
  const format = formatIn(body);
  const model = textField(body, 'model', 200)?.replace(/^models\//, '');
  if (model === undefined) throw invalidTask("'model' is required.", 'model');
  if (body['stream'] === true) throw invalidTask("'stream' is not supported for videos.", 'stream');
  if (body['background'] !== true)
    throw invalidTask("'background' must be true: a video takes longer than a request may.", 'background');
  const odd = Object.keys(body).find((name) => !ignored.has(name) && !read.has(name) && body[name] !== null);
  if (odd !== undefined) throw invalidTask(`'${odd.slice(0, 60)}' is not supported for videos.`, odd.slice(0, 60));
  const config = objectField(body, 'generation_config') ?? {};
  const previous = textField(body, 'previous_interaction_id', 200);
  const parent = previous === undefined ? undefined : await finishedVideo(deps, userId, previous);
  const task = textField(objectOr(config['video_config']), 'task', 40);
  if (task !== undefined && !Object.hasOwn(kinds, task))
    throw invalidTask(`The task '${task}' is not supported.`, 'generation_config.video_config.task');
  const input = inputIn(body);
  const kind = (task === undefined ? undefined : kinds[task]) ?? (parent || input.video ? 'edit' : 'generate');
  const terms = parent ? termsOf(parent.request) : {};
  const isReference = task === 'reference_to_video' || input.pictures.length > 2;
  const [first, last] = input.pictures;
  const video: VideoOrder = {
    kind,
    prompt: promptField({ prompt: input.text }, !first && !parent),
    seconds: secondsField(format, 'duration') ?? terms.seconds,
    ratio: textField(format, 'aspect_ratio', 20) ?? terms.ratio,
    resolution: textField(format, 'resolution', 20)?.toLowerCase() ?? terms.resolution,
    ...(isReference ? { references: input.pictures } : { firstFrame: first, lastFrame: last }),
    ...(input.video && { video: input.video }),
    seed: wholeField(config, 'seed'),
  };
  return orderedVideo({ model, body, video, notifyHook: '', parent });
}

/** The format of a video. Results are always given by address. */
function formatIn(body: Json): Json {
  const given = body['response_format'];
  const formats = (Array.isArray(given) ? given : [given]).filter(isObject);
  const [format, ...more] = formats;
  if (!format || more.length > 0 || format['type'] !== 'video')
    throw invalidTask("'response_format' must be one format, of the type video.", 'response_format');
  if (format['gcs_uri'] !== undefined || (format['delivery'] !== undefined && format['delivery'] !== 'uri'))
    throw invalidTask("'response_format.delivery' must be uri, without a place of your own.", 'response_format');
  return format;
}

interface InteractionInput {
  text: string;
  pictures: MediaInput[];
  video: MediaInput | undefined;
}

/** A text, or content blocks. Throws a 400 for turns of a conversation and other blocks. */
function inputIn({ input }: Json): InteractionInput {
  const found: InteractionInput = { text: '', pictures: [], video: undefined };
  if (typeof input === 'string') return { ...found, text: input };
  for (const block of isObject(input) ? [input] : listOr(input)) {
    const { type, text }: Json = isObject(block) ? block : {};
    if (type === 'text' && typeof text === 'string') found.text += (found.text === '' ? '' : '\n') + text;
    else if (type === 'image') found.pictures.push(...some(googleMedia(block, 'input')));
    else if (type === 'video' && !found.video) found.video = googleMedia(block, 'input');
    else throw invalidTask("'input' must be a text, or blocks of text, image and video.", 'input');
  }
  return found;
}

const some = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);
