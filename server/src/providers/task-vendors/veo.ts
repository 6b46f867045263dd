/** Google's Veo, with an API key, which Google has declared legacy, and on Vertex AI. Sources: @google/genai 2.32.0 and 3.1.0. */
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import type { ProviderCall } from '../operation.ts';
import type { ReportedMedia, TaskOperation } from '../task-operation.ts';
import { vertexHost, vertexTarget } from '../vertex-target.ts';
import { BadTaskRequest, type MediaInput, type VideoOrder } from '../video-order.ts';
import type { VideoTerms } from '../video-prices.ts';
import { videoOrders } from './rest-video.ts';
import {
  acceptedAs,
  failedReport,
  fileAt,
  fileOf,
  given,
  idIn,
  isAtHostOf,
  MODERATED,
  oneOf,
  secondsWithin,
  type VendorAbilities,
  videoIn,
  withMedia,
} from './video-fields.ts';

/** The default length is one that every version can make. */
const veoTerms = ({ seconds, resolution }: VideoOrder): VideoTerms & { resolution: string } => ({
  seconds: secondsWithin(seconds, [4, 8], 8),
  resolution: oneOf(resolution, ['720p', '1080p', '4k'], '720p', 'resolution'),
});

const MOST_REFERENCES = 3;

/** A request in both APIs. `image` writes an input. Throws `BadTaskRequest` for what the model cannot do. */
function veoBody(
  video: VideoOrder,
  model: string,
  image: (input: MediaInput, param: string) => Json,
): { instances: [Json]; parameters: Json } {
  const { prompt, negativePrompt, firstFrame, lastFrame, references = [], extra } = video;
  const { seconds, resolution } = veoTerms(video);
  const isOld = model.startsWith('veo-2');
  if (isOld ? seconds < 5 : seconds % 2 !== 0)
    throw new BadTaskRequest(`'seconds' must be ${isOld ? '5 to 8' : '4, 6 or 8'} for this model.`, 'seconds');
  if (isOld && resolution !== '720p')
    throw new BadTaskRequest("'resolution' must be 720p for this model.", 'resolution');
  if (references.length > MOST_REFERENCES)
    throw new BadTaskRequest(`At most ${MOST_REFERENCES} reference images are possible.`, 'references');
  const instance = given({
    prompt,
    image: firstFrame && image(firstFrame, 'firstFrame'),
    lastFrame: lastFrame && image(lastFrame, 'lastFrame'),
    referenceImages: references.map((one) => ({ image: image(one, 'references'), referenceType: 'ASSET' })),
  });
  const parameters = given({
    ...extra,
    sampleCount: 1,
    durationSeconds: seconds,
    aspectRatio: oneOf(video.ratio, ['16:9', '9:16'], '16:9', 'ratio'),
    resolution: isOld ? undefined : resolution,
    negativePrompt,
  });
  return { instances: [instance], parameters };
}

/** The bytes of an input; an address is not fetched. */
function inlineImage(input: MediaInput, param: string): Json {
  if ('url' in input) throw new BadTaskRequest('Veo takes images as bytes only, not by their address.', param);
  return { bytesBase64Encoded: input.base64, mimeType: input.type };
}

/** Reads operations, whose names match `name`. `filesOf` reads the files of a response. */
const veoStates = (name: RegExp, filesOf: (response: Json) => readonly (ReportedMedia | undefined)[]) =>
  ({
    receipt: ({ json }) => (isObject(json) ? acceptedAs(idIn(json['name'], name)) : undefined),
    reports({ status, json: operation }, [task]) {
      if (!task || !isObject(operation)) return undefined;
      if (status === 404) return [];
      if (status !== 200) return undefined;
      const { upstreamId } = task;
      if (operation['done'] !== true) return [{ upstreamId, status: 'IN_PROGRESS', hasResult: false }];
      const { error } = operation;
      if (isObject(error)) return [failedReport(upstreamId, textOr(error['message'], ''))];
      const response = objectOr(operation['response']);
      const report = withMedia({ upstreamId, status: 'SUCCESS', hasResult: false }, filesOf(response));
      const found = isObject(response['generateVideoResponse']) ? response['generateVideoResponse'] : response;
      // Filtered videos are not billed.
      if (!report.hasResult && Number(found['raiMediaFilteredCount']) > 0) {
        const reasons = listOr(found['raiMediaFilteredReasons']).filter((one) => typeof one === 'string');
        return [failedReport(upstreamId, [MODERATED, ...reasons].join(' '))];
      }
      return [{ ...report, data: { done: true, files: report.media?.length ?? 0 } }];
    },
  }) satisfies Partial<TaskOperation>;

