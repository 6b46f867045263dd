import { type Kysely, sql } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/**
 * Limits of any scope (decision 0107): counters and reservations by scope and start of the period, and the limits of
 * accounts, members and cost centres.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await schema.alterTable('limit_counters').renameTo('old_limit_counters').execute();
  await schema.alterTable('limit_leases').renameTo('old_limit_leases').execute();
  await schema.dropIndex('limit_leases_node').execute();
  await inPrimaryKey(db, schema.createTable('limit_counters'))
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('starts', 'bigint', (c) => c.notNull())
    .addColumn('ends', 'bigint', (c) => c.notNull())
    .addColumn('used', 'bigint', (c) => c.notNull())
    .addColumn('held', 'bigint', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    // 0: not the limit of a token.
    .addColumn('token_id', 'bigint', (c) => c.notNull())
    .addColumn('warned_percent', 'bigint', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('limit_counters_key', ['scope', 'name', 'starts'])
    .execute();
  await schema.createIndex('limit_counters_token').on('limit_counters').column('token_id').execute();
  await inPrimaryKey(db, schema.createTable('limit_leases'))
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('starts', 'bigint', (c) => c.notNull())
    .addColumn('node', 'text', (c) => c.notNull())
    .addColumn('amount', 'bigint', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('limit_leases_key', ['scope', 'name', 'starts', 'node'])
    .execute();
  await schema.createIndex('limit_leases_node').on('limit_leases').columns(['node', 'user_id']).execute();
  await sql`insert into limit_counters (scope, name, starts, ends, used, held, user_id, token_id, warned_percent)
    select 't' || c.token_id, c.name, c.starts, c.ends, c.used, c.held, t.user_id, c.token_id,
      case when c.warned_starts = c.starts then c.warned_percent else 0 end
    from old_limit_counters c join tokens t on t.id = c.token_id`.execute(db);
  await sql`insert into limit_leases (scope, name, starts, node, amount, user_id)
    select 't' || l.token_id, l.name, l.starts, l.node, l.amount, t.user_id
    from old_limit_leases l join tokens t on t.id = l.token_id`.execute(db);
  await schema.dropTable('old_limit_counters').execute();
  await schema.dropTable('old_limit_leases').execute();
  await sql`update signed_sums set name = 't' || id || ' ' || name, id = 0 where kind = 'limit'`.execute(db);

  await inPrimaryKey(db, schema.createTable('limit_rules'))
    .addColumn('scope', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('limits', 'json', (c) => c.notNull())
    .addColumn('updated_time', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('limit_rules_user').on('limit_rules').column('user_id').execute();
  // Whether limits or plans have to be read for a caller of the account.
  await schema
    .alterTable('users')
    .addColumn('has_limits', 'boolean', (c) => c.notNull().defaultTo(false))
    .execute();
}
