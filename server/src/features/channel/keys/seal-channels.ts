import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Secrets } from '#secrets.ts';
import { fingerprint } from '#secrets.ts';

/**
 * Completes migrations that need the data key: hashes keys stored before channels could have several, and encrypts
 * headers and proxies stored in plain text. Safe to run on several nodes at once.
 */
export async function sealChannels(db: Kysely<Tables>, secrets: Secrets): Promise<void> {
  const unhashed = await db
    .selectFrom('channel_keys')
    .where('key_hash', '=', '')
    .select(['id', 'key_cipher'])
    .execute();
  for (const { id, key_cipher: cipher } of unhashed)
    await db
      .updateTable('channel_keys')
      .set({ key_hash: fingerprint(secrets.decrypt(cipher)) })
      .where('id', '=', id)
      .where('key_hash', '=', '')
      .execute();
  for (const column of ['model_headers', 'proxy'] as const) {
    const clear = await db
      .selectFrom('channels')
      .where(column, '<>', '')
      .where(column, 'not like', 'v1.%')
      .select(['id', column])
      .execute();
    for (const { id, [column]: text } of clear)
      await db
        .updateTable('channels')
        .set({ [column]: secrets.encrypt(text) })
        .where('id', '=', id)
        .where(column, '=', text)
        .execute();
  }
}
