import type { Rate } from '#http/limits/minute-rates.ts';

/**
 * Headers of every response; with `rate`, the caller's remaining rate, under OpenAI's names and those of
 * draft-ietf-httpapi-ratelimit-headers-10. The clients of OpenAI and of Anthropic read the id from separate headers.
 */
export const callHeaders = (requestId: string, rate?: Rate): Record<string, string> =>
  rate
    ? {
        'x-oneapi-request-id': requestId,
        'x-request-id': requestId,
        'request-id': requestId,
        'access-control-allow-origin': '*',
        'access-control-expose-headers': '*',
        'x-ratelimit-limit-requests': String(rate.limit),
        'x-ratelimit-remaining-requests': String(rate.remaining),
        'x-ratelimit-reset-requests': `${Math.ceil(rate.resetMs / 1000)}s`,
        'ratelimit-policy': `"requests";q=${rate.limit};w=60`,
        ratelimit: `"requests";r=${rate.remaining};t=${Math.ceil(rate.resetMs / 1000)}`,
      }
    : {
        'x-oneapi-request-id': requestId,
        'x-request-id': requestId,
        'request-id': requestId,
        'access-control-allow-origin': '*',
        'access-control-expose-headers': '*',
      };

/** Headers of a reply that is passed through. The provider's `x-request-id` stays, which its support asks for. */
export function passedHeaders(
  fromProvider: Readonly<Record<string, string>>,
  requestId: string,
  rate?: Rate,
): Record<string, string> {
  const ofProvider = fromProvider['x-request-id'];
  const headers = { ...fromProvider, ...callHeaders(requestId, rate) };
  return ofProvider === undefined ? headers : { ...headers, 'x-request-id': ofProvider };
}

/** Headers of a stream, which no proxy may buffer. */
export const streamHeaders = (requestId: string, contentType: string, rate?: Rate): Record<string, string> => ({
  ...callHeaders(requestId, rate),
  'content-type': contentType,
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
});
