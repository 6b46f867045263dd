import type { Stripe } from 'stripe';
import {
  type GatewayContext,
  GatewayError,
  type PaymentGatewayAdapter,
  type PaymentRef,
  type PaymentRequest,
  type PaymentState,
  type StartedPayment,
} from '#payments/gateway.ts';
import { idOf, withStripe } from '#payments/stripe/stripe-client.ts';
import { checkStripe, STRIPE_ORIGIN, stripeForm, stripeMerchant } from '#payments/stripe/stripe-form.ts';
import { verifyStripe } from '#payments/stripe/stripe-notice.ts';
import { paymentReport, TRADE_NO, tradeNoOf } from '#payments/stripe/stripe-objects.ts';
import { queryStripeRefund, refundStripe } from '#payments/stripe/stripe-refunds.ts';
import { fetchStripeStatement, readStripeStatement } from '#payments/stripe/stripe-statement.ts';
import { prepareStripe } from '#payments/stripe/stripe-webhook.ts';

/** Stripe Checkout: a payment page at Stripe. Sources: type definitions and change log of stripe 23.1.0. */
export const gateway: PaymentGatewayAdapter = {
  type: 'stripe',
  form: stripeForm,
  check: checkStripe,
  destination: (config) => config['api_base'] || STRIPE_ORIGIN,
  merchant: stripeMerchant,
  preparedFields: ['webhook_secret'],
  prepare: prepareStripe,
  start,
  verify: verifyStripe,
  acknowledge: (accepted) => ({ status: accepted ? 200 : 400, type: '', body: '' }),
  query,
  close,
  refund: refundStripe,
  queryRefund: queryStripeRefund,
  test,
  readStatement: readStripeStatement,
  fetchStatement: fetchStripeStatement,
};

/** Stripe accepts 30 minutes to 24 hours by its own clock; a minute covers the difference. */
const SHORTEST_LIFE_S = 31 * 60;
const LONGEST_LIFE_S = 24 * 3600 - 60;
const MOST_NAME = 250;

async function start(context: GatewayContext, payment: PaymentRequest): Promise<StartedPayment> {
  const { tradeNo, returnUrl } = payment;
  const metadata = { [TRADE_NO]: tradeNo };
  const name = payment.description.slice(0, MOST_NAME) || tradeNo;
  const ends = Math.min(Math.max(payment.expiresAt, context.now + SHORTEST_LIFE_S), context.now + LONGEST_LIFE_S);
  const session = await withStripe(context, (stripe) =>
    stripe.checkout.sessions.create(
      {
        mode: 'payment',
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: payment.currency.toLowerCase(),
              unit_amount: payment.minor,
              product_data: { name },
            },
          },
        ],
        client_reference_id: tradeNo,
        // Refunds and disputes refer to the payment intent, which does not get the session's metadata.
        metadata,
        payment_intent_data: { metadata, description: name },
        // The payer is charged in the order's currency, so that the sums can be compared.
        adaptive_pricing: { enabled: false },
        expires_at: ends,
        success_url: returnUrl,
        cancel_url: `${returnUrl}${returnUrl.includes('?') ? '&' : '?'}cancelled=1`,
        locale: localeOf(payment.language),
        ...(/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(payment.email) && { customer_email: payment.email }),
      },
      { idempotencyKey: tradeNo },
    ),
  );
  if (!session.id || !session.url) throw new GatewayError('unknown', 'Stripe: the reply has no payment page');
  const expiresAt = session.expires_at;
  return { show: 'form', url: session.url, method: 'GET', params: {}, sessionNo: session.id, expiresAt };
}

const locales: Readonly<Record<string, Stripe.Checkout.SessionCreateParams.Locale>> = {
  en: 'en',
  ja: 'ja',
  zh: 'zh',
  'zh-HK': 'zh-HK',
  'zh-TW': 'zh-TW',
};

function localeOf(language: string): Stripe.Checkout.SessionCreateParams.Locale {
  const tag = language.replace('_', '-');
  return locales[tag] ?? locales[tag.split('-')[0] ?? ''] ?? 'auto';
}

function query(context: GatewayContext, payment: PaymentRef): Promise<PaymentState> {
  // Without a session number the payer never got the address of the page.
  if (payment.sessionNo === '') return Promise.resolve({ state: 'missing', detail: 'no session' });
  return withStripe(context, (stripe) => stateOf(stripe, payment));
}

async function stateOf(stripe: Stripe, payment: PaymentRef): Promise<PaymentState> {
  const session = await stripe.checkout.sessions.retrieve(payment.sessionNo).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (!session) return { state: 'missing', detail: 'resource_missing' };
  if (tradeNoOf(session) !== payment.tradeNo) {
    throw new GatewayError('unknown', 'Stripe: the session is about another order', 'order');
  }
  const report = paymentReport(session);
  if (report.paid) {
    const paid = await stripe.paymentIntents.retrieve(idOf(session.payment_intent), { expand: ['latest_charge'] });
    const charge = paid.latest_charge;
    const refunded = typeof charge === 'object' && charge !== null ? charge.amount_refunded : 0;
    // A session stays `paid` after a refund.
    return { ...report, ...(refunded > 0 && { refundedMinor: refunded }), state: 'paid' };
  }
  if (session.status === 'expired') return { state: 'ended', detail: 'expired' };
  if (session.status !== 'complete') return { state: 'unpaid', detail: String(session.status) };
  // A delayed method: the intent shows whether the money is on its way or has failed.
  const intent = await stripe.paymentIntents.retrieve(idOf(session.payment_intent));
  const isEnded = intent.status === 'requires_payment_method' || intent.status === 'canceled';
  return { state: isEnded ? 'ended' : 'processing', detail: intent.status };
}

const isMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'resource_missing';

async function close(context: GatewayContext, payment: PaymentRef): Promise<'closed' | 'paid' | 'open'> {
  if (payment.sessionNo === '') return 'closed';
  return withStripe(context, async (stripe) => {
    try {
      await stripe.checkout.sessions.expire(payment.sessionNo);
      return 'closed';
    } catch (error) {
      if (!(error instanceof Error) || !('statusCode' in error) || !closeRefusals.has(error.statusCode)) throw error;
      // It is not open any more.
      const { state } = await stateOf(stripe, payment);
      if (state === 'paid') return 'paid';
      return state === 'unpaid' || state === 'processing' ? 'open' : 'closed';
    }
  });
}

const closeRefusals = new Set<unknown>([400, 404]);

/** Works with restricted keys; Stripe's message names a missing right. */
function test(context: GatewayContext): Promise<void> {
  return withStripe(context, async (stripe) => {
    await stripe.checkout.sessions.list({ limit: 1 });
    await stripe.refunds.list({ limit: 1 });
    if (!context.config['webhook_secret']) {
      throw new GatewayError(
        'refused',
        'notifications cannot be verified: the webhook secret is empty',
        'webhook_secret',
      );
    }
  });
}
