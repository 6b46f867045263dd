/** The paths that call models. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { DialectId } from '#chat/codec.ts';
import { decodeName, splitUrl } from '#relay/body/url-query.ts';
import { type CallEndpoint, relayCall } from '#relay/model/relay-call.ts';
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
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';

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

const calls: Readonly<Record<string, CallEndpoint>> = {
  '/v1/chat/completions': chatEndpoint('openai', '/v1/chat/completions'),
  '/v1/responses': chatEndpoint('responses', '/v1/responses'),
  '/v1/responses/compact': {
    operation: 'compact',
    dialect: 'responses',
    endpoint: '/v1/responses/compact',
    parse: (json) => readChat('responses', json, {}),
  },
  '/v1/messages': chatEndpoint('anthropic', '/v1/messages'),
  '/claude/v1/messages': chatEndpoint('anthropic', '/claude/v1/messages'),
  '/v1/embeddings': {
    operation: 'embeddings',
    dialect: 'openai',
    endpoint: '/v1/embeddings',
    parse: parseEmbeddings,
  },
  '/v1/completions': openAiEndpoint('completions', '/v1/completions', parseCompletion),
  '/v1/moderations': openAiEndpoint('moderations', '/v1/moderations', parseModeration),
  '/v1/rerank': openAiEndpoint('rerank', '/v1/rerank', parseRerank),
  '/v2/rerank': openAiEndpoint('rerank', '/v1/rerank', parseRerank),
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
};

const fixed = new Map(Object.entries(calls));

/** Whether a path calls a model, and has no parts. */
export const isCallPath = (path: string): boolean => fixed.has(path);

/** The endpoint of a path that calls a model; undefined: another path. */
export function endpointFor(path: string, query: string): CallEndpoint | undefined {
  const endpoint = fixed.get(path);
  if (endpoint) return endpoint;
  return path.startsWith('/gemini/') ? geminiEndpoint(path, query) : undefined;
}

/** Actions of Google's models that call one. */
const callActions = ['generateContent', 'streamGenerateContent', 'embedContent', 'batchEmbedContents'] as const;
const namedAction = new RegExp(`:(?:${[...callActions, 'countTokens'].join('|')})$`);

/** Name of a path with an action of Google's models in logs and metrics, for any model; undefined: another path. */
export function actionName(path: string): string | undefined {
  const action = path.startsWith('/gemini/') ? namedAction.exec(path) : null;
  return action ? `/gemini/${action[0]}` : undefined;
}

const geminiModel = /^\/gemini\/(v\d[\w.-]*)\/models\/(.+)$/;

/** Why a path below Gemini's models is not served; undefined: it may be, or it is another path. */
function geminiFault(path: string): RelayError | undefined {
  const [, , rest] = geminiModel.exec(path) ?? [];
  if (rest === undefined) return undefined;
  const [model] = splitAction(rest);
  return model === '' ? missingAction() : wrongName(model);
}

/** The 400 for an action of Google's models that no row has; undefined: another path. */
export function unknownAction(path: string): RelayError | undefined {
  const [, action] = splitAction(geminiModel.exec(path)?.[2] ?? '');
  return action === undefined ? undefined : badRequest(`The action '${action}' is not supported.`);
}

/** Names of models may contain colons, which Google's clients do not encode. */
function splitAction(rest: string): [model: string, action: string | undefined] {
  const at = rest.lastIndexOf(':');
  return at < 0 ? [rest, undefined] : [rest.slice(0, at), rest.slice(at + 1)];
}

/** The 400 for a model name that is not encoded correctly. */
function wrongName(text: string): RelayError | undefined {
  try {
    decodeName(text);
    return undefined;
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
}

/** Gemini's paths contain model and action. */
function geminiEndpoint(path: string, query: string): CallEndpoint | undefined {
  const [, version = '', rest = ''] = geminiModel.exec(path) ?? [];
  const [model, action] = splitAction(rest);
  if (model === '' || !callActions.some((one) => one === action)) return undefined;
  const name = decodeName(model);
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
const missingAction = () => badRequest('The path must end in MODEL:ACTION.', 'model');

function call(context: HttpContext): Promise<void> {
  const { path, query } = splitUrl(context.request.url ?? '/');
  const endpoint = endpointFor(path, query);
  if (!endpoint) throw new Error(`${path} calls no model`);
  return relayCall(context, endpoint);
}

const faultOf = ({ url = '/' }: Pick<IncomingMessage, 'url'>): RelayError | undefined => {
  const { path } = splitUrl(url);
  const [, name] = /^(?:\/claude)?\/v1\/models\/(.+)$/.exec(path) ?? [];
  return name === undefined ? geminiFault(path) : wrongName(name);
};

const refuseFault = ({ request }: Pick<HttpContext, 'request'>): never => {
  throw faultOf(request) ?? missingAction();
};

const geminiModels = '/gemini/{version}/models';

/** Paths that call models, and those that name one wrongly. */
export const callRows: readonly PathRow[] = [
  ...['/v1/models/{model}', '/claude/v1/models/{model}', `${geminiModels}/*`].map((path): PathRow => ({
    path,
    when: (request) => faultOf(request) !== undefined,
    answers: refuseFault,
  })),
  { path: `${geminiModels}/{resource}`, when: ({ method }) => method === 'POST', answers: refuseFault },
  ...[...fixed.keys()].map((path): PathRow => ({ path, endpoint: path, answers: { POST: call } })),
  ...callActions.map((action): PathRow => ({
    path: `${geminiModels}/{resource}:${action}`,
    endpoint: `/gemini/:${action}`,
    answers: { POST: call },
  })),
];

/**
 * The dialect of error responses and of model lists: by path, or by the headers of vendors' clients where a path is not
 * an operation of OpenAI's dialect.
 */
export function dialectOf(url: string, headers: IncomingHttpHeaders): DialectId {
  if (url.startsWith('/gemini/')) return 'gemini';
  if (url.startsWith('/claude/') || url.startsWith('/v1/messages')) return 'anthropic';
  if (fixed.has(/^[^?]*?(?=\/?(?:\?|$))/.exec(url)?.[0] ?? '')) return 'openai';
  if (headers['anthropic-version'] !== undefined) return 'anthropic';
  return headers['x-goog-api-key'] === undefined ? 'openai' : 'gemini';
}

/** The base address of the dialect's clients at this server, for error messages. */
export function baseAddress(dialect: DialectId, site: string): string {
  const base = dialect === 'gemini' ? '/gemini' : dialect === 'anthropic' ? '/claude' : '/v1';
  return site === '' ? `'${base}' of this server` : site.replace(/\/+$/, '') + base;
}
