import { type Kysely, sql } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Uses of the reply cache by token and model, instead of by day alone. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await inPrimaryKey(
    db,
    schema
      .createTable('reply_cache_uses')
      .addColumn('day', 'bigint', (c) => c.notNull())
      .addColumn('user_id', 'bigint', (c) => c.notNull())
      .addColumn('token_id', 'bigint', (c) => c.notNull())
      .addColumn('model', 'text', (c) => c.notNull())
      .addColumn('hits', 'bigint', (c) => c.notNull())
      .addColumn('misses', 'bigint', (c) => c.notNull())
      .addColumn('saved', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('reply_cache_uses_pk', ['day', 'user_id', 'token_id', 'model']),
  ).execute();
  await sql`insert into reply_cache_uses (day, user_id, token_id, model, hits, misses, saved)
    select day, 0, 0, '', hits, misses, saved from reply_cache_days`.execute(db);
  await schema.dropTable('reply_cache_days').execute();
}
