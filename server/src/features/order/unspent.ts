import type { Db } from '#db/tables.ts';
import type { OrderRow } from './order-rows.ts';

/** Entries that add credits which an order's own credits are older than. */
const additions = ['topup', 'redemption', 'gift', 'reward', 'correction'] as const;

/**
 * Credits of a paid order that are not spent and not refunded. Older credits are spent first, so the balance consists of
 * the newest additions: those after this order's do not belong to it.
 */
export async function unspentQuota(db: Db, order: OrderRow, balance: number): Promise<number> {
  const entries = db.selectFrom('ledger').select('id');
  const entry =
    (await entries.where('reference', '=', `order:${order.trade_no}`).executeTakeFirst()) ??
    (await openingOf(db, order));
  if (!entry) return 0;
  const { later } = await db
    .selectFrom('ledger')
    .where('user_id', '=', order.user_id)
    .where('id', '>', entry.id)
    .where('kind', 'in', additions)
    .where('credits', '>', 0)
    .select(({ fn }) => fn.sum<number | null>('credits').as('later'))
    .executeTakeFirstOrThrow();
  // Credits of later orders that were refunded are not in the balance any more.
  const { gone } = await db
    .selectFrom('ledger')
    .innerJoin('orders', (join) =>
      join.on((eb) => eb('ledger.reference', '=', eb(eb.val('order:'), '||', eb.ref('orders.trade_no')))),
    )
    .leftJoin('refunds', (join) =>
      join.onRef('refunds.order_id', '=', 'orders.id').on('refunds.status', '<>', 'refused'),
    )
    .where('orders.user_id', '=', order.user_id)
    .where('ledger.id', '>', entry.id)
    .select(({ fn }) => fn.sum<number | null>('refunds.taken_quota').as('gone'))
    .executeTakeFirstOrThrow();
  const left = balance - (later ?? 0) + (gone ?? 0);
  return Math.max(0, Math.min(left, order.quota - order.refunded_quota));
}

/** The entry that has the credits of an imported order, with all others of its owner at that time. */
async function openingOf(db: Db, { id, user_id }: OrderRow): Promise<{ id: number } | undefined> {
  const imported = await db
    .selectFrom('import_records')
    .where('kind', '=', 'order')
    .where('new_id', '=', id)
    .select('new_id')
    .executeTakeFirst();
  if (!imported) return undefined;
  return db
    .selectFrom('ledger')
    .where('user_id', '=', user_id)
    .where('kind', '=', 'opening')
    .select('id')
    .orderBy('id')
    .executeTakeFirst();
}
