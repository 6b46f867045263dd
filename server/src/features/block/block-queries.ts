import type { Block, blockApi, blockEdit, newBlock, Page, ParsedOf } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type * as z from 'zod/mini';
import { contains, startsWith } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';
import { canonicalNetwork, NetworkSet } from '#networks.ts';

/** All of them are in the memory of each node. */
const MOST_BLOCKS = 10_000;

type NewBlock = z.output<typeof newBlock>;

/** Who blocks, and from where. */
interface By {
  username: string;
  ip: string;
  now: number;
}

export async function listBlocks(
  db: Db,
  { keyword, ...query }: ParsedOf<typeof blockApi.list>['query'],
): Promise<Page<Block>> {
  let rows = db.selectFrom('blocks').selectAll();
  if (keyword !== '') rows = rows.where(({ or }) => or([startsWith('network', keyword), contains('reason', keyword)]));
  return pageOfRows(rows, query);
}

export async function getBlock(db: Db, id: number): Promise<Block> {
  const row = await db.selectFrom('blocks').selectAll().where('id', '=', id).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return row;
}

/** Throws `record.exists`, `block.own_address`, `block.expiry_past` and `block.too_many`. */
export async function createBlock(db: Kysely<Tables>, given: NewBlock, by: By): Promise<Block> {
  const block = checked(given, by);
  return db.transaction().execute(async (trx) => {
    const { count } = await trx
      .selectFrom('blocks')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    ensure(count < MOST_BLOCKS, 'block.too_many', { limit: MOST_BLOCKS });
    const made = await trx
      .insertInto('blocks')
      .values({ ...block, created_time: by.now, created_by: by.username })
      .onConflict((conflict) => conflict.column('network').doNothing())
      .returningAll()
      .executeTakeFirst();
    ensure(made, 'record.exists', { field: 'network', name: block.network });
    return made;
  });
}

/** Throws `record.not_found`, and as `createBlock`. */
export async function updateBlock(
  db: Kysely<Tables>,
  { id, ...given }: z.output<typeof blockEdit>,
  by: By,
): Promise<Block> {
  const block = checked(given, by);
  return db.transaction().execute(async (trx) => {
    const other = trx.selectFrom('blocks').where('network', '=', block.network).where('id', '<>', id).select('id');
    ensure(!(await other.executeTakeFirst()), 'record.exists', { field: 'network', name: block.network });
    const row = await trx.updateTable('blocks').set(block).where('id', '=', id).returningAll().executeTakeFirst();
    ensure(row, 'record.not_found', { field: 'id' });
    return row;
  });
}

/** Throws `record.not_found`. */
export async function removeBlock(db: Db, id: number): Promise<void> {
  const gone = await db.deleteFrom('blocks').where('id', '=', id).returning('id').executeTakeFirst();
  ensure(gone, 'record.not_found', { field: 'id' });
}

function checked({ network: given, ...block }: NewBlock, { ip, now }: By): NewBlock {
  const network = canonicalNetwork(given);
  ensure(!new NetworkSet([network]).has(ip), 'block.own_address', { field: 'network', ip });
  const { expired_time: end } = block;
  ensure(end === -1 || end > now, 'block.expiry_past', { field: 'expired_time' });
  return { network, ...block };
}
