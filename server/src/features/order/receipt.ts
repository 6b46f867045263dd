import type { Receipt } from '@relay-hub/contract';
import { isPaid } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { gatewayRow } from '#features/payment/gateway-rows.ts';
import type { OrderRow } from './order-rows.ts';

/** The receipt of a paid order. Throws `order.not_paid`. */
export async function receiptOf({ db, live }: Pick<Deps, 'db' | 'live'>, row: OrderRow): Promise<Receipt> {
  ensure(isPaid(row.status), 'order.not_paid');
  const gateway = await gatewayRow(db, row.gateway_id);
  const user = await db
    .selectFrom('users')
    .where('id', '=', row.user_id)
    .select(['username', 'email'])
    .executeTakeFirstOrThrow();
  const refunds = await db
    .selectFrom('refunds')
    .where('order_id', '=', row.id)
    .where('status', '=', 'success')
    .select(['credit_note_no', 'minor', 'reason', 'updated_at as refunded_at'])
    .orderBy('id')
    .execute();
  return {
    receipt_no: row.receipt_no,
    issued_at: row.paid_at,
    paid_at: row.paid_at,
    seller: live.settings.SystemName,
    buyer: user.email === '' ? user.username : `${user.username}, ${user.email}`,
    trade_no: row.trade_no,
    gateway_name: gateway.name,
    gateway_no: row.gateway_no,
    amount: row.amount,
    discount_minor: row.discount_minor,
    fee_minor: row.fee_minor,
    rate: row.rate,
    order_minor: row.order_minor,
    order_currency: row.order_currency,
    refunds,
  };
}
