import { isPaid } from '@relay-hub/contract';
import { ensure } from '#errors.ts';
import { holdWithInviter } from '#features/account/user/pay-inviter.ts';
import { credit } from './apply-payment.ts';
import { addEvent } from './order-events.ts';
import { lockOrder, type OrderDeps, orderRow } from './order-rows.ts';

/** Credits an unpaid order on a super administrator's word; it stays marked. Throws `order.settled`. */
export async function completeOrder(
  deps: OrderDeps,
  actor: { id: number; username: string },
  id: number,
  remark: string,
): Promise<void> {
  const { db, live, now: clock } = deps;
  const { user_id } = await orderRow(db, id);
  await db.transaction().execute(async (trx) => {
    await holdWithInviter(trx, user_id);
    const order = await lockOrder(trx, id);
    ensure(!isPaid(order.status), 'order.settled');
    const now = clock();
    const event = { orderId: id, gatewayId: order.gateway_id, now };
    await addEvent(trx, { ...event, kind: 'completed_by_hand', facts: { actor: actor.username, remark } });
    await credit(trx, deps, order, { gatewayNo: '', now, completed: { by: actor.id, remark } });
  });
  await live.usersChanged(user_id);
}
