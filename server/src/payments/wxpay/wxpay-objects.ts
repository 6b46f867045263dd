import { type Json, objectOr, textOr } from '#json.ts';
import type { PaymentReport, PaymentState, RefundReport } from '#payments/gateway.ts';

export const text = (object: Json, name: string): string => textOr(object[name], '');

/** An amount in fen; null if it is missing. */
export const fenOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : null;

/** `REFUND` replaces `SUCCESS` as soon as any part is refunded. */
const paidStates = new Set(['SUCCESS', 'REFUND']);
const endedStates = new Set(['CLOSED', 'REVOKED']);

/** A transaction, as replies and notifications contain it. `total` is the order's price; `payer_total` lacks coupons. */
export function paymentReport(transaction: Json): PaymentReport {
  const amount = objectOr(transaction['amount']);
  const state = text(transaction, 'trade_state');
  return {
    tradeNo: text(transaction, 'out_trade_no'),
    gatewayNo: text(transaction, 'transaction_id'),
    minor: fenOf(amount['total']),
    currency: (text(amount, 'currency') || 'CNY').toUpperCase(),
    paid: paidStates.has(state),
    // The sum that was refunded is not part of it.
    ...(state === 'REFUND' && { refundedMinor: fenOf(amount['total']) ?? 1 }),
    state,
  };
}

export function paymentState(transaction: Json): PaymentState {
  const report = paymentReport(transaction);
  if (report.paid) return { ...report, state: 'paid' };
  return { state: endedStates.has(report.state) ? 'ended' : 'unpaid', detail: report.state };
}

const refundStates: Readonly<Record<string, RefundReport['state']>> = {
  SUCCESS: 'success',
  CLOSED: 'refused',
  PROCESSING: 'processing',
  // The payer's account refuses the money; the merchant has to act in the console.
  ABNORMAL: 'processing',
};

/** A refund of a reply (`status`) or a notification (`refund_status`). */
export function refundReport(refund: Json): RefundReport {
  const state = text(refund, 'status') || text(refund, 'refund_status');
  return {
    state: refundStates[state] ?? 'processing',
    gatewayRefundNo: text(refund, 'refund_id'),
    detail: state === 'ABNORMAL' ? 'ABNORMAL: complete the refund in the merchant console' : state,
  };
}
