import type { IncomingHttpHeaders } from 'node:http';
import type { Addressed, DialectId } from '#chat/codec.ts';
import type { CallEndpoint } from '#relay/model/relay-call.ts';
import { readChat } from '#relay/dialects/caller-dialect.ts';
import { parseGeminiEmbeddings } from '#relay/dialects/gemini-embeddings.ts';
import {
  parseCompletion,
  parseImageEdits,
  parseImages,
  parseModeration,
  parseRerank,
  parseSpeech,
} from '#relay/dialects/open-ai-content.ts';
import { readImageEdit, readImageVariation, readTranscription } from '#relay/dialects/open-ai-forms.ts';
import { parseEmbeddings } from '#relay/dialects/open-ai.ts';
import {
  parseRecraftImages,
  parseTool,
  readToolForm,
  recraftPath,
  type RecraftTool,
  recraftTools,
} from '#relay/dialects/recraft.ts';
import { CONVERSATIONS_PATH, conversationMethods } from '#relay/objects/conversations.ts';
import { googleObjectsPrefix } from '#relay/objects/google-objects.ts';
import { isSkillPath, SKILLS_PATH } from '#relay/objects/skills.ts';
import { rawPathPrefix } from '#relay/pass-through/raw-path.ts';
import { RESPONSE_PATH, responseMethods } from '#relay/objects/stored-responses.ts';
import { CLIENT_SECRETS_PATH } from '#relay/realtime/client-secrets.ts';
import { isLive, isRealtime, LIVE_PATH, REALTIME_PATH } from '#relay/realtime/realtime-path.ts';
import type { BillingQuery } from './billing.ts';
import { badRequest } from '#relay/reply/relay-error.ts';

interface TokenCountEndpoint {
  count: true;
  dialect: DialectId;
  addressed: Addressed;
}
interface ModelListEndpoint {
  list: true;
  dialect: DialectId;
  /** Left out: all models. */
  model?: string;
}

interface BillingEndpoint {
  billing: BillingQuery;
}

interface KeyEndpoint {
  key: true;
}

export type RelayEndpoint = CallEndpoint | TokenCountEndpoint | ModelListEndpoint | BillingEndpoint | KeyEndpoint;

const chatEndpoint = (dialect: DialectId, endpoint: string): CallEndpoint => ({
  operation: 'chat',
  dialect,
  endpoint,
  parse: (json) => readChat(dialect, json, {}),
});

/** An endpoint in OpenAI's dialect, which other vendors' formats are converted from. */
const openAiEndpoint = (
  operation: CallEndpoint['operation'],
  endpoint: string,
  parse: CallEndpoint['parse'],
  parseForm?: CallEndpoint['parseForm'],
): CallEndpoint => ({ operation, dialect: 'openai', endpoint, parse, ...(parseForm && { parseForm }) });

const onlyForms = (): never => {
  throw badRequest('The request body must be a form: multipart/form-data.');
};

function toolEndpoint(tool: RecraftTool): CallEndpoint {
  return {
    ...openAiEndpoint(
      'images.tools',
      recraftPath(tool),
      (json) => parseTool(tool, json),
      (form) => readToolForm(tool, form),
    ),
    callerPath: tool.path,
    model: `recraft_${tool.name}`,
  };
}

const tokenCountEndpoint = (dialect: DialectId, model?: string): TokenCountEndpoint => ({
  count: true,
  dialect,
  addressed: { model, counting: true },
});

const paths: Readonly<Record<string, RelayEndpoint>> = {
  '/v1/chat/completions': chatEndpoint('openai', '/v1/chat/completions'),
  '/v1/responses': chatEndpoint('responses', '/v1/responses'),
  '/v1/responses/compact': {
    operation: 'compact',
    dialect: 'responses',
    endpoint: '/v1/responses/compact',
    parse: (json) => readChat('responses', json, {}),
  },
  '/v1/responses/input_tokens': tokenCountEndpoint('responses'),
  '/v1/messages': chatEndpoint('anthropic', '/v1/messages'),
  '/claude/v1/messages': chatEndpoint('anthropic', '/claude/v1/messages'),
  '/v1/messages/count_tokens': tokenCountEndpoint('anthropic'),
  '/claude/v1/messages/count_tokens': tokenCountEndpoint('anthropic'),
  '/v1/embeddings': {
    operation: 'embeddings',
    dialect: 'openai',
    endpoint: '/v1/embeddings',
    parse: parseEmbeddings,
  },
  '/v1/completions': openAiEndpoint('completions', '/v1/completions', parseCompletion),
  '/v1/moderations': openAiEndpoint('moderations', '/v1/moderations', parseModeration),
  '/v1/rerank': openAiEndpoint('rerank', '/v1/rerank', parseRerank),
  '/v1/images/generations': openAiEndpoint('images.generations', '/v1/images/generations', parseImages),
  '/v1/images/edits': openAiEndpoint('images.edits', '/v1/images/edits', parseImageEdits, readImageEdit),
  '/v1/images/variations': openAiEndpoint('images.variations', '/v1/images/variations', onlyForms, readImageVariation),
  '/v1/audio/speech': openAiEndpoint('speech', '/v1/audio/speech', parseSpeech),
  '/v1/audio/transcriptions': openAiEndpoint(
    'transcriptions',
    '/v1/audio/transcriptions',
    onlyForms,
    readTranscription,
  ),
  '/v1/audio/translations': openAiEndpoint('translations', '/v1/audio/translations', onlyForms, readTranscription),
  '/recraftAI/v1/images/generations': openAiEndpoint(
    'images.generations',
    '/recraftAI/v1/images/generations',
    parseRecraftImages,
  ),
  ...Object.fromEntries(recraftTools.map((tool) => [recraftPath(tool), toolEndpoint(tool)])),
  '/dashboard/billing/subscription': { billing: 'subscription' },
  '/dashboard/billing/usage': { billing: 'usage' },
  '/v1/dashboard/billing/subscription': { billing: 'subscription' },
  '/v1/dashboard/billing/usage': { billing: 'usage' },
  '/v1/key': { key: true },
  '/v1/models': { list: true, dialect: 'openai' },
  '/claude/v1/models': { list: true, dialect: 'anthropic' },
};

