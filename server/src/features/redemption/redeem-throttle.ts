import { AppError } from '#errors.ts';
import type { RateLimiter } from '#http/limits/rate-limit.ts';

/** Unknown codes before a pause: of one account, and of one address, behind which may be many people. */
const TRIES = 20;
const TRIES_PER_ADDRESS = 60;
const WINDOW_S = 1200;

/**
 * Lets nobody try out codes. Only unknown ones count, so that a hundred who hold the same good code all get their
 * answer; beyond the limit every try is refused unread, and so is the answer of tries that were under way.
 */
export async function withoutGuessing<T>(
  limiter: RateLimiter,
  { userId, ip }: { userId: number; ip: string },
  redeem: () => Promise<T>,
): Promise<T> {
  const limits = [
    [`redeem:user:${userId}`, TRIES],
    [`redeem:address:${ip}`, TRIES_PER_ADDRESS],
  ] as const;
  refuse(await Promise.all(limits.map(([name, limit]) => limiter.wait(name, limit))));
  try {
    return await redeem();
  } catch (error) {
    if (error instanceof AppError && error.code === 'redemption.unknown')
      refuse(await Promise.all(limits.map(([name, limit]) => limiter.hit(name, limit, WINDOW_S))));
    throw error;
  }
}

function refuse(waits: number[]): void {
  const seconds = Math.max(...waits);
  if (seconds > 0) throw new AppError('request.too_many', { seconds });
}
