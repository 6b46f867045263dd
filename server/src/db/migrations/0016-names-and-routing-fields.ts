import { type Kysely, sql } from 'kysely';
import { shapeOfName } from '#name-shape.ts';

const BATCH = 500;

/** Shapes of user names; channels whose upstream may receive routing fields; attempts that nodes count together. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('channels')
    .addColumn('pass_routing_fields', 'boolean', (c) => c.notNull().defaultTo(false))
    .execute();
  await db.schema
    .createTable('throttles')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('count', 'bigint', (c) => c.notNull())
    .addColumn('ends_ms', 'bigint', (c) => c.notNull())
    .execute();
  await addShapes(db);
}

/** No new name can pass for another. Of accounts that look alike already, the oldest has the shape. */
export async function addShapes(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('users').addColumn('username_shape', 'text').execute();
  const users = db as unknown as Kysely<{ users: { id: number; username: string; username_shape: string | null } }>;
  const taken = new Set<string>();
  for (let after = 0; ;) {
    const rows = await users
      .selectFrom('users')
      .select(['id', 'username'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const { id, username } of rows) {
      const shape = shapeOfName(username);
      if (taken.has(shape)) continue;
      taken.add(shape);
      await users.updateTable('users').set({ username_shape: shape }).where('id', '=', id).execute();
    }
    if (rows.length < BATCH) break;
    after = rows.at(-1)!.id;
  }
  await sql`create unique index users_username_shape on users (username_shape)`.execute(db);
}
