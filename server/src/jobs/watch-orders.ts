import type { Deps } from '#deps.ts';
import { payShares } from '#features/order/inviter-share.ts';
import { nextQueryAt, nextRefundQueryAt } from '#features/order/query-schedule.ts';
import { queryOrder } from '#features/order/query-order.ts';
import { queryRefund } from '#features/order/send-refund.ts';
import { repeat } from './repeat.ts';

const EVERY_MS = 5_000;
const AT_ONCE = 40;
const SLOW_MS = 10_000;

/**
 * Asks gateways about orders and refunds that are due, so that a payment is credited even if its notification is lost, and
 * pays shares of inviters.
 * Every node takes part; each query is claimed by one. Returns a handle that stops it.
 */
export function watchOrders(deps: Deps): { stop(): Promise<void> } {
  return repeat(
    { name: 'orders', everyMs: EVERY_MS, failure: 'querying payment gateways failed', log: deps.log },
    async (isOver) => {
      await queryDue(deps, isOver);
      await payShares(deps, isOver);
    },
  );
}

/**
 * Queries everything that is due now. Gateways are asked at the same time, and each one question after the other, so
 * that one without a response does not delay the others. Returns the number of queries.
 */
export async function queryDue(deps: Deps, isOver: () => boolean = () => false): Promise<number> {
  const all = [...(await dueRefunds(deps)), ...(await dueOrders(deps))];
  const counts = await Promise.all(
    [...Map.groupBy(all, ({ gateway_id }) => gateway_id).values()].map((rows) => queryInTurn(deps, rows, isOver)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

interface DueQuery {
  table: 'orders' | 'refunds';
  id: number;
  gateway_id: number;
}

async function queryInTurn(deps: Deps, rows: readonly DueQuery[], isOver: () => boolean): Promise<number> {
  let count = 0;
  for (const { table, id } of rows) {
    if (isOver() || !(await claim(deps, table, id))) continue;
    count++;
    const startMs = performance.now();
    try {
      await (table === 'orders' ? queryOrder(deps, id, 'routine') : queryRefund(deps, id));
    } catch (error) {
      // One order that fails must not stop the others; the next query is planned already.
      deps.log.warn({ err: error, table, id }, 'a payment could not be queried');
    }
    // A gateway that is this slow is asked again in the next round.
    if (performance.now() - startMs > SLOW_MS) break;
  }
  return count;
}

async function dueOrders({ db, now }: Deps): Promise<DueQuery[]> {
  const rows = await db
    .selectFrom('orders')
    .where('query_at', '>', 0)
    .where('query_at', '<=', now())
    .select(['id', 'gateway_id'])
    .orderBy('query_at')
    .limit(AT_ONCE)
    .execute();
  return rows.map((row) => ({ table: 'orders', ...row }));
}

async function dueRefunds({ db, now }: Deps): Promise<DueQuery[]> {
  const rows = await db
    .selectFrom('refunds')
    .innerJoin('orders', 'orders.id', 'refunds.order_id')
    .where('refunds.query_at', '>', 0)
    .where('refunds.query_at', '<=', now())
    .select(['refunds.id', 'orders.gateway_id'])
    .orderBy('refunds.query_at')
    .limit(AT_ONCE)
    .execute();
  return rows.map((row) => ({ table: 'refunds', ...row }));
}

/** Plans the next query; of several nodes only one succeeds. */
async function claim({ db, now }: Deps, table: 'orders' | 'refunds', id: number): Promise<boolean> {
  const row = await db
    .selectFrom(table)
    .where('id', '=', id)
    .select(['query_at', 'queries', 'created_at'])
    .executeTakeFirst();
  if (!row || row.query_at === 0 || row.query_at > now()) return false;
  const later = { queries: row.queries + 1, created_at: row.created_at };
  const { numUpdatedRows } = await db
    .updateTable(table)
    .set({ query_at: (table === 'orders' ? nextQueryAt : nextRefundQueryAt)(later, now()), queries: row.queries + 1 })
    .where('id', '=', id)
    .where('query_at', '=', row.query_at)
    .where('queries', '=', row.queries)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
