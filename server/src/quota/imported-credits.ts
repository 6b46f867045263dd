import { locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import type { Transaction } from 'kysely';
import { type NewEntry, post } from './ledger.ts';

/** Credits that an import moves: a balance that is opened here, or what changed at the old side since the last run. */
export type ImportedCredits = Omit<NewEntry, 'kind'> & { kind: 'opening' | 'correction' };

/**
 * Posts imported credits. A balance that they would bring below zero becomes zero, with a separate correction before
 * them. Returns the credits of that correction.
 */
export async function postImported(trx: Transaction<Tables>, entry: ImportedCredits): Promise<number> {
  if (entry.credits === 0) return 0;
  const account = trx.selectFrom('users').where('id', '=', entry.user_id).select('quota');
  const { quota } = await locked(account, trx).executeTakeFirstOrThrow();
  const missing = Math.max(0, -(quota + entry.credits));
  if (missing > 0)
    await post(trx, { ...entry, kind: 'correction', credits: missing, reference: `${entry.reference}:zero` });
  await post(trx, entry);
  return missing;
}

/** Moves a token's quota by what changed at the old side. Returns by how much it would be below zero. */
export async function moveTokenQuota(trx: Transaction<Tables>, tokenId: number, credits: number): Promise<number> {
  const token = trx.selectFrom('tokens').where('id', '=', tokenId).select('remain_quota');
  const { remain_quota: left } = await locked(token, trx).executeTakeFirstOrThrow();
  const next = Math.max(0, left + credits);
  await trx.updateTable('tokens').set({ remain_quota: next }).where('id', '=', tokenId).execute();
  return next - (left + credits);
}
