import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { databaseForSuite } from '#testing/database-for-suite.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { up } from './0051-closed-accounts.ts';

onEveryDatabase('the update that lets deleted accounts be restored', (make) => {
  const db = databaseForSuite(make);

  test('reads the names of accounts that were deleted before, and frees what looks like them', async () => {
    await sql`drop index users_deleted_name`.execute(db());
    await sql`alter table users drop column deleted_name`.execute(db());
    const user = { password_hash: '', role: 1, status: 1, group: 'default', created_time: 1 };
    const rows = [
      { ...user, username: 'here', username_shape: 'here', deleted_time: null },
      { ...user, username: 'anna_del_Ab3dE6', username_shape: 'anna', deleted_time: 5 },
      { ...user, username: 'imported', username_shape: 'imported', deleted_time: 6 },
    ];
    await db().insertInto('users').values(rows).execute();
    await up(db() as unknown as Kysely<never>);
    const after = await db()
      .selectFrom('users')
      .where('password_hash', '=', '')
      .select(['id', 'username', 'deleted_name', 'username_shape'])
      .orderBy('id')
      .execute();
    const [here, anna, imported] = after.map(({ id }) => id);
    expect(after).toEqual([
      { id: here, username: 'here', deleted_name: null, username_shape: 'here' },
      { id: anna, username: `anna (deleted ${anna})`, deleted_name: 'anna', username_shape: null },
      { id: imported, username: `imported (deleted ${imported})`, deleted_name: 'imported', username_shape: null },
    ]);
  });
});
