import { isObject, type Json, listOr } from '#json.ts';
import type { VideoOrder } from '#providers/video-order.ts';
import type { OrderedTask } from '#tasks/submit/task-submission.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import {
  hookField,
  mediaInput,
  objectField,
  promptField,
  secondsField,
  textField,
} from '#tasks/dialects/video/fields.ts';
import { orderedVideo } from '#tasks/dialects/video/ordered-video.ts';

const settingsRead = new Set(['audio', 'resolution', 'aspect_ratio', 'duration']);

/** Reads a submission in the form of the newer API. Throws a 400 that names the field. */
export function newKlingOrder(body: Json, model: string, hasPictures: boolean): OrderedTask {
  const settings = objectField(body, 'settings') ?? {};
  const { callback_url, external_task_id, ...options } = objectField(body, 'options') ?? {};
  const contents = hasPictures ? contentsIn(body) : { prompt: promptField(body) };
  const extra = {
    ...Object.fromEntries(Object.entries(settings).filter(([name]) => !settingsRead.has(name))),
    ...options,
  };
  const video: VideoOrder = {
    kind: 'generate',
    ...contents,
    seconds: secondsField(settings, 'duration'),
    resolution: textField(settings, 'resolution', 20)?.toLowerCase(),
    ratio: textField(settings, 'aspect_ratio', 20),
    audio: audioIn(settings),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
  const notifyHook = hookField({ callback_url }, 'callback_url');
  const state = textField({ external_task_id }, 'external_task_id', 200) ?? '';
  return { ...orderedVideo({ model, body, video, notifyHook }), state };
}

function audioIn(settings: Json): boolean | undefined {
  const audio = textField(settings, 'audio', 20);
  if (audio !== undefined && audio !== 'native' && audio !== 'off')
    throw invalidTask("'settings.audio' is not valid: it must be native or off.", 'settings.audio');
  return audio === undefined ? undefined : audio === 'native';
}

type Contents = Pick<VideoOrder, 'prompt' | 'firstFrame' | 'lastFrame'>;

function contentsIn(body: Json): Contents {
  const found: Contents = { prompt: promptField(body, false) };
  for (const part of listOr(body['contents'])) {
    const { type, text, url }: Json = isObject(part) ? part : {};
    if (type === 'prompt') found.prompt = promptField({ prompt: text });
    else if (type === 'first_frame') found.firstFrame = mediaInput(url, 'contents');
    else if (type === 'last_frame') found.lastFrame = mediaInput(url, 'contents');
    else throw invalidTask("'contents' has a part of a type that is not served.", 'contents');
  }
  if (!found.firstFrame) throw invalidTask("'contents' has no first frame.", 'contents');
  return found;
}
