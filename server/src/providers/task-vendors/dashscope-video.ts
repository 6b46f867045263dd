/**
 * Videos of Alibaba's DashScope: Wan and HappyHorse. Sources: `dashscope`, `@ai-sdk/alibaba`. Left out: sound and video as
 * input. A list of tasks exists, but it has no id of ours, so lost tasks are not searched for.
 */
import type { Json } from '#json.ts';
import type { ProviderCall } from '../operation.ts';
import type { QuotedOrder, TaskOperation, TaskRequest } from '../task-operation.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { taskStates, videoOrders } from './rest-video.ts';
import { addressOf, fileAt, idOf, isDone, newVideo, oneOf, reasonOf, secondsWithin } from './video-fields.ts';

const path = '/api/v1/services/aigc/video-generation/video-synthesis';

export const dashScopeTasks: TaskOperation = {
  ...videoOrders({
    path,
    video: ordered,
    terms: termsOf,
    request: ({ video, terms: { seconds }, model, call }) => ({
      ...at(call, 'POST', path),
      headers: { 'x-dashscope-async': 'enable' },
      body: {
        model,
        input: inputOf(video, model),
        parameters: {
          ...video.extra,
          ...shapeOf(video, model),
          duration: seconds,
          ...(video.audio !== undefined && { audio: video.audio }),
          ...(video.seed !== undefined && { seed: video.seed }),
        },
      },
    }),
  }),
  ...taskStates({
    id: ({ task_id: id }) => idOf(id),
    within: { submitted: 'output', polled: 'output' },
    at: (id, call) => at(call, 'GET', `/api/v1/tasks/${id}`),
    knowsAll: true,
    word: 'task_status',
    tellsStart: true,
    statuses: {
      PENDING: 'QUEUED',
      SUSPENDED: 'QUEUED',
      RUNNING: 'IN_PROGRESS',
      SUCCEEDED: 'SUCCESS',
      FAILED: 'FAILURE',
      CANCELED: 'CANCEL',
      // It does not exist or is older than 24 hours: a final state.
      UNKNOWN: 'FAILURE',
    },
    shown: ['task_id', 'task_status', 'video_url', 'orig_prompt', 'actual_prompt', 'code', 'message'],
    media: ({ video_url: url }) => [fileAt(url, 'video')],
    reason: (output, word) => (word === 'UNKNOWN' ? 'The upstream no longer knows this task.' : reasonOf(output)),
  }),
  // Only waiting tasks.
  cancel: {
    request: ({ upstreamId }, call) => at(call, 'POST', `/api/v1/tasks/${encodeURIComponent(upstreamId)}/cancel`),
    isCancelled: isDone,
  },
};

/** Older channels contain the compatible mode in their base URL. */
function at({ baseUrl }: ProviderCall, method: TaskRequest['method'], to: string): TaskRequest {
  const host = baseUrl.replace(/\/compatible-mode(?:\/v1)?$/, '');
  return { method, path: to, ...(host !== baseUrl && { baseUrl: host }) };
}

/** Wan before 2.7: text to video takes a size in pixels, image to video a separate `img_url` field. */
const isOlder = (model: string): boolean => /^wan(?:x|2\.[0-6])/i.test(model);
const needsImage = (model: string): boolean => /i2v/i.test(model);

/** Throws `BadTaskRequest` for what the model cannot do. */
function ordered(order: Pick<QuotedOrder, 'video'>, model: string): VideoOrder {
  const common = ['seconds', 'resolution', 'negativePrompt', 'audio', 'seed'] as const;
  const lastFrame = isOlder(model) ? [] : (['lastFrame'] as const);
  const references = /r2v|reference/i.test(model) ? (['references'] as const) : [];
  const inputs = needsImage(model) ? (['firstFrame', ...lastFrame] as const) : (['ratio', ...references] as const);
  const free = ['prompt_extend', 'shot_type', 'watermark'];
  const video = newVideo(order, model, { takes: [...common, ...inputs], free });
  if (needsImage(model) && !video.firstFrame) throw new BadTaskRequest(`The model ${model} needs an image.`, 'image');
  return video;
}

function termsOf({ seconds, resolution }: VideoOrder) {
  return {
    seconds: secondsWithin(seconds, [2, 15], 5),
    resolution: oneOf(resolution, ['480p', '720p', '1080p'], '720p', 'resolution'),
  };
}

function inputOf({ prompt, negativePrompt, firstFrame, lastFrame, references = [] }: VideoOrder, model: string): Json {
  const media = [
    ...(firstFrame ? [{ type: 'first_frame', url: addressOf(firstFrame) }] : []),
    ...(lastFrame ? [{ type: 'last_frame', url: addressOf(lastFrame) }] : []),
  ];
  return {
    prompt,
    ...(negativePrompt !== undefined && { negative_prompt: negativePrompt }),
    ...(media.length > 0 && (isOlder(model) ? { img_url: media[0]!.url } : { media })), // not empty
    ...(references.length > 0 && { reference_urls: references.map(addressOf) }),
  };
}

const sizes: Readonly<Record<string, string>> = {
  '480p 16:9': '832*480',
  '480p 9:16': '480*832',
  '720p 16:9': '1280*720',
  '720p 9:16': '720*1280',
  '720p 1:1': '960*960',
  '1080p 16:9': '1920*1080',
  '1080p 9:16': '1080*1920',
  '1080p 1:1': '1440*1440',
};

function shapeOf(video: VideoOrder, model: string): Json {
  const { resolution } = termsOf(video);
  if (needsImage(model)) return { resolution: resolution.toUpperCase() };
  const { ratio = '16:9' } = video;
  if (!isOlder(model)) return { resolution: resolution.toUpperCase(), ratio };
  const size = sizes[`${resolution} ${ratio}`];
  if (size === undefined) throw new BadTaskRequest(`There is no size for ${resolution} at ${ratio}.`, 'ratio');
  return { size };
}
