/**
 * Videos of Zhipu: CogVideoX, and Vidu's models there. Source: `zai-sdk`. The vendor charges per video; `fps` and
 * `off_peak`, whose prices are not known, are left out.
 */
import { listOr, objectOr } from '#json.ts';
import type { QuotedOrder, TaskOperation } from '../task-operation.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { taskStates, videoOrders } from './rest-video.ts';
import { addressOf, fileAt, hasError, idOf, newVideo, oneOf, reasonOf } from './video-fields.ts';

export const zhipuTasks: TaskOperation = {
  ...videoOrders({
    path: '/videos/generations',
    video: ordered,
    terms: termsOf,
    request({ video, terms: { seconds, quality, audio }, model, order }) {
      const { prompt, ratio, firstFrame, lastFrame, references = [] } = video;
      const images = [firstFrame, lastFrame, ...references].filter((one) => one !== undefined).map(addressOf);
      const size = sizeOf(video, model);
      return {
        body: {
          ...video.extra,
          model,
          prompt,
          duration: seconds,
          with_audio: audio,
          ...(quality !== undefined && { quality }),
          ...(size !== undefined && { size }),
          ...(isVidu(model) && ratio !== undefined && { aspect_ratio: ratio }),
          ...(images.length > 0 && { image_url: images.length === 1 ? images[0] : images }),
          request_id: order.ownId,
        },
      };
    },
  }),
  ...taskStates({
    id: ({ id }) => idOf(id),
    isRefusal: hasError,
    at: (id) => `/async-result/${id}`,
    word: 'task_status',
    tellsStart: true,
    statuses: { PROCESSING: 'IN_PROGRESS', SUCCESS: 'SUCCESS', FAIL: 'FAILURE' },
    ownId: 'request_id',
    shown: ['id', 'model', 'task_status', 'video_result', 'request_id', 'error'],
    media: (task) =>
      listOr(task['video_result'])
        .map(objectOr)
        .map(({ url, cover_image_url: cover }) => fileAt(url, 'video', { cover })),
    reason: ({ error }) => reasonOf(error),
  }),
};

const isVidu = (model: string): boolean => /^vidu/i.test(model);

/** Throws `BadTaskRequest` for what the model cannot do. */
function ordered(order: Pick<QuotedOrder, 'video'>, model: string): VideoOrder {
  const common = ['seconds', 'resolution', 'ratio', 'audio'] as const;
  const inputs =
    isVidu(model) && /reference/i.test(model) ? (['references'] as const) : (['firstFrame', 'lastFrame'] as const);
  const own = isVidu(model) ? [] : (['quality'] as const);
  return newVideo(order, model, {
    takes: [...common, ...inputs, ...own],
    free: ['style', 'movement_amplitude', 'watermark_enabled'],
  });
}

function termsOf({ seconds, quality, resolution, audio = false }: VideoOrder, model: string) {
  return {
    seconds: oneOf(seconds, [5, 10], 5, 'seconds'),
    quality: isVidu(model) ? undefined : oneOf(quality, ['speed', 'quality'], 'speed', 'quality'),
    resolution,
    audio,
  };
}

const sizes: Readonly<Record<string, string>> = {
  '720p 16:9': '1280x720',
  '720p 9:16': '720x1280',
  '720p 1:1': '1024x1024',
  '1080p 16:9': '1920x1080',
  '1080p 9:16': '1080x1920',
  '4k 16:9': '3840x2160',
};

/** Undefined: none was asked for. */
function sizeOf({ size, resolution, ratio }: VideoOrder, model: string): string | undefined {
  if (size) return `${size.width}x${size.height}`;
  if (resolution === undefined && (ratio === undefined || isVidu(model))) return undefined;
  const found = sizes[`${resolution ?? '1080p'} ${ratio ?? '16:9'}`];
  if (found === undefined) throw new BadTaskRequest('There is no such size: set one in pixels.', 'size');
  return found;
}
