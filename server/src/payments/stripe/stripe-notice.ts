import type { Stripe } from 'stripe';
import * as z from 'zod/mini';
import { asError } from '#caught-error.ts';
import { masked } from '#secrets.ts';
import { type GatewayContext, type GatewayNotice, NoticeRefused, type RawNotice } from '#payments/gateway.ts';
import { idOf, loadStripe, withStripe } from './stripe-client.ts';
import { isLive } from './stripe-form.ts';
import { noIn, paymentReport, REFUND_NO, refundReport, TRADE_NO, tradeNoOf } from './stripe-objects.ts';

const TOLERANCE_S = 300;

const metadata = z.nullish(z.record(z.string(), z.string()));
const related = z.nullish(z.union([z.string(), z.looseObject({ id: z.string(), metadata })]));

/** The members that are read. Events are signed, but not always by Stripe: a test tool may know the secret. */
const shapes = {
  event: z.looseObject({ type: z.string(), data: z.optional(z.looseObject({ object: z.looseObject({}) })) }),
  session: z.looseObject({
    metadata,
    client_reference_id: z.nullish(z.string()),
    payment_intent: related,
    currency: z.nullish(z.string()),
    payment_status: z.string(),
  }),
  refund: z.looseObject({
    id: z.string(),
    amount: z.int().check(z.gte(0)),
    metadata,
    payment_intent: related,
    status: z.nullish(z.string()),
    failure_reason: z.nullish(z.string()),
  }),
  charge: z.looseObject({ id: z.string(), metadata }),
  dispute: z.looseObject({
    id: z.string(),
    amount: z.int(),
    currency: z.string(),
    status: z.string(),
    reason: z.string(),
    charge: related,
    payment_intent: related,
    evidence_details: z.nullish(z.looseObject({ due_by: z.nullish(z.int()) })),
    balance_transactions: z.array(z.looseObject({ amount: z.number() })),
  }),
};

/** The object, if it has the members that are read. Throws `NoticeRefused`. */
function ensureShape<T>(name: keyof typeof shapes, object: T): T {
  const { error } = shapes[name].safeParse(object);
  if (!error) return object;
  const place = error.issues[0]?.path.join('.') || 'no object';
  throw new NoticeRefused('order', `the ${name} of the notification cannot be read: ${place}`);
}

/** Throws `GatewayError` if a refund has to be read and cannot be: the event is sent again. */
export async function verifyStripe(context: GatewayContext, notice: RawNotice): Promise<GatewayNotice> {
  const event = ensureShape('event', await verifiedEvent(context, notice));
  if (event.livemode !== isLive(context.config)) {
    throw new NoticeRefused('merchant', event.livemode ? 'a live event for a test key' : 'a test event for a live key');
  }
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return ofSession(event.data.object, event.type, (session) => ({ kind: 'payment', ...paymentReport(session) }));
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired': {
      const state = event.type.replace('checkout.session.', '');
      return ofSession(event.data.object, event.type, (session) => ({
        kind: 'ended',
        tradeNo: tradeNoOf(session),
        state,
      }));
    }
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return refundNotice(ensureShape('refund', event.data.object));
    case 'charge.refunded':
      return newestRefund(context, event.data.object);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return disputeNotice(ensureShape('dispute', event.data.object));
    default:
      return { kind: 'other', state: event.type };
  }
}

async function verifiedEvent({ config, now }: GatewayContext, { headers, body }: RawNotice): Promise<Stripe.Event> {
  const { webhooks } = await loadStripe();
  const secrets = [config['webhook_secret'], config['old_webhook_secret']].filter(
    (secret) => secret !== undefined && secret !== '',
  );
  const signature = headers['stripe-signature'] ?? '';
  let reason = 'the webhook secret is empty';
  for (const secret of secrets as string[]) {
    // empty ones are filtered out
    try {
      const event = webhooks.constructEvent(body, signature, secret, TOLERANCE_S, undefined, now * 1000);
      // The library checks the past only.
      const times = [...signature.matchAll(/(?:^|,)\s*t=(\d+)/g)].map(([, time]) => Number(time));
      if (times.every((time) => time <= now + TOLERANCE_S)) return event;
      reason = 'the time of the signature is in the future';
    } catch (error) {
      reason = masked(asError(error).message.split('\n')[0] ?? '', secret);
    }
  }
  throw new NoticeRefused('signature', reason);
}

/** Sessions of subscriptions or of other software are of no interest. */
function ofSession(
  session: Stripe.Checkout.Session,
  state: string,
  notice: (session: Stripe.Checkout.Session) => GatewayNotice,
): GatewayNotice {
  ensureShape('session', session);
  return session.mode === 'payment' && tradeNoOf(session) !== '' ? notice(session) : { kind: 'other', state };
}

const refundNotice = (refund: Stripe.Refund, tradeNo = ''): GatewayNotice => ({
  kind: 'refund',
  refundNo: noIn(refund.metadata, REFUND_NO),
  tradeNo: noIn(refund.metadata, TRADE_NO) || tradeNo,
  gatewayNo: idOf(refund.payment_intent),
  minor: refund.amount,
  ...refundReport(refund),
});

/** `charge.refunded` reports only the sum of all refunds. */
async function newestRefund(context: GatewayContext, charge: Stripe.Charge): Promise<GatewayNotice> {
  ensureShape('charge', charge);
  const [refund] = await withStripe(context, async (stripe) => {
    const { data } = await stripe.refunds.list({ charge: charge.id, limit: 1 });
    return data;
  });
  if (!refund) return { kind: 'other', state: 'charge.refunded' };
  return refundNotice(refund, noIn(charge.metadata, TRADE_NO));
}

function disputeNotice(dispute: Stripe.Dispute): GatewayNotice {
  const charge = typeof dispute.charge === 'string' ? undefined : dispute.charge;
  const intent = typeof dispute.payment_intent === 'string' ? undefined : dispute.payment_intent;
  return {
    kind: 'dispute',
    disputeNo: dispute.id,
    tradeNo: noIn(charge?.metadata, TRADE_NO) || noIn(intent?.metadata, TRADE_NO),
    gatewayNo: idOf(dispute.payment_intent),
    minor: dispute.amount,
    currency: dispute.currency.toUpperCase(),
    state: disputeState(dispute),
    reason: dispute.reason,
    dueAt: dispute.evidence_details?.due_by ?? 0,
  };
}

/** A prevented dispute is lost if its sum was withdrawn; otherwise the money stays, or a refund reports its return. */
function disputeState({ status, balance_transactions: moved }: Stripe.Dispute): 'open' | 'won' | 'lost' {
  if (status === 'lost') return 'lost';
  if (status === 'won' || status === 'warning_closed') return 'won';
  if (status !== 'prevented') return 'open';
  return moved.reduce((sum, { amount }) => sum + amount, 0) < 0 ? 'lost' : 'won';
}
