import { type RawBuilder, sql } from 'kysely';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { networkOf, widerNetworkOf } from '#http/client-network.ts';
import { fingerprint } from '#secrets.ts';

/** How guesses of one kind are counted. The limit per network over all accounts is a setting. */
interface Guesses {
  /** Of the counters. */
  name: string;
  windowS: number;
  /** Wrong ones for one account from everywhere that count as an attack. */
  attack: number;
}

const passwords: Guesses = { name: 'login', windowS: 1200, attack: 50 };
/** Who guesses these knows the password, and owners mistype less often than that. */
const codes: Guesses = { name: 'code', windowS: 3600, attack: 10 };

/** Wrong ones for one account from one network before a pause; one in an attack, from networks unknown to the account. */
const TRIES_FOR_ACCOUNT = 10;
/** Wrong ones over all accounts from an IPv6 /48, whose 65,536 networks are also limited separately. */
const TRIES_OF_WIDER = 200;

type LoginThrottleDeps = Pick<Deps, 'limiter' | 'db' | 'now' | 'live'>;

/**
 * Counts an attempt before the password is checked, so that concurrent ones add up; after a correct password, call the
 * returned function to undo it. Throws `request.too_many`. Strangers cannot lock anyone out: their attempts count for
 * their own network, and every other network keeps at least one. Names are counted as typed, existing or not.
 */
export function countTry(counting: LoginThrottleDeps, name: string, ip: string): Promise<() => Promise<void>> {
  const typed = name.trim().toLowerCase();
  const isTyped = sql<boolean>`(lower(users.username) = ${typed} or (users.email <> '' and lower(users.email) = ${typed}))`;
  return count(counting, passwords, { account: fingerprint(typed), isAccount: isTyped }, ip);
}

/** The same for the app codes of an account whose password was right. */
export const countCodeTry = (counting: LoginThrottleDeps, userId: number, ip: string): Promise<() => Promise<void>> =>
  count(counting, codes, { account: String(userId), isAccount: sql<boolean>`users.id = ${userId}` }, ip);

async function count(
  counting: LoginThrottleDeps,
  { name, windowS, attack }: Guesses,
  { account, isAccount }: { account: string; isAccount: RawBuilder<boolean> },
  ip: string,
): Promise<() => Promise<void>> {
  const { limiter, live } = counting;
  const network = networkOf(ip);
  const all = `${name}:${network}`;
  const near = `${name}:${account}:${network}`;
  const everywhere = `${name}:everywhere:${account}`;
  const attacked = (await limiter.wait(everywhere, attack)) > 0;
  const limit = attacked && !(await isUsedFrom(counting, isAccount, network)) ? 1 : TRIES_FOR_ACCOUNT;
  const most = live.settings.CriticalRateLimit;
  const wider = widerNetworkOf(ip);
  const wide = wider === undefined ? undefined : `${name}:wide:${wider}`;
  const seconds = Math.max(
    await limiter.hit(all, most, windowS),
    await limiter.hit(near, limit, windowS),
    wide === undefined ? 0 : await limiter.hit(wide, Math.max(TRIES_OF_WIDER, most), windowS),
  );
  if (seconds > 0) throw new AppError('request.too_many', { seconds });
  await limiter.hit(everywhere, attack, windowS);
  return async () => {
    for (const counter of [all, near, everywhere, wide]) if (counter !== undefined) await limiter.takeBack(counter);
  };
}

/** Whether the account has a session from this network. */
async function isUsedFrom(
  { db, now }: LoginThrottleDeps,
  isAccount: RawBuilder<boolean>,
  network: string,
): Promise<boolean> {
  const sessions = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('users.deleted_time', 'is', null)
    .where('sessions.expires_time', '>', now())
    .where(isAccount)
    .select('sessions.ip')
    .execute();
  return sessions.some(({ ip }) => networkOf(ip) === network);
}
