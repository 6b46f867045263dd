import { sql } from 'kysely';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { networkOf, widerNetworkOf } from '#http/client-network.ts';
import { fingerprint } from '#secrets.ts';

const WINDOW_S = 1200;
/**
 * Wrong passwords for one account from one network before a pause. The limit per network over all accounts is a
 * setting.
 */
const TRIES_FOR_ACCOUNT = 10;
/**
 * Wrong passwords for one account from everywhere that count as an attack; networks unknown to the account then get one
 * attempt.
 */
const ATTACK = 50;

/** Wrong passwords over all accounts from an IPv6 /48, whose 65,536 networks are also limited separately. */
const TRIES_OF_WIDER = 200;

type LoginThrottleDeps = Pick<Deps, 'limiter' | 'db' | 'now' | 'live'>;

/**
 * Counts an attempt before the password is checked, so that concurrent ones add up; after a correct password, call the
 * returned function to undo it. Throws `request.too_many`. Strangers cannot lock anyone out: their attempts count for
 * their own network, and every other network keeps at least one. Names are counted as typed, existing or not.
 */
export async function countTry(counting: LoginThrottleDeps, name: string, ip: string): Promise<() => Promise<void>> {
  const { limiter, live } = counting;
  const network = networkOf(ip);
  const typed = name.trim().toLowerCase();
  const account = fingerprint(typed);
  const [all, near, everywhere] = [
    `login:${network}`,
    `login:${account}:${network}`,
    `login:everywhere:${account}`,
  ] as const;
  const attacked = (await limiter.wait(everywhere, ATTACK)) > 0;
  const limit = attacked && !(await isUsedFrom(counting, typed, network)) ? 1 : TRIES_FOR_ACCOUNT;
  const most = live.settings.CriticalRateLimit;
  const wider = widerNetworkOf(ip);
  const wide = wider === undefined ? undefined : `login:wide:${wider}`;
  const seconds = Math.max(
    await limiter.hit(all, most, WINDOW_S),
    await limiter.hit(near, limit, WINDOW_S),
    wide === undefined ? 0 : await limiter.hit(wide, Math.max(TRIES_OF_WIDER, most), WINDOW_S),
  );
  if (seconds > 0) throw new AppError('request.too_many', { seconds });
  await limiter.hit(everywhere, ATTACK, WINDOW_S);
  return async () => {
    for (const counter of [all, near, everywhere, wide]) if (counter !== undefined) await limiter.takeBack(counter);
  };
}

/** Whether the account has a session from this network. */
async function isUsedFrom({ db, now }: LoginThrottleDeps, typed: string, network: string): Promise<boolean> {
  const sessions = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('users.deleted_time', 'is', null)
    .where('sessions.expires_time', '>', now())
    .where(sql<boolean>`(lower(users.username) = ${typed} or (users.email <> '' and lower(users.email) = ${typed}))`)
    .select('sessions.ip')
    .execute();
  return sessions.some(({ ip }) => networkOf(ip) === network);
}