const entries = new Map(Object.entries(paths));

/** Whether a path is an endpoint by itself, without parameters. */
export const isFixedPath = (path: string): boolean => entries.has(path);

/** The endpoint of a path; undefined: none. Throws a 400 for an invalid Gemini action. */
export function endpointFor(path: string, query: string): RelayEndpoint | undefined {
  const entry = entries.get(path);
  if (entry) return entry;
  if (path.startsWith('/gemini/')) return geminiEntry(path, query);
  const [, claude, model] = /^(\/claude)?\/v1\/models\/(.+)$/.exec(path) ?? [];
  return model === undefined
    ? undefined
    : { list: true, dialect: claude === undefined ? 'openai' : 'anthropic', model: decodeName(model) };
}

/** Name of a path in logs and metrics, valid request or not; `other` for unknown paths. */
export function endpointName(path: string): string {
  if (entries.has(path)) return path;
  if (isLive(path)) return LIVE_PATH;
  if (isRealtime(path)) return REALTIME_PATH;
  if (path === CLIENT_SECRETS_PATH) return path;
  if (responseMethods(path) !== undefined) return RESPONSE_PATH;
  if (conversationMethods(path) !== undefined) return CONVERSATIONS_PATH;
  const front = rawPathPrefix('', path);
  if (front !== undefined) return front;
  if (isSkillPath(path)) return SKILLS_PATH;
  const ofGoogle = googleObjectsPrefix(path);
  if (ofGoogle !== undefined) return ofGoogle;
  const action = path.startsWith('/gemini/')
    ? /:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/.exec(path)
    : null;
  return action ? `/gemini/${action[0]}` : 'other';
}

/** Served by another folder. */
const taskActions: ReadonlySet<string> = new Set([
  'predictLongRunning',
  'fetchPredictOperation',
  'cancel',
  'batchGenerateContent',
  'asyncBatchEmbedContent',
]);

/** Gemini's paths contain model and action. */
function geminiEntry(path: string, query: string): RelayEndpoint | undefined {
  const [, version, rest] = /^\/gemini\/(v\d[\w.-]*)\/models(?:\/(.+))?$/.exec(path) ?? [];
  if (version === undefined) return undefined;
  if (rest === undefined) return { list: true, dialect: 'gemini' };
  const [model = '', action, ...more] = rest.split(':');
  if (model === '' || more.length > 0) throw missingAction();
  if (action !== undefined && taskActions.has(action)) return undefined;
  const name = decodeName(model);
  if (action === undefined) return { list: true, dialect: 'gemini', model: name };
  if (action === 'countTokens') return tokenCountEndpoint('gemini', name);
  const callerPath = path.slice('/gemini'.length);
  const isBatch = action === 'batchEmbedContents';
  if (isBatch || action === 'embedContent')
    return {
      operation: 'embeddings',
      dialect: 'gemini',
      endpoint: `/gemini/${version}/models/:${action}`,
      callerPath,
      model: name,
      parse: (json) => parseGeminiEmbeddings(json, name, isBatch),
    };
  const stream = action === 'streamGenerateContent';
  if (!stream && action !== 'generateContent') throw badRequest(`The action '${action}' is not supported.`);
  return {
    operation: 'chat',
    dialect: 'gemini',
    endpoint: `/gemini/${version}/models/:${action}`,
    callerPath,
    model: name,
    asList: stream && new URLSearchParams(query).get('alt') !== 'sse',
    parse: (json) => readChat('gemini', json, { model: name, stream }),
  };
}

/** A Gemini path without exactly one action. */
export const missingAction = () => badRequest('The path must end in MODEL:ACTION.', 'model');

/**
 * The dialect of error responses and of model lists: by path, or by the headers of vendors' clients where a path is not
 * an operation of OpenAI's dialect.
 */
export function dialectOf(url: string, headers: IncomingHttpHeaders): DialectId {
  if (url.startsWith('/gemini/')) return 'gemini';
  if (url.startsWith('/claude/') || url.startsWith('/v1/messages')) return 'anthropic';
  const entry = entries.get(/^[^?]*?(?=\/?(?:\?|$))/.exec(url)?.[0] ?? '');
  if (entry && 'operation' in entry) return 'openai';
  if (headers['anthropic-version'] !== undefined) return 'anthropic';
  return headers['x-goog-api-key'] === undefined ? 'openai' : 'gemini';
}

/** The base address of the dialect's clients at this server, for error messages. */
export function baseAddress(dialect: DialectId, site: string): string {
  const base = dialect === 'gemini' ? '/gemini' : dialect === 'anthropic' ? '/claude' : '/v1';
  return site === '' ? `'${base}' of this server` : site.replace(/\/+$/, '') + base;
}

/** Decodes a model name in a path. Throws a 400 for an invalid encoding. */
export function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest('The model name in the path is not encoded correctly.', 'model');
  }
}
