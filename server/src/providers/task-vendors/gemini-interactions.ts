/** Videos of Gemini Omni by the Interactions API. Source: types of @google/genai 3.1.0. */
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import type { ProviderCall } from '../operation.ts';
import type { ReportedMedia, TaskOperation, TaskOrder } from '../task-operation.ts';
import { BadTaskRequest, type MediaInput, type VideoOrder } from '../video-order.ts';
import { taskStates, videoOrders } from './rest-video.ts';
import { geminiMediaHeaders, geminiVersion } from './veo.ts';
import { fileAt, fileOf, idIn, oneOf, secondsWithin, type VendorAbilities, videoIn } from './video-fields.ts';

const abilities: VendorAbilities = {
  vendor: 'Gemini Omni',
  kinds: ['remix', 'edit', 'extend'],
  takes: ['seconds', 'resolution', 'ratio', 'firstFrame', 'references', 'video', 'seed'],
};

const interactions = (call: ProviderCall): string => `/${geminiVersion(call)}/interactions`;

export const geminiInteractions: TaskOperation = {
  ...videoOrders({
    path: '',
    video: (order) => videoIn(order, abilities),
    terms: ({ seconds, resolution }) => ({
      seconds: secondsWithin(seconds, [3, 15], 8),
      resolution: oneOf(resolution, ['360p', '720p', '1080p', '4k'], '720p', 'resolution'),
    }),
    request({ video, terms: { seconds, resolution }, order, call }) {
      if (seconds > 10 && !/-1\.2-/.test(call.model))
        throw new BadTaskRequest("'seconds' must be at most 10 for this model.", 'seconds');
      const previous = previousOf(video, order);
      return {
        path: interactions(call),
        body: {
          model: call.model,
          input: inputOf(video),
          response_format: {
            type: 'video',
            aspect_ratio: oneOf(video.ratio, ['16:9', '9:16'], '16:9', 'ratio'),
            duration: `${seconds}s`,
            resolution,
            delivery: 'uri',
          },
          generation_config: {
            ...(video.seed !== undefined && { seed: video.seed }),
            video_config: { task: taskOf(video) },
          },
          background: true,
          ...(previous !== '' && { previous_interaction_id: previous }),
        },
      };
    },
  }),
  target: (call) => ({
    baseUrl: call.baseUrl,
    path: interactions(call),
    headers: { 'x-goog-api-key': call.key },
  }),
  serves: ({ model }) => model.startsWith('gemini-omni'),
  ...taskStates({
    id: ({ id }) => idIn(id),
    at: (id, call) => `${interactions(call)}/${id}`,
    word: 'status',
    statuses: {
      queued: 'QUEUED',
      in_progress: 'IN_PROGRESS',
      requires_action: 'IN_PROGRESS',
      requires_continuation: 'IN_PROGRESS',
      completed: 'SUCCESS',
      failed: 'FAILURE',
      incomplete: 'FAILURE',
      budget_exceeded: 'FAILURE',
      cancelled: 'CANCEL',
    },
    media: filesIn,
    reason: ({ error }, word) => textOr(objectOr(error)['message'], '') || `The interaction is ${word}.`,
  }),
  cancel: {
    request: ({ upstreamId }, call) => ({
      method: 'POST',
      path: `${interactions(call)}/${encodeURIComponent(upstreamId)}/cancel`,
      body: {},
    }),
    isCancelled: ({ status, json }) => status === 200 && isObject(json) && json['status'] === 'cancelled',
  },
  mediaHeaders: geminiMediaHeaders,
};

/** The interaction whose video is changed. */
function previousOf(video: VideoOrder, { parentId }: TaskOrder): string {
  if (video.kind === 'generate') {
    if (video.video) throw new BadTaskRequest('A new video cannot be made of a video; edit or extend it.', 'video');
    return '';
  }
  const previous = video.video ? '' : idIn(parentId);
  if (!video.video && previous === '') throw new BadTaskRequest('The video to change is missing.', 'video');
  return previous;
}

function taskOf({ kind, firstFrame, references = [] }: VideoOrder): string {
  if (kind === 'extend') return 'extend';
  if (kind !== 'generate') return 'edit';
  if (references.length > 0) return 'reference_to_video';
  return firstFrame ? 'image_to_video' : 'text_to_video';
}

function inputOf({ prompt, firstFrame, references = [], video }: VideoOrder): string | Json[] {
  const images = [...(firstFrame ? [firstFrame] : []), ...references].map((one) => blockOf('image', one));
  const blocks = video ? [...images, blockOf('video', video)] : images;
  return blocks.length === 0 ? prompt : [...(prompt === '' ? [] : [{ type: 'text', text: prompt }]), ...blocks];
}

const blockOf = (type: string, input: MediaInput): Json =>
  'url' in input ? { type, uri: input.url } : { type, data: input.base64, mime_type: input.type };

/** The video is a member, or among the outputs. */
function filesIn(json: Json): (ReportedMedia | undefined)[] {
  const outputs = listOr(json['outputs'])
    .map(objectOr)
    .filter(({ type }) => type === 'video');
  const all = isObject(json['output_video']) ? [json['output_video']] : outputs;
  return all.map(({ uri, data, mime_type: type }) => fileAt(uri, 'video', { type }) ?? fileOf(data, type));
}
