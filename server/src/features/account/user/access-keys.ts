import { randomBytes } from 'node:crypto';
import type { AccessKey, accessKeyEdit, AccessScope, newAccessKey } from '@relay-hub/contract';
import type { Kysely, Selectable } from 'kysely';
import type * as z from 'zod/mini';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { ACCESS_KEY_PREFIX } from '#http/session/access-token.ts';
import { canonicalNetwork } from '#networks.ts';
import { fingerprint } from '#secrets.ts';

const MOST_OF_ACCOUNT = 50;

type Row = Selectable<Tables['access_keys']>;

/** An account's access keys, oldest first. */
export async function listAccessKeys(db: Db, userId: number): Promise<AccessKey[]> {
  const rows = await db.selectFrom('access_keys').where('user_id', '=', userId).orderBy('id').selectAll().execute();
  return rows.map(shown);
}

/** Throws `access_key.too_many` and `access_key.expiry_past`. */
export async function createAccessKey(
  db: Kysely<Tables>,
  userId: number,
  given: z.output<typeof newAccessKey>,
  now: number,
): Promise<{ access_key: AccessKey; key: string }> {
  checkExpiry(given.expired_time, now);
  const key = newKey();
  return db.transaction().execute(async (trx) => {
    const { count } = await trx
      .selectFrom('access_keys')
      .where('user_id', '=', userId)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    ensure(count < MOST_OF_ACCOUNT, 'access_key.too_many', { limit: MOST_OF_ACCOUNT });
    const row = await trx
      .insertInto('access_keys')
      .values({
        user_id: userId,
        ...columnsOf(key),
        name: given.name,
        scopes: given.scopes.join(' '),
        addresses: given.addresses.map(canonicalNetwork).join(' '),
        expired_time: given.expired_time,
        created_time: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { access_key: shown(row), key };
  });
}

/** Throws `record.not_found` and `access_key.expiry_past`. */
export async function updateAccessKey(
  db: Db,
  { userId, id, now }: { userId: number; id: number; now: number },
  { name, scopes, addresses, expired_time }: z.output<typeof accessKeyEdit>,
): Promise<AccessKey> {
  if (expired_time !== undefined) checkExpiry(expired_time, now);
  const row = await db
    .updateTable('access_keys')
    .set((eb) => ({
      name: name ?? eb.ref('name'),
      ...(scopes && { scopes: scopes.join(' ') }),
      ...(addresses && { addresses: addresses.map(canonicalNetwork).join(' ') }),
      ...(expired_time !== undefined && { expired_time }),
    }))
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return shown(row);
}

/** Gives the record another key. Throws `record.not_found`. */
export async function rotateAccessKey(
  db: Db,
  userId: number,
  id: number,
): Promise<{ access_key: AccessKey; key: string }> {
  const key = newKey();
  const row = await db
    .updateTable('access_keys')
    .set(columnsOf(key))
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return { access_key: shown(row), key };
}

/** Throws `record.not_found`. */
export async function removeAccessKey(db: Db, userId: number, id: number): Promise<void> {
  const gone = await db
    .deleteFrom('access_keys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  ensure(gone, 'record.not_found', { field: 'id' });
}

/** 160 random bits. */
const newKey = (): string => ACCESS_KEY_PREFIX + randomBytes(20).toString('hex');

const columnsOf = (key: string) => ({
  key_hash: fingerprint(key),
  hint: `${key.slice(0, ACCESS_KEY_PREFIX.length + 4)}••••${key.slice(-4)}`,
  used_time: 0,
  used_ip: '',
});

function checkExpiry(end: number, now: number): void {
  ensure(end === -1 || end > now, 'access_key.expiry_past', { field: 'expired_time' });
}

const words = (list: string): string[] => list.split(' ').filter((word) => word !== '');

function shown({ id, name, hint, scopes, addresses, ...row }: Row): AccessKey {
  const { created_time, expired_time, used_time, used_ip } = row;
  return {
    id,
    name,
    hint,
    scopes: words(scopes) as AccessScope[], // as they were checked when they were written
    addresses: words(addresses),
    created_time,
    expired_time,
    used_time,
    used_ip,
  };
}
