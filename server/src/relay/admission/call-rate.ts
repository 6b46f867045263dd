import type { Deps } from '#deps.ts';
import type { Rate } from '#http/limits/minute-rates.ts';
import type { Caller } from '#live/callers.ts';
import { noSuchGroup } from './authenticate.ts';
import { RelayError } from '#relay/reply/relay-error.ts';

/**
 * Counts a call against the rate limit of the user's own group; a promise only if other nodes must be asked. Throws, or
 * rejects with, a 429 with Retry-After.
 */
export function checkRate({ live, limiter }: Deps, { userId, userGroup }: Caller): Rate | Promise<Rate> {
  const group = live.groups.get(userGroup);
  if (!group) throw noSuchGroup(userGroup);
  const rate = limiter.takeCall(userId, group.api_rate);
  return rate instanceof Promise ? rate.then(refuseOverLimit) : refuseOverLimit(rate);
}

/** Adds the rate to a refusal, for its headers. */
export function withRate(error: unknown, rate: Rate): unknown {
  if (error instanceof RelayError) error.rate = rate;
  return error;
}

function refuseOverLimit(rate: Rate): Rate {
  const { limit, waitMs } = rate;
  if (waitMs === 0) return rate;
  const seconds = String(Math.ceil(waitMs / 1000));
  const refusal = new RelayError(429, `Rate limit reached: ${limit} requests per minute. Try again in ${seconds} s.`, {
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    retryAfter: seconds,
  });
  refusal.rate = rate;
  throw refusal;
}
