import { randomBytes } from 'node:crypto';
import type { SimulatorReply } from './simulator-server.ts';
import { type Faults, paymentIn } from './simulator.ts';
import {
  chargeNo,
  chargeObject,
  endpointObject,
  refundObject,
  sessionObject,
  type StripeEndpoint,
  type StripeMembers,
  type StripePayment,
  type StripeRefund,
} from './stripe-shapes.ts';
import { type FormMembers, membersOf, textOf, textsOf, wholeOf } from './stripe-form-body.ts';

export interface StripeApiRequest {
  method: string;
  path: string;
  params: FormMembers;
}

const sessionParams = new Set(
  'mode line_items client_reference_id metadata payment_intent_data adaptive_pricing expires_at success_url cancel_url locale customer_email'.split(
    ' ',
  ),
);

/** Sessions, refunds and endpoints of the simulated Stripe, and its replies about them. */
export class StripeBooks {
  readonly payments = new Map<string, StripePayment>();
  readonly endpoints: StripeEndpoint[] = [];
  readonly #live: boolean;
  /** Address of the payment pages. */
  origin = '';

  constructor(live: boolean) {
    this.#live = live;
  }

  answer({ method, path, params }: StripeApiRequest, faults: Faults): SimulatorReply {
    const [, , resource = '', id = '', action = ''] = path.replace('/checkout/sessions', '/sessions').split('/');
    switch (`${method} ${resource}${id && '/:id'}${action && `/${action}`}`) {
      case 'POST sessions':
        return this.#createSession(params, faults);
      case 'GET sessions':
        return list(
          [...this.payments.values()].toReversed().map((each) => this.session(each)),
          params,
        );
      case 'GET sessions/:id':
        return this.#withSession(id, (payment) => json(200, this.session(payment)));
      case 'POST sessions/:id/expire':
        return this.#withSession(id, (payment) => this.#expire(payment));
      case 'GET payment_intents/:id':
        return this.#intent(id);
      case 'POST refunds':
        return this.#createRefund(params, faults);
      case 'GET refunds':
        return this.#refundList(params);
      case 'GET refunds/:id':
        return this.#refund(id);
      case 'GET balance_transactions':
        return list(this.#balanceTransactions(params), params);
      case 'POST webhook_endpoints':
        return this.#createEndpoint(params);
      case 'GET webhook_endpoints':
        return list(this.endpoints.map(endpointObject), params);
      case 'DELETE webhook_endpoints/:id':
        return this.#removeEndpoint(id);
      default:
        return stripeError(404, 'invalid_request_error', '', `Unrecognized request URL (${method}: ${path})`);
    }
  }

  #createSession(params: FormMembers, faults: Faults): SimulatorReply {
    const unknown = Object.keys(params).find((name) => !sessionParams.has(name));
    if (unknown !== undefined) return stripeError(400, 'invalid_request_error', 'parameter_unknown', unknown);
    const item = membersOf(membersOf(params['line_items'])['0']);
    const price = membersOf(item['price_data']);
    const name = textOf(membersOf(price['product_data'])['name']);
    const minor = wholeOf(price['unit_amount']);
    const expiresAt = wholeOf(params['expires_at']) ?? now() + 86_400;
    const isValid =
      params['mode'] === 'payment' &&
      textOf(item['quantity']) === '1' &&
      /^[a-z]{3}$/.test(textOf(price['currency'])) &&
      name !== '' &&
      textOf(params['success_url']).startsWith('http') &&
      textOf(params['customer_email'] ?? 'a@b.c').includes('@');
    if (!isValid || minor === undefined)
      return stripeError(400, 'invalid_request_error', 'parameter_missing', 'invalid');
    if (minor < 50) return stripeError(400, 'invalid_request_error', 'amount_too_small', 'the amount is too small');
    if (expiresAt < now() + 1800 || expiresAt > now() + 86_400) {
      return stripeError(400, 'invalid_request_error', '', 'expires_at must be 30 minutes to 24 hours ahead');
    }
    const sessionNo = `cs_${this.#live ? 'live' : 'test'}_${random()}`;
    const payment: StripePayment = {
      tradeNo: textOf(params['client_reference_id']),
      gatewayNo: '',
      minor,
      currency: textOf(price['currency']).toUpperCase(),
      state: 'open',
      notifyUrl: this.endpoints[0]?.url ?? '',
      returnUrl: textOf(params['success_url']).replaceAll('{CHECKOUT_SESSION_ID}', sessionNo),
      refunds: [],
      sessionNo,
      metadata: textsOf(params['metadata']),
      intentMetadata: textsOf(membersOf(params['payment_intent_data'])['metadata']),
      name,
      cancelUrl: textOf(params['cancel_url']),
      created: now(),
      expiresAt,
      delayed: 'no',
    };
    this.payments.set(payment.tradeNo, payment);
    return json(200, { ...this.session(payment), ...faults.start });
  }

