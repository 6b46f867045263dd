import { openAiWire, responsesWire } from '#chat/codecs.ts';
import type { OpenAiWireOptions } from '#chat/openai/write-openai-request.ts';
import { openAiChat } from '#usage/open-ai-chat.ts';
import { openAiImages, openAiSpeech, openAiTranscription } from '#usage/open-ai-media.ts';
import { openAiResponses } from '#usage/open-ai-responses.ts';
import { jina } from '#usage/plain-counters.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { type Fix, fixing, without } from './fixes.ts';
import { messagesAt, rawTarget, realtimeTarget } from './open-ai-targets.ts';
import type { About, ProviderCall, Operation, ProviderWire, CallTarget } from './operation.ts';
import type { BatchOperation } from './batch-operation.ts';
import type { Balance, ChannelForm, ErrorReader, Headers, ModelList, Provider } from './provider.ts';
import { openAiModels } from './questions.ts';
import type { TaskOperation } from './task-operation.ts';
import { bearer } from './target.ts';
import { backgroundResponses } from './task-vendors/background-responses.ts';

/** Path of each modality behind the version. */
const paths = {
  chat: '/chat/completions',
  responses: '/responses',
  completions: '/completions',
  embeddings: '/embeddings',
  moderations: '/moderations',
  generations: '/images/generations',
  edits: '/images/edits',
  variations: '/images/variations',
  speech: '/audio/speech',
  transcriptions: '/audio/transcriptions',
  translations: '/audio/translations',
  rerank: '/rerank',
  realtime: '/realtime',
  raw: '',
  models: '/models',
} as const;

export type Modality = keyof typeof paths;

/** OpenAI's own modalities except chat. */
export const everything: readonly Modality[] = [
  'responses',
  'completions',
  'embeddings',
  'moderations',
  'generations',
  'edits',
  'variations',
  'speech',
  'transcriptions',
  'translations',
  'realtime',
  'raw',
];

const usages: Partial<Record<Modality, UsageFormat>> = {
  responses: openAiResponses,
  generations: openAiImages,
  edits: openAiImages,
  variations: openAiImages,
  speech: openAiSpeech,
  transcriptions: openAiTranscription,
  translations: openAiTranscription,
  rerank: jina,
  realtime: openAiResponses,
};

export interface CompatibleVendor {
  id: string;
  type: number;
  title: string;
  baseUrl?: string;
  testModel?: string;
  website?: string;
  promptCacheS?: number;
  form?: ChannelForm;
  /** The version prefix of paths; some vendors have it in the base URL instead. */
  prefix?: string;
  /** Modalities except chat and the model list. */
  has?: readonly Modality[];
  /** `false` if the vendor has no chat. */
  chat?: false;
  /** Full paths that differ from OpenAI's. */
  paths?: Partial<Record<Modality, string>>;
  headers?: (key: string) => Headers;
  /** Some vendors count reasoning differently. */
  usage?: UsageFormat;
  usages?: Partial<Record<Modality, UsageFormat>>;
  /** Fixes for every chat request, whatever its dialect. */
  fix?: readonly Fix[];
  /** Options for writing chats of other dialects. */
  wire?: Omit<OpenAiWireOptions, 'model'>;
  usageInStream?: Operation['usageInStream'];
  testSpeech?: NonNullable<Provider['testSpeech']>;
  /** Path of Anthropic's dialect, available on the vendor's own hosts only. */
  messages?: string;
  error?: ErrorReader;
  models?: ModelList | false;
  balance?: Balance;
  tasks?: TaskOperation;
  batches?: BatchOperation;
  fineTuning?: BatchOperation;
  /** Fixes for other modalities. */
  fixes?: Partial<Record<Modality, readonly Fix[]>>;
  /** Whether a modality is available, by channel or model. */
  serves?: (modality: Modality, about: About) => boolean;
  /** The target of a call, by key, model or channel. */
  target?: (call: ProviderCall, path: string, modality: Modality) => CallTarget;
}

