import { forwarded } from './open-ai-targets.ts';
import type { About, ProviderCall, CallTarget } from './operation.ts';
import type { Headers } from './provider.ts';
import { query } from './target.ts';

export const azureHeaders = (key: string): Headers => ({ 'api-key': key });

/** Default version of the dated API. */
export const AZURE_VERSION = '2024-10-21';

/** Versions that select the v1 API instead of deployments and dates. */
export const isV1 = ({ extras: { other } }: Pick<About, 'extras'>): boolean => /^(v1|preview|latest)$/.test(other);

/** A resource's base URL, without a path that was entered along with it. */
export const resource = (baseUrl: string): string => baseUrl.replace(/\/openai(\/v1)?$/, '');

/** The v1 API: OpenAI's paths; the deployment is the model. */
export function azureV1Target(call: ProviderCall, path: string): CallTarget {
  const { baseUrl, key, extras, callerPath, model } = call;
  const version = extras.other === 'preview' ? 'preview' : undefined;
  const isSocket = path === '/realtime';
  return {
    baseUrl: isSocket ? socket(resource(baseUrl)) : resource(baseUrl),
    path: withQuery(`/openai/v1${rest(path, callerPath)}`, { 'api-version': version, ...(isSocket && { model }) }),
    headers: { ...azureHeaders(key), ...forwarded(call, 'openai-beta') },
  };
}

/** The dated API: a path per deployment, and a version. */
export function azureTarget(call: ProviderCall, path: string): CallTarget {
  if (isV1(call)) return azureV1Target(call, path);
  const { baseUrl, key, extras, callerPath, model } = call;
  const version = { 'api-version': extras.other === '' ? AZURE_VERSION : extras.other };
  const headers = { ...azureHeaders(key), ...forwarded(call, 'openai-beta') };
  const base = resource(baseUrl);
  if (path === '/realtime')
    return { baseUrl: socket(base), path: `/openai/realtime${query({ ...version, deployment: model })}`, headers };
  if (path === '' || path === '/responses')
    return { baseUrl: base, path: withQuery(`/openai${rest(path, callerPath)}`, version), headers };
  // Cloudflare's gateway has the first path segments in its own base URL.
  const front = base.startsWith('https://gateway.ai.cloudflare.com') ? '' : '/openai/deployments';
  return { baseUrl: base, path: `${front}/${encodeURIComponent(model)}${path}${query(version)}`, headers };
}

const socket = (baseUrl: string): string => baseUrl.replace(/^http/, 'ws');

/** The path, or the caller's for pass-through calls. */
const rest = (path: string, callerPath = ''): string =>
  path === '' ? callerPath.replace(/^\/v1(?=[/?]|$)/, '') : path;

/** The version comes from the channel, never from the caller. */
function withQuery(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const [front = '', given = ''] = path.split('?', 2);
  const merged = { ...Object.fromEntries(new URLSearchParams(given)), ...values };
  return front + query(merged);
}
