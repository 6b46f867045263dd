import type { Rate } from '#http/limits/minute-rates.ts';

/** Headers of every response; with `rate`, the caller's remaining rate. */
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

/** Headers of a stream, which no proxy may buffer. */
export const streamHeaders = (requestId: string, contentType: string, rate?: Rate): Record<string, string> => ({
  ...callHeaders(requestId, rate),
  'content-type': contentType,
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
});
