import type { CreateTableBuilder, Kysely } from 'kysely';
import { sql } from 'kysely';
import { appendedTable, inPrimaryKey, tableWithId } from '../dialect-differences.ts';

const usageSums = [
  'request_count',
  'failed_count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'request_time',
];

/** Accounts, channels, tokens, prices, calls and their counters. Credits and counters are 64-bit. */
export async function up(db: Kysely<never>): Promise<void> {
  const schema = db.schema;

  await tableWithId(db, 'users')
    .addColumn('username', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('display_name', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('role', 'integer', (c) => c.notNull())
    .addColumn('status', 'integer', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('avatar_url', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('group', 'text', (c) => c.notNull())
    .addColumn('quota', 'bigint', (c) =>
      c
        .notNull()
        .defaultTo(0)
        .check(sql`quota >= 0`),
    )
    .addColumn('held', 'bigint', (c) =>
      c
        .notNull()
        .defaultTo(0)
        .check(sql`held >= 0`),
    )
    .addColumn('used_quota', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('request_count', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('last_login_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('deleted_time', 'bigint')
    .execute();
  await schema.createIndex('users_username').unique().on('users').column('username').execute();

  await schema
    .createTable('sessions')
    .addColumn('id_hash', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('seen_time', 'bigint', (c) => c.notNull())
    .addColumn('expires_time', 'bigint', (c) => c.notNull())
    .addColumn('ip', 'text', (c) => c.notNull())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .execute();
  await schema.createIndex('sessions_user').on('sessions').column('user_id').execute();

  await tableWithId(db, 'user_groups')
    .addColumn('symbol', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('ratio', 'double precision', (c) => c.notNull())
    .addColumn('api_rate', 'integer', (c) => c.notNull())
    .addColumn('public', 'boolean', (c) => c.notNull())
    .addColumn('enable', 'boolean', (c) => c.notNull())
    .execute();

  await tableWithId(db, 'channels')
    .addColumn('type', 'integer', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('status', 'integer', (c) => c.notNull())
    .addColumn('key_cipher', 'text', (c) => c.notNull())
    .addColumn('key_hint', 'text', (c) => c.notNull())
    .addColumn('base_url', 'text', (c) => c.notNull())
    .addColumn('other', 'text', (c) => c.notNull())
    .addColumn('models', 'text', (c) => c.notNull())
    .addColumn('group', 'text', (c) => c.notNull())
    .addColumn('tag', 'text', (c) => c.notNull())
    .addColumn('priority', 'integer', (c) => c.notNull())
    .addColumn('weight', 'integer', (c) => c.notNull())
    .addColumn('model_mapping', 'text', (c) => c.notNull())
    .addColumn('model_headers', 'text', (c) => c.notNull())
    .addColumn('proxy', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('test_model', 'text', (c) => c.notNull())
    .addColumn('only_chat', 'boolean', (c) => c.notNull())
    .addColumn('pre_cost', 'integer', (c) => c.notNull())
    .addColumn('balance', 'double precision', (c) => c.notNull().defaultTo(0))
    .addColumn('balance_updated_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('used_quota', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('response_time', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('test_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('last_error', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('last_error_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('deleted_time', 'bigint')
    .execute();

  await tableWithId(db, 'tokens')
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull().unique())
    .addColumn('key_cipher', 'text', (c) => c.notNull())
    .addColumn('key_hint', 'text', (c) => c.notNull())
    .addColumn('status', 'integer', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('accessed_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('expired_time', 'bigint', (c) => c.notNull())
    .addColumn('remain_quota', 'bigint', (c) => c.notNull().check(sql`remain_quota >= 0`))
    .addColumn('unlimited_quota', 'boolean', (c) => c.notNull())
    .addColumn('used_quota', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('group', 'text', (c) => c.notNull())
    .addColumn('enable_cache', 'boolean', (c) => c.notNull())
    .addColumn('deleted_time', 'bigint')
    .execute();
  await schema.createIndex('tokens_user').on('tokens').columns(['user_id', 'id']).execute();

  await tableWithId(db, 'prices', 'version')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('channel_type', 'integer', (c) => c.notNull())
    .addColumn('input', 'double precision', (c) => c.notNull())
    .addColumn('output', 'double precision', (c) => c.notNull())
    .addColumn('extra_ratios', 'json', (c) => c.notNull())
    .addColumn('valid_from', 'bigint', (c) => c.notNull())
    .addColumn('valid_to', 'bigint')
    .execute();
  await schema
    .createIndex('prices_in_force')
    .unique()
    .on('prices')
    .column('model')
    .where(sql.ref('valid_to'), 'is', null)
    .execute();

  await schema
    .createTable('model_owners')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('icon', 'text', (c) => c.notNull())
    .execute();

  await schema
    .createTable('options')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();

  await schema
    .createTable('revisions')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'bigint', (c) => c.notNull())
    .execute();

  await schema
    .createTable('nodes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('pid', 'integer', (c) => c.notNull())
    .addColumn('started_time', 'bigint', (c) => c.notNull())
    .addColumn('seen_time', 'bigint', (c) => c.notNull())
    .execute();

  await inPrimaryKey(db, schema.createTable('intents'))
    .addColumn('request_id', 'text', (c) => c.primaryKey())
    .addColumn('node', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('token_id', 'bigint', (c) => c.notNull())
    .addColumn('reserved', 'bigint', (c) => c.notNull())
    .addColumn('token_reserved', 'bigint', (c) => c.notNull())
    .addColumn('price_version', 'bigint', (c) => c.notNull())
    .addColumn('model_name', 'text', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .execute();

  await appendedTable(db, 'ledger')
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('token_id', 'bigint')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('credits', 'bigint', (c) => c.notNull())
    .addColumn('balance_after', 'bigint', (c) => c.notNull())
    .addColumn('reference', 'text', (c) => c.notNull().unique())
    .addColumn('actor_id', 'bigint', (c) => c.notNull())
    .addColumn('remark', 'text', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('ledger_user').on('ledger').columns(['user_id', 'id']).execute();

  await appendedTable(db, 'logs')
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('type', 'integer', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('username', 'text', (c) => c.notNull())
    .addColumn('token_id', 'bigint', (c) => c.notNull())
    .addColumn('token_name', 'text', (c) => c.notNull())
    .addColumn('model_name', 'text', (c) => c.notNull())
    .addColumn('quota', 'bigint', (c) => c.notNull())
    .addColumn('prompt_tokens', 'bigint', (c) => c.notNull())
    .addColumn('completion_tokens', 'bigint', (c) => c.notNull())
    .addColumn('cached_tokens', 'bigint', (c) => c.notNull())
    .addColumn('channel_id', 'bigint', (c) => c.notNull())
    .addColumn('request_time', 'bigint', (c) => c.notNull())
    .addColumn('is_stream', 'boolean', (c) => c.notNull())
    .addColumn('source_ip', 'text', (c) => c.notNull())
    .addColumn('failed', 'boolean', (c) => c.notNull())
    .addColumn('metadata', 'json')
    .execute();
  await schema.createIndex('logs_request').on('logs').column('request_id').execute();
  await schema.createIndex('logs_user').on('logs').columns(['user_id', 'id']).execute();
  await schema.createIndex('logs_channel').on('logs').columns(['channel_id', 'id']).execute();
  await schema.createIndex('logs_model').on('logs').columns(['model_name', 'id']).execute();
  await schema.createIndex('logs_created').on('logs').columns(['created_at', 'id']).execute();

  // By user and hour for a user's own pages, by hour and channel for the operator's.
  const rollUps = { usage_by_user: ['user_id', 'hour'], usage_by_channel: ['hour', 'channel_id'] };
  for (const [name, key] of Object.entries(rollUps)) {
    const columns = [...key, 'model_name'];
    let table: CreateTableBuilder<string, string> = inPrimaryKey(db, schema.createTable(name));
    for (const column of key) table = table.addColumn(column, 'bigint', (c) => c.notNull());
    table = table.addColumn('model_name', 'text', (c) => c.notNull());
    for (const sum of usageSums) table = table.addColumn(sum, 'bigint', (c) => c.notNull());
    await table.addPrimaryKeyConstraint(`${name}_pk`, columns).execute();
  }
}
