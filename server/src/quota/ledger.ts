import { locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import type { Transaction } from 'kysely';

/** Kinds of entries that are posted outside of calls. Calls post `settle`, see `book-statements.ts`. */
export type EntryKind = 'gift' | 'reward' | 'topup' | 'redemption' | 'refund' | 'correction';

export interface NewEntry {
  user_id: number;
  kind: EntryKind;
  /** Positive gives, negative takes. */
  credits: number;
  /** Unique: posting the same reference twice fails, so nothing is given twice. */
  reference: string;
  /** Who caused it. */
  actor_id: number;
  remark: string;
  created_time: number;
}

/**
 * Holds accounts until the transaction ends, in the order in which batches of calls do. To be asked before anything of
 * several accounts is written in one transaction: it and a batch would wait for each other, and one of them be ended.
 */
export async function holdAccounts(trx: Transaction<Tables>, ids: readonly number[]): Promise<void> {
  await locked(trx.selectFrom('users').where('id', 'in', ids).select('id').orderBy('id'), trx).execute();
}

/**
 * Posts an entry and moves the balance with it. Throws `quota.below_zero` when it would take more than there is, and
 * `quota.uncountable` when the balance would be more than can be counted exactly.
 */
export async function post(trx: Transaction<Tables>, entry: NewEntry): Promise<void> {
  const user = await trx
    .updateTable('users')
    .set((eb) => ({ quota: eb('quota', '+', entry.credits) }))
    .where('id', '=', entry.user_id)
    .where((eb) => eb(eb('quota', '+', entry.credits), '>=', 0))
    // What is held counts, and comes back.
    .where((eb) => eb(eb(eb('quota', '+', eb.ref('held')), '+', entry.credits), '<=', Number.MAX_SAFE_INTEGER))
    .returning(['quota', 'held'])
    .executeTakeFirst();
  ensure(user, entry.credits < 0 ? 'quota.below_zero' : 'quota.uncountable');
  await trx
    .insertInto('ledger')
    .values({ ...entry, token_id: null, balance_after: user.quota + user.held })
    .execute();
}
