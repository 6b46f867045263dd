import { openAiWire, responsesWire } from '#chat/codecs.ts';
import type { OpenAiWireOptions } from '#chat/openai/write-openai-request.ts';
import { openAiChat } from '#usage/open-ai-chat.ts';
import { openAiImages, openAiSpeech, openAiTranscription } from '#usage/open-ai-media.ts';
import { openAiResponses } from '#usage/open-ai-responses.ts';
import { jina } from '#usage/plain-counters.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { type Fix, fixing, without } from './fixes.ts';
import { messagesAt, rawTarget, realtimeTarget } from './open-ai-targets.ts';
import type { About, Asked, Operation, ProviderWire, Target } from './operation.ts';
import type { Balance, ChannelForm, ErrorReader, Headers, ModelList, Provider } from './provider.ts';
import { openAiModels } from './questions.ts';
import { bearer } from './target.ts';

/** Where each modality is, behind the version. */
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

/** What OpenAI itself has beside chat. */
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

export interface Described {
  id: string;
  type: number;
  title: string;
  baseUrl?: string;
  testModel?: string;
  website?: string;
  form?: ChannelForm;
  /** Where the version stands in the path; most have it in front, some keep it in their base address. */
  prefix?: string;
  /** What the vendor has beside chat and its list of models. */
  has?: readonly Modality[];
  /** Chat is left out where the vendor has none. */
  chat?: false;
  /** Where a modality is, if not where OpenAI has it: the whole path behind the base address. */
  paths?: Partial<Record<Modality, string>>;
  headers?: (key: string) => Headers;
  /** Some count reasoning otherwise. */
  usage?: UsageFormat;
  usages?: Partial<Record<Modality, UsageFormat>>;
  /** What has to change of every chat request, whoever wrote it. */
  fix?: readonly Fix[];
  /** How chats of other dialects are written for this vendor. */
  wire?: Omit<OpenAiWireOptions, 'model'>;
  usageInStream?: Operation['usageInStream'];
  testSpeech?: NonNullable<Provider['testSpeech']>;
  /** Anthropic's dialect, at an address of its own, on the vendor's own hosts only. */
  messages?: string;
  error?: ErrorReader;
  models?: ModelList | false;
  balance?: Balance;
  /** The same for other requests, where they need it. */
  fixes?: Partial<Record<Modality, readonly Fix[]>>;
  /** Whether a modality is to be had, for what the operator or the model decides. */
  serves?: (modality: Modality, about: About) => boolean;
  /** Where a call goes, for what the key, the model or the operator decides. */
  target?: (asked: Asked, path: string, modality: Modality) => Target;
}

/** A provider that speaks OpenAI's wire format: a page of data. */
export function openAiCompatible(described: Described): Provider {
  const { id, type, title, baseUrl = '', testModel = '', website = '', prefix = '/v1', has = [] } = described;
  const { headers = bearer, serves, target, usageInStream } = described;
  const pathOf = (modality: Modality): string => described.paths?.[modality] ?? prefix + paths[modality];

  const operation = (modality: Modality, more: Partial<Operation> = {}): Operation => ({
    dialect: 'openai',
    path: pathOf(modality),
    usage: described.usages?.[modality] ?? usages[modality] ?? described.usage ?? openAiChat,
    ...(serves && { serves: (about) => serves(modality, about) }),
    ...(target && { target: (asked) => target(asked, pathOf(modality), modality) }),
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
    realtime: given(
      'realtime',
      target ? {} : { target: (asked) => realtimeTarget(asked, pathOf('realtime'), headers) },
    ),
    raw: given('raw', target ? {} : { target: (asked) => rawTarget(asked, prefix, headers) }),
    models: described.models === false ? undefined : (described.models ?? openAiModels(pathOf('models'))),
    balance: described.balance,
  });
}

/** OpenAI's codec with what this vendor wants otherwise. */
export const openAiWireWith = (vendor: Omit<OpenAiWireOptions, 'model'>): ProviderWire => ({
  ...openAiWire,
  writeRequest: (request, options) => openAiWire.writeRequest(request, { ...vendor, ...options }),
  steer: (body, steering, options) => openAiWire.steer!(body, steering, { ...vendor, ...options }),
});

type WithAbsent<T> = { [K in keyof T]: T[K] | undefined };

const withoutAbsent = (provider: WithAbsent<Provider>): Provider =>
  Object.fromEntries(Object.entries(provider).filter(([, value]) => value !== undefined)) as unknown as Provider; // the rest is as given

function someOf(images: WithAbsent<Provider['images']>): Provider['images'] {
  const given = Object.entries(images ?? {}).filter(([, value]) => value !== undefined);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}
