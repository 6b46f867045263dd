import { fingerprint, masked } from '#secrets.ts';
import { ensure } from '#errors.ts';
import { contextOf, type GatewayRow } from '#features/payment/gateway-rows.ts';
import {
  type GatewayNotice,
  GatewayError,
  NoticeRefused,
  type NoticeReply,
  type RawNotice,
} from '#payments/gateway.ts';
import { adapterOf } from '#payments/registry.ts';
import { applyDispute } from './apply-dispute.ts';
import { applyPayment } from './apply-payment.ts';
import { addEvent } from './order-events.ts';
import type { OrderDeps } from './order-rows.ts';
import { orderRow } from './order-rows.ts';
import { closeHere } from './query-order.ts';
import { applyRefundNotice } from './refund-notice.ts';

/** Times of notifications are stored this often; they are for display only. */
const NOTED_EVERY_S = 10;

/**
 * Handles a notification and returns the gateway's reply. Everything is committed before. Gateways that are disabled or
 * deleted are still heard: their orders may have been paid. Throws `record.not_found` for an unknown address.
 */
export async function handleNotice(deps: OrderDeps, uuid: string, raw: RawNotice): Promise<NoticeReply> {
  const gateway = await deps.db.selectFrom('payment_gateways').where('uuid', '=', uuid).selectAll().executeTakeFirst();
  ensure(gateway, 'record.not_found', { field: 'uuid' });
  const adapter = adapterOf(gateway.type);
  const context = contextOf(gateway, deps);
  const evidence = evidenceOf(raw, Object.values(context.config));
  let notice: GatewayNotice;
  try {
    notice = await adapter.verify(context, raw);
  } catch (error) {
    if (!(error instanceof NoticeRefused || error instanceof GatewayError)) throw error;
    await noteRefused(deps, gateway, error, evidence);
    return adapter.acknowledge(false);
  }
  await noteTime(deps, gateway, 'last_notice_at');
  return adapter.acknowledge(await apply(deps, gateway, notice, evidence));
}

/** Whether the gateway need not send the notification again. */
async function apply(deps: OrderDeps, gateway: GatewayRow, notice: GatewayNotice, evidence: string): Promise<boolean> {
  switch (notice.kind) {
    case 'payment': {
      if (!notice.paid) return noteIgnored(deps, gateway, notice, evidence);
      const applied = await applyPayment(deps, gateway, notice, { by: 'notice', evidence });
      return applied !== 'unknown' && applied !== 'refused';
    }
    case 'refund':
      return applyRefundNotice(deps, gateway, notice, evidence);
    case 'dispute':
      return applyDispute(deps, gateway, notice, evidence);
    case 'ended': {
      const id = await orderIdOf(deps, gateway, notice.tradeNo);
      if (id !== undefined) await closeHere(deps, await orderRow(deps.db, id), 'closed', notice.state);
      return true;
    }
    case 'other':
      return true;
  }
}

/** A payment that is not complete yet, such as a bank transfer under way. */
async function noteIgnored(
  deps: OrderDeps,
  gateway: GatewayRow,
  { tradeNo, state }: { tradeNo: string; state: string },
  evidence: string,
): Promise<boolean> {
  const orderId = await orderIdOf(deps, gateway, tradeNo);
  if (orderId === undefined) return true;
  const event = { orderId, gatewayId: gateway.id, now: deps.now(), facts: { state }, evidence, same: state };
  await addEvent(deps.db, { ...event, kind: 'notice_ignored' });
  return true;
}

async function orderIdOf({ db }: OrderDeps, gateway: GatewayRow, tradeNo: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('orders')
    .where('trade_no', '=', tradeNo)
    .where('gateway_id', '=', gateway.id)
    .select('id')
    .executeTakeFirst();
  return found?.id;
}

async function noteRefused(
  deps: OrderDeps,
  gateway: GatewayRow,
  error: NoticeRefused | GatewayError,
  evidence: string,
): Promise<void> {
  const check = error instanceof NoticeRefused ? error.check : 'signature';
  await addEvent(deps.db, {
    orderId: 0,
    gatewayId: gateway.id,
    kind: 'notice_refused',
    now: deps.now(),
    checks:
      check === 'merchant'
        ? [
            { check: 'signature', ok: true },
            { check, ok: false },
          ]
        : [{ check, ok: false }],
    facts: { reason: error.message },
    evidence,
    same: fingerprint(evidence),
  });
  await noteTime(deps, gateway, 'last_refused_at');
}

async function noteTime({ db, now }: OrderDeps, gateway: GatewayRow, column: 'last_notice_at' | 'last_refused_at') {
  if (gateway[column] > now() - NOTED_EVERY_S) return;
  await db
    .updateTable('payment_gateways')
    .set({ [column]: now() })
    .where('id', '=', gateway.id)
    .execute();
}

/** The request for the operator, with the gateway's secrets masked. */
function evidenceOf({ method, query, headers, body }: RawNotice, hidden: readonly string[]): string {
  const signed = Object.entries(headers).filter(([name]) =>
    /signature|serial|timestamp|nonce|^content-type$/.test(name),
  );
  const head = [`${method} ?${query}`, ...signed.map(([name, value]) => `${name}: ${value}`)];
  return masked(`${head.join('\n')}\n\n${body.subarray(0, 16_384).toString('utf8')}`, ...hidden);
}
