import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

const texts = ['plugin', 'excluded', 'disabled_stream'];
const numbers = [
  'connect_timeout',
  'first_token_timeout',
  'idle_timeout',
  'total_timeout',
  'gone_seconds',
  'gone_tokens',
];

/**
 * Further channel fields, several keys per channel, changes that can be undone for a while, and work on many channels.
 * Key hashes, and the encryption of headers and proxies, need the data key: see `features/channel/seal-channels.ts`.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  for (const name of texts)
    await schema
      .alterTable('channels')
      .addColumn(name, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  for (const name of numbers)
    await schema
      .alterTable('channels')
      .addColumn(name, 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  await schema
    .alterTable('channels')
    .addColumn('on_client_gone', 'text', (c) => c.notNull().defaultTo('drain'))
    .execute();
  await schema
    .alterTable('channels')
    .addColumn('balance_currency', 'text', (c) => c.notNull().defaultTo('USD'))
    .execute();
  await schema.createIndex('channels_tag').on('channels').column('tag').execute();
  await moveKeys(db);

  await schema
    .createTable('channel_undos')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('actor_id', 'bigint', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('rows', 'json', (c) => c.notNull())
    .execute();

  await schema
    .createTable('channel_jobs')
    .addColumn('kind', 'text', (c) => c.primaryKey())
    .addColumn('run', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('total', 'integer', (c) => c.notNull())
    .addColumn('done', 'integer', (c) => c.notNull())
    .addColumn('succeeded', 'integer', (c) => c.notNull())
    .addColumn('failed', 'integer', (c) => c.notNull())
    .addColumn('skipped', 'integer', (c) => c.notNull())
    .addColumn('switched_off', 'integer', (c) => c.notNull())
    .addColumn('switched_on', 'integer', (c) => c.notNull())
    .addColumn('failures', 'json', (c) => c.notNull())
    .addColumn('actor_id', 'bigint', (c) => c.notNull())
    .addColumn('started_time', 'bigint', (c) => c.notNull())
    .addColumn('seen_time', 'bigint', (c) => c.notNull())
    .addColumn('ended_time', 'bigint', (c) => c.notNull())
    .execute();
}

async function moveKeys(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'channel_keys')
    .addColumn('channel_id', 'bigint', (c) => c.notNull().references('channels.id'))
    .addColumn('key_hash', 'text', (c) => c.notNull())
    .addColumn('key_cipher', 'text', (c) => c.notNull())
    .addColumn('key_hint', 'text', (c) => c.notNull())
    .addColumn('status', 'integer', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('last_error', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('last_error_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('response_time', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('test_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .execute();
  await sql`insert into channel_keys (channel_id, key_hash, key_cipher, key_hint, status, created_time)
    select id, '', key_cipher, key_hint, 1, created_time from channels order by id`.execute(db);
  await db.schema.createIndex('channel_keys_channel').on('channel_keys').columns(['channel_id', 'id']).execute();
  // A key is unique in its channel, even if added concurrently. Existing keys have no hash until the next start.
  await db.schema
    .createIndex('channel_keys_hash')
    .unique()
    .on('channel_keys')
    .columns(['key_hash', 'channel_id'])
    .where(sql.ref('key_hash'), '<>', '')
    .execute();
  for (const column of ['key_cipher', 'key_hint']) await db.schema.alterTable('channels').dropColumn(column).execute();
}
