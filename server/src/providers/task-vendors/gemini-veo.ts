/** Veo with an API key, which Google has declared legacy. Source: @google/genai 2.32.0. */
import { isObject, type Json, listOr, objectOr } from '#json.ts';
import type { ProviderCall } from '../operation.ts';
import { noTokenUsage, type ReportedMedia, type TaskOperation } from '../task-operation.ts';
import { BadTaskRequest } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import { inlineImage, veoBody, veoReport, veoTerms } from './veo.ts';
import { acceptedAs } from './video-fields.ts';
import { fileAt, fileOf, HOUR_S, idIn, isAtHostOf, videoIn, type VendorAbilities } from './video-rules.ts';

const abilities: VendorAbilities = {
  vendor: 'Veo with an API key',
  takes: ['negativePrompt', 'seconds', 'resolution', 'ratio', 'firstFrame', 'lastFrame', 'references', 'audio'],
  extra: ['personGeneration', 'enhancePrompt'],
};

const operationName = /^models\/[a-z0-9][\w.-]*\/operations\/[\w-]+$/i;

export const geminiVersion = ({ extras }: Pick<ProviderCall, 'extras'>): string => extras.other || 'v1beta';

/** The vendor's files are downloaded with the channel's key; it is sent to no other host. */
export const geminiMediaHeaders: NonNullable<TaskOperation['mediaHeaders']> = (url, { baseUrl, key }) =>
  isAtHostOf(url, baseUrl) ? { 'x-goog-api-key': key } : undefined;

export const geminiVeo: TaskOperation = {
  dialect: 'openai',
  path: '',
  target: (call) => ({
    baseUrl: call.baseUrl,
    path: submitPath(call),
    headers: { 'x-goog-api-key': call.key },
  }),
  serves: ({ model }) => model.startsWith('veo-'),
  usage: noTokenUsage,
  platforms: ['video'],
  deadlineS: HOUR_S,
  batch: 1,
  quote: (order, model) => videoQuote(model, veoTerms(videoIn(order, abilities))),
  submit(order, call) {
    const video = videoIn(order, abilities);
    const hasSound = !call.model.startsWith('veo-2');
    if (video.audio !== undefined && video.audio !== hasSound)
      throw new BadTaskRequest(`This model makes videos ${hasSound ? 'with' : 'without'} sound only.`, 'audio');
    return { method: 'POST', path: submitPath(call), body: veoBody(video, call.model, inlineImage) };
  },
  receipt: ({ json }) => (isObject(json) ? acceptedAs(idIn(json['name'], operationName)) : undefined),
  poll: ([task], call) => ({ method: 'GET', path: `/${geminiVersion(call)}/${task?.upstreamId ?? ''}` }),
  reports({ status, json }, [task]) {
    if (!task || !isObject(json)) return undefined;
    if (status === 404) return [];
    return status === 200 ? [veoReport(task.upstreamId, json, filesIn)] : undefined;
  },
  mediaHeaders: geminiMediaHeaders,
};

const submitPath = (call: ProviderCall): string =>
  `/${geminiVersion(call)}/models/${encodeURIComponent(call.model)}:predictLongRunning`;

const filesIn = (response: Json): (ReportedMedia | undefined)[] =>
  listOr(objectOr(response['generateVideoResponse'])['generatedSamples'])
    .map((sample) => objectOr(objectOr(sample)['video']))
    .map(({ uri, encodedVideo, encoding }) => fileAt(uri, 'video') ?? fileOf(encodedVideo, encoding));
