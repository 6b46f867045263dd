import type { IncomingHttpHeaders } from 'node:http';
import type { Headers } from '#providers/provider.ts';

/** Caller headers about the body. Keys, cookies and addresses are not forwarded. */
const forwarded = [
  'content-type',
  'content-length',
  'content-encoding',
  'accept',
  'idempotency-key',
  'if-none-match',
  'range',
  'x-goog-upload-protocol',
  'x-goog-upload-command',
  'x-goog-upload-offset',
  'x-goog-upload-file-name',
  'x-goog-upload-header-content-length',
  'x-goog-upload-header-content-type',
] as const;

/** Caller headers that an operation may forward; none identifies the caller. */
const offered = ['openai-beta', 'anthropic-beta', 'anthropic-version'] as const;

/** Response headers about the response. The operator's account is not revealed. */
const returned =
  /^(?:x-goog-upload-(?:status|size-received|chunk-granularity)|content-(?:type|length|encoding|disposition|range)|accept-ranges|etag|last-modified|cache-control|retry-after(?:-ms)?|x-request-id|x-ratelimit-[\w-]+|openai-(?:processing-ms|version))$/;

export const forwardedHeaders = (headers: IncomingHttpHeaders): Headers => pickHeaders(headers, forwarded);

export const offeredHeaders = (headers: IncomingHttpHeaders): Headers => pickHeaders(headers, offered);

function pickHeaders(headers: IncomingHttpHeaders, names: readonly string[]): Headers {
  const found: Headers = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

export function returnedHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const found: Headers = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && returned.test(name)) found[name] = Array.isArray(value) ? value.join(', ') : value;
  return found;
}
