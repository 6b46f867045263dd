/** Veo on Vertex AI. Source: @google/genai 3.1.0. */
import { isObject, type Json, listOr, objectOr } from '#json.ts';
import type { ProviderCall } from '../operation.ts';
import { noTokenUsage, type TaskOperation } from '../task-operation.ts';
import { BadTaskRequest, type MediaInput } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import { vertexHost, vertexTarget } from '../vertex-target.ts';
import { inlineImage, veoBody, veoReport, veoTerms } from './veo.ts';
import { acceptedAs } from './video-fields.ts';
import { fileOf, HOUR_S, idIn, videoIn, type VendorAbilities } from './video-rules.ts';

const abilities: VendorAbilities = {
  vendor: 'Veo on Vertex AI',
  kinds: ['extend'],
  takes: [
    'negativePrompt',
    'seconds',
    'resolution',
    'ratio',
    'firstFrame',
    'lastFrame',
    'references',
    'video',
    'audio',
    'seed',
  ],
  extra: ['personGeneration', 'enhancePrompt', 'compressionQuality', 'resizeMode'],
};

/** Results are inside the answer, in Base64: a few videos of 8 s in 4K. */
const LARGEST_ANSWER = 256 * 1024 * 1024;

/** Project, region, model and number of an operation. */
const operationName =
  /^(projects\/[a-z0-9][\w.:-]*\/locations\/([a-z0-9-]{1,40})\/publishers\/google\/models\/[a-z0-9][\w.@-]*)\/operations\/[\w-]+$/i;

const submitTarget = (call: ProviderCall) =>
  vertexTarget(call, `publishers/google/models/${encodeURIComponent(call.model)}:predictLongRunning`);

export const vertexVeo: TaskOperation = {
  dialect: 'openai',
  path: '',
  target: submitTarget,
  serves: ({ model }) => model.startsWith('veo-'),
  usage: noTokenUsage,
  platforms: ['video', 'kling'],
  deadlineS: HOUR_S,
  batch: 1,
  largestAnswer: LARGEST_ANSWER,
  quote(order, model) {
    const video = videoIn(order, abilities);
    return videoQuote(model, { ...veoTerms(video), audio: video.audio ?? true });
  },
  submit(order, call) {
    const video = videoIn(order, abilities);
    const { baseUrl, path } = submitTarget(call);
    const { instances, parameters } = veoBody(video, call.model, stored);
    const isOld = call.model.startsWith('veo-2');
    if (isOld && video.audio) throw new BadTaskRequest('This model makes no sound.', 'audio');
    if ((video.kind === 'extend') !== (video.video !== undefined))
      throw new BadTaskRequest('A video is needed to be extended, and for nothing else.', 'video');
    return {
      method: 'POST',
      baseUrl,
      path,
      body: {
        instances: [{ ...instances[0], ...(video.video && { video: stored(video.video, 'video') }) }],
        parameters: {
          ...parameters,
          ...(video.seed !== undefined && { seed: video.seed }),
          ...(!isOld && { generateAudio: video.audio ?? true }),
        },
      },
    };
  },
  receipt: ({ json }) => (isObject(json) ? acceptedAs(idIn(json['name'], operationName)) : undefined),
  poll([task], { baseUrl }) {
    const name = task?.upstreamId ?? '';
    // The region of the task, although the channel may have another one by now.
    const [, parent = '', region = ''] = operationName.exec(name) ?? [];
    const isOwn = baseUrl !== vertexHost || region === 'global';
    return {
      method: 'POST',
      baseUrl: isOwn ? baseUrl : `https://${region}-aiplatform.googleapis.com`,
      path: `/v1/${parent}:fetchPredictOperation`,
      body: { operationName: name },
    };
  },
  reports({ status, json }, [task]) {
    if (!task || !isObject(json)) return undefined;
    if (status === 404) return [];
    return status === 200 ? [veoReport(task.upstreamId, json, filesIn)] : undefined;
  },
};

/** Google fetches inputs from its storage only. */
function stored(input: MediaInput, param: string): Json {
  if (!('url' in input) || !input.url.startsWith('gs://')) return inlineImage(input, param);
  const types = { png: 'image/png', webp: 'image/webp', mp4: 'video/mp4' };
  const ending = input.url.split('.').at(-1)?.toLowerCase() ?? '';
  const mimeType = Object.hasOwn(types, ending) ? types[ending as keyof typeof types] : 'image/jpeg'; // checked
  return { gcsUri: input.url, mimeType };
}

/** No bucket is named in requests, so results are inside the answer. */
const filesIn = (response: Json) =>
  listOr(response['videos'])
    .map(objectOr)
    .map((video) => fileOf(video['bytesBase64Encoded'], video['mimeType']));
