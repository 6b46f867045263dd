import { LAST_RESERVED_OWNER, type ModelOwner } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';

export async function getModelOwner(db: Db, id: number): Promise<ModelOwner> {
  const owner = await db.selectFrom('model_owners').selectAll().where('id', '=', id).executeTakeFirst();
  ensure(owner, 'record.not_found', { field: 'id' });
  return owner;
}

/** Throws `record.exists` if the id is taken. */
export async function createModelOwner(db: Db, owner: ModelOwner): Promise<ModelOwner> {
  const made = await db
    .insertInto('model_owners')
    .values(owner)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst();
  ensure(made, 'record.exists', { field: 'id', name: owner.id });
  return made;
}

export async function updateModelOwner(db: Db, { id, name, icon }: ModelOwner): Promise<ModelOwner> {
  const owner = await db
    .updateTable('model_owners')
    .set({ name, icon })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  ensure(owner, 'record.not_found', { field: 'id' });
  return owner;
}

/** Throws `owner.built_in`, and `owner.in_use` while an active price refers to it. */
export async function removeModelOwner(db: Kysely<Tables>, id: number): Promise<void> {
  ensure(id > LAST_RESERVED_OWNER, 'owner.built_in', { field: 'id' });
  await db.transaction().execute(async (trx) => {
    const gone = await trx.deleteFrom('model_owners').where('id', '=', id).returning('name').executeTakeFirst();
    ensure(gone, 'record.not_found', { field: 'id' });
    const { prices } = await trx
      .selectFrom('prices')
      .where('channel_type', '=', id)
      .where('valid_to', 'is', null)
      .select(({ fn }) => fn.countAll<number>().as('prices'))
      .executeTakeFirstOrThrow();
    ensure(prices === 0, 'owner.in_use', { name: gone.name, count: prices });
  });
}
