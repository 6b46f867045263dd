import type { Db } from '#db/tables.ts';

/** Kinds of change that nodes cache. `callers`: all of them; `users`: those of some users. */
export type Change =
  | 'settings'
  | 'groups'
  | 'prices'
  | 'routes'
  | 'callers'
  | 'users'
  | 'blocks'
  | 'announcements'
  | 'virtual_models'
  | 'guard_rules';

/** Increments a counter that every node watches. Returns its value. */
export async function touch(db: Db, change: Change): Promise<number> {
  const { value } = await db
    .insertInto('revisions')
    .values({ name: change, value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ value: eb('revisions.value', '+', 1) })))
    .returning('value')
    .executeTakeFirstOrThrow();
  return value;
}

/** Announces that keys or accounts of these users have changed. */
export async function touchUsers(db: Db, userIds: readonly number[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // The counter's row is locked until the commit, so no node reads a revision before its users.
    const revision = await touch(trx, 'users');
    await trx
      .insertInto('changed_users')
      .values([...new Set(userIds)].map((user_id) => ({ user_id, revision })))
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ revision }))
      .execute();
  });
}

/** The users that changed after a value of the counter `users`. */
export async function usersChangedSince(db: Db, revision: number): Promise<Set<number>> {
  const rows = await db.selectFrom('changed_users').where('revision', '>', revision).select('user_id').execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

export async function readRevisions(db: Db): Promise<Map<string, number>> {
  const rows = await db.selectFrom('revisions').selectAll().execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}
