import type { DialectError } from './codec.ts';

/** Sent instead of an end when a stream is closed before it finished. */
export const brokenStream: DialectError = {
  status: 502,
  type: 'upstream_error',
  code: 'stream_broken',
  message: 'The upstream broke off before the end of its answer.',
  param: null,
};
