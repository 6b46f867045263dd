/** Result of taking a call from a limit per minute. */
export interface Rate {
  limit: number;
  /** Calls left now. */
  remaining: number;
  /** Milliseconds until the next call is allowed; 0: this call is allowed. */
  waitMs: number;
  /** Milliseconds until the full allowance is available again. */
  resetMs: number;
}

/** Limits from this number on use a token bucket; lower ones use windows of a minute. */
const SPREAD_FROM = 60;
const WINDOW_MS = 60_000;
/** Seconds of allowance that a full bucket holds. */
const BURST_S = 10;
const KEPT = 100_000;

interface Count {
  limit: number;
  /** Calls left in this minute, or tokens in the bucket. */
  left: number;
  /** Start of the minute, or last refill of the bucket. */
  sinceMs: number;
}

const burstOf = (limit: number): number => Math.trunc((limit / 60) * BURST_S);

/**
 * Limits per minute in the memory of this process. Below 60 a minute, windows begin with their first call; from 60 on,
 * a token bucket fills evenly and holds ten seconds of calls.
 */
export class MinuteRates {
  readonly #counts = new Map<number, Count>();

  /** Takes a call of `id`, if one is left. */
  take(id: number, limit: number, nowMs: number): Rate {
    if (limit === 0) return nothingAllowed;
    let count = this.#counts.get(id);
    // A changed limit starts with its full allowance.
    if (count?.limit !== limit) {
      if (this.#counts.size >= KEPT) this.#forgetIdle(nowMs);
      count = { limit, left: limit < SPREAD_FROM ? limit : burstOf(limit), sinceMs: nowMs };
      this.#counts.set(id, count);
    }
    return limit < SPREAD_FROM ? takeOfWindow(count, nowMs) : takeOfBucket(count, nowMs);
  }

  /** After an idle minute the allowance is full again, so the entry can go. */
  #forgetIdle(nowMs: number): void {
    for (const [id, { sinceMs }] of this.#counts) if (sinceMs + WINDOW_MS <= nowMs) this.#counts.delete(id);
  }
}

const nothingAllowed: Rate = { limit: 0, remaining: 0, waitMs: WINDOW_MS, resetMs: WINDOW_MS };

function takeOfWindow(count: Count, nowMs: number): Rate {
  if (count.sinceMs + WINDOW_MS <= nowMs) {
    count.left = count.limit;
    count.sinceMs = nowMs;
  }
  const resetMs = count.sinceMs + WINDOW_MS - nowMs;
  if (count.left === 0) return { limit: count.limit, remaining: 0, waitMs: resetMs, resetMs };
  count.left--;
  return { limit: count.limit, remaining: count.left, waitMs: 0, resetMs };
}

function takeOfBucket(count: Count, nowMs: number): Rate {
  const perMs = count.limit / 60_000;
  const burst = burstOf(count.limit);
  count.left = Math.min(burst, count.left + Math.max(0, nowMs - count.sinceMs) * perMs);
  count.sinceMs = nowMs;
  const waitMs = count.left < 1 ? Math.ceil((1 - count.left) / perMs) : 0;
  if (waitMs === 0) count.left--;
  const resetMs = Math.ceil((burst - count.left) / perMs);
  return { limit: count.limit, remaining: Math.floor(count.left), waitMs, resetMs };
}

/**
 * The same in Redis, by its clock: KEYS[1], ARGV[1] = limit. Returns the remaining calls, and the milliseconds to wait
 * and to reset.
 */
export const takeInRedis = `
local limit = tonumber(ARGV[1])
if limit < ${SPREAD_FROM} then
  local count = redis.call('incr', KEYS[1])
  if count == 1 then redis.call('pexpire', KEYS[1], ${WINDOW_MS}) end
  local reset = math.max(1, redis.call('pttl', KEYS[1]))
  if count > limit then return {0, reset, reset} end
  return {limit - count, 0, reset}
end
local time = redis.call('time')
local now = time[1] * 1000 + time[2] / 1000
local kept = redis.call('hmget', KEYS[1], 'left', 'since')
local burst = math.floor(limit / 60 * ${BURST_S})
local left = tonumber(kept[1] or burst)
left = math.min(burst, left + math.max(0, now - tonumber(kept[2] or now)) * limit / 60000)
local wait = 0
if left < 1 then wait = math.ceil((1 - left) * 60000 / limit) else left = left - 1 end
redis.call('hset', KEYS[1], 'left', string.format('%.6f', left), 'since', string.format('%.3f', now))
redis.call('pexpire', KEYS[1], ${2 * BURST_S * 1000})
return {math.floor(left), wait, math.ceil((burst - left) * 60000 / limit)}
`;