const keyAbilities: VendorAbilities = {
  vendor: 'Veo with an API key',
  takes: ['negativePrompt', 'seconds', 'resolution', 'ratio', 'firstFrame', 'lastFrame', 'references', 'audio'],
  extra: ['personGeneration', 'enhancePrompt'],
};

const keyOperation = /^models\/[a-z0-9][\w.-]*\/operations\/[\w-]+$/i;

export const geminiVersion = ({ extras }: Pick<ProviderCall, 'extras'>): string => extras.other || 'v1beta';

/** The vendor's files are downloaded with the channel's key; it is sent to no other host. */
export const geminiMediaHeaders: NonNullable<TaskOperation['mediaHeaders']> = (url, { baseUrl, key }) =>
  isAtHostOf(url, baseUrl) ? { 'x-goog-api-key': key } : undefined;

export const geminiVeo: TaskOperation = {
  target: (call) => ({
    baseUrl: call.baseUrl,
    path: submitPath(call),
    headers: { 'x-goog-api-key': call.key },
  }),
  serves: ({ model }) => model.startsWith('veo-'),
  ...videoOrders({
    path: '',
    video: (order) => videoIn(order, keyAbilities),
    terms: veoTerms,
    request({ video, call }) {
      const hasSound = !call.model.startsWith('veo-2');
      if (video.audio !== undefined && video.audio !== hasSound)
        throw new BadTaskRequest(`This model makes videos ${hasSound ? 'with' : 'without'} sound only.`, 'audio');
      return { path: submitPath(call), body: veoBody(video, call.model, inlineImage) };
    },
  }),
  ...veoStates(keyOperation, samplesIn),
  poll: ([task], call) => ({ method: 'GET', path: `/${geminiVersion(call)}/${task?.upstreamId ?? ''}` }),
  mediaHeaders: geminiMediaHeaders,
};

const submitPath = (call: ProviderCall): string =>
  `/${geminiVersion(call)}/models/${encodeURIComponent(call.model)}:predictLongRunning`;

function samplesIn(response: Json): (ReportedMedia | undefined)[] {
  return listOr(objectOr(response['generateVideoResponse'])['generatedSamples'])
    .map((sample) => objectOr(objectOr(sample)['video']))
    .map(({ uri, encodedVideo, encoding }) => fileAt(uri, 'video') ?? fileOf(encodedVideo, encoding));
}

const vertexAbilities: VendorAbilities = {
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
const vertexOperation =
  /^(projects\/[a-z0-9][\w.:-]*\/locations\/([a-z0-9-]{1,40})\/publishers\/google\/models\/[a-z0-9][\w.@-]*)\/operations\/[\w-]+$/i;

const submitTarget = (call: ProviderCall) =>
  vertexTarget(call, `publishers/google/models/${encodeURIComponent(call.model)}:predictLongRunning`);

export const vertexVeo: TaskOperation = {
  target: submitTarget,
  serves: ({ model }) => model.startsWith('veo-'),
  largestAnswer: LARGEST_ANSWER,
  ...videoOrders({
    path: '',
    video: (order) => videoIn(order, vertexAbilities),
    terms: (video) => ({ ...veoTerms(video), audio: video.audio ?? true }),
    request({ video, call }) {
      const { baseUrl, path } = submitTarget(call);
      const { instances, parameters } = veoBody(video, call.model, stored);
      const isOld = call.model.startsWith('veo-2');
      if (isOld && video.audio) throw new BadTaskRequest('This model makes no sound.', 'audio');
      if ((video.kind === 'extend') !== (video.video !== undefined))
        throw new BadTaskRequest('A video is needed to be extended, and for nothing else.', 'video');
      return {
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
  }),
  platforms: ['video', 'kling'],
  ...veoStates(vertexOperation, filesIn),
  poll([task], { baseUrl }) {
    const name = task?.upstreamId ?? '';
    // The region of the task, although the channel may have another one by now.
    const [, parent = '', region = ''] = vertexOperation.exec(name) ?? [];
    const isOwn = baseUrl !== vertexHost || region === 'global';
    return {
      method: 'POST',
      baseUrl: isOwn ? baseUrl : `https://${region}-aiplatform.googleapis.com`,
      path: `/v1/${parent}:fetchPredictOperation`,
      body: { operationName: name },
    };
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
function filesIn(response: Json): (ReportedMedia | undefined)[] {
  return listOr(response['videos'])
    .map(objectOr)
    .map((video) => fileOf(video['bytesBase64Encoded'], video['mimeType']));
}
