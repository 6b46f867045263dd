/**
 * Videos of Volcengine Ark: Seedance. Sources: volcengine-python-sdk, `@ai-sdk/bytedance`. The vendor charges by tokens,
 * which follow from resolution and length. Left out, because they change the price: drafts, the flex tier, video input.
 */
import { type Json, objectOr } from '#json.ts';
import type { QuotedOrder, TaskOperation, TaskQuote } from '../task-operation.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import { taskStates, videoOrders } from './rest-video.ts';
import {
  addressOf,
  fileAt,
  hasError,
  HOUR_S,
  idOf,
  isDone,
  newVideo,
  oneOf,
  reasonOf,
  secondsWithin,
} from './video-fields.ts';

const path = '/contents/generations/tasks';

export const arkTasks: TaskOperation = {
  ...videoOrders({
    path,
    video: ordered,
    terms: termsOf,
    request({ video, model, order }) {
      const { firstFrame, lastFrame, references = [] } = video;
      const images = [
        ...(firstFrame ? [{ image: firstFrame, role: 'first_frame' }] : []),
        ...(lastFrame ? [{ image: lastFrame, role: 'last_frame' }] : []),
        ...references.map((image) => ({ image, role: 'reference_image' })),
      ];
      return {
        body: {
          ...video.extra,
          model,
          content: [
            { type: 'text', text: isOlder(model) ? withOptions(video) : video.prompt },
            ...images.map(({ image, role }) => ({ type: 'image_url', image_url: { url: addressOf(image) }, role })),
          ],
          ...(!isOlder(model) && fieldsOf(video)),
          // The vendor gives it up when we do.
          execution_expires_after: HOUR_S,
          ...(order.notifyUrl !== '' && { callback_url: order.notifyUrl }),
        },
      };
    },
  }),
  batch: 50,
  quote: (order, billed, upstream = billed) => quoteOf(billed, termsOf(ordered(order, upstream))),
  ...taskStates({
    id: ({ id }) => idOf(id),
    isRefusal: hasError,
    within: { listed: 'items' },
    at: () => path,
    word: 'status',
    statuses: {
      queued: 'QUEUED',
      running: 'IN_PROGRESS',
      succeeded: 'SUCCESS',
      failed: 'FAILURE',
      expired: 'FAILURE',
      cancelled: 'CANCEL',
    },
    shown: ['id', 'model', 'status', 'content', 'error', 'seed', 'resolution', 'ratio', 'duration'],
    media({ content, duration: seconds }) {
      const { video_url: url, last_frame_url: cover } = objectOr(content);
      return [fileAt(url, 'video', { cover, seconds })];
    },
    reason: ({ error }, word) =>
      word === 'expired' ? 'The upstream did not finish the task in time.' : reasonOf(error),
  }),
  poll: (tasks) => {
    const query = new URLSearchParams({ page_num: '1', page_size: '100' });
    for (const { upstreamId } of tasks) query.append('filter.task_ids', upstreamId);
    return { method: 'GET', path: `${path}?${query.toString()}` };
  },
  cancel: {
    request: ({ upstreamId }) => ({ method: 'DELETE', path: `${path}/${encodeURIComponent(upstreamId)}` }),
    isCancelled: isDone,
    deletesEnded: true,
  },
};

/** Seedance 1.0 takes its options at the end of the text. */
const isOlder = (model: string): boolean => /seedance-1-0/.test(model);

/** Options in the prompt, such as `--dur 10`, would change the vendor's price; they are refused. */
const optionInText = /(?:^|\s)--[a-z]/i;

/** Throws `BadTaskRequest` for what the model cannot do. */
function ordered(order: Pick<QuotedOrder, 'video'>, model: string): VideoOrder {
  const common = ['seconds', 'resolution', 'ratio', 'seed', 'firstFrame', 'lastFrame', 'references'] as const;
  const video = newVideo(order, model, {
    takes: isOlder(model) ? common : [...common, 'audio'],
    free: ['camera_fixed', 'watermark', 'return_last_frame'],
  });
  if (optionInText.test(video.prompt))
    throw new BadTaskRequest('The prompt must not have options such as --dur: use the fields.', 'prompt');
  if (video.firstFrame && video.references?.length)
    throw new BadTaskRequest('Frames and references exclude each other.', 'references');
  return video;
}

function termsOf({ seconds, resolution, audio = false }: VideoOrder) {
  return {
    seconds: secondsWithin(seconds, [2, 15], 5),
    resolution: oneOf(resolution, ['480p', '720p', '1080p', '4k'], '720p', 'resolution'),
    audio,
  };
}

const ratioOf = ({ ratio, firstFrame, references = [] }: VideoOrder): string =>
  ratio ?? (firstFrame || references.length > 0 ? 'adaptive' : '16:9');

function fieldsOf(video: VideoOrder): Json {
  const { seconds, resolution, audio } = termsOf(video);
  return {
    resolution,
    ratio: ratioOf(video),
    duration: seconds,
    generate_audio: audio,
    ...(video.seed !== undefined && { seed: video.seed }),
  };
}

function withOptions(video: VideoOrder): string {
  const { seconds, resolution } = termsOf(video);
  const seed = video.seed === undefined ? '' : ` --seed ${video.seed}`;
  return `${video.prompt} --rs ${resolution} --dur ${seconds} --rt ${ratioOf(video)}${seed}`;
}

/** Names of models end in a date, which prices may leave out. */
function quoteOf(model: string, terms: ReturnType<typeof termsOf>): TaskQuote {
  const undated = model.replace(/-\d{6}$/, '');
  const quote = videoQuote(model, terms);
  return undated === model ? quote : { ...quote, prices: [...quote.prices, ...videoQuote(undated, terms).prices] };
}
