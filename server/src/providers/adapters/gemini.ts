import { isObject, objectOr, textOr } from '#json.ts';
import { gemini } from '#usage/gemini.ts';
import { geminiLive } from '#usage/gemini-live.ts';
import { openAiChat } from '#usage/open-ai-chat.ts';
import { openAiImages } from '#usage/open-ai-media.ts';
import { isOn } from '../fixes.ts';
import { switched } from '../form.ts';
import { codeExecution, googleStatuses, unfilteredGeminiWire } from '../google-wire.ts';
import { openAiWireWith } from '../open-ai-compatible.ts';
import type { ProviderCall, Operation } from '../operation.ts';
import { geminiPictures } from '../pictures.ts';
import { googleSpeech, speaksAloud } from '#providers/speech/google-speech.ts';
import type { ErrorReader, Provider } from '../provider.ts';
import { bearer } from '../target.ts';
import { geminiBatches } from '#providers/task-vendors/gemini-batches.ts';
import { geminiInteractions } from '#providers/task-vendors/gemini-interactions.ts';
import { geminiVeo, geminiVersion } from '#providers/task-vendors/veo.ts';
import { errorsWith } from '../upstream-errors.ts';

/** The caller's API version, else the channel's, else v1beta, which has every operation. */
const versionOf = ({ callerPath = '', extras }: ProviderCall): string =>
  /\/(v\d\w*)\/models\//.exec(callerPath)?.[1] ?? (extras.other || 'v1beta');

const own = (action: (call: ProviderCall) => string): Operation => ({
  dialect: 'gemini',
  path: '',
  target: (call) => ({
    baseUrl: call.baseUrl,
    path: `/${versionOf(call)}/models/${encodeURIComponent(call.model)}:${action(call)}`,
    headers: provider.headers(call.key),
  }),
  usage: gemini,
  wire: unfilteredGeminiWire,
  fix: codeExecution,
  pictures: geminiPictures,
});

/** Speech of models that do nothing else. */
const { wire: __, fix: ___, pictures: ____, ...speaking } = own(() => 'generateContent');

/** countTokens does not accept the tools that `fix` adds. */
const { fix: _, ...counting } = own(() => 'countTokens');

/** An operation of Google's OpenAI-compatible API. */
const compatible = (path: string, more: Partial<Operation> = {}): Operation => ({
  dialect: 'openai',
  path: '',
  target: ({ baseUrl, key, extras }) => ({
    baseUrl,
    path: `/${extras.other || 'v1beta'}/openai${path}`,
    headers: bearer(key),
  }),
  usage: openAiChat,
  ...more,
});

const read = errorsWith(googleStatuses);

/** Gemini reports an invalid key as INVALID_ARGUMENT. */
const error: ErrorReader = (answer) => {
  const found = read(answer);
  return found && JSON.stringify(answer.json ?? '').includes('"API_KEY_INVALID"') ? { ...found, status: 401 } : found;
};

export const provider: Provider = {
  id: 'gemini',
  type: 25,
  title: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  testModel: 'gemini-2.5-flash',
  website: 'https://aistudio.google.com',
  promptCacheS: 3600,
  form: {
    other: { kind: 'version', fallback: 'v1beta', required: false, example: 'v1beta' },
    plugins: [switched('code_execution'), switched('markdown_images'), switched('use_openai_api')],
  },
  headers: (key) => ({ 'x-goog-api-key': key }),
  chat: {
    ...own(({ stream }) => (stream ? 'streamGenerateContent?alt=sse' : 'generateContent')),
    serves: (about) => !isOn(about, 'use_openai_api'),
    also: [
      compatible('/chat/completions', {
        serves: (about) => isOn(about, 'use_openai_api'),
        wire: openAiWireWith({ googleSignatures: true }),
      }),
    ],
  },
  countTokens: counting,
  embeddings: {
    ...compatible('/embeddings'),
    also: [
      {
        ...own(({ callerPath = '' }) =>
          callerPath.endsWith(':batchEmbedContents') ? 'batchEmbedContents' : 'embedContent',
        ),
        serves: (about) => !isOn(about, 'use_openai_api'),
      },
    ],
  },
  speech: { ...speaking, dialect: 'own', serves: speaksAloud, convert: googleSpeech },
  images: { generations: compatible('/images/generations', { usage: openAiImages }) },
  realtime: {
    dialect: 'gemini',
    path: '',
    target: (call) => ({
      baseUrl: call.baseUrl.replace(/^http/, 'ws'),
      path: `/ws/google.ai.generativelanguage.${geminiVersion(call)}.GenerativeService.BidiGenerateContent`,
      headers: provider.headers(call.key),
    }),
    usage: geminiLive,
  },
  raw: {
    dialect: 'gemini',
    path: '',
    target: ({ baseUrl, callerPath = '', key }) => ({ baseUrl, path: callerPath, headers: provider.headers(key) }),
    usage: gemini,
  },
  tasks: { ...geminiInteractions, also: [geminiVeo] },
  batches: geminiBatches,
  models: {
    path: '/v1beta/models?pageSize=1000',
    read: readModels,
    next: (reply) => {
      const token = textOr(objectOr(reply)['nextPageToken'], '');
      return token === '' ? undefined : `/v1beta/models?pageSize=1000&pageToken=${encodeURIComponent(token)}`;
    },
  },
  error,
};

/** Models that chat or embed. */
function readModels(reply: unknown): string[] | undefined {
  const models = isObject(reply) ? reply['models'] : undefined;
  if (!Array.isArray(models)) return undefined;
  const usable = ['generateContent', 'embedContent', 'predict'];
  return models.map(objectOr).flatMap(({ name, supportedGenerationMethods: methods }) => {
    const able = Array.isArray(methods) && methods.some((method) => usable.includes(String(method)));
    return able && typeof name === 'string' ? [name.replace(/^models\//, '')] : [];
  });
}
