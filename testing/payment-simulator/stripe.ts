import { hash, randomBytes } from 'node:crypto';
import { Stripe } from 'stripe';
import { cashierPage, pressedButton } from './cashier.ts';
import {
  deliver,
  HangUp,
  serveSimulator,
  type SimulatorReply,
  type SimulatorRequest,
  takeFault,
} from './simulator-server.ts';
import { type Delivery, type PaymentSimulator, setMembers } from './simulator.ts';
import { StripeBooks, stripeError } from './stripe-books.ts';
import {
  chargeObject,
  refundObject,
  type StripeEndpoint,
  type StripeMembers,
  type StripePayment,
} from './stripe-shapes.ts';
import { decodeForm } from './stripe-form-body.ts';

export interface StripeOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** Endpoint that exists already, as made in the dashboard; without, the hub has to create one. */
  notifyUrl?: string;
  /** Whether the key is a live key. */
  live?: boolean;
}

type Change = Record<string, string | number>;
type Signed = { url: string; init: RequestInit };

export interface StripeSimulator extends PaymentSimulator {
  payments: Map<string, StripePayment>;
  endpoints: StripeEndpoint[];
  /** Path prefixes that the key has no right for: `/v1/refunds`. */
  denied: string[];
  /** Notifies the hub of a dispute; a repeated call changes its state. */
  dispute(tradeNo: string, status: string, change?: Change): Promise<Delivery>;
  /** Notifies the hub of any event. */
  event(type: string, object: StripeMembers): Promise<Delivery>;
  signedEvent(type: string, object: StripeMembers, change?: Change): Signed;
  /** The payer used a delayed method: the session is complete and unpaid. */
  delay(tradeNo: string): Promise<Delivery>;
  endDelay(tradeNo: string, paid: boolean): Promise<Delivery>;
  /** Objects for `event`. */
  session(tradeNo: string): StripeMembers;
  charge(tradeNo: string): StripeMembers;
  disputeObject(tradeNo: string, status: string): StripeMembers;
}

const now = () => Math.floor(Date.now() / 1000);

/**
 * Simulates Stripe's Checkout, refunds, balance and webhook endpoints. Changes of notifications name members of the
 * object by dotted path; `event.livemode` names one of the event.
 */
