import { fallbackLanguage, isPaid } from '@relay-hub/contract';
import type { ArrivingOrder } from '#imports/read/read-orders.ts';
import type { ImportRun, RecordRules } from './record-rules.ts';
import { rowsHere } from './rows-here.ts';

interface PreparedOrder {
  userId: number;
  gatewayId: number;
  gatewayNo: string;
}

const columns = ['status', 'attention', 'order_minor', 'quota', 'refunded_minor'] as const;

/** Orders are history: their credits are part of the opening balance, so none gets an entry. */
export async function orderRules(run: ImportRun): Promise<RecordRules<ArrivingOrder, PreparedOrder>> {
  const { db, ids, report, now } = run;
  const here = await db.selectFrom('orders').select(['trade_no', 'gateway_id', 'gateway_no']).execute();
  const numbers = new Set(here.map(({ trade_no }) => trade_no));
  const payments = new Set(here.map(({ gateway_id, gateway_no }) => `${gateway_id} ${gateway_no}`));
  return {
    kind: 'order',
    label: ({ trade_no }) => `order ${trade_no}`,
    state: ({ oldId: _id, ...rest }) => rest,
    figures: () => ({}),
    prepare: (order) => {
      const { trade_no, gateway_no } = order;
      const userId = ids.user.get(order.user);
      const gatewayId = ids.gateway.get(order.gateway);
      const isTaken = numbers.has(trade_no);
      if (userId === undefined || gatewayId === undefined || isTaken) {
        const why = isTaken
          ? 'its number is already here'
          : userId === undefined
            ? 'it has no owner'
            : 'it has no gateway';
        report.remark('order_unknown', `order ${trade_no}: ${why}`);
        return undefined;
      }
      numbers.add(trade_no);
      const payment = `${gatewayId} ${gateway_no}`;
      const gatewayNo = payments.has(payment) ? '' : gateway_no;
      payments.add(payment);
      return { userId, gatewayId, gatewayNo };
    },
    add: async (trx, order, { userId, gatewayId, gatewayNo }) => {
      const { amount, fee_minor, discount_minor, order_minor, order_currency, quota, trade_no } = order;
      const { id } = await trx
        .insertInto('orders')
        .values({
          amount,
          fee_minor,
          discount_minor,
          order_minor,
          order_currency,
          quota,
          trade_no,
          user_id: userId,
          gateway_id: gatewayId,
          gateway_no: gatewayNo,
          rate: rateOf(order),
          ...outcomeOf(order),
          source_ip: '',
          language: fallbackLanguage,
          created_at: order.created_at || now,
          updated_at: order.updated_at || now,
          expires_at: order.created_at || now,
          inviter_id: null,
          completed_by: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    change: async (trx, order, id) => {
      const { order_minor, quota, updated_at } = order;
      await trx
        .updateTable('orders')
        .set({ order_minor, quota, updated_at, ...outcomeOf(order) })
        .where('id', '=', id)
        .execute();
    },
    here: (database, newIds) => rowsHere(database, 'orders', columns, newIds),
  };
}

/** The old programs issue no receipts, so the order's number is that of its receipt. */
const outcomeOf = ({ status, updated_at, trade_no }: ArrivingOrder) => ({
  status,
  ...(isPaid(status) && { paid_at: updated_at, receipt_no: trade_no }),
});

/** The rate of the day is not recorded there; it follows from what was paid. */
function rateOf({ amount, discount_minor, fee_minor, order_minor, order_currency }: ArrivingOrder): string {
  const usd = amount * 100 - discount_minor + fee_minor;
  return order_currency === 'USD' || usd <= 0 ? '1' : String(Number((order_minor / usd).toFixed(4)));
}
