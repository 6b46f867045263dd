import type { Json } from '#json.ts';
import { badRequest } from '#relay/reply/relay-error.ts';

/** Google's default. */
const USUAL_S = 3600;
/** The time reserved at creation. A cache can be extended later. */
const LONGEST_S = 7 * 86_400;

/**
 * Seconds for which a cache is ordered, rounded up, by `ttl` or `expireTime`. `usual`: neither is needed. Throws a 400 for
 * invalid ones.
 */
export function lifetimeIn(body: Json, now: number, usual: 'usual' | 'given'): number {
  const { ttl, expireTime = body['expire_time'] } = body;
  if (ttl != null && expireTime != null) throw badRequest("'ttl' and 'expireTime' exclude each other.", 'ttl');
  if (ttl == null && expireTime == null) {
    if (usual === 'usual') return USUAL_S;
    throw badRequest("'ttl' or 'expireTime' is required.", 'ttl');
  }
  const field = ttl == null ? 'expireTime' : 'ttl';
  const seconds = Math.ceil(ttl == null ? Date.parse(String(expireTime)) / 1000 - now : durationOf(ttl));
  if (!(seconds >= 1 && seconds <= LONGEST_S))
    throw badRequest(
      `'${field}' is not valid: it must be from 1 second to ${LONGEST_S / 86_400} days, as in "300s".`,
      field,
    );
  return seconds;
}

const durationOf = (value: unknown): number =>
  typeof value === 'string' && /^\d{1,9}(?:\.\d{1,9})?s$/.test(value) ? Number(value.slice(0, -1)) : Number.NaN;

/** Tokens × hours, rounded up: the unit in which a cache's time is charged. */
export const tokenHours = (tokens: number, seconds: number): number => Math.ceil((tokens * seconds) / 3600);
