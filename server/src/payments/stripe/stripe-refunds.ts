import type { Stripe } from 'stripe';
import {
  type GatewayContext,
  GatewayError,
  type PaymentRef,
  type RefundReport,
  type RefundRequest,
} from '#payments/gateway.ts';
import { idOf, withStripe } from './stripe-client.ts';
import { noIn, REFUND_NO, refundReport, TRADE_NO } from './stripe-objects.ts';

const MOST_METADATA = 500;

/** Stripe forgets an idempotency key after a day, so an existing refund with our number is looked up first. */
export function refundStripe(
  context: GatewayContext,
  payment: PaymentRef,
  { refundNo, minor, reason }: RefundRequest,
): Promise<RefundReport> {
  return withStripe(context, async (stripe) => {
    const intent = await intentOf(stripe, payment);
    const known = await refundOf(stripe, intent, refundNo);
    if (known) return refundReport(known);
    const refund = await stripe.refunds.create(
      {
        payment_intent: intent,
        amount: minor,
        reason: 'requested_by_customer',
        metadata: {
          [TRADE_NO]: payment.tradeNo,
          [REFUND_NO]: refundNo,
          ...(reason !== '' && { reason: reason.slice(0, MOST_METADATA) }),
        },
      },
      { idempotencyKey: refundNo },
    );
    if (!refund.id) throw new GatewayError('unknown', 'Stripe: the reply is not a refund');
    return refundReport(refund);
  });
}

export function queryStripeRefund(
  context: GatewayContext,
  payment: PaymentRef,
  { refundNo, gatewayRefundNo }: RefundRequest & { gatewayRefundNo: string },
): Promise<RefundReport> {
  return withStripe(context, async (stripe) => {
    if (gatewayRefundNo !== '') return refundReport(await stripe.refunds.retrieve(gatewayRefundNo));
    const refund = await refundOf(stripe, await intentOf(stripe, payment), refundNo);
    return refund
      ? refundReport(refund)
      : { state: 'missing', gatewayRefundNo: '', detail: 'no refund with this number' };
  });
}

/** A payment has few refunds; the bound only guards against endless pages. */
const MOST_REFUNDS = 1000;

async function refundOf(stripe: Stripe, intent: string, refundNo: string): Promise<Stripe.Refund | undefined> {
  const refunds = await stripe.refunds
    .list({ payment_intent: intent, limit: 100 })
    .autoPagingToArray({ limit: MOST_REFUNDS });
  return refunds.find(({ metadata }) => noIn(metadata, REFUND_NO) === refundNo);
}

async function intentOf(stripe: Stripe, { gatewayNo, sessionNo }: PaymentRef): Promise<string> {
  if (gatewayNo !== '') return gatewayNo;
  const intent = sessionNo === '' ? '' : idOf((await stripe.checkout.sessions.retrieve(sessionNo)).payment_intent);
  if (intent === '') throw new GatewayError('refused', 'Stripe: the order has no payment', 'no_payment');
  return intent;
}
