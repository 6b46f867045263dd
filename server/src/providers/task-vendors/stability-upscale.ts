/** Creative upscales of Stability AI, the only task of its API. Source: the vendor's REST reference. */
import { isObject, objectOr, textOr } from '#json.ts';
import { noTokenUsage, type TaskOperation } from '../task-operation.ts';
import { BadTaskRequest } from '../video-order.ts';
import { acceptedAs } from './video-fields.ts';
import {
  failedReport,
  fileOf,
  given,
  HOUR_S,
  idIn,
  MODERATED,
  videoIn,
  type VendorAbilities,
  withMedia,
} from './video-rules.ts';

const abilities: VendorAbilities = {
  vendor: 'Stability',
  takes: ['negativePrompt', 'firstFrame', 'seed'],
  extra: ['creativity', 'output_format', 'style_preset'],
};

/** Name under which the task is offered; the vendor's path names no model. */
export const upscaleModel = 'stable-image-upscale-creative';

export const stabilityUpscale: TaskOperation = {
  dialect: 'openai',
  path: '/stable-image/upscale/creative',
  serves: ({ model }) => model === upscaleModel,
  usage: noTokenUsage,
  platforms: ['video'],
  deadlineS: HOUR_S,
  batch: 1,
  quote(order) {
    if (!videoIn(order, abilities).firstFrame) throw missingImage();
    return { prices: [] };
  },
  submit(order) {
    const { prompt, negativePrompt, firstFrame, seed, extra } = videoIn(order, abilities);
    if (!firstFrame) throw missingImage();
    if ('url' in firstFrame)
      throw new BadTaskRequest('The image is taken as bytes only, not by its address.', 'firstFrame');
    const form = new FormData();
    form.set('image', new Blob([Buffer.from(firstFrame.base64, 'base64')], { type: firstFrame.type }), 'image');
    for (const [name, value] of Object.entries(given({ ...extra, prompt, negative_prompt: negativePrompt, seed })))
      form.set(name, String(value));
    return { method: 'POST', path: '/stable-image/upscale/creative', form };
  },
  receipt: ({ json }) => (isObject(json) ? acceptedAs(idIn(json['id'])) : undefined),
  poll: ([task]) => ({ method: 'GET', path: `/results/${encodeURIComponent(task?.upstreamId ?? '')}` }),
  reports({ status, json }, [task]) {
    if (!task) return undefined;
    const { upstreamId } = task;
    if (status === 202) return [{ upstreamId, status: 'IN_PROGRESS', hasResult: false }];
    if (!isObject(json)) return undefined;
    // Unknown, or older than a day.
    if (status === 404) return [];
    if (status === 403 && objectOr(json)['name'] === 'content_moderation') return [failedReport(upstreamId, MODERATED)];
    if (status !== 200) return undefined;
    const reason = textOr(json['finish_reason'], '');
    if (reason === 'CONTENT_FILTERED') return [failedReport(upstreamId, MODERATED)];
    const file = fileOf(json['result'] ?? json['image'], undefined, 'image');
    return [
      withMedia({ upstreamId, status: 'SUCCESS', hasResult: false, data: given({ finish_reason: reason }) }, [file]),
    ];
  },
};

const missingImage = () => new BadTaskRequest('The image to upscale is missing.', 'firstFrame');
