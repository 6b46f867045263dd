import type { Language, newOrder, PaymentStart } from '@relay-hub/contract';
import { isOrderable, LARGEST_MOVE, LARGEST_TOPUP, type OrderAmounts, orderAmounts } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { AppError, ensure } from '#errors.ts';
import { pricesOf } from '#features/payment/gateway-queries.ts';
import { contextOf, type GatewayRow, notifyBase } from '#features/payment/gateway-rows.ts';
import { ensureOrderable } from '#features/plan/plan-money.ts';
import { checkedStart, GatewayError, type StartedPayment } from '#payments/gateway.ts';
import { adapterOf } from '#payments/registry.ts';
import { holdAccounts } from '#quota/ledger.ts';
import { masked } from '#secrets.ts';
import { addEvent } from './order-events.ts';
import { newTradeNo } from './order-numbers.ts';
import { type OrderDeps, type OrderRow, orderRow } from './order-rows.ts';
import { nextQueryAt } from './query-schedule.ts';
import { serverTexts } from '#i18n/texts.ts';

/** Time to pay; gateways may allow less or more, see `StartedPayment.expiresAt`. */
const EXPIRES_S = 15 * 60;
const MOST_PENDING = 10;
const MOST_PER_HOUR = 60;

export interface Payer {
  id: number;
  ip: string;
  language: Language;
  device: 'desktop' | 'mobile';
}

/**
 * Creates an order, then starts its payment at the gateway. The row exists before the gateway is asked, so a fast
 * notification finds it. Throws `gateway.off`, `gateway.no_address`, `order.amount`, `order.too_small`,
 * `order.too_many`, `plan.off`, `plan.changed`, `gateway.refused` and `gateway.unreachable`.
 */
export async function createOrder(
  deps: OrderDeps,
  payer: Payer,
  { uuid, amount, plan_version_id }: z.output<typeof newOrder>,
): Promise<PaymentStart> {
  const { db, live } = deps;
  const gateway = await db
    .selectFrom('payment_gateways')
    .where('uuid', '=', uuid)
    .where('enable', '=', true)
    .where('deleted_time', 'is', null)
    .selectAll()
    .executeTakeFirst();
  ensure(gateway, 'gateway.off', { field: 'uuid' });
  ensure(notifyBase(gateway, deps) !== '', 'gateway.no_address', { field: 'uuid' });
  const { PaymentMinAmount: least, PaymentUSDRate: rate, RechargeDiscount: discounts } = live.settings;
  ensure(isOrderable(amount, least), 'order.amount', { field: 'amount', least, most: LARGEST_TOPUP });
  const amounts = orderAmounts(amount, { ...pricesOf(gateway), rate, discounts });
  ensure(amounts.order_minor > 0, 'order.too_small', { field: 'amount' });
  const versionId = plan_version_id ?? null;
  const credits = amount * Math.trunc(live.settings.QuotaPerUnit);
  if (versionId !== null) await ensureOrderable(db, { userId: payer.id, versionId, credits, now: deps.now() });
  const id = await insertOrder(deps, gateway, payer, { amount, amounts, rate, versionId });
  return startPayment(deps, gateway, payer, await orderRow(db, id));
}

interface OrderTerms {
  amount: number;
  amounts: OrderAmounts;
  rate: number;
  /** The plan that its credits buy; null: none. */
  versionId: number | null;
}

