import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { networkOf } from '#http/client-network.ts';

const WINDOW_S = 1200;

/** Limits per address, from one network and from all together, against flooding an inbox. */
const MAILS_FROM_NETWORK = { limit: 5, windowS: 600 };
const MAILS_IN_ALL = { limit: 30, windowS: 3600 };

type MailThrottleDeps = Pick<Deps, 'limiter' | 'live'>;

/** Counts an action of a visitor without a session. Throws `request.too_many`. */
export async function throttle({ limiter, live }: MailThrottleDeps, what: string, ip: string): Promise<void> {
  refuse(await limiter.hit(`${what}:${networkOf(ip)}`, live.settings.CriticalRateLimit, WINDOW_S));
}

/**
 * Counts a mail to an address, whether or not it has an account. Throws `request.too_many`. The limit per network keeps
 * strangers from using up the owner's share, up to thirty mails an hour.
 */
export async function throttleMail({ limiter }: Pick<Deps, 'limiter'>, email: string, ip: string): Promise<void> {
  const near = MAILS_FROM_NETWORK;
  refuse(await limiter.hit(`mail:${email}:${networkOf(ip)}`, near.limit, near.windowS));
  refuse(await limiter.hit(`mail:${email}`, MAILS_IN_ALL.limit, MAILS_IN_ALL.windowS));
}

function refuse(seconds: number): void {
  if (seconds > 0) throw new AppError('request.too_many', { seconds });
}
