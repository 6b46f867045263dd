import type { Rate } from '#http/limits/minute-rates.ts';

/** Headers of every answer of the relay; in those to calls that were counted, what is left of the caller's rate. */
export const callHeaders = (requestId: string, rate?: Rate): Record<string, string> =>
  rate
    ? {
        'x-oneapi-request-id': requestId,
        'access-control-allow-origin': '*',
        'x-ratelimit-limit-requests': String(rate.limit),
        'x-ratelimit-remaining-requests': String(rate.remaining),
        'x-ratelimit-reset-requests': `${Math.ceil(rate.resetMs / 1000)}s`,
      }
    : { 'x-oneapi-request-id': requestId, 'access-control-allow-origin': '*' };

/** Those of a stream, which no proxy may hold back. */
export const streamHeaders = (requestId: string, contentType: string, rate?: Rate): Record<string, string> => ({
  ...callHeaders(requestId, rate),
  'content-type': contentType,
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
});
