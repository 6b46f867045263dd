import { isPaid, logType, minorText, type newRefund, refundMinor, role } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type * as z from 'zod/mini';
import type { Tables } from '#db/tables.ts';
import { AppError, ensure } from '#errors.ts';
import { outranks } from '#features/account/access/user-rank.ts';
import { holdWithInviter } from '#features/account/user/pay-inviter.ts';
import { noteInLog } from '#features/log/log-note.ts';
import { openConfig, refundsOf } from '#features/payment/gateway-config.ts';
import { gatewayRow } from '#features/payment/gateway-rows.ts';
import { post } from '#quota/ledger.ts';
import { addEvent } from './order-events.ts';
import { newRefundNo } from './order-numbers.ts';
import { lockOrder, type OrderDeps, type OrderRow, orderRow } from './order-rows.ts';
import { firstRefundQueryAt } from './query-schedule.ts';
import { sendRefund } from './send-refund.ts';
import { endRefund } from './end-refund.ts';
import { unspentQuota } from './unspent.ts';
import { serverTexts } from '#i18n/texts.ts';

export interface RefundActor {
  id: number;
  role: number;
  username: string;
}

type RefundInput = z.output<typeof newRefund>;

/**
 * Refunds credits of an order: takes them from the balance, then asks the gateway to return the same share of the money.
 * The refund's row and number exist before the gateway is asked; if it refuses, the credits return. A repeated
 * `reference` changes nothing. Throws `order.*`, `session.role`, `user.rank` and `record.not_found`.
 */
export async function refundOrder(
  deps: OrderDeps,
  actor: RefundActor,
  orderId: number,
  input: RefundInput,
): Promise<void> {
  const { db, book } = deps;
  const order = await orderRow(db, orderId);
  const isRoot = actor.role >= role.root;
  ensure(isRoot || !(input.write_off || input.by_hand), 'session.role');
  ensure(input.remark !== '' || !(input.write_off || input.by_hand), 'order.remark', { field: 'remark' });
  const attempt = () => db.transaction().execute((trx) => takeCredits(trx, deps, { actor, order, input }));
  let refundId: number | undefined;
  // Idle credits of nodes are part of what a write-off may take.
  if (input.write_off) await book.recall(order.user_id);
  try {
    refundId = await attempt();
  } catch (error) {
    // Credits that are leased but not reserved become available once nodes return them.
    const isBeyond = error instanceof AppError && error.code === 'order.refund_spent' && error.values['held'] !== 0;
    if (!isBeyond || !(await book.recall(order.user_id))) throw error;
    refundId = await attempt();
  }
  if (refundId !== undefined && !input.by_hand) await sendRefund(deps, refundId);
}

interface Refunding {
  actor: RefundActor;
  order: OrderRow;
  input: RefundInput;
}

/** Takes the credits and writes the refund. Returns its id; undefined if the reference was used before. */
async function takeCredits(
  trx: Transaction<Tables>,
  deps: OrderDeps,
  { actor, order: { id, user_id }, input }: Refunding,
): Promise<number | undefined> {
  await holdWithInviter(trx, user_id);
  const order = await lockOrder(trx, id);
  const before = await trx
    .selectFrom('refunds')
    .where('order_id', '=', id)
    .where('reference', '=', input.reference)
    .select('id')
    .executeTakeFirst();
  if (before) return undefined;
  const user = await trx
    .selectFrom('users')
    .where('id', '=', user_id)
    .select(['id', 'username', 'role', 'quota', 'held'])
    .executeTakeFirstOrThrow();
  ensure(outranks(actor, user), 'user.rank');
  await ensureRefundable(trx, deps, order, input);
  const minor = refundMinor(order, input.quota);
  ensure(minor > 0, 'order.refund_nothing', { field: 'quota' });
  const taken = await creditsToTake(trx, { order, input, user });

  const now = deps.now();
  const refund_no = newRefundNo(now);
  const { id: refundId } = await trx
    .insertInto('refunds')
    .values({
      order_id: id,
      refund_no,
      reference: input.reference,
      quota: input.quota,
      taken_quota: taken,
      minor,
      status: 'processing',
      reason: input.reason,
      remark: input.remark,
      by_hand: input.by_hand,
      actor_id: actor.id,
      created_at: now,
      updated_at: now,
      // If this process dies before the gateway is asked, another one asks.
      query_at: input.by_hand ? 0 : firstRefundQueryAt(now),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (taken > 0) {
    const reference = `refund:${refund_no}`;
    const entry = { user_id, kind: 'refund', reference, actor_id: actor.id, created_time: now } as const;
    await post(trx, { ...entry, credits: -taken, remark: input.reason });
    const content = `${serverTexts(order.language).entries.refund} ${minorText(minor)} ${order.order_currency}: ${input.reason}`;
    await noteInLog(trx, { user, type: logType.topup, quota: -taken, content, reference, sourceIp: '', now });
  }
  await addEvent(trx, {
    orderId: id,
    gatewayId: order.gateway_id,
    kind: 'refund_started',
    now,
    facts: {
      refund_no,
      amount: minorText(minor),
      quota: input.quota,
      taken,
      balance_before: user.quota + user.held,
      balance_after: user.quota + user.held - taken,
      reason: input.reason,
      actor: actor.username,
      ...(input.remark !== '' && { remark: input.remark }),
    },
  });
  if (input.by_hand)
    await endRefund(trx, deps, refundId, { state: 'success', gatewayRefundNo: '', detail: input.remark });
  return refundId;
}

async function ensureRefundable(
  trx: Transaction<Tables>,
  { secrets }: Pick<OrderDeps, 'secrets'>,
  order: OrderRow,
  input: RefundInput,
): Promise<void> {
  ensure(isPaid(order.status), 'order.not_paid');
  ensure(order.status === 'success' || order.status === 'part_refunded', 'order.disputed');
  const running = await trx
    .selectFrom('refunds')
    .where('order_id', '=', order.id)
    .where('status', '=', 'processing')
    .select('id')
    .executeTakeFirst();
  ensure(!running, 'order.refund_running');
  const left = order.quota - order.refunded_quota;
  ensure(input.quota <= left, 'order.refund_left', { field: 'quota', most: left });
  if (input.by_hand) return;
  const gateway = await gatewayRow(trx, order.gateway_id);
  const refunds = refundsOf(gateway.type, openConfig(gateway.type, gateway, secrets));
  // An order completed by hand has no payment that the gateway could return.
  ensure(refunds !== 'none' && order.gateway_no !== '', 'order.refund_by_hand');
  ensure(refunds === 'part' || input.quota === order.quota, 'order.refund_whole', { field: 'quota' });
}

interface Taking {
  order: OrderRow;
  input: RefundInput;
  user: { quota: number; held: number };
}

/** Without a write-off only unspent credits can be refunded; with one, what the balance covers is taken. */
async function creditsToTake(trx: Transaction<Tables>, { order, input, user }: Taking): Promise<number> {
  if (input.write_off) return Math.min(user.quota, input.quota);
  const unspent = Math.min(user.quota, await unspentQuota(trx, order, user.quota + user.held));
  ensure(input.quota <= unspent, 'order.refund_spent', { field: 'quota', most: unspent, held: user.held });
  return input.quota;
}
