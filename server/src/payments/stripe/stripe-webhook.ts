import type { Stripe } from 'stripe';
import { type GatewayContext, GatewayError } from '#payments/gateway.ts';
import { loadStripe, withStripe } from './stripe-client.ts';

/** Events that `verify` understands. */
export const webhookEvents = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const satisfies Stripe.WebhookEndpointCreateParams.EnabledEvent[];

const MARK = { relay_hub: 'payments' };
const MOST_ENDPOINTS = 100;

/**
 * Creates the webhook endpoint of this gateway and deletes former ones, whose secret Stripe does not return again.
 * Endpoints that the operator created stay.
 */
export async function prepareStripe(context: GatewayContext): Promise<Record<string, string>> {
  const { API_VERSION } = await loadStripe();
  return withStripe(context, async (stripe) => {
    const { data } = await stripe.webhookEndpoints.list({ limit: MOST_ENDPOINTS });
    const former = data.filter(
      ({ url, metadata }) => url === context.notifyUrl && metadata['relay_hub'] === MARK.relay_hub,
    );
    const created = await stripe.webhookEndpoints.create({
      url: context.notifyUrl,
      enabled_events: [...webhookEvents],
      // The account's default version may be years old.
      api_version: API_VERSION,
      description: 'Relay Hub payments',
      metadata: MARK,
    });
    if (created.secret === undefined) throw new GatewayError('unknown', 'Stripe returned no webhook secret');
    for (const { id } of former) {
      await stripe.webhookEndpoints.del(id).catch(() => undefined); // it only sends events that are refused
    }
    return { webhook_secret: created.secret };
  });
}
