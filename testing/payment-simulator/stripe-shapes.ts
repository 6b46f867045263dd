import type { SimulatedPayment } from './simulator.ts';

export type StripeMembers = Record<string, unknown>;

export type StripeRefund = SimulatedPayment['refunds'][number] & { metadata: Record<string, string>; created: number };

export interface StripePayment extends SimulatedPayment {
  sessionNo: string;
  /** Metadata of the session and of the payment intent. */
  metadata: Record<string, string>;
  intentMetadata: Record<string, string>;
  name: string;
  cancelUrl: string;
  created: number;
  expiresAt: number;
  /** State of a payment with a delayed method. */
  delayed: 'no' | 'processing' | 'failed';
  refunds: StripeRefund[];
}

export interface StripeEndpoint {
  id: string;
  url: string;
  secret: string;
  enabledEvents: string[];
  apiVersion: string;
  metadata: Record<string, string>;
}

export const chargeNo = (intentNo: string): string => intentNo.replace('pi_', 'ch_');

export function sessionObject(
  payment: StripePayment,
  { live, origin }: { live: boolean; origin: string },
): StripeMembers {
  const statuses = { open: payment.delayed === 'no' ? 'open' : 'complete', paid: 'complete', closed: 'expired' };
  const status = statuses[payment.state];
  return {
    id: payment.sessionNo,
    object: 'checkout.session',
    mode: 'payment',
    status,
    payment_status: payment.state === 'paid' ? 'paid' : 'unpaid',
    amount_subtotal: payment.minor,
    amount_total: payment.minor,
    currency: payment.currency.toLowerCase(),
    client_reference_id: payment.tradeNo,
    metadata: payment.metadata,
    payment_intent: payment.gatewayNo || null,
    created: payment.created,
    expires_at: payment.expiresAt,
    livemode: live,
    url: status === 'open' ? `${origin}/c/pay/${payment.sessionNo}#fid` : null,
  };
}

export function refundObject(payment: StripePayment, refund: StripeRefund): StripeMembers {
  const statuses = { success: 'succeeded', processing: 'pending', refused: 'failed' };
  return {
    id: refund.gatewayRefundNo,
    object: 'refund',
    amount: refund.minor,
    currency: payment.currency.toLowerCase(),
    charge: chargeNo(payment.gatewayNo),
    payment_intent: payment.gatewayNo,
    metadata: refund.metadata,
    status: statuses[refund.state],
    created: refund.created,
    ...(refund.state === 'refused' && { failure_reason: 'expired_or_canceled_card' }),
  };
}

export function chargeObject(payment: StripePayment): StripeMembers {
  return {
    id: chargeNo(payment.gatewayNo),
    object: 'charge',
    amount: payment.minor,
    amount_refunded: payment.refunds.reduce((sum, { minor }) => sum + minor, 0),
    currency: payment.currency.toLowerCase(),
    payment_intent: payment.gatewayNo,
    metadata: payment.intentMetadata,
    status: 'succeeded',
    created: payment.created,
  };
}

export const endpointObject = ({ id, url, enabledEvents, apiVersion, metadata }: StripeEndpoint): StripeMembers => ({
  id,
  object: 'webhook_endpoint',
  url,
  enabled_events: enabledEvents,
  api_version: apiVersion,
  metadata,
  status: 'enabled',
});
