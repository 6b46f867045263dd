import { anthropicWire } from '#chat/codecs.ts';
import { anthropicMessages } from '#usage/anthropic-messages.ts';
import { gemini } from '#usage/gemini.ts';
import { openAiChat } from '#usage/open-ai-chat.ts';
import { codeExecution, googleStatuses, unfilteredGeminiWire } from '../google-wire.ts';
import { switched } from '../form.ts';
import { contentEmbeddings } from '#providers/media/google-embed-content.ts';
import { predictEmbeddings, predictImages, predictUsage } from '#providers/media/google-predict.ts';
import { openAiWireWith } from '../open-ai-compatible.ts';
import { fittingFlags, flagsTaken, vertexFlags } from '../claude-clouds.ts';
import type { About, CallTarget, ProviderCall, Operation } from '../operation.ts';
import { claudePictures, geminiPictures } from '../pictures.ts';
import type { Provider } from '../provider.ts';
import { googleSpeech, speaksAloud } from '#providers/speech/google-speech.ts';
import { googleToken } from '#providers/signing/service-account.ts';
import { vertexVeo } from '#providers/task-vendors/veo.ts';
import { readPublisherModels, vertexClaude, vertexHost, vertexTarget } from '../vertex-target.ts';
import { errorsWith } from '../upstream-errors.ts';

const isGemini = ({ model }: About): boolean => /^(gemini|gemma|learnlm)/.test(model);
/** Newer and third-party models are not available through `predict`. */
const embedsContent = ({ model }: About): boolean =>
  (model.startsWith('gemini') && model !== 'gemini-embedding-001') || model.includes('maas');
const isClaude = ({ model }: About): boolean => model.startsWith('claude');

const ofGoogle = (action: (call: ProviderCall) => string, more: Omit<Operation, 'path' | 'target'>): Operation => ({
  path: '',
  target: (call) => vertexTarget(call, `publishers/google/models/${call.model}:${action(call)}`),
  ...more,
});

function claudeTarget(call: ProviderCall, rest: string): CallTarget {
  const target = vertexTarget(call, `publishers/anthropic/models/${rest}`);
  const flags = flagsTaken(vertexFlags, call.callerHeaders);
  if (flags.length === 0) return target;
  return { ...target, headers: { ...target.headers, 'anthropic-beta': flags.join(',') } };
}

const claude: Operation = {
  dialect: 'anthropic',
  path: '',
  serves: isClaude,
  target: (call) => {
    const action = call.stream ? 'streamRawPredict' : 'rawPredict';
    return claudeTarget(call, `${vertexClaude(call.model)}:${action}`);
  },
  usage: anthropicMessages,
  wire: anthropicWire,
  fix: (body, call) => ({
    model: undefined,
    anthropic_version: 'vertex-2023-10-16',
    ...fittingFlags(vertexFlags, body, call).changes,
  }),
  lost: (body, call) => fittingFlags(vertexFlags, body, call).lost,
  pictures: claudePictures,
};

/** Third-party models, such as `meta/llama-4-maverick-17b-128e-instruct-maas`. */
const others: Operation = {
  dialect: 'openai',
  path: '',
  serves: (about) => !isGemini(about) && !isClaude(about),
  target: (call) => vertexTarget(call, 'endpoints/openapi/chat/completions'),
  usage: openAiChat,
  wire: openAiWireWith({}),
};

/** Google Cloud. The key is a service account's JSON file, exchanged for a token every hour. */
export const provider: Provider = {
  id: 'vertex',
  type: 42,
  title: 'Google Vertex AI',
  baseUrl: vertexHost,
  testModel: 'gemini-2.5-flash',
  website: 'https://console.cloud.google.com/vertex-ai',
  promptCacheS: 3600,
  form: {
    address: 'none',
    key: { forms: [['service account']], json: true, any: false },
    other: { kind: 'region_project', fallback: '', required: true, example: 'global|my-project' },
    plugins: [switched('code_execution'), switched('markdown_images')],
  },
  headers: () => ({}),
  token: googleToken,
  chat: {
    ...ofGoogle(({ stream }) => (stream ? 'streamGenerateContent?alt=sse' : 'generateContent'), {
      dialect: 'gemini',
      serves: isGemini,
      usage: gemini,
      wire: unfilteredGeminiWire,
      fix: codeExecution,
      pictures: geminiPictures,
    }),
    also: [claude, others],
  },
  countTokens: {
    ...ofGoogle(() => 'countTokens', {
      dialect: 'gemini',
      serves: isGemini,
      usage: gemini,
      wire: unfilteredGeminiWire,
    }),
    also: [
      {
        ...claude,
        target: (call) => claudeTarget(call, 'count-tokens:rawPredict'),
        // Token counting takes the model in the body.
        fix: (body, call) => ({
          model: vertexClaude(call.model),
          anthropic_version: 'vertex-2023-10-16',
          ...fittingFlags(vertexFlags, body, call).changes,
        }),
      },
    ],
  },
  embeddings: {
    ...ofGoogle(() => 'predict', { dialect: 'own', usage: predictUsage, convert: predictEmbeddings }),
    serves: (about) => !embedsContent(about),
    also: [
      ofGoogle(() => 'embedContent', {
        dialect: 'own',
        serves: embedsContent,
        usage: gemini,
        convert: contentEmbeddings,
      }),
      ofGoogle(() => 'embedContent', { dialect: 'gemini', serves: embedsContent, usage: gemini, single: true }),
    ],
  },
  speech: ofGoogle(() => 'generateContent', {
    dialect: 'own',
    serves: speaksAloud,
    usage: gemini,
    convert: googleSpeech,
  }),
  images: { generations: ofGoogle(() => 'predict', { dialect: 'own', usage: predictUsage, convert: predictImages }) },
  tasks: vertexVeo,
  models: {
    path: '/v1beta1/publishers/google/models?pageSize=200',
    target: ({ baseUrl, token = '', callerPath }) => ({
      baseUrl,
      path: callerPath ?? '/v1beta1/publishers/google/models?pageSize=200',
      headers: { authorization: `Bearer ${token}` },
    }),
    ...readPublisherModels,
  },
  error: errorsWith(googleStatuses),
};
