import type { Db } from '#db/tables.ts';

/** Kinds of change that nodes cache. */
export type Change = 'settings' | 'groups' | 'prices' | 'routes' | 'callers' | 'blocks' | 'announcements';

/** Increments a counter that every node watches. */
export async function touch(db: Db, change: Change): Promise<void> {
  await db
    .insertInto('revisions')
    .values({ name: change, value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ value: eb('revisions.value', '+', 1) })))
    .execute();
}

export async function readRevisions(db: Db): Promise<Map<string, number>> {
  const rows = await db.selectFrom('revisions').selectAll().execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}
