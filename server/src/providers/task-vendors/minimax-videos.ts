/**
 * Both video APIs of MiniMax: the first for Hailuo 2.3 and 02, T2V-01, I2V-01 and S2V-01, the second for H3 and H3-Max.
 * Source: the vendor's documentation. Left out: callbacks, which need a challenge answered within 3 seconds; of the first,
 * `GroupId` of old accounts; of the second, video and sound as input, whose price is not known, and more than five images,
 * which cost extra.
 */
import { type Json, objectOr, textOr } from '#json.ts';
import type { QuotedOrder, TaskOperation } from '../task-operation.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { taskStates, videoOrders } from './rest-video.ts';
import { addressOf, fileAt, hasError, idOf, isDone, newVideo, oneOf, reasonOf, secondsWithin } from './video-fields.ts';

/** Further ones cost extra. */
const FREE_IMAGES = 5;

const isSecond = (model: string): boolean => /^minimax-h\d/i.test(model);

export const miniMaxV2Tasks: TaskOperation = {
  ...videoOrders({
    path: '/v2/video_generation',
    video: orderedSecond,
    terms: termsOfSecond,
    request({ video, terms: { seconds, resolution }, model }) {
      const { prompt, firstFrame, lastFrame, references = [], ratio } = video;
      const images = [
        ...(firstFrame ? [{ image: firstFrame, role: 'first_frame' }] : []),
        ...(lastFrame ? [{ image: lastFrame, role: 'last_frame' }] : []),
        ...references.map((image) => ({ image, role: 'reference_image' })),
      ];
      // Required for texts; with images it is taken from them.
      const shape = ratio ?? (images.length === 0 ? '16:9' : undefined);
      return {
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
  }),
  serves: ({ model }) => isSecond(model),
  ...taskStates({
    id: ({ task_id: id }) => idOf(id),
    isRefusal: hasError,
    at: (id) => `/v2/query/video_generation/${id}`,
    within: { polled: 'task' },
    word: 'status',
    statuses: {
      queued: 'QUEUED',
      running: 'IN_PROGRESS',
      succeeded: 'SUCCESS',
      failed: 'FAILURE',
      cancelled: 'CANCEL',
    },
    shown: ['id', 'status', 'content', 'error'],
    media: ({ content }) => [fileAt(objectOr(content)['url'], 'video')],
    reason: ({ error }) => reasonOf(error),
  }),
  cancel: {
    request: ({ upstreamId }) => ({
      method: 'DELETE',
      path: `/v2/video_generation/${encodeURIComponent(upstreamId)}`,
    }),
    isCancelled: isDone,
    deletesEnded: true,
  },
};

/** Throws `BadTaskRequest` for what the model cannot do. */
function orderedSecond(order: Pick<QuotedOrder, 'video'>, model: string): VideoOrder {
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

function termsOfSecond({ seconds, resolution }: VideoOrder, model: string): { seconds: number; resolution: string } {
  const allowed = /-max/i.test(model) ? ['480p', '768p'] : ['768p', '2k'];
  return {
    seconds: secondsWithin(seconds, [4, 15], 5),
    resolution: oneOf(resolution, allowed, '768p', 'resolution'),
  };
}

export const miniMaxTasks: TaskOperation = {
  ...videoOrders({
    path: '/v1/video_generation',
    video: ordered,
    terms: termsOf,
    request({ video, terms: { seconds, resolution }, model }) {
      const { prompt, firstFrame, lastFrame, references = [] } = video;
      return {
        body: {
          ...video.extra,
          model,
          prompt,
          duration: seconds,
          resolution: resolution.toUpperCase(),
          ...(firstFrame && { first_frame_image: addressOf(firstFrame) }),
          ...(lastFrame && { last_frame_image: addressOf(lastFrame) }),
          ...(references.length > 0 && {
            subject_reference: [{ type: 'character', image: references.map(addressOf) }],
          }),
        },
      };
    },
  }),
  serves: ({ model }) => !isSecond(model),
  ...taskStates({
    id: ({ task_id: id }) => idOf(id),
    isRefusal: (json) => baseCode(json) !== 0,
    at: (id) => `/v1/query/video_generation?task_id=${id}`,
    knowsAll: true,
    // Other codes are about the query.
    isError: (json) =>
      ![0, ...moderationCodes].includes(baseCode(json)) && !failures.includes(textOr(json['status'], '')),
    byStatus: ({ status, json }) =>
      status === 200 && moderationCodes.includes(baseCode(objectOr(json)))
        ? { status: 'FAILURE', failReason: messageOf(objectOr(json)) }
        : undefined,
    word: 'status',
    statuses: {
      Preparing: 'QUEUED',
      Queueing: 'QUEUED',
      Processing: 'IN_PROGRESS',
      Success: 'SUCCESS',
      Fail: 'FAILURE',
      Failed: 'FAILURE',
    },
    shown: ['task_id', 'status', 'file_id', 'video_width', 'video_height'],
    // A result has an id only, see `result`.
    reason: messageOf,
  }),
  result: {
    request(_, { data }) {
      const fileId = idOf(objectOr(data)['file_id']);
      if (fileId === '') return undefined;
      return { method: 'GET', path: `/v1/files/retrieve?file_id=${encodeURIComponent(fileId)}` };
    },
    read({ status, json }, report) {
      const { file } = objectOr(json);
      const video = fileAt(objectOr(file)['download_url'], 'video');
      return status === 200 && video ? { ...report, media: [video], hasResult: true } : undefined;
    },
  },
  also: [miniMaxV2Tasks],
};

const baseCode = (json: Json): unknown => objectOr(json['base_resp'])['status_code'] ?? 0;

function messageOf(json: Json): string {
  return reasonOf({ code: baseCode(json) || undefined, message: objectOr(json['base_resp'])['status_msg'] });
}

/** Moderation of the result. */
const moderationCodes: readonly unknown[] = [1026, 1027];
const failures: readonly string[] = ['Fail', 'Failed'];

/** Throws `BadTaskRequest` for what the model cannot do. */
function ordered(order: Pick<QuotedOrder, 'video'>, model: string): VideoOrder {
  const inputs = isSubject(model) ? (['references'] as const) : (['firstFrame', 'lastFrame'] as const);
  return newVideo(order, model, {
    takes: ['seconds', 'resolution', ...inputs],
    free: ['prompt_optimizer', 'fast_pretreatment', 'aigc_watermark'],
  });
}

const isSubject = (model: string): boolean => /^s2v/i.test(model);

function termsOf({ seconds, resolution }: VideoOrder, model: string): { seconds: number; resolution: string } {
  const isOld = /^(?:[tis]2v)/i.test(model);
  return {
    seconds: oneOf(seconds, isOld ? [6] : [6, 10], 6, 'seconds'),
    resolution: isOld
      ? oneOf(resolution, ['720p'], '720p', 'resolution')
      : oneOf(resolution, ['512p', '768p', '1080p'], '768p', 'resolution'),
  };
}
