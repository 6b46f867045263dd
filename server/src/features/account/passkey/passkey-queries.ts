import type { Passkey } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';

const columns = ['id', 'name', 'created_time', 'used_time', 'synced', 'host'] as const;

/** An account's passkeys, oldest first. */
export async function listPasskeys(db: Db, userId: number): Promise<Passkey[]> {
  return db.selectFrom('passkeys').where('user_id', '=', userId).select(columns).orderBy('id').execute();
}

/** Credential descriptors of an account's passkeys for a host. */
export async function knownPasskeys(
  db: Db,
  userId: number,
  host: string,
): Promise<{ id: string; transports: string[] }[]> {
  const rows = await db
    .selectFrom('passkeys')
    .where('user_id', '=', userId)
    .where('host', '=', host)
    .select(['credential_id', 'transports'])
    .orderBy('id')
    .execute();
  return rows.map(({ credential_id: id, transports }) => ({
    id,
    transports: transports.split(',').filter((name) => name !== ''),
  }));
}

/** Throws `record.not_found` if it is gone or belongs to another account. */
export async function renamePasskey(db: Db, userId: number, id: number, name: string): Promise<void> {
  const renamed = await db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  ensure(renamed, 'record.not_found', { field: 'id' });
}

/** Throws `record.not_found` if it is gone or belongs to another account. */
export async function removePasskey(db: Db, userId: number, id: number): Promise<void> {
  const removed = await db
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  ensure(removed, 'record.not_found', { field: 'id' });
}