async function insertOrder(
  { db, live, now: clock }: OrderDeps,
  gateway: GatewayRow,
  { id: user_id, ip, language }: Payer,
  { amount, amounts, rate, versionId }: OrderTerms,
): Promise<number> {
  const quota = amount * Math.trunc(live.settings.QuotaPerUnit);
  ensure(quota <= LARGEST_MOVE, 'quota.uncountable', { field: 'amount' });
  return db.transaction().execute(async (trx) => {
    // Serialises a user's orders, so that the limits hold for parallel requests.
    await holdAccounts(trx, [user_id]);
    const now = clock();
    await ensureFewOrders(trx, user_id, now);
    const { id } = await trx
      .insertInto('orders')
      .values({
        user_id,
        gateway_id: gateway.id,
        trade_no: newTradeNo(now),
        amount,
        fee_minor: amounts.fee_minor,
        discount_minor: amounts.discount_minor,
        order_minor: amounts.order_minor,
        order_currency: amounts.currency,
        rate: amounts.currency === 'USD' ? '1' : String(rate),
        quota,
        status: 'pending',
        source_ip: ip,
        language,
        inviter_id: null,
        plan_version_id: versionId,
        completed_by: null,
        created_at: now,
        updated_at: now,
        expires_at: now + EXPIRES_S,
        queried_at: now,
        query_at: nextQueryAt({ queries: 0, created_at: now }, now),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await addEvent(trx, { orderId: id, gatewayId: gateway.id, kind: 'created', now, facts: { ip, user: user_id } });
    return id;
  });
}

async function ensureFewOrders(trx: Transaction<Tables>, userId: number, now: number): Promise<void> {
  const { pending, recent } = await trx
    .selectFrom('orders')
    .where('user_id', '=', userId)
    .where('created_at', '>', now - 86_400)
    .select(({ fn, eb }) => [
      fn.count<number>(eb.case().when('status', '=', 'pending').then(1).end()).as('pending'),
      fn
        .count<number>(
          eb
            .case()
            .when('created_at', '>', now - 3600)
            .then(1)
            .end(),
        )
        .as('recent'),
    ])
    .executeTakeFirstOrThrow();
  ensure(pending < MOST_PENDING, 'order.too_many', { limit: MOST_PENDING });
  ensure(recent < MOST_PER_HOUR, 'request.too_many', { seconds: 3600 });
}

/** Asks the gateway to start a payment and stores how to pay. */
async function startPayment(
  deps: OrderDeps,
  gateway: GatewayRow,
  { ip, language, device }: Payer,
  order: OrderRow,
): Promise<PaymentStart> {
  const { db, live, now } = deps;
  const context = contextOf(gateway, deps);
  const user = await db.selectFrom('users').where('id', '=', order.user_id).select('email').executeTakeFirst();
  const event = { orderId: order.id, gatewayId: gateway.id };
  try {
    const answered = await adapterOf(gateway.type).start(context, {
      tradeNo: order.trade_no,
      minor: order.order_minor,
      currency: order.order_currency,
      description: `${live.settings.SystemName} ${serverTexts(language).entries.bought}`.slice(0, 100),
      expiresAt: order.expires_at,
      returnUrl: `${live.settings.ServerAddress || notifyBase(gateway, deps)}/panel/topup?order=${order.trade_no}`,
      clientIp: ip,
      email: user?.email ?? '',
      device,
      language,
    });
    const started = checkedStart(answered, now());
    const expires_at = started.expiresAt ?? order.expires_at;
    await db
      .updateTable('orders')
      .set({ start: JSON.stringify(started), session_no: started.sessionNo ?? '', expires_at, updated_at: now() })
      .where('id', '=', order.id)
      .execute();
    await addEvent(db, { ...event, kind: 'started', now: now(), facts: { show: started.show, expires_at } });
    return startReply(order.trade_no, started, expires_at);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const reason = masked(error.message, ...Object.values(context.config));
    const isRefused = error.outcome === 'refused';
    await addEvent(db, { ...event, kind: isRefused ? 'start_failed' : 'start_unknown', now: now(), facts: { reason } });
    // An unknown result may have started a payment: the order stays open, and the gateway is queried.
    if (!isRefused) throw new AppError('gateway.unreachable');
    await db
      .updateTable('orders')
      .set({ status: 'failed', query_at: 0, updated_at: now() })
      .where('id', '=', order.id)
      .where('status', '=', 'pending')
      .execute();
    // The reason is for the operator, in the order's timeline.
    throw new AppError('gateway.refused');
  }
}

/** The reply with the way to pay, in the shape of the product family. */
export function startReply(trade_no: string, started: StartedPayment, expires_at: number): PaymentStart {
  if (started.show === 'qr') return { trade_no, type: 2, data: { url: started.url, method: 'GET' }, expires_at };
  const { url, method, params } = started;
  return { trade_no, type: 1, data: { url, method, params }, expires_at };
}
