import { isPaid, logType, minorText } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { holdWithInviter } from '#features/account/user/pay-inviter.ts';
import { noteInLog } from '#features/log/log-note.ts';
import type { GatewayRow } from '#features/payment/gateway-rows.ts';
import type { GatewayNotice } from '#payments/gateway.ts';
import { post } from '#quota/ledger.ts';
import { findPaidOrder } from './find-paid-order.ts';
import { addEvent, signed } from './order-events.ts';
import { lockOrder, type OrderDeps, type OrderRow, refundedStatus } from './order-rows.ts';
import { takeRewardBack } from './take-reward-back.ts';
import { serverTexts } from '#i18n/texts.ts';

type DisputeNotice = Extract<GatewayNotice, { kind: 'dispute' }>;

/**
 * Applies a dispute: takes the disputed credits that are left when it opens, and lists the rest as the operator's loss.
 * They are returned when it is won, and stay taken when it is lost. Returns whether the notification is settled.
 */
export async function applyDispute(
  deps: OrderDeps,
  gateway: GatewayRow,
  notice: DisputeNotice,
  evidence: string,
): Promise<boolean> {
  const { db, now, book } = deps;
  const found = await findPaidOrder(db, gateway, notice);
  if (!found || !isPaid(found.status)) {
    const event = { orderId: found?.id ?? 0, gatewayId: gateway.id, now: now(), evidence };
    const facts = { dispute_no: notice.disputeNo, state: notice.state, gateway_no: notice.gatewayNo };
    const checks = [signed, { check: found ? ('paid' as const) : ('order' as const), ok: false }];
    await addEvent(db, { ...event, kind: 'notice_refused', facts, checks, same: JSON.stringify(notice) });
    // An order that is not paid yet is credited by another event first, so this one has to come again.
    return !found;
  }
  // Idle credits of nodes are part of the balance.
  await book.recall(found.user_id);
  await db.transaction().execute(async (trx) => {
    await holdWithInviter(trx, found.user_id);
    const order = await lockOrder(trx, found.id);
    await open(trx, deps, order, { notice, evidence });
    if (notice.state !== 'open') await end(trx, deps, order, { notice, evidence });
  });
  return true;
}

interface Noticed {
  notice: DisputeNotice;
  evidence: string;
}

/** Opens a dispute unless it is known. A dispute whose opening was missed is opened by its end. */
async function open(
  trx: Transaction<Tables>,
  deps: OrderDeps,
  order: OrderRow,
  { notice, evidence }: Noticed,
): Promise<void> {
  const { disputeNo, reason, dueAt } = notice;
  const minor = disputedMinor(notice, order);
  const known = await trx
    .selectFrom('disputes')
    .where('gateway_id', '=', order.gateway_id)
    .where('dispute_no', '=', disputeNo)
    .select('id')
    .executeTakeFirst();
  if (known) return;
  const now = deps.now();
  const user = await payerOf(trx, order);
  const elsewhere = (await quotaInRefund(trx, order.id)) + (await quotaInDispute(trx, order.id));
  const disputed = (BigInt(order.quota) * BigInt(Math.min(minor, order.order_minor))) / BigInt(order.order_minor);
  const share = Math.max(0, Math.min(order.quota - order.refunded_quota - elsewhere, Number(disputed)));
  const held = Math.min(share, user.quota);
  await trx
    .insertInto('disputes')
    .values({
      order_id: order.id,
      gateway_id: order.gateway_id,
      dispute_no: disputeNo,
      minor,
      held_quota: held,
      loss_quota: share - held,
      status: 'open',
      reason,
      created_at: now,
      due_at: dueAt,
    })
    .execute();
  await move(trx, order, { credits: -held, reference: `dispute:${order.gateway_id}:${disputeNo}`, now });
  await trx
    .updateTable('orders')
    .set({ status: 'disputed', attention: 'disputed', updated_at: now })
    .where('id', '=', order.id)
    .execute();
  const facts = { dispute_no: disputeNo, amount: minorText(minor), reason, held, loss: share - held };
  await addEvent(trx, { ...subject(order, now), kind: 'dispute_opened', facts, evidence });
}

