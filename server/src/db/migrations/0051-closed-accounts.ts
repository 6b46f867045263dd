import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const BATCH = 500;

/**
 * Accounts that were deleted keep their name next to a free one, so that they are found by it and can be restored
 * (decision 0067). Names of earlier deletions are read from what they were renamed to.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('users').addColumn('deleted_name', 'text').execute();
  await sql`update users set username_shape = null where deleted_time is not null`.execute(db);
  for (let after = 0; ;) {
    const { rows } = await sql<{ id: number; username: string }>`
      select id, username from users where deleted_time is not null and id > ${sql.lit(after)}
      order by id limit ${sql.lit(BATCH)}`.execute(db);
    for (const { id, username } of rows) {
      const name = username.replace(/_del_[A-Za-z0-9]{6}$/, '');
      await sql`update users set deleted_name = ${name}, username = ${`${name} (deleted ${id})`} where id = ${id}`.execute(
        db,
      );
    }
    if (rows.length < BATCH) break;
    after = rows.at(-1)?.id ?? after;
  }
  await sql`create index users_deleted_name on users (lower(deleted_name)) where deleted_name is not null`.execute(db);
}
