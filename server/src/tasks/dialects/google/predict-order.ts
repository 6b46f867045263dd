import type { Deps } from '#deps.ts';
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import type { Caller } from '#live/callers.ts';
import type { VideoOrder } from '#providers/video-order.ts';
import type { OrderedTask } from '#tasks/submit/task-submission.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import { findOwnTask, type TaskRow } from '#tasks/task-rows.ts';
import {
  flagField,
  hookField,
  promptField,
  secondsField,
  textField,
  wholeField,
} from '#tasks/dialects/video/fields.ts';
import { orderedVideo } from '#tasks/dialects/video/ordered-video.ts';
import { googleMedia } from './google-media.ts';

const read = new Set([
  'sampleCount',
  'durationSeconds',
  'aspectRatio',
  'resolution',
  'negativePrompt',
  'seed',
  'generateAudio',
]);
/** Results are stored and announced by this server. */
const refused = ['storageUri', 'pubsubTopic'];

/** Reads a `predictLongRunning` request. Throws a 400 that names the field. */
export async function predictOrder(deps: Deps, { userId }: Caller, body: Json, model: string): Promise<OrderedTask> {
  const instances = listOr(body['instances']);
  const [instance] = instances;
  if (instances.length !== 1 || !isObject(instance)) throw invalidTask("'instances' must have one entry.", 'instances');
  const parameters = objectOr(body['parameters']);
  const count = wholeField(parameters, 'sampleCount') ?? 1;
  if (count !== 1) throw invalidTask("'sampleCount' is not valid: a request makes one video.", 'sampleCount');
  const odd =
    refused.find((name) => parameters[name] !== undefined) ?? (instance['mask'] === undefined ? undefined : 'mask');
  if (odd !== undefined) throw invalidTask(`'${odd}' is not supported here.`, odd);
  const extra = Object.fromEntries(
    Object.entries(parameters).filter(([name, value]) => !read.has(name) && value !== null),
  );
  const source = googleMedia(instance['video'], 'video');
  const parent = source && 'url' in source ? await ownVideoAt(deps, userId, source.url) : undefined;
  const firstFrame = googleMedia(instance['image'], 'image');
  const references = listOr(instance['referenceImages']).map((one, i) =>
    googleMedia(objectOr(one)['image'], `referenceImages[${i}].image`),
  );
  const video: VideoOrder = {
    kind: source ? 'extend' : 'generate',
    prompt: promptField(instance, !firstFrame && !source),
    negativePrompt: textField(parameters, 'negativePrompt', 5000),
    seconds: secondsField(parameters, 'durationSeconds'),
    ratio: textField(parameters, 'aspectRatio', 20),
    resolution: textField(parameters, 'resolution', 20)?.toLowerCase(),
    firstFrame,
    lastFrame: googleMedia(instance['lastFrame'], 'lastFrame'),
    ...(references.length > 0 && { references: references.filter((one) => one !== undefined) }),
    ...(source && !parent && { video: source }),
    audio: flagField(parameters, 'generateAudio'),
    seed: wholeField(parameters, 'seed'),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
  return orderedVideo({ model, body, video, notifyHook: hookIn(body), parent });
}

/** A result that this server gave out is followed up at its vendor. */
async function ownVideoAt({ db, book }: Deps, userId: number, url: string): Promise<TaskRow | undefined> {
  const [, taskId] = /\/media\/([\w-]{1,100})\/\d+(?:\?|$)/.exec(url) ?? [];
  if (taskId === undefined) return undefined;
  await book.caughtUp();
  const found = await findOwnTask(db, userId, 'video', taskId);
  return found?.status === 'SUCCESS' ? found : undefined;
}

function hookIn(body: Json): string {
  const { uris } = objectOr(body['webhookConfig']);
  const [uri, ...more] = listOr(uris);
  if (more.length > 0) throw invalidTask("'webhookConfig.uris' must have one entry.", 'webhookConfig');
  return hookField({ webhookConfig: uri }, 'webhookConfig');
}

/** The id of a task in the name of an operation; empty: it is none. */
export const taskIdIn = (name: unknown): string => /\/operations\/([\w-]{1,100})$/.exec(textOr(name, ''))?.[1] ?? '';