/** A provider for a vendor with OpenAI's API. */
export function openAiCompatible(described: CompatibleVendor): Provider {
  const { id, type, title, baseUrl = '', testModel = '', website = '', prefix = '/v1', has = [] } = described;
  const { headers = bearer, serves, target, usageInStream } = described;
  const pathOf = (modality: Modality): string => described.paths?.[modality] ?? prefix + paths[modality];

  const operation = (modality: Modality, more: Partial<Operation> = {}): Operation => ({
    dialect: 'openai',
    path: pathOf(modality),
    usage: described.usages?.[modality] ?? usages[modality] ?? described.usage ?? openAiChat,
    ...(serves && { serves: (about) => serves(modality, about) }),
    ...(target && { target: (call) => target(call, pathOf(modality), modality) }),
    ...fixing(described.fixes?.[modality]),
    ...more,
  });
  const given = (modality: Modality, more?: Partial<Operation>): Operation | undefined =>
    has.includes(modality) ? operation(modality, more) : undefined;

  const also = [
    given('responses', { dialect: 'responses', wire: responsesWire }),
    described.messages === undefined ? undefined : messagesAt(described.messages, baseUrl, headers),
  ];
  const withoutWish = usageInStream === 'always' ? [without('stream_options')] : [];
  const chat = operation('chat', {
    wire: openAiWireWith(described.wire ?? {}),
    ...fixing([...(described.fix ?? []), ...withoutWish]),
    ...(usageInStream && { usageInStream }),
    also: also.filter((one) => one !== undefined),
  });
  return withoutAbsent({
    id,
    type,
    title,
    baseUrl,
    testModel,
    website,
    promptCacheS: described.promptCacheS,
    form: described.form,
    headers,
    error: described.error,
    chat: described.chat === false ? undefined : chat,
    completions: given('completions', {
      ...fixing([...(described.fixes?.completions ?? []), ...withoutWish]),
      ...(usageInStream && { usageInStream }),
    }),
    embeddings: given('embeddings'),
    images: someOf({ generations: given('generations'), edits: given('edits'), variations: given('variations') }),
    speech: given('speech'),
    testSpeech: described.testSpeech,
    transcriptions: given('transcriptions'),
    translations: given('translations'),
    rerank: given('rerank'),
    moderations: given('moderations'),
    realtime: given('realtime', target ? {} : { target: (call) => realtimeTarget(call, pathOf('realtime'), headers) }),
    raw: given('raw', target ? {} : { target: (call) => rawTarget(call, prefix, headers) }),
    models: described.models === false ? undefined : (described.models ?? openAiModels(pathOf('models'))),
    balance: described.balance,
    tasks: described.tasks,
    batches: described.batches,
    fineTuning: described.fineTuning,
    compact:
      target || !has.includes('responses')
        ? undefined
        : operation('responses', { dialect: 'responses', wire: responsesWire, path: `${pathOf('responses')}/compact` }),
    background: given('responses') && !target ? backgroundResponses(pathOf('responses')) : undefined,
  });
}

/** OpenAI's codec with the vendor's options. */
export const openAiWireWith = (vendor: Omit<OpenAiWireOptions, 'model'>): ProviderWire => ({
  ...openAiWire,
  writeRequest: (request, options) => openAiWire.writeRequest(request, { ...vendor, ...options }),
  steer: (body, steering, options) => openAiWire.steer!(body, steering, { ...vendor, ...options }),
});

type WithAbsent<T> = { [K in keyof T]: T[K] | undefined };

const withoutAbsent = (provider: WithAbsent<Provider>): Provider =>
  Object.fromEntries(Object.entries(provider).filter(([, value]) => value !== undefined)) as unknown as Provider; // only undefined members are dropped

function someOf(images: WithAbsent<Provider['images']>): Provider['images'] {
  const given = Object.entries(images ?? {}).filter(([, value]) => value !== undefined);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}
