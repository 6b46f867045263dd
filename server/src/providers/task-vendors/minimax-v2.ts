/**
 * MiniMax's second video API: H3 and H3-Max. Source: the vendor's documentation. Left out: video and sound as input, whose
 * price is not known, more than five images, which cost extra, and callbacks, which need a challenge answered within 3
 * seconds.
 */
import { isObject, objectOr, textOr } from '#json.ts';
import { noTokenUsage, type QuotedOrder, type TaskOperation } from '../task-operation.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import {
  acceptedAs,
  addressOf,
  hasError,
  idOf,
  isDone,
  newVideo,
  oneOf,
  pick,
  reasonOf,
  secondsWithin,
  statusOf,
  videoMedia,
} from './video-fields.ts';

const HOUR_S = 3600;
/** Further ones have a price of their own. */
const FREE_IMAGES = 5;

export const isMiniMaxV2 = (model: string): boolean => /^minimax-h\d/i.test(model);

export const miniMaxV2Tasks: TaskOperation = {
  dialect: 'openai',
  path: '/v2/video_generation',
  usage: noTokenUsage,
  platforms: ['video'],
  deadlineS: HOUR_S,
  batch: 1,
  serves: ({ model }) => isMiniMaxV2(model),
  quote: (order, billed, upstream = billed) => videoQuote(billed, termsOf(ordered(order, upstream), upstream)),
  submit(order, { model }) {
    const video = ordered(order, model);
    const { prompt, firstFrame, lastFrame, references = [], ratio } = video;
    const { seconds, resolution } = termsOf(video, model);
    const images = [
      ...(firstFrame ? [{ image: firstFrame, role: 'first_frame' }] : []),
      ...(lastFrame ? [{ image: lastFrame, role: 'last_frame' }] : []),
      ...references.map((image) => ({ image, role: 'reference_image' })),
    ];
    // Required for texts; with images it is taken from them.
    const shape = ratio ?? (images.length === 0 ? '16:9' : undefined);
    return {
      method: 'POST',
      path: '/v2/video_generation',
      body: {
        model,
        content: [
          { type: 'text', text: prompt },
          ...images.map(({ image, role }) => ({ type: 'image_url', image_url: { url: addressOf(image) }, role })),
        ],
        duration: seconds,
        resolution: resolution.toUpperCase(),
        ...(shape !== undefined && { ratio: shape }),
      },
    };
  },
  receipt: ({ json }) => (isObject(json) && !hasError(json) ? acceptedAs(idOf(json['task_id'])) : undefined),
  poll: ([task]) => ({
    method: 'GET',
    path: `/v2/query/video_generation/${encodeURIComponent(task?.upstreamId ?? '')}`,
  }),
  reports({ status, json }, [polled]) {
    if (status === 404 && isObject(json)) return [];
    const { task } = objectOr(json);
    if (status !== 200 || !isObject(task) || !polled) return undefined;
    const { url } = objectOr(task['content']);
    const media = videoMedia(url);
    return [
      {
        upstreamId: polled.upstreamId,
        ...statusOf(statuses, textOr(task['status'], '')),
        failReason: reasonOf(task['error']),
        data: { task: pick(task, ['id', 'status', 'content', 'error']) },
        media,
        hasResult: media.length > 0,
      },
    ];
  },
  cancel: {
    request: ({ upstreamId }) => ({
      method: 'DELETE',
      path: `/v2/video_generation/${encodeURIComponent(upstreamId)}`,
    }),
    isCancelled: isDone,
    deletesEnded: true,
  },
};

const statuses = {
  queued: 'QUEUED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'CANCEL',
} as const;

/** Throws `BadTaskRequest` for what the model cannot do. */
function ordered(order: Pick<QuotedOrder, 'video'>, model: string): VideoOrder {
  const video = newVideo(order, model, {
    takes: ['seconds', 'resolution', 'ratio', 'firstFrame', 'lastFrame', 'references'],
  });
  const { firstFrame, references = [] } = video;
  if (firstFrame && references.length > 0)
    throw new BadTaskRequest('Frames and references exclude each other.', 'references');
  if (references.length > FREE_IMAGES)
    throw new BadTaskRequest(`At most ${FREE_IMAGES} references can be sent.`, 'references');
  return video;
}

function termsOf({ seconds, resolution }: VideoOrder, model: string): { seconds: number; resolution: string } {
  const allowed = /-max/i.test(model) ? ['480p', '768p'] : ['768p', '2k'];
  return {
    seconds: secondsWithin(seconds, [4, 15], 5),
    resolution: oneOf(resolution, allowed, '768p', 'resolution'),
  };
}
