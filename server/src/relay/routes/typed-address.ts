import type { IncomingMessage } from 'node:http';
import { isCallPath } from './endpoints.ts';

type Typed = Pick<IncomingMessage, 'method' | 'headers'>;

/**
 * The URL that the relay serves for a URL as clients build it from a mistyped or foreign base address, for example
 * `/v1/v1/messages`, `/openai/v1/models` or `/v1beta/models/…`. All other URLs are returned unchanged.
 */
export function servedUrl(url: string, request: Typed): string {
  // The usual spellings cost one lookup.
  if (isCallPath(url)) return url;
  const end = url.indexOf('?');
  const typed = end < 0 ? url : url.slice(0, end);
  const path = servedPath(typed, request);
  return path === typed ? url : path + (end < 0 ? '' : url.slice(end));
}

/** A vendor's name, version segments, and the rest, with any number of slashes between them. */
const parts = /^(?:\/+(openai|anthropic|claude|gemini)(?=\/|$))?((?:\/+v\d[\w.-]*(?=\/|$))*)(.*)$/;

function servedPath(typed: string, request: Typed): string {
  const [, vendor, versions = '', tail = ''] = parts.exec(typed) ?? [];
  const version = /v[^/]*$/.exec(versions)?.[0];
  const rest = withoutRepetition(tail.replace(/^\/+(?=.)/, '/'));
  if (/^v\d+[a-z]/.test(version ?? '') && rest.startsWith('/openai/')) return `/v1${rest.slice('/openai'.length)}`;
  if (vendor === 'gemini' || (vendor === undefined && isGoogles(version, rest, request)))
    return googlePath(typed, version, rest);
  if (vendor === 'anthropic' || vendor === 'claude') return anthropicPath(typed, version, rest);
  if (vendor === 'openai') return `/v1${rest}`;
  if (version === 'v1') return `/v1${rest}`;
  return version === undefined && isClientsPath(rest) && isClient(request) ? `/v1${rest}` : typed;
}

/** Tools append an operation to a base address that contains it already. */
const withoutRepetition = (path: string): string =>
  path.replace(/^(\/chat\/completions|\/responses|\/messages|\/embeddings)(?:\/+v1)?\1/, '$1');

const googleAction =
  /^\/(?:models|tunedModels)\/[^/]+:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents|asyncBatchEmbedContent|batchGenerateContent|predict|predictLongRunning|fetchPredictOperation)$/;
const googleResource =
  /^\/(?:models|tunedModels|operations|files|cachedContents|batches|interactions|fileSearchStores|auth_tokens)(?:[/:]|$)/;

/** Uploads, and the WebSockets of live sessions. */
const googleUnversioned = /^\/(?:upload\/v\d[\w.-]*\/files(?:\/|$)|ws\/google\.ai\.generativelanguage\.)/;

/** Google's clients name `v1beta`, or `v1` with Google's paths or key header. */
function isGoogles(version: string | undefined, rest: string, { headers }: Typed): boolean {
  if (version !== undefined && /^v\d+(?:alpha|beta)/.test(version)) return true;
  if (version !== undefined && version !== 'v1') return false;
  if (googleAction.test(rest)) return true;
  if (version === undefined && googleUnversioned.test(rest)) return true;
  return headers['x-goog-api-key'] !== undefined && googleResource.test(rest);
}

function googlePath(typed: string, version: string | undefined, rest: string): string {
  if (version !== undefined) return `/gemini/${version}${rest}`;
  if (googleResource.test(rest)) return `/gemini/v1beta${rest}`;
  return googleUnversioned.test(rest) ? `/gemini${rest}` : typed;
}

function anthropicPath(typed: string, version: string | undefined, rest: string): string {
  if (version === 'v1' || (version === undefined && /^\/(?:messages|models)(?:\/|$)/.test(rest)))
    return `/claude/v1${rest}`;
  return typed.startsWith('/anthropic') ? `/claude${rest}` : typed;
}

/** First segments of operations below `/v1`. The console has no page with such a name. */
const clientsPath =
  /^\/(?:chat\/completions|completions|responses|embeddings|moderations|rerank|images|audio|realtime|messages|models|files|uploads|batches|fine_tuning|assistants|threads|vector_stores|containers|conversations|videos)(?:\/|$)/;
const isClientsPath = (path: string): boolean => clientsPath.test(path);

/** Paths of this server, and files next to the console's page. */
const ownPath = /^\/(?:(?:api|metrics|healthz|readyz|icons|assets)(?:[/?]|$)|[^/?]+\.\w+(?:\?|$))/;

/**
 * Whether an unknown address is requested by an API client, which understands an error of its dialect only. Proxies may
 * add a bearer to a browser's requests, so a page that is requested stays a page.
 */
export function isClientsMistake(url: string, request: Typed): boolean {
  const { authorization, ...headers } = request.headers;
  if (ownPath.test(url) || url === '/' || asksForPage(request)) return false;
  return (
    headers['x-api-key'] !== undefined ||
    headers['x-goog-api-key'] !== undefined ||
    headers['anthropic-version'] !== undefined ||
    /^\s*bearer\s+sk-/i.test(authorization ?? '')
  );
}

function isClient(request: Typed): boolean {
  const { method, headers } = request;
  if (method !== 'GET' && method !== 'HEAD') return true;
  if (asksForPage(request)) return false;
  return (
    headers.authorization !== undefined ||
    headers['x-api-key'] !== undefined ||
    headers['api-key'] !== undefined ||
    headers['anthropic-version'] !== undefined ||
    headers.upgrade !== undefined
  );
}

const asksForPage = ({ headers }: Typed): boolean => headers.accept?.includes('text/html') ?? false;
