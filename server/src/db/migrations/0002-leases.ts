import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

interface Before {
  users: { id: number; quota: number; held: number };
  tokens: { id: number; remain_quota: number };
  intents: { user_id: number; token_id: number; reserved: number; token_reserved: number };
}

/**
 * Reservations move out of the database: a node leases credits, and admits its calls against them. Reservations of
 * earlier calls are returned, because their processes have ended.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const schema = db.schema;
  await schema
    .alterTable('tokens')
    .addColumn('held', 'bigint', (c) =>
      c
        .notNull()
        .defaultTo(0)
        .check(sql`held >= 0`),
    )
    .execute();

  const before = db as unknown as Kysely<Before>;
  for (const { user_id, token_id, reserved, token_reserved } of await before
    .selectFrom('intents')
    .selectAll()
    .execute()) {
    await before
      .updateTable('users')
      .set((eb) => ({ quota: eb('quota', '+', reserved), held: eb('held', '-', reserved) }))
      .where('id', '=', user_id)
      .execute();
    await before
      .updateTable('tokens')
      .set((eb) => ({ remain_quota: eb('remain_quota', '+', token_reserved) }))
      .where('id', '=', token_id)
      .execute();
  }
  await schema.dropTable('intents').execute();

  await inPrimaryKey(db, schema.createTable('leases'))
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('token_id', 'bigint', (c) => c.notNull())
    .addColumn('node', 'text', (c) => c.notNull())
    .addColumn('credits', 'bigint', (c) => c.notNull().check(sql`credits >= 0`))
    .addColumn('recalled', 'boolean', (c) => c.notNull().defaultTo(false))
    .addPrimaryKeyConstraint('leases_pk', ['user_id', 'token_id', 'node'])
    .execute();

  await schema
    .createTable('journals')
    .addColumn('node', 'text', (c) => c.primaryKey())
    .addColumn('applied', 'bigint', (c) => c.notNull())
    .addColumn('closed', 'boolean', (c) => c.notNull())
    .execute();
}
