import type { Db } from '#db/tables.ts';
import type { OrderRow } from './order-rows.ts';

/** A gateway's order by our number or by the gateway's number of the payment. */
export async function findPaidOrder(
  db: Db,
  gateway: { id: number },
  { tradeNo, gatewayNo }: { tradeNo: string; gatewayNo: string },
): Promise<OrderRow | undefined> {
  if (tradeNo === '' && gatewayNo === '') return undefined;
  return db
    .selectFrom('orders')
    .where('gateway_id', '=', gateway.id)
    .where((eb) => (tradeNo === '' ? eb('gateway_no', '=', gatewayNo) : eb('trade_no', '=', tradeNo)))
    .selectAll()
    .executeTakeFirst();
}
