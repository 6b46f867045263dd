import type { User, UserAction } from '@relay-hub/contract';
import { role, userStatus } from '@relay-hub/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { endAccess } from '#features/account/access/end-access.ts';
import {
  ensureMayLockOut,
  ensureOutranks,
  holdPair,
  type ActorAndTarget,
  type AccountKey,
} from '#features/account/access/user-rank.ts';
import { closeAccount } from './close-account.ts';
import { getUser } from './user-record.ts';

type AccountAction = (trx: Transaction<Tables>, pair: ActorAndTarget, now: number) => Promise<void>;

/**
 * Applies an action to an account with both accounts locked. Returns the account afterwards, or a deleted one as it
 * was. Throws `record.not_found`, `user.rank`, `user.self`, `user.last_root`, and the action's own refusals.
 */
export async function manageUser(
  db: Kysely<Tables>,
  actorId: number,
  { action, ...which }: AccountKey & { action: UserAction },
  now: number,
): Promise<User> {
  return db.transaction().execute(async (trx) => {
    const pair = await holdPair(trx, actorId, which);
    const before = await getUser(trx, pair.target.id);
    await acts[action](trx, pair, now);
    return action === 'delete' ? before : getUser(trx, pair.target.id);
  });
}

const acts: Record<UserAction, AccountAction> = {
  async enable(trx, pair) {
    ensureOutranks(pair);
    await set(trx, pair, { status: userStatus.enabled });
  },
  async disable(trx, pair) {
    ensureMayLockOut(pair);
    await set(trx, pair, { status: userStatus.disabled });
    await endAccess(trx, pair.target.id);
  },
  async promote(trx, pair) {
    ensure(pair.actor.role >= role.root, 'session.role');
    ensure(pair.target.role < role.admin, 'user.role_already', { name: pair.target.username });
    await set(trx, pair, { role: role.admin });
  },
  async demote(trx, pair) {
    ensureMayLockOut(pair);
    ensure(pair.target.role > role.user, 'user.role_already', { name: pair.target.username });
    await set(trx, pair, { role: role.user });
    await endAccess(trx, pair.target.id);
  },
  async delete(trx, pair, now) {
    ensureMayLockOut(pair);
    await closeAccount(trx, pair.target, now);
  },
};

async function set(
  trx: Transaction<Tables>,
  { target }: ActorAndTarget,
  change: Partial<{ status: number; role: number }>,
): Promise<void> {
  await trx.updateTable('users').set(change).where('id', '=', target.id).execute();
}
