import { locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import type { Transaction } from 'kysely';

/** Kinds of entries posted outside of calls. Calls post `settle`, see `book-statements.ts`. */
export type EntryKind =
  | 'opening'
  | 'gift'
  | 'reward'
  | 'topup'
  | 'redemption'
  | 'refund'
  | 'dispute'
  | 'plan'
  | 'correction'
  | 'transfer';

export interface NewEntry {
  user_id: number;
  kind: EntryKind;
  /** Positive adds credits, negative removes them. */
  credits: number;
  /** Unique: posting a reference twice fails, so nothing is given twice. */
  reference: string;
  /** The user who caused it. */
  actor_id: number;
  remark: string;
  created_time: number;
}

/**
 * Locks accounts until the transaction ends, in the order of call batches. Call it before the first write to several
 * accounts in one transaction, to avoid deadlocks with a batch.
 */
export async function holdAccounts(trx: Transaction<Tables>, ids: readonly number[]): Promise<void> {
  await locked(trx.selectFrom('users').where('id', 'in', ids).select('id').orderBy('id'), trx).execute();
}

/**
 * Posts an entry and updates the balance. Throws `quota.below_zero` if the balance is insufficient, and
 * `quota.uncountable` if it would exceed the safe integers.
 */
export async function post(trx: Transaction<Tables>, entry: NewEntry): Promise<void> {
  const user = await trx
    .updateTable('users')
    .set((eb) => ({ quota: eb('quota', '+', entry.credits) }))
    .where('id', '=', entry.user_id)
    .where((eb) => eb(eb('quota', '+', entry.credits), '>=', 0))
    // Held credits count, they come back.
    .where((eb) => eb(eb(eb('quota', '+', eb.ref('held')), '+', entry.credits), '<=', Number.MAX_SAFE_INTEGER))
    .returning(['quota', 'held'])
    .executeTakeFirst();
  ensure(user, entry.credits < 0 ? 'quota.below_zero' : 'quota.uncountable');
  await trx
    .insertInto('ledger')
    .values({ ...entry, token_id: null, balance_after: user.quota + user.held })
    .execute();
}
