/** Videos of Gemini Omni by the Interactions API. Source: types of @google/genai 3.1.0. */
import type { TaskStatus } from '@relay-hub/contract';
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import type { ProviderCall } from '../operation.ts';
import { noTokenUsage, type ReportedMedia, type TaskOperation, type TaskOrder } from '../task-operation.ts';
import { BadTaskRequest, type MediaInput, type VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import { geminiMediaHeaders, geminiVersion } from './gemini-veo.ts';
import { acceptedAs } from './video-fields.ts';
import {
  choiceOf,
  fileAt,
  fileOf,
  given,
  HOUR_S,
  idIn,
  reportAs,
  secondsOf,
  videoIn,
  type VendorAbilities,
  withMedia,
} from './video-rules.ts';

const abilities: VendorAbilities = {
  vendor: 'Gemini Omni',
  kinds: ['remix', 'edit', 'extend'],
  takes: ['seconds', 'resolution', 'ratio', 'firstFrame', 'references', 'video', 'seed'],
};

const termsOf = (video: VideoOrder) => ({
  seconds: secondsOf(video, 8, [3, 15]),
  resolution: choiceOf(video, 'resolution', '720p', ['360p', '720p', '1080p', '4k']),
});

const statuses: Readonly<Record<string, TaskStatus>> = {
  queued: 'QUEUED',
  in_progress: 'IN_PROGRESS',
  requires_action: 'IN_PROGRESS',
  requires_continuation: 'IN_PROGRESS',
  completed: 'SUCCESS',
  failed: 'FAILURE',
  incomplete: 'FAILURE',
  budget_exceeded: 'FAILURE',
  cancelled: 'CANCEL',
};

const interactions = (call: ProviderCall): string => `/${geminiVersion(call)}/interactions`;

export const geminiInteractions: TaskOperation = {
  dialect: 'openai',
  path: '',
  target: (call) => ({
    baseUrl: call.baseUrl,
    path: interactions(call),
    headers: { 'x-goog-api-key': call.key },
  }),
  serves: ({ model }) => model.startsWith('gemini-omni'),
  usage: noTokenUsage,
  platforms: ['video'],
  deadlineS: HOUR_S,
  batch: 1,
  quote: (order, model) => videoQuote(model, termsOf(videoIn(order, abilities))),
  submit(order, call) {
    const video = videoIn(order, abilities);
    const { seconds, resolution } = termsOf(video);
    if (seconds > 10 && !/-1\.2-/.test(call.model))
      throw new BadTaskRequest("'seconds' must be at most 10 for this model.", 'seconds');
    const previous = previousOf(video, order);
    return {
      method: 'POST',
      path: interactions(call),
      body: {
        model: call.model,
        input: inputOf(video),
        response_format: {
          type: 'video',
          aspect_ratio: choiceOf(video, 'ratio', '16:9', ['16:9', '9:16']),
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
  receipt: ({ json }) => (isObject(json) ? acceptedAs(idIn(json['id'])) : undefined),
  poll: ([task], call) => ({
    method: 'GET',
    path: `${interactions(call)}/${encodeURIComponent(task?.upstreamId ?? '')}`,
  }),
  reports({ status, json }, [task]) {
    if (!task || !isObject(json)) return undefined;
    if (status === 404) return [];
    if (status !== 200) return undefined;
    const report = reportAs(task.upstreamId, json['status'], statuses);
    if (report.status === 'SUCCESS') return [withMedia(report, filesIn(json))];
    if (report.status !== 'FAILURE') return [report];
    const reason =
      textOr(objectOr(json['error'])['message'], '') || `The interaction is ${textOr(json['status'], '')}.`;
    return [{ ...report, failReason: reason }];
  },
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
  return all.map(
    ({ uri, data, mime_type: type }) =>
      fileAt(uri, 'video', given({ type: textOr(type, undefined) })) ?? fileOf(data, type),
  );
}
