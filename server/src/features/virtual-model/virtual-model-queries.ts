import {
  type NewVirtualModel,
  type Page,
  type ParsedOf,
  type VirtualModel,
  virtualLimits,
  type virtualModelApi,
} from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { contains } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';

/** Who saves, and when. */
interface By {
  id: number;
  username: string;
  now: number;
}

export async function listVirtualModels(
  db: Db,
  { keyword, ...query }: ParsedOf<typeof virtualModelApi.list>['query'],
): Promise<Page<VirtualModel>> {
  let rows = db.selectFrom('virtual_models').selectAll();
  if (keyword !== '') rows = rows.where(({ or }) => or([contains('name', keyword), contains('description', keyword)]));
  return pageOfRows(rows, query);
}

export async function getVirtualModel(db: Db, id: number): Promise<VirtualModel> {
  const row = await db.selectFrom('virtual_models').selectAll().where('id', '=', id).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return row;
}

/** The latest versions, newest first. Throws `record.not_found`. */
export async function versionsOf(db: Db, id: number): Promise<VirtualModel[]> {
  const rows = await db
    .selectFrom('virtual_model_versions')
    .where('model_id', '=', id)
    .select('saved')
    .orderBy('version', 'desc')
    .limit(virtualLimits.versions)
    .execute();
  ensure(rows.length > 0, 'record.not_found', { field: 'id' });
  return rows.map(({ saved }) => saved);
}

/** Throws `record.exists` and `virtual.too_many`. */
export const createVirtualModel = (db: Kysely<Tables>, given: NewVirtualModel, by: By): Promise<VirtualModel> =>
  db.transaction().execute(async (trx) => {
    const { count } = await trx
      .selectFrom('virtual_models')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    ensure(count < virtualLimits.models, 'virtual.too_many', { limit: virtualLimits.models });
    const made = await trx
      .insertInto('virtual_models')
      .values({ ...columnsOf(given, by), version: 1 })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returningAll()
      .executeTakeFirst();
    ensure(made, 'record.exists', { field: 'name', name: given.name });
    await keepVersion(trx, made);
    return made;
  });

/** Throws `record.exists` and `record.not_found`. */
export const updateVirtualModel = (
  db: Kysely<Tables>,
  { id, ...given }: NewVirtualModel & { id: number },
  by: By,
): Promise<VirtualModel> =>
  db.transaction().execute(async (trx) => {
    const other = trx.selectFrom('virtual_models').where('name', '=', given.name).where('id', '<>', id).select('id');
    ensure(!(await other.executeTakeFirst()), 'record.exists', { field: 'name', name: given.name });
    const saved = await trx
      .updateTable('virtual_models')
      .set((eb) => ({ ...columnsOf(given, by), version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    ensure(saved, 'record.not_found', { field: 'id' });
    await keepVersion(trx, saved);
    return saved;
  });

/** Throws `record.not_found`. */
export const removeVirtualModel = (db: Kysely<Tables>, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const gone = await trx.deleteFrom('virtual_models').where('id', '=', id).returning('id').executeTakeFirst();
    ensure(gone, 'record.not_found', { field: 'id' });
    await trx.deleteFrom('virtual_model_versions').where('model_id', '=', id).execute();
  });

async function keepVersion(trx: Db, { id, ...saved }: VirtualModel): Promise<void> {
  await trx
    .insertInto('virtual_model_versions')
    .values({ model_id: id, version: saved.version, saved: JSON.stringify({ id, ...saved }) })
    .execute();
  await trx
    .deleteFrom('virtual_model_versions')
    .where('model_id', '=', id)
    .where('version', '<=', saved.version - virtualLimits.versions)
    .execute();
}

const columnsOf = ({ name, enabled, description, steps, shadow }: NewVirtualModel, by: By) => ({
  name,
  enabled,
  description,
  steps: JSON.stringify(steps),
  shadow: shadow && JSON.stringify(shadow),
  updated_time: by.now,
  updated_by: by.username,
  updated_by_id: by.id,
});
