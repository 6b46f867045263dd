import { sql } from 'kysely';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { networkOf, widerNetworkOf } from '#http/client-network.ts';
import { fingerprint } from '#secrets.ts';

const WINDOW_S = 1200;
/** Wrong passwords for one account from one network before a pause; for whatever account, a setting says how many. */
const TRIES_FOR_ACCOUNT = 10;
/** So many for one account from everywhere are an attack; then a network that the account is not used from has one try. */
const ATTACK = 50;

/** Wrong passwords for whatever account from a /48 of IPv6: who has one has 65,536 networks with a try of their own. */
const TRIES_OF_WIDER = 200;

type Counting = Pick<Deps, 'limiter' | 'db' | 'now' | 'live'>;

/**
 * Counts a try before the password is looked at, so that many at once are many; whoever was right calls what is
 * returned, and theirs is taken back. Throws `request.too_many`. Nobody is locked out by strangers: what they use up is
 * counted for their own network, and from any other there is always one try, which is enough for the right password.
 * Names are counted as they are typed, whether they are anybody's or not.
 */
export async function countTry(counting: Counting, name: string, ip: string): Promise<() => Promise<void>> {
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

/** Whether somebody is signed in to the account from this network. */
async function isUsedFrom({ db, now }: Counting, typed: string, network: string): Promise<boolean> {
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
