import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { fingerprint } from '#secrets.ts';

/** Gives an account an access token, which works on every node. */
export async function addAccessToken(db: Kysely<Tables>, userId: number): Promise<string> {
  const token = randomBytes(16).toString('hex');
  await db
    .updateTable('users')
    .set({ access_token_hash: fingerprint(token) })
    .where('id', '=', userId)
    .execute();
  return token;
}