  #withSession(id: string, reply: (payment: StripePayment) => SimulatorReply): SimulatorReply {
    const payment = this.bySession(id);
    return payment ? reply(payment) : missing('checkout.session', id);
  }

  #expire(payment: StripePayment): SimulatorReply {
    if (payment.state !== 'open' || payment.delayed !== 'no') {
      const message = 'Only Checkout Sessions with a status in ["open"] can be expired.';
      return stripeError(400, 'invalid_request_error', '', message);
    }
    payment.state = 'closed';
    return json(200, this.session(payment));
  }

  #intent(id: string): SimulatorReply {
    const payment = this.#byIntent(id);
    if (!payment) return missing('payment_intent', id);
    const unpaid = payment.delayed === 'failed' ? 'requires_payment_method' : 'processing';
    const status = payment.state === 'paid' ? 'succeeded' : unpaid;
    const refunded = payment.refunds
      .filter(({ state }) => state === 'success')
      .reduce((sum, { minor }) => sum + minor, 0);
    const latest_charge = { object: 'charge', amount: payment.minor, amount_refunded: refunded };
    return json(200, {
      id,
      object: 'payment_intent',
      status,
      amount: payment.minor,
      metadata: payment.intentMetadata,
      ...(payment.state === 'paid' && { latest_charge }),
    });
  }

  #createRefund(params: FormMembers, faults: Faults): SimulatorReply {
    const payment = this.#byIntent(textOf(params['payment_intent']));
    if (!payment || payment.state !== 'paid') return missing('payment_intent', textOf(params['payment_intent']));
    const kept = payment.refunds.filter(({ state }) => state !== 'refused');
    const left = payment.minor - kept.reduce((sum, { minor }) => sum + minor, 0);
    const minor = wholeOf(params['amount']) ?? left;
    if (left === 0) return stripeError(400, 'invalid_request_error', 'charge_already_refunded', 'already refunded');
    if (minor > left || minor < 1)
      return stripeError(400, 'invalid_request_error', '', 'greater than unrefunded amount');
    if (faults.refunds === 'refused') {
      return stripeError(400, 'invalid_request_error', 'charge_disputed', 'the charge has been charged back');
    }
    const metadata = textsOf(params['metadata']);
    const refund: StripeRefund = {
      refundNo: metadata['refund_no'] ?? '',
      gatewayRefundNo: `re_${random()}`,
      minor,
      state: faults.refunds === 'processing' ? 'processing' : 'success',
      metadata,
      created: now(),
    };
    payment.refunds.push(refund);
    return json(200, refundObject(payment, refund));
  }

  #refundList(params: FormMembers): SimulatorReply {
    const payments = [...this.payments.values()].filter(({ gatewayNo }) => {
      const [intent, charge] = [textOf(params['payment_intent']), textOf(params['charge'])];
      return (intent === '' || intent === gatewayNo) && (charge === '' || charge === chargeNo(gatewayNo));
    });
    const refunds = payments.flatMap((payment) => payment.refunds.map((each) => refundObject(payment, each)));
    return list(refunds.toReversed(), params);
  }

  #refund(id: string): SimulatorReply {
    for (const payment of this.payments.values()) {
      const refund = payment.refunds.find(({ gatewayRefundNo }) => gatewayRefundNo === id);
      if (refund) return json(200, refundObject(payment, refund));
    }
    return missing('refund', id);
  }

  /** In euros, as in an account that is settled in another currency than it charges. */
  #balanceTransactions(params: FormMembers): StripeMembers[] {
    const created = membersOf(params['created']);
    const row = (type: string, source: StripeMembers, sign: 1 | -1) => ({
      id: `txn_${String(source['id'])}`,
      object: 'balance_transaction',
      amount: sign * Math.round(Number(source['amount']) * 0.9),
      currency: 'eur',
      created: source['created'],
      type,
      source: Object.values(membersOf(params['expand'])).includes('data.source') ? source : source['id'],
    });
    const rows = [...this.payments.values()]
      .filter(({ state }) => state === 'paid')
      .flatMap((payment) => [
        row('charge', chargeObject(payment), 1),
        ...payment.refunds.map((refund) => row('refund', refundObject(payment, refund), -1)),
        {
          ...row('stripe_fee', { id: `fee_${payment.tradeNo}`, amount: 30, created: payment.created }, -1),
          source: null,
        },
      ]);
    const [from = 0, to = Infinity] = [wholeOf(created['gte']), wholeOf(created['lte'])];
    return rows.filter((each) => Number(each.created) >= from && Number(each.created) <= to);
  }

  #createEndpoint(params: FormMembers): SimulatorReply {
    const enabledEvents = Object.values(membersOf(params['enabled_events'])).map(textOf);
    const endpoint: StripeEndpoint = {
      id: `we_${random()}`,
      url: textOf(params['url']),
      secret: `whsec_${random()}`,
      enabledEvents,
      apiVersion: textOf(params['api_version']),
      metadata: textsOf(params['metadata']),
    };
    if (endpoint.url === '' || enabledEvents.length === 0) {
      return stripeError(400, 'invalid_request_error', 'parameter_missing', 'url and enabled_events are required');
    }
    this.endpoints.push(endpoint);
    return json(200, { ...endpointObject(endpoint), secret: endpoint.secret });
  }

  #removeEndpoint(id: string): SimulatorReply {
    const at = this.endpoints.findIndex((endpoint) => endpoint.id === id);
    if (at < 0) return missing('webhook_endpoint', id);
    this.endpoints.splice(at, 1);
    return json(200, { id, object: 'webhook_endpoint', deleted: true });
  }

  payment = (tradeNo: string): StripePayment => paymentIn(this.payments, tradeNo);

  bySession = (id: string): StripePayment | undefined =>
    [...this.payments.values()].find(({ sessionNo }) => sessionNo === id);

  #byIntent = (id: string): StripePayment | undefined =>
    [...this.payments.values()].find(({ gatewayNo }) => id !== '' && gatewayNo === id);

  /** The payer confirmed: Stripe creates the payment intent. */
  confirm(payment: StripePayment): void {
    payment.gatewayNo ||= `pi_${random()}`;
  }

  session = (payment: StripePayment): StripeMembers =>
    sessionObject(payment, { live: this.#live, origin: this.origin });
}

const now = (): number => Math.floor(Date.now() / 1000);
const random = (): string => randomBytes(12).toString('hex');

export const json = (status: number, body: unknown): SimulatorReply => ({
  status,
  headers: { 'request-id': `req_${random()}` },
  body: JSON.stringify(body),
});

export const stripeError = (...[status, type, code, message]: [number, string, string, string]): SimulatorReply =>
  json(status, { error: { type, message, ...(code !== '' && { code }) } });

const missing = (object: string, id: string): SimulatorReply =>
  stripeError(404, 'invalid_request_error', 'resource_missing', `No such ${object}: '${id}'`);

/** A page of objects, newest first, after `starting_after`. */
function list(objects: StripeMembers[], params: FormMembers): SimulatorReply {
  const after = objects.findIndex(({ id }) => id === textOf(params['starting_after']));
  const limit = wholeOf(params['limit']) ?? 10;
  const data = objects.slice(after + 1, after + 1 + limit);
  return json(200, { object: 'list', data, has_more: after + 1 + limit < objects.length, url: '' });
}
