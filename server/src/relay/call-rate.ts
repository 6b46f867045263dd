import type { Deps } from '#deps.ts';
import type { Rate } from '#http/minute-rates.ts';
import type { Caller } from '#live/callers.ts';
import { noSuchGroup } from './authenticate.ts';
import { RelayError } from './relay-error.ts';

/**
 * Counts a call against the rate of its user's own group, whatever group the token names; a promise only where other
 * nodes have to be asked. Throws, or rejects with, a 429 that tells when to come again.
 */
export function checkRate({ live, limiter }: Deps, { userId, userGroup }: Caller): undefined | Promise<undefined> {
  const group = live.groups.get(userGroup);
  if (!group) throw noSuchGroup(userGroup);
  const rate = limiter.takeCall(userId, group.api_rate);
  return rate instanceof Promise ? rate.then(refuseLate) : refuseLate(rate);
}

function refuseLate({ limit, remaining, waitMs }: Rate): undefined {
  if (waitMs === 0) return undefined;
  const seconds = String(Math.ceil(waitMs / 1000));
  throw new RelayError(
    429,
    'rate_limit_error',
    'rate_limit_exceeded',
    `Rate limit reached: ${limit} requests per minute. Try again in ${seconds} s.`,
    {
      retryAfter: seconds,
      headers: {
        'x-ratelimit-limit-requests': String(limit),
        'x-ratelimit-remaining-requests': String(remaining),
        'x-ratelimit-reset-requests': `${seconds}s`,
      },
    },
  );
}
