import { LONGEST_OVERLAP_S, type rotation, type Token } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type * as z from 'zod/mini';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { addEvent } from '#notifications/add-event.ts';
import { fingerprint, hintOf, type Secrets } from '#secrets.ts';
import { getToken, newBareKey, ownTokens } from './token-queries.ts';

/** When the old key ends, in Unix seconds. Throws `token.overlap` outside of the bounds, or for two answers. */
export function endOfOldKey({ old_key_seconds, old_key_until }: z.output<typeof rotation>, now: number): number {
  const field = 'old_key_until';
  ensure(old_key_seconds === undefined || old_key_until === undefined, 'token.overlap', { field });
  if (old_key_until === undefined) return now + (old_key_seconds ?? 0);
  ensure(old_key_until >= now && old_key_until <= now + LONGEST_OVERLAP_S, 'token.overlap', { field });
  return old_key_until;
}

/**
 * Gives an own token a new key and keeps the present one until `until`. An older key that still worked ends now, so a
 * token has at most two. Returns the key; later only `revealKey` does.
 */
export async function rotateKey(
  trx: Transaction<Tables>,
  secrets: Secrets,
  { userId, id, until, now }: { userId: number; id: number; until: number; now: number },
): Promise<{ token: Token; key: string }> {
  const mine = ownTokens(trx, userId).where('id', '=', id).select(['key_hash', 'key_hint']);
  const before = await locked(mine, trx).executeTakeFirst();
  ensure(before, 'record.not_found', { field: 'id' });
  const { key_hash, key_hint } = before;
  const older = trx.selectFrom('token_old_keys').where('token_id', '=', id).select('key_hash');
  await trx.deleteFrom('key_uses').where('key_hash', 'in', older).execute();
  await trx
    .insertInto('token_old_keys')
    .values({ token_id: id, key_hash, key_hint, valid_until: until })
    .onConflict((conflict) => conflict.column('token_id').doUpdateSet({ key_hash, key_hint, valid_until: until }))
    .execute();
  const bare = newBareKey();
  const key = `sk-${bare}`;
  await trx
    .updateTable('tokens')
    .set({
      key_hash: fingerprint(bare),
      key_cipher: secrets.encrypt(key),
      key_hint: hintOf(bare),
      rotated_time: now,
    })
    .where('id', '=', id)
    .execute();
  const token = await getToken(trx, userId, id, now);
  await addEvent(trx, { type: 'key.rotated', object: `key:${id}`, userId, data: { id, name: token.name }, now });
  return { token, key };
}

/** Ends the old key of an own token, if it still works. */
export async function revokeOldKey(db: Db, userId: number, id: number, now: number): Promise<Token> {
  await getToken(db, userId, id, now);
  await db
    .updateTable('token_old_keys')
    .set({ valid_until: now })
    .where('token_id', '=', id)
    .where('valid_until', '>', now)
    .execute();
  return getToken(db, userId, id, now);
}
