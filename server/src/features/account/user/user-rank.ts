import { role, userStatus } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';

/** An account as far as it matters to who may do what to whom. */
export interface Ranked {
  id: number;
  username: string;
  role: number;
  status: number;
}

export interface Pair {
  actor: Ranked;
  target: Ranked;
  /** Nobody but the target could sign in as super administrator. */
  lastRoot: boolean;
}

/** Whom something is done to. With both, they must be of one account. */
export interface Which {
  id?: number | undefined;
  username?: string | undefined;
}

/**
 * Who acts and on whom, read anew and held until the transaction ends, as are all super administrators: of two who
 * demote each other at once, the second is none any more. Throws `record.not_found` for no such account,
 * `session.none` when the actor was deleted or disabled meanwhile.
 */
export async function holdPair(trx: Transaction<Tables>, actorId: number, { id, username }: Which): Promise<Pair> {
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
    .select(['id', 'username', 'role', 'status'])
    // In one order, so that two transactions never wait for each other.
    .orderBy('id');
  const rows = await locked(held, trx).execute();
  const actor = rows.find((row) => row.id === actorId);
  ensure(actor && actor.status === userStatus.enabled, 'session.none');
  const target = rows.find(
    (row) => (id === undefined || row.id === id) && (username === undefined || row.username === username),
  );
  ensure(target, 'record.not_found', { field: id === undefined ? 'username' : 'id' });
  const roots = rows.filter((row) => row.role >= role.root && row.status === userStatus.enabled);
  return { actor, target, lastRoot: roots.length === 1 && roots[0]?.id === target.id };
}

/** Whether somebody may see and change an account: those of lower roles, and the super administrator all. */
export const outranks = (actor: Pick<Ranked, 'role'>, target: Pick<Ranked, 'role'>): boolean =>
  actor.role >= role.root || actor.role > target.role;

/** Throws `user.rank`. */
export function ensureOutranks({ actor, target }: Pair): void {
  ensure(outranks(actor, target), 'user.rank');
}

/** For what would keep the target out: throws `user.rank`, `user.last_root` or, for the own account, `user.self`. */
export function ensureMayLockOut(pair: Pair): void {
  ensureOutranks(pair);
  ensure(!pair.lastRoot, 'user.last_root');
  ensure(pair.actor.id !== pair.target.id, 'user.self');
}
