/**
 * MiniMax's first video API: Hailuo 2.3 and 02, T2V-01, I2V-01, S2V-01. Source: the vendor's documentation. Left out:
 * `GroupId` of old accounts, and callbacks, which need a challenge answered within 3 seconds.
 */
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import { noTokenUsage, type QuotedOrder, type TaskOperation, type TaskReport } from '../task-operation.ts';
import type { VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import { isMiniMaxV2, miniMaxV2Tasks } from './minimax-v2.ts';
import { acceptedAs, addressOf, idOf, newVideo, oneOf, pick, reasonOf, statusOf, videoMedia } from './video-fields.ts';

const HOUR_S = 3600;

export const miniMaxTasks: TaskOperation = {
  dialect: 'openai',
  path: '/v1/video_generation',
  usage: noTokenUsage,
  platforms: ['video'],
  deadlineS: HOUR_S,
  batch: 1,
  serves: ({ model }) => !isMiniMaxV2(model),
  quote: (order, billed, upstream = billed) => videoQuote(billed, termsOf(ordered(order, upstream), upstream)),
  submit(order, { model }) {
    const video = ordered(order, model);
    const { prompt, firstFrame, lastFrame, references = [] } = video;
    const { seconds, resolution } = termsOf(video, model);
    return {
      method: 'POST',
      path: '/v1/video_generation',
      body: {
        ...video.extra,
        model,
        prompt,
        duration: seconds,
        resolution: resolution.toUpperCase(),
        ...(firstFrame && { first_frame_image: addressOf(firstFrame) }),
        ...(lastFrame && { last_frame_image: addressOf(lastFrame) }),
        ...(references.length > 0 && { subject_reference: [{ type: 'character', image: references.map(addressOf) }] }),
      },
    };
  },
  receipt({ json }) {
    if (!isObject(json) || baseCode(json) !== 0) return undefined;
    return acceptedAs(idOf(json['task_id']));
  },
  poll: ([task]) => ({
    method: 'GET',
    path: `/v1/query/video_generation?task_id=${encodeURIComponent(task?.upstreamId ?? '')}`,
  }),
  reports({ status, json }, [task]) {
    if (status !== 200 || !isObject(json) || !task) return undefined;
    const word = textOr(json['status'], '');
    const { status_msg: message } = objectOr(json['base_resp']);
    const code = baseCode(json);
    // Moderation of the result; other codes are about the query.
    const isBlocked = code === 1026 || code === 1027;
    if (!isBlocked && (word === '' || (code !== 0 && !failures.has(word)))) return undefined;
    const report: TaskReport = {
      upstreamId: task.upstreamId,
      ...statusOf(statuses, isBlocked ? 'Fail' : word),
      failReason: reasonOf({ code: code || undefined, message }),
      data: pick(json, ['task_id', 'status', 'file_id', 'video_width', 'video_height']),
      // It has an id only, see `result`.
      hasResult: false,
    };
    return [report];
  },
  result: {
    request(_, { data }) {
      const fileId = idOf(objectOr(data)['file_id']);
      if (fileId === '') return undefined;
      return { method: 'GET', path: `/v1/files/retrieve?file_id=${encodeURIComponent(fileId)}` };
    },
    read({ status, json }, report) {
      const { file } = objectOr(json);
      const media = videoMedia(objectOr(file)['download_url']);
      return status === 200 && media.length > 0 ? { ...report, media, hasResult: true } : undefined;
    },
  },
  also: [miniMaxV2Tasks],
};

const baseCode = (json: Json): unknown => objectOr(json['base_resp'])['status_code'] ?? 0;

const failures = new Set(['Fail', 'Failed']);
const statuses = {
  Preparing: 'QUEUED',
  Queueing: 'QUEUED',
  Processing: 'IN_PROGRESS',
  Success: 'SUCCESS',
  Fail: 'FAILURE',
  Failed: 'FAILURE',
} as const;

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