export async function startStripe({ port = 0, notifyUrl, live = false }: StripeOptions = {}): Promise<StripeSimulator> {
  const secretKey = `sk_${live ? 'live' : 'test'}_${randomBytes(16).toString('hex')}`;
  const books = new StripeBooks(live);
  const replays = new Map<string, { request: string; reply: SimulatorReply }>();
  if (notifyUrl !== undefined) {
    books.endpoints.push({
      id: 'we_dashboard',
      url: notifyUrl,
      secret: `whsec_${randomBytes(16).toString('hex')}`,
      enabledEvents: ['*'],
      apiVersion: '',
      metadata: {},
    });
  }

  async function handle(request: SimulatorRequest): Promise<SimulatorReply> {
    if (request.path.startsWith('/c/pay/')) return cashier(request);
    simulator.requests.push(`${request.method} ${request.target}`);
    const fault = takeFault(simulator.faults);
    if (fault?.status !== undefined) return stripeError(fault.status, 'api_error', '', 'simulated');
    const reply = replayed(request);
    // The reply is lost after the operation was executed.
    if (fault?.hangUp === true) throw new HangUp();
    return reply;
  }

  /** A repeated key returns the first reply; with other parameters it is an error. */
  function replayed({ method, target, path, headers, body }: SimulatorRequest): SimulatorReply {
    if (headers.authorization !== `Bearer ${secretKey}`) {
      return stripeError(401, 'invalid_request_error', '', 'Invalid API Key provided');
    }
    if (simulator.denied.some((prefix) => path.startsWith(prefix))) {
      const message = `The provided key '${secretKey.slice(0, 8)}****' does not have the required permissions for this endpoint.`;
      return stripeError(403, 'invalid_request_error', '', message);
    }
    const key = headers['idempotency-key'];
    const request = hash('sha256', `${path}\n${body}`);
    const known = typeof key === 'string' ? replays.get(key) : undefined;
    if (known) {
      if (known.request === request) return known.reply;
      return stripeError(400, 'idempotency_error', '', 'Keys can only be used with the same parameters');
    }
    const params = decodeForm(method === 'GET' ? target.slice(path.length + 1) : body);
    const reply = books.answer({ method, path, params }, simulator.faults);
    if (typeof key === 'string' && method === 'POST') replays.set(key, { request, reply });
    return reply;
  }

  async function cashier(request: SimulatorRequest): Promise<SimulatorReply> {
    const payment = books.bySession(request.path.slice('/c/pay/'.length));
    const title = 'Checkout';
    if (!payment) return cashierPage({ title: 'Unknown session', status: 404 });
    if (payment.state !== 'open') return cashierPage({ title, lines: [`The session is ${payment.state}`] });
    const page = { title, lines: [payment.name, `${payment.currency} ${payment.minor / 100}`], fields: {} };
    const button = pressedButton(request);
    if (button === undefined) return cashierPage(page);
    if (button === 'cancel') return { location: payment.cancelUrl };
    if (button === 'decline') return cashierPage({ ...page, error: 'Your card was declined' });
    // The payment is taken even if the hub cannot be reached.
    await simulator.pay(payment.tradeNo).catch(() => undefined);
    return { location: payment.returnUrl };
  }

  function signedFor(endpoint: StripeEndpoint, type: string, object: StripeMembers, change: Change = {}): Signed {
    const sent: StripeMembers = {
      id: `evt_${randomBytes(12).toString('hex')}`,
      object: 'event',
      api_version: endpoint.apiVersion,
      created: now(),
      livemode: live,
      type,
      data: { object: structuredClone(object) },
    };
    const paths = Object.entries(change).map(([path, value]): [string, string | number] => [
      path.startsWith('event.') ? path.slice('event.'.length) : `data.object.${path}`,
      value,
    ]);
    setMembers(sent, Object.fromEntries(paths));
    const body = JSON.stringify(sent);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret: endpoint.secret });
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    return { url: endpoint.url, init: { method: 'POST', headers, body } };
  }

  const endpointsFor = (type: string): StripeEndpoint[] =>
    books.endpoints.filter(({ enabledEvents: events }) => events.includes('*') || events.includes(type));

  function signedEvent(type: string, object: StripeMembers, change?: Change): Signed {
    const [endpoint] = endpointsFor(type);
    if (!endpoint) throw new Error(`no webhook endpoint for ${type}`);
    return signedFor(endpoint, type, object, change);
  }

  /** Every endpoint of an account gets every event; the reply of the first is returned. */
  async function event(type: string, object: StripeMembers, change?: Change): Promise<Delivery> {
    const reply = await deliver(signedEvent(type, object, change));
    for (const endpoint of endpointsFor(type).slice(1)) await deliver(signedFor(endpoint, type, object, change));
    return reply;
  }

  const notification = (tradeNo: string, change?: Change): Signed =>
    signedEvent('checkout.session.completed', books.session(books.payment(tradeNo)), change);

  const notify = (tradeNo: string, change?: Change): Promise<Delivery> =>
    event('checkout.session.completed', books.session(books.payment(tradeNo)), change);

  function paySilently(tradeNo: string): void {
    const payment = books.payment(tradeNo);
    books.confirm(payment);
    payment.state = 'paid';
  }

  const server = await serveSimulator(handle, port);
  books.origin = server.url;
  const simulator: StripeSimulator = {
    url: server.url,
    config: { secret_key: secretKey, webhook_secret: books.endpoints[0]?.secret ?? '', api_base: server.url },
    payments: books.payments,
    endpoints: books.endpoints,
    faults: {},
    requests: [],
    denied: [],
    paySilently,
    pay: (tradeNo, change) => {
      paySilently(tradeNo);
      return notify(tradeNo, change);
    },
    notify,
    notification,
    event,
    signedEvent,
    delay: (tradeNo) => {
      const payment = books.payment(tradeNo);
      books.confirm(payment);
      payment.delayed = 'processing';
      return event('checkout.session.completed', books.session(payment));
    },
    endDelay: (tradeNo, paid) => {
      const payment = books.payment(tradeNo);
      payment.delayed = paid ? 'no' : 'failed';
      if (paid) payment.state = 'paid';
      const type = `checkout.session.async_payment_${paid ? 'succeeded' : 'failed'}`;
      return event(type, books.session(payment));
    },
    endRefund: async (refundNo, state) => {
      for (const payment of books.payments.values()) {
        const refund = payment.refunds.find((each) => each.refundNo === refundNo);
        if (!refund) continue;
        refund.state = state;
        const type = state === 'success' ? 'refund.updated' : 'refund.failed';
        return event(type, refundObject(payment, refund));
      }
      throw new Error(`no refund ${refundNo}`);
    },
    dispute: (tradeNo, status, change) => {
      const isClosed = ['won', 'lost', 'warning_closed', 'prevented'].includes(status);
      const type = isClosed ? 'charge.dispute.closed' : 'charge.dispute.created';
      return event(type, simulator.disputeObject(tradeNo, status), change);
    },
    disputeObject: (tradeNo, status) => {
      const payment = books.payment(tradeNo);
      return {
        id: `dp_${payment.tradeNo}`,
        object: 'dispute',
        amount: payment.minor,
        currency: payment.currency.toLowerCase(),
        charge: chargeObject(payment)['id'],
        payment_intent: payment.gatewayNo,
        reason: 'fraudulent',
        status,
        evidence_details: { due_by: now() + 7 * 86_400 },
        balance_transactions: [{ amount: -payment.minor }],
      };
    },
    session: (tradeNo) => books.session(books.payment(tradeNo)),
    charge: (tradeNo) => chargeObject(books.payment(tradeNo)),
    close: server.close,
  };
  return simulator;
}