/** A sum in another currency cannot be compared: the whole payment counts as disputed. */
const disputedMinor = ({ currency, minor }: DisputeNotice, { order_currency, order_minor }: OrderRow): number =>
  currency === order_currency ? minor : order_minor;

/** Credits that a refund in progress has taken already. */
async function quotaInRefund(trx: Transaction<Tables>, orderId: number): Promise<number> {
  const running = await trx
    .selectFrom('refunds')
    .where('order_id', '=', orderId)
    .where('status', '=', 'processing')
    .select('quota')
    .executeTakeFirst();
  return running?.quota ?? 0;
}

/** Credits of an order that earlier disputes took or lost. */
async function quotaInDispute(trx: Transaction<Tables>, orderId: number): Promise<number> {
  const { quota } = await trx
    .selectFrom('disputes')
    .where('order_id', '=', orderId)
    .where('status', 'in', ['open', 'lost'])
    .select(({ fn, eb }) => fn.sum<number | null>(eb('held_quota', '+', eb.ref('loss_quota'))).as('quota'))
    .executeTakeFirstOrThrow();
  return quota ?? 0;
}

async function end(
  trx: Transaction<Tables>,
  deps: OrderDeps,
  order: OrderRow,
  { notice, evidence }: Noticed,
): Promise<void> {
  const { disputeNo, state } = notice;
  if (state === 'open') return;
  const now = deps.now();
  const dispute = await trx
    .updateTable('disputes')
    .set({ status: state, closed_at: now })
    .where('gateway_id', '=', order.gateway_id)
    .where('dispute_no', '=', disputeNo)
    .where('status', '=', 'open') // the guard: a repeated notification changes nothing
    .returning(['held_quota', 'loss_quota'])
    .executeTakeFirst();
  if (!dispute) return;
  const { held_quota: held } = dispute;
  if (state === 'won')
    await move(trx, order, { credits: held, reference: `dispute-released:${order.gateway_id}:${disputeNo}`, now });
  const others = await trx
    .selectFrom('disputes')
    .where('order_id', '=', order.id)
    .where('status', 'in', ['open', 'lost'])
    .select('status')
    .execute();
  const isOpen = others.some(({ status }) => status === 'open');
  const isLost = others.some(({ status }) => status === 'lost');
  const status = isOpen ? 'disputed' : isLost ? 'charged_back' : refundedStatus(order);
  await trx
    .updateTable('orders')
    .set({ status, attention: isOpen ? 'disputed' : 'none', updated_at: now })
    .where('id', '=', order.id)
    .execute();
  const facts = { dispute_no: disputeNo, credits: held, loss: dispute.loss_quota };
  await addEvent(trx, {
    ...subject(order, now),
    kind: state === 'won' ? 'dispute_won' : 'dispute_lost',
    facts,
    evidence,
  });
  if (status === 'charged_back' && disputedMinor(notice, order) >= order.order_minor - order.refunded_minor)
    await takeRewardBack(trx, order, { now, actorId: order.user_id, orderStatus: status });
}

/** Posts a movement of a dispute and notes it in the payer's log. */
async function move(
  trx: Transaction<Tables>,
  order: OrderRow,
  { credits, reference, now }: { credits: number; reference: string; now: number },
): Promise<void> {
  if (credits === 0) return;
  const entry = { user_id: order.user_id, kind: 'dispute', credits, reference } as const;
  await post(trx, { ...entry, actor_id: order.user_id, remark: order.trade_no, created_time: now });
  const content = `${serverTexts(order.language).entries.dispute} ${order.trade_no}`;
  const note = { user: await payerOf(trx, order), type: logType.topup, quota: credits, content, reference };
  await noteInLog(trx, { ...note, sourceIp: '', now });
}

const payerOf = (trx: Transaction<Tables>, { user_id }: OrderRow) =>
  trx.selectFrom('users').where('id', '=', user_id).select(['id', 'username', 'quota']).executeTakeFirstOrThrow();

const subject = (order: OrderRow, now: number) => ({ orderId: order.id, gatewayId: order.gateway_id, now });
