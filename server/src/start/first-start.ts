import { readFileSync } from 'node:fs';
import type { ModelOwner } from '@relay-hub/contract';
import { defaultUserGroup, firstStartRemark, role, userStatus } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { addMissingPrices } from '#features/price/price-queries.ts';
import { shapeOfName } from '#name-shape.ts';
import { ConfigError } from '#config.ts';
import { hashPassword, isEasy } from '#passwords.ts';
import { post } from '#quota/ledger.ts';
import { openSecrets, randomText, type Secrets } from '#secrets.ts';

/** 200 dollars, for the operator's own calls. */
const ROOT_QUOTA = 100_000_000;

const seedGroups = [
  { ...defaultUserGroup, public: true },
  { symbol: 'vip', name: 'VIP', public: false },
  { symbol: 'svip', name: 'SVIP', public: false },
];

const KEY_CHECK = 'data-key-check';

/** The account `root` waits for its first password. */
const PASSWORD_DUE = 'root-password-due';

/**
 * Fills a new database, and adds built-in owners and prices of later builds. Without a `rootPassword`, `root` cannot sign
 * in until `makeRootPassword`. Throws `ConfigError` for one that is easy to guess. Safe on several nodes at once: the
 * first one creates each row.
 */
export async function prepare(
  db: Kysely<Tables>,
  secrets: Secrets,
  rootPassword: string | undefined,
  now: number,
): Promise<void> {
  await keepDataKey(db, secrets);
  await addMissingOwners(db);
  await addMissingPrices(db, now);
  const groups = await db.selectFrom('user_groups').select('id').limit(1).execute();
  if (groups.length === 0) {
    const seeds = seedGroups.map((group) => ({ ...group, ratio: 1, api_rate: 600, enable: true }));
    await db
      .insertInto('user_groups')
      .values(seeds)
      .onConflict((conflict) => conflict.column('symbol').doNothing())
      .execute();
  }
  await createRoot(db, rootPassword, now);
}

/**
 * Gives `root` its password if it was created without one; returns it if it is random. Throws `ConfigError` for a given
 * one that is easy to guess. Call it when the start has succeeded, and print the password: nothing can recover it.
 */
export async function makeRootPassword(db: Kysely<Tables>, given: string | undefined): Promise<string | undefined> {
  const due = db.selectFrom('options').where('key', '=', PASSWORD_DUE).select('key');
  if ((await due.executeTakeFirst()) === undefined) return undefined;
  const password = given ?? randomText(16);
  const hash = await hashRootPassword(password);
  return db.transaction().execute(async (trx) => {
    const mine = await trx.deleteFrom('options').where('key', '=', PASSWORD_DUE).returning('value').executeTakeFirst();
    if (!mine) return undefined;
    await trx.updateTable('users').set({ password_hash: hash }).where('id', '=', Number(mine.value)).execute();
    return given === undefined ? password : undefined;
  });
}

async function hashRootPassword(password: string): Promise<string> {
  if (isEasy(password, ['root']))
    throw new ConfigError('ROOT_PASSWORD is among the passwords that attackers try first. Choose another one.');
  return hashPassword(password);
}

/** The data key does not decrypt this database. Nothing was changed. */
export class DataKeyError extends Error {}

/** Throws `DataKeyError` if this database was written with another key. Call it before migrating. */
export async function checkDataKey(db: Kysely<Tables>, secrets: Secrets): Promise<void> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === 'options')) return;
  const stored = await db.selectFrom('options').where('key', '=', KEY_CHECK).select('value').executeTakeFirst();
  if (stored) openCheck(stored.value, secrets);
}

async function keepDataKey(db: Kysely<Tables>, secrets: Secrets): Promise<void> {
  const values = { key: KEY_CHECK, value: secrets.encrypt(KEY_CHECK) };
  await db
    .insertInto('options')
    .values(values)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const stored = await db.selectFrom('options').where('key', '=', KEY_CHECK).select('value').executeTakeFirstOrThrow();
  openCheck(stored.value, secrets);
}

/** Whether a data key is the one that a stored check was encrypted with. */
export const keyOpens = (key: string, cipher: string): boolean => opens(cipher, openSecrets(key));

function opens(cipher: string, secrets: Secrets): boolean {
  try {
    return secrets.decrypt(cipher) === KEY_CHECK;
  } catch {
    // Another key, or altered data.
    return false;
  }
}

function openCheck(cipher: string, secrets: Secrets): void {
  if (opens(cipher, secrets)) return;
  throw new DataKeyError(
    'SECRET_KEY (or secret.key in DATA_DIR) is not the key that this database was written with. Restore the old key; without it the stored keys cannot be read. If a change of the key was interrupted, run the command `rotate-key` again.',
  );
}

async function addMissingOwners(db: Kysely<Tables>): Promise<void> {
  const owners = JSON.parse(
    readFileSync(new URL('../prices/built-in-owners.json', import.meta.url), 'utf8'),
  ) as ModelOwner[];
  await db
    .insertInto('model_owners')
    .values(owners)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

async function createRoot(db: Kysely<Tables>, password: string | undefined, now: number): Promise<void> {
  const users = await db.selectFrom('users').select('id').limit(1).execute();
  if (users.length > 0) return;
  const hash = password === undefined ? '' : await hashRootPassword(password);
  await db.transaction().execute(async (trx) => {
    const made = await trx
      .insertInto('users')
      .values({
        username: 'root',
        username_shape: shapeOfName('root'),
        display_name: 'Root User',
        password_hash: hash,
        role: role.root,
        status: userStatus.enabled,
        group: 'default',
        created_time: now,
      })
      // Several indexes refuse the name; PostgreSQL reports whichever a second node meets first.
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!made) return;
    const { id } = made;
    if (password === undefined)
      await trx
        .insertInto('options')
        .values({ key: PASSWORD_DUE, value: String(id) })
        .execute();
    await post(trx, {
      user_id: id,
      kind: 'gift',
      credits: ROOT_QUOTA,
      reference: `gift:${id}`,
      actor_id: id,
      remark: firstStartRemark,
      created_time: now,
    });
  });
}
