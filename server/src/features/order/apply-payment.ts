import type { OrderAttention, OrderEvent, PaymentCheck } from '@relay-hub/contract';
import { isPaid, logType, minorText } from '@relay-hub/contract';
import { sql, type Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { uniqueClash } from '#db/unique-clash.ts';
import { holdWithInviter, payInviterAtTopup } from '#features/account/user/pay-inviter.ts';
import { noteInLog } from '#features/log/log-note.ts';
import { buyOrdered } from '#features/plan/plan-money.ts';
import type { PaymentReport } from '#payments/gateway.ts';
import { post } from '#quota/ledger.ts';
import { addEvent as tellWays } from '#notifications/add-event.ts';
import { noteShare } from './inviter-share.ts';
import { addEvent, signed } from './order-events.ts';
import { nextInSeries } from './order-numbers.ts';
import { lockOrder, type OrderDeps, type OrderRow } from './order-rows.ts';
import { serverTexts } from '#i18n/texts.ts';

/** Where a report of a payment comes from, and the text that proves it. */
export interface PaymentSource {
  by: 'notice' | 'query';
  evidence: string;
}

/**
 * `credited`: now. `repeated`: this payment was credited before. `second`: another payment of a paid order, for the
 * operator. `unknown`: there is no such order. `elsewhere`: the order belongs to another gateway. `refused`: the report
 * does not agree with the order.
 */
export type AppliedPayment = 'credited' | 'repeated' | 'second' | 'unknown' | 'elsewhere' | 'refused';

/**
 * Credits an order after the gateway reported its payment, exactly once: status, ledger entry, log row, reward and
 * receipt number are one transaction, with the status as condition. The caller has verified signature and merchant.
 */
export async function applyPayment(
  deps: OrderDeps,
  gateway: { id: number },
  report: PaymentReport,
  source: PaymentSource,
): Promise<AppliedPayment> {
  const { db } = deps;
  const found = await db
    .selectFrom('orders')
    .where('trade_no', '=', report.tradeNo)
    .select(['id', 'user_id'])
    .executeTakeFirst();
  if (!found) {
    await noteStray(deps, gateway, report, source);
    return 'unknown';
  }
  const attempt = () =>
    db.transaction().execute(async (trx) => {
      await holdWithInviter(trx, found.user_id);
      return apply(trx, deps, { gateway, report, source, order: await lockOrder(trx, found.id) });
    });
  const applied = async () => {
    const result = await attempt();
    if (result === 'credited') await deps.live.usersChanged(found.user_id);
    return result;
  };
  try {
    return await applied();
  } catch (error) {
    // Another order got this payment at the same time; the second attempt sees it.
    if (uniqueClash(error)?.includes('gateway_no') !== true) throw error;
    return applied();
  }
}

interface Application {
  gateway: { id: number };
  report: PaymentReport;
  source: PaymentSource;
  order: OrderRow;
}

async function apply(
  trx: Transaction<Tables>,
  deps: OrderDeps,
  { gateway, report, source, order }: Application,
): Promise<AppliedPayment> {
  const now = deps.now();
  const taken =
    report.gatewayNo === ''
      ? undefined
      : await trx
          .selectFrom('orders')
          .where('gateway_id', '=', gateway.id)
          .where('gateway_no', '=', report.gatewayNo)
          .where('id', '<>', order.id)
          .select('trade_no')
          .executeTakeFirst();
  const checks = checksOf(gateway, report, order, taken !== undefined);
  const facts = factsOf(report);
  const event = { orderId: order.id, gatewayId: gateway.id, now, checks, facts, evidence: source.evidence };
  const failed = checks.find(({ ok }) => !ok);
  if (failed?.check === 'gateway') {
    // Stripe sends each event to all gateways of an account; the order's own gateway applies it.
    await addEvent(trx, { ...event, kind: 'notice_ignored', same: `gateway ${gateway.id}` });
    return 'elsewhere';
  }
  if (failed) {
    const isOther = report.gatewayNo !== '' && report.gatewayNo !== order.gateway_no;
    // Another payment of a paid order, also one with another sum.
    if (isPaid(order.status) && report.paid && isOther && !taken) return again(trx, order, report, event);
    await addEvent(trx, { ...event, kind: 'notice_refused', same: JSON.stringify([report, source.by]) });
    // Money that was taken and cannot be credited.
    if (report.paid && !isPaid(order.status)) await pointOut(trx, order, 'amount_differs');
    return 'refused';
  }
  if (isPaid(order.status)) return again(trx, order, report, event);
  if ((report.refundedMinor ?? 0) > 0 || (await wasRefunded(trx, order))) {
    // The money went back at the gateway before it was credited here.
    await addEvent(trx, { ...event, kind: 'refund_elsewhere', same: JSON.stringify([report, source.by]) });
    await pointOut(trx, order, 'refund_elsewhere');
    return 'refused';
  }
  await addEvent(trx, { ...event, kind: source.by === 'notice' ? 'notice_accepted' : 'queried' });
  await credit(trx, deps, order, { gatewayNo: report.gatewayNo, now });
  return 'credited';
}

/** A report about an order that was credited before. */
async function again(
  trx: Transaction<Tables>,
  order: OrderRow,
  report: PaymentReport,
  event: Omit<Parameters<typeof addEvent>[1], 'kind'>,
): Promise<AppliedPayment> {
  if (order.gateway_no === '' && report.gatewayNo !== '') {
    // Completed by hand, and the notification came later.
    await trx.updateTable('orders').set({ gateway_no: report.gatewayNo }).where('id', '=', order.id).execute();
    await addEvent(trx, { ...event, kind: 'notice_repeated', same: report.gatewayNo });
    return 'repeated';
  }
  if (order.gateway_no === report.gatewayNo || report.gatewayNo === '') {
    await addEvent(trx, { ...event, kind: 'notice_repeated', same: report.gatewayNo });
    return 'repeated';
  }
  await addEvent(trx, { ...event, kind: 'second_payment', same: report.gatewayNo });
  await pointOut(trx, order, 'second_payment');
  return 'second';
}

/** Marks a paid order whose account was deleted meanwhile, unless something else needs attention. */
async function pointOutDeleted(trx: Transaction<Tables>, { id, user_id }: OrderRow): Promise<void> {
  const deleted = trx.selectFrom('users').where('id', '=', user_id).where('deleted_time', 'is not', null).select('id');
  await trx
    .updateTable('orders')
    .set({ attention: 'account_deleted' })
    .where('id', '=', id)
    .where('attention', '=', 'none')
    .where('user_id', 'in', deleted)
    .execute();
}

async function pointOut(trx: Transaction<Tables>, { id }: OrderRow, attention: OrderAttention): Promise<void> {
  await trx.updateTable('orders').set({ attention }).where('id', '=', id).execute();
}

/** Whether the gateway has reported a refund of this unpaid order; gateways do not keep the order of events. */
async function wasRefunded(trx: Transaction<Tables>, { id }: OrderRow): Promise<boolean> {
  const event = await trx
    .selectFrom('order_events')
    .where('order_id', '=', id)
    .where('kind', '=', 'refund_elsewhere')
    .select('id')
    .executeTakeFirst();
  return event !== undefined;
}

/** Marks an unpaid order as paid and credits it. The caller has locked the accounts and the order, and checked it. */
export async function credit(
  trx: Transaction<Tables>,
  { live }: Pick<OrderDeps, 'live'>,
  order: OrderRow,
  paid: { gatewayNo: string; now: number; completed?: { by: number; remark: string } },
): Promise<void> {
  const { gatewayNo, now, completed } = paid;
  const reference = `order:${order.trade_no}`;
  const receipt_no = await nextInSeries(trx, 'receipt', now);
  await trx
    .updateTable('orders')
    .set({
      status: 'success',
      gateway_no: gatewayNo,
      paid_at: now,
      updated_at: now,
      receipt_no,
      query_at: 0,
      ...(completed && { completed_by: completed.by, completed_remark: completed.remark }),
    })
    .where('id', '=', order.id)
    .where('status', 'in', ['pending', 'closed', 'failed']) // the guard, though the row is locked
    .returning('id')
    .executeTakeFirstOrThrow();
  if (gatewayNo !== '') await claimStrays(trx, order, gatewayNo);
  await pointOutDeleted(trx, order);
  await post(trx, {
    user_id: order.user_id,
    kind: 'topup',
    credits: order.quota,
    reference,
    actor_id: completed?.by ?? order.user_id,
    remark: completed?.remark ?? order.trade_no,
    created_time: now,
  });
  const user = await trx
    .selectFrom('users')
    .where('id', '=', order.user_id)
    .select(['id', 'username', 'quota', 'held'])
    .executeTakeFirstOrThrow();
  const sum = `${minorText(order.order_minor)} ${order.order_currency}`;
  await noteInLog(trx, {
    user,
    type: logType.topup,
    quota: order.quota,
    content: `${serverTexts(order.language).entries.topup} ${sum}`,
    reference,
    sourceIp: order.source_ip,
    now,
  });
  const event = { orderId: order.id, gatewayId: order.gateway_id, now };
  const balance = user.quota + user.held;
  const facts = { quota: order.quota, balance_before: balance - order.quota, balance_after: balance, receipt_no };
  await addEvent(trx, { ...event, kind: 'credited', facts });
  await tellWays(trx, {
    type: 'order.paid',
    object: `order:${order.id}`,
    userId: order.user_id,
    data: { trade_no: order.trade_no, minor: order.order_minor, currency: order.order_currency, credits: order.quota },
    now,
  });
  await buyOrdered(trx, order, now);
  await noteShare(trx, order, { settings: live.settings, now });
  const reward = await payInviterAtTopup(trx, { newcomer: order.user_id, reference }, { now, settings: live.settings });
  if (!reward || reward.credits === 0) return;
  await trx
    .updateTable('orders')
    .set({ inviter_id: reward.inviterId, reward_quota: reward.credits })
    .where('id', '=', order.id)
    .execute();
  await addEvent(trx, { ...event, kind: 'reward_paid', facts: { quota: reward.credits, user: reward.inviterId } });
}

/** The checks in their order, up to the first that fails. */
function checksOf(
  gateway: { id: number },
  report: PaymentReport,
  order: OrderRow,
  isTaken: boolean,
): OrderEvent['checks'] {
  const results: [PaymentCheck, boolean][] = [
    ['signature', true],
    ['merchant', true],
    ['gateway', order.gateway_id === gateway.id],
    ['order', order.trade_no === report.tradeNo && !isTaken],
    ['amount', report.minor === order.order_minor],
    ['currency', report.currency === order.order_currency],
    ['paid', report.paid],
  ];
  const last = results.findIndex(([, ok]) => !ok);
  return results.slice(0, last === -1 ? undefined : last + 1).map(([check, ok]) => ({ check, ok }));
}

const factsOf = ({ state, gatewayNo, minor, currency }: PaymentReport): Record<string, string> => ({
  state,
  gateway_no: gatewayNo,
  amount: minor === null ? '' : minorText(minor),
  currency,
});

async function noteStray(
  { db, now }: OrderDeps,
  gateway: { id: number },
  report: PaymentReport,
  { evidence }: PaymentSource,
): Promise<void> {
  await addEvent(db, {
    orderId: 0,
    gatewayId: gateway.id,
    kind: 'notice_refused',
    now: now(),
    checks: [signed, { check: 'merchant', ok: true }, { check: 'order', ok: false }],
    facts: { ...factsOf(report), trade_no: report.tradeNo },
    evidence,
    same: JSON.stringify(report),
  });
}

/**
 * Moves refunds and disputes of this payment that were reported before it was credited, and named no order, to the
 * order, for the operator.
 */
async function claimStrays(trx: Transaction<Tables>, order: OrderRow, gatewayNo: string): Promise<void> {
  const strays = await trx
    .updateTable('order_events')
    .set({ order_id: order.id })
    .where('order_id', '=', 0)
    .where('gateway_id', '=', order.gateway_id)
    .where('kind', '=', 'notice_refused')
    .where(sql<boolean>`facts ->> 'gateway_no' = ${gatewayNo}`)
    // Payments of unknown orders have neither number.
    .where(sql<boolean>`coalesce(facts ->> 'dispute_no', facts ->> 'refund_no') is not null`)
    .returning('facts')
    .execute();
  if (strays.length === 0) return;
  await pointOut(trx, order, strays.some(({ facts }) => 'dispute_no' in facts) ? 'disputed' : 'refund_elsewhere');
}
