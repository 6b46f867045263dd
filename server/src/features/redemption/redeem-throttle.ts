import { AppError } from '#errors.ts';
import type { RateLimiter } from '#http/limits/rate-limiter.ts';

/** Unknown codes before a pause: per account, and per address, which many people may share. */
const TRIES = 20;
const TRIES_PER_ADDRESS = 60;
const WINDOW_S = 1200;

/**
 * Prevents guessing codes. Only unknown codes count, so that a hundred holders of a valid code all get a reply; beyond
 * the limit all attempts are refused unread, including those in progress.
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
