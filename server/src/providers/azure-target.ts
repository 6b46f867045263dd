import { forwarded } from './open-ai-targets.ts';
import type { About, Asked, Target } from './operation.ts';
import type { Headers } from './provider.ts';
import { query } from './target.ts';

/** Resource keys go by a header of their own. */
export const azureHeaders = (key: string): Headers => ({ 'api-key': key });

/** Taken when the channel names no version of the older interface. */
export const AZURE_VERSION = '2024-10-21';

/** Where Azure's newer interface is asked for instead of deployments and dates: `v1`, `preview`, `latest`. */
export const isV1 = ({ extras: { other } }: Pick<About, 'extras'>): boolean => /^(v1|preview|latest)$/.test(other);

/** The address of a resource, however much of it was entered. */
export const resource = (baseUrl: string): string => baseUrl.replace(/\/openai(\/v1)?$/, '');

/** The newer interface: OpenAI's own paths, and the deployment is the model. */
export function azureV1Target(asked: Asked, path: string): Target {
  const { baseUrl, key, extras, callerPath, model } = asked;
  const version = extras.other === 'preview' ? 'preview' : undefined;
  const isSocket = path === '/realtime';
  return {
    baseUrl: isSocket ? socket(resource(baseUrl)) : resource(baseUrl),
    path: withQuery(`/openai/v1${rest(path, callerPath)}`, { 'api-version': version, ...(isSocket && { model }) }),
    headers: { ...azureHeaders(key), ...forwarded(asked, 'openai-beta') },
  };
}

/** The older one: a path for each deployment, and a date. */
export function azureTarget(asked: Asked, path: string): Target {
  if (isV1(asked)) return azureV1Target(asked, path);
  const { baseUrl, key, extras, callerPath, model } = asked;
  const version = { 'api-version': extras.other === '' ? AZURE_VERSION : extras.other };
  const headers = { ...azureHeaders(key), ...forwarded(asked, 'openai-beta') };
  const base = resource(baseUrl);
  if (path === '/realtime')
    return { baseUrl: socket(base), path: `/openai/realtime${query({ ...version, deployment: model })}`, headers };
  if (path === '' || path === '/responses')
    return { baseUrl: base, path: withQuery(`/openai${rest(path, callerPath)}`, version), headers };
  // Cloudflare's gateway has the first parts of the path in its own address.
  const front = base.startsWith('https://gateway.ai.cloudflare.com') ? '' : '/openai/deployments';
  return { baseUrl: base, path: `${front}/${encodeURIComponent(model)}${path}${query(version)}`, headers };
}

const socket = (baseUrl: string): string => baseUrl.replace(/^http/, 'ws');

/** The path itself, or for calls that are passed on the caller's. */
const rest = (path: string, callerPath = ''): string =>
  path === '' ? callerPath.replace(/^\/v1(?=[/?]|$)/, '') : path;

/** The caller's own version is not used: it belongs to the channel. */
function withQuery(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const [front = '', given = ''] = path.split('?', 2);
  const merged = { ...Object.fromEntries(new URLSearchParams(given)), ...values };
  return front + query(merged);
}
