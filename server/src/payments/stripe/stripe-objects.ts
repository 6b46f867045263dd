import type { Stripe } from 'stripe';
import type { PaymentReport, RefundReport } from '#payments/gateway.ts';
import { idOf } from './stripe-client.ts';

/** Keys of the metadata that sessions, payment intents, charges and refunds carry. */
export const TRADE_NO = 'trade_no';
export const REFUND_NO = 'refund_no';

type Metadata = Readonly<Record<string, string>> | null | undefined;

export const noIn = (metadata: Metadata, name: string): string => metadata?.[name] ?? '';

/** Our order number; empty for a session of other software. */
export const tradeNoOf = (session: Stripe.Checkout.Session): string =>
  noIn(session.metadata, TRADE_NO) === '' ? '' : (session.client_reference_id ?? '');

/** `payment_status` decides: a completed session of a delayed method is not paid yet. */
export const paymentReport = (session: Stripe.Checkout.Session): PaymentReport => ({
  tradeNo: tradeNoOf(session),
  gatewayNo: idOf(session.payment_intent),
  minor: Number.isSafeInteger(session.amount_total) ? session.amount_total : null,
  currency: (session.currency ?? '').toUpperCase(),
  paid: session.payment_status === 'paid',
  state: session.payment_status,
});

const refundStates: Readonly<Record<string, RefundReport['state']>> = {
  succeeded: 'success',
  failed: 'refused',
  canceled: 'refused',
};

export const refundReport = (refund: Stripe.Refund): RefundReport => ({
  state: refundStates[refund.status ?? ''] ?? 'processing',
  gatewayRefundNo: refund.id,
  detail: [refund.status ?? '', refund.failure_reason ?? ''].filter(Boolean).join(': '),
});
