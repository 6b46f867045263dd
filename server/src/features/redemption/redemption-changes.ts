import type { newRedemptions, Redemption, redemptionEdit } from '@relay-hub/contract';
import { redemptionStatus } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import { given } from '#db/given.ts';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { fingerprint } from '#secrets.ts';
import { codeHint, newCode } from './redemption-code.ts';
import { getRedemption, named, redemptionFields, statusNow } from './redemption-queries.ts';

const isAhead = (time: number, now: number): boolean => time === -1 || time > now;

/** Creates codes in one statement, all or none. Returns the codes; later only `revealCode` does. */
export async function createRedemptions(
  { db, secrets, now: clock }: Pick<Deps, 'db' | 'secrets' | 'now'>,
  userId: number,
  { count, ...each }: z.output<typeof newRedemptions>,
): Promise<string[]> {
  const now = clock();
  ensure(isAhead(each.expired_time, now), 'redemption.expiry_past', { field: 'expired_time' });
  if (each.plan_id !== undefined) {
    const plan = await db.selectFrom('plans').where('id', '=', each.plan_id).select('id').executeTakeFirst();
    ensure(plan, 'record.not_found', { field: 'plan_id' });
  }
  const codes = Array.from({ length: count }, newCode);
  const rows = codes.map((code) => ({
    ...each,
    user_id: userId,
    key_hash: fingerprint(code),
    key_cipher: secrets.encrypt(code),
    key_hint: codeHint(code),
    status: redemptionStatus.enabled,
    created_time: now,
  }));
  await db.insertInto('redemptions').values(rows).execute();
  return codes;
}

/**
 * Updates an unredeemed code. Throws `redemption.closed` if it was redeemed, and `redemption.expiry_past` if it would
 * be enabled but expired.
 */
export async function updateRedemption(
  db: Db,
  { id, ...changes }: z.output<typeof redemptionEdit>,
  now: number,
): Promise<Redemption> {
  const before = await getRedemption(db, id);
  ensure(before.status !== redemptionStatus.used, 'redemption.closed');
  const expires = changes.expired_time ?? before.expired_time;
  const counts = changes.status === redemptionStatus.enabled || expires !== before.expired_time;
  ensure(!counts || isAhead(expires, now), 'redemption.expiry_past', { field: 'expired_time' });
  const values = given(changes);
  if (Object.keys(values).length === 0) return before;
  const row = await db
    .updateTable('redemptions')
    .set(values)
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    // Against a concurrent redemption, which gets the old credits and closes the code.
    .where('status', '<>', redemptionStatus.used)
    .returning(redemptionFields)
    .executeTakeFirst();
  ensure(row, 'redemption.closed');
  return named(db, row);
}

/** Soft-deletes a code; what it granted stays, and the row stays for the statistics. */
export async function removeRedemption(db: Db, id: number, now: number): Promise<void> {
  const removed = await db
    .updateTable('redemptions')
    .set({ deleted_time: now })
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .returning('id')
    .executeTakeFirst();
  ensure(removed, 'record.not_found', { field: 'id' });
}

/** Restores a deleted code. */
export async function restoreRedemption(db: Db, id: number): Promise<Redemption> {
  const row = await db
    .updateTable('redemptions')
    .set({ deleted_time: null })
    .where('id', '=', id)
    .where('deleted_time', 'is not', null)
    .returning(redemptionFields)
    .executeTakeFirst();
  return named(db, row);
}

/** Deletes every code whose current status is one of `statuses`. Returns how many. */
export async function removeInvalid(db: Db, statuses: number[], now: number): Promise<number> {
  const removed = await db
    .updateTable('redemptions')
    .set({ deleted_time: now })
    .where('deleted_time', 'is', null)
    .where(statusNow(now), 'in', statuses)
    .returning('id')
    .execute();
  return removed.length;
}
