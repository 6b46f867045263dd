import { role, userStatus } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';

/** The facts about an account that decide who may manage it. */
export interface RankedAccount {
  id: number;
  username: string;
  role: number;
  status: number;
}

export interface ActorAndTarget {
  actor: RankedAccount;
  target: RankedAccount;
  /** Whether it is the only super administrator who can sign in. */
  lastRoot: boolean;
}

/** The target of an action. If both are given, they must name the same account. */
export interface AccountKey {
  id?: number | undefined;
  username?: string | undefined;
  /** Finds the accounts of teams, too. */
  teams?: boolean;
}

/**
 * Reads actor and target and locks them, together with all super administrators, until the transaction ends, so two
 * cannot demote each other at once. Throws `record.not_found` for an unknown target, `session.none` if the actor was
 * deleted or disabled meanwhile.
 */
export async function holdPair(
  trx: Transaction<Tables>,
  actorId: number,
  { id, username, teams = false }: AccountKey,
): Promise<ActorAndTarget> {
  const held = trx
    .selectFrom('users')
    .where('deleted_time', 'is', null)
    .where((eb) =>
      eb.or([
        eb('id', '=', actorId),
        eb('role', '>=', role.root),
        ...(id === undefined ? [] : [eb('id', '=', id)]),
        ...(username === undefined ? [] : [eb('username', '=', username)]),
      ]),
    )
    .select(['id', 'username', 'role', 'status', 'kind'])
    // A fixed order avoids deadlocks.
    .orderBy('id');
  const rows = await locked(held, trx).execute();
  const actor = rows.find((row) => row.id === actorId);
  ensure(actor && actor.status === userStatus.enabled, 'session.none');
  const target = rows.find(
    (row) =>
      (teams || row.kind === 'person') &&
      (id === undefined || row.id === id) &&
      (username === undefined || row.username === username),
  );
  ensure(target, 'record.not_found', { field: id === undefined ? 'username' : 'id' });
  const roots = rows.filter((row) => row.role >= role.root && row.status === userStatus.enabled);
  return { actor, target, lastRoot: roots.length === 1 && roots[0]?.id === target.id };
}

/** Whether the actor may see and change the account: lower roles only, or any for the super administrator. */
export const outranks = (actor: Pick<RankedAccount, 'role'>, target: Pick<RankedAccount, 'role'>): boolean =>
  actor.role >= role.root || actor.role > target.role;

/** Validates that a viewer may read and change an account, their own or a team's too. Throws `record.not_found`, `user.rank`. */
export async function ensureManages(db: Db, viewer: Pick<RankedAccount, 'id' | 'role'>, id: number): Promise<void> {
  const accounts = db.selectFrom('users').where('id', '=', id).where('deleted_time', 'is', null);
  const account = await accounts.select('role').executeTakeFirst();
  ensure(account, 'record.not_found', { field: 'id' });
  ensure(id === viewer.id || outranks(viewer, account), 'user.rank');
}

/** Throws `user.rank`. */
export function ensureOutranks({ actor, target }: ActorAndTarget): void {
  ensure(outranks(actor, target), 'user.rank');
}

/**
 * Throws `user.rank`, `user.last_root` or, for the actor's own account, `user.self`. For actions that lock the target
 * out.
 */
export function ensureMayLockOut(pair: ActorAndTarget): void {
  ensureOutranks(pair);
  ensure(!pair.lastRoot, 'user.last_root');
  ensure(pair.actor.id !== pair.target.id, 'user.self');
}
