import type { Deps } from '#deps.ts';
import type { Rate } from '#http/limits/minute-rates.ts';
import type { Caller } from '#live/callers.ts';
import { noSuchGroup } from './authenticate.ts';
import { RelayError } from './relay-error.ts';

/**
 * Counts a call against the rate of its user's own group, whatever group the token names; a promise only where other
 * nodes have to be asked. Throws, or rejects with, a 429 that tells when to come again. What is left is told in every
 * answer to the call.
 */
export function checkRate({ live, limiter }: Deps, { userId, userGroup }: Caller): Rate | Promise<Rate> {
  const group = live.groups.get(userGroup);
  if (!group) throw noSuchGroup(userGroup);
  const rate = limiter.takeCall(userId, group.api_rate);
  return rate instanceof Promise ? rate.then(refuseOverLimit) : refuseOverLimit(rate);
}

/** A refusal of a call that was counted, which tells so. */
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
