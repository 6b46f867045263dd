import { Stripe } from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startStripe, type StripeSimulator } from '#payment-simulator/stripe.ts';
import type { GatewayContext, PaymentRequest } from '#payments/gateway.ts';
import { newPayment, paymentContext, receivedNotice, refOf } from '#testing/payment-context.ts';
import { gateway } from './stripe.ts';

const notifyUrl = 'https://hub.example/api/payment/notify/1';

const problem = async (work: () => unknown): Promise<Record<string, unknown>> => {
  try {
    await work();
  } catch (error) {
    return { ...(error as object), message: (error as Error).message }; // own members of our error classes
  }
  throw new Error('it did not fail');
};

let simulator: StripeSimulator;
let context: GatewayContext;

beforeAll(async () => {
  simulator = await startStripe({ notifyUrl });
  context = paymentContext(gateway.check(simulator.config), { currency: 'USD', notifyUrl });
});
afterAll(() => simulator.close());

const usd = (more: Partial<PaymentRequest> = {}) => newPayment({ currency: 'USD', ...more });

async function started(more: Partial<PaymentRequest> = {}) {
  const payment = usd(more);
  const page = await gateway.start(context, payment);
  return { payment, page, ref: refOf(payment, { sessionNo: page.sessionNo! }) };
}

async function paid(more: Partial<PaymentRequest> = {}) {
  const order = await started(more);
  simulator.paySilently(order.payment.tradeNo);
  const { gatewayNo } = simulator.payments.get(order.payment.tradeNo)!;
  return { ...order, gatewayNo, ref: { ...order.ref, gatewayNo } };
}

const verify = (sent: { url: string; init: RequestInit }, more: Partial<GatewayContext> = {}) =>
  gateway.verify({ ...context, ...more }, receivedNotice(sent));

describe('Stripe configuration', () => {
  test.each<[string, Record<string, string>, string, string]>([
    ['a publishable key', { secret_key: 'pk_test_0123456789' }, 'secret_key', 'key'],
    ['another key', { secret_key: 'sk-0123456789' }, 'secret_key', 'key'],
    ['no key', { secret_key: ' ' }, 'secret_key', 'missing'],
    ['a webhook secret of another form', { webhook_secret: 'we_1' }, 'webhook_secret', 'form'],
    ['plain http', { api_base: 'http://stripe.example' }, 'api_base', 'form'],
  ])('%s is refused by field', async (_what, change, field, kind) => {
    const refused = await problem(() => gateway.check({ secret_key: 'sk_test_1', ...change }));
    expect(refused).toMatchObject({ field, problem: kind });
  });

  test('restricted keys and an empty webhook secret are accepted', () => {
    const checked = gateway.check({ secret_key: ' rk_live_0123456789abcdef ' });
    expect(checked).toEqual({
      secret_key: 'rk_live_0123456789abcdef',
      webhook_secret: '',
      old_webhook_secret: '',
      api_base: 'https://api.stripe.com',
    });
    expect(gateway.merchant(checked)).toBe('rk_live_••••cdef');
  });
});

describe('Stripe payments', () => {
  test('a payment is started, paid, notified and queried with its exact amount in cents', async () => {
    for (const minor of [110, 1999, 435]) {
      const { payment, page, ref } = await started({ minor });
      expect(page).toMatchObject({
        show: 'form',
        method: 'GET',
        url: expect.stringContaining(`${simulator.url}/c/pay/cs_test_`),
        sessionNo: expect.stringMatching(/^cs_test_/),
        expiresAt: payment.expiresAt,
      });
      expect(await gateway.query(context, ref)).toEqual({ state: 'unpaid', detail: 'open' });
      simulator.paySilently(payment.tradeNo);
      const report = {
        tradeNo: payment.tradeNo,
        gatewayNo: expect.stringMatching(/^pi_/),
        minor,
        currency: 'USD',
        paid: true,
        state: 'paid',
      };
      expect(await verify(simulator.notification(payment.tradeNo))).toEqual({ kind: 'payment', ...report });
      expect(await gateway.query(context, ref)).toEqual(report);
      expect(await gateway.close(context, ref)).toBe('paid');
    }
  });

  test('a session refers to the order in its metadata and in that of its payment', async () => {
    const { payment } = await started({ email: 'not an address', returnUrl: 'https://hub.example/panel' });
    expect(simulator.payments.get(payment.tradeNo)).toMatchObject({
      metadata: { trade_no: payment.tradeNo },
      intentMetadata: { trade_no: payment.tradeNo },
      cancelUrl: 'https://hub.example/panel?cancelled=1',
      name: payment.description,
    });
  });

  test.each([
    ['earlier than Stripe accepts', 60, 31 * 60],
    ['later than Stripe accepts', 7 * 86_400, 86_400 - 60],
  ])('an end %s is moved and reported', async (_what, wanted, real) => {
    const { page } = await started({ expiresAt: context.now + wanted });
    expect(page.expiresAt).toBe(context.now + real);
  });

  test('a repeated start returns the same session, and other data under the same number is unknown', async () => {
    const { payment, page } = await started();
    expect(await gateway.start(context, payment)).toEqual(page);
    const other = await problem(() => gateway.start(context, { ...payment, minor: 1 }));
    expect(other).toMatchObject({ outcome: 'unknown' });
  });

  test('an open session is closed, and closing again succeeds', async () => {
    const { ref } = await started();
    expect(await gateway.close(context, ref)).toBe('closed');
    expect(await gateway.query(context, ref)).toEqual({ state: 'ended', detail: 'expired' });
    expect(await gateway.close(context, ref)).toBe('closed');
    const unknown = { ...ref, sessionNo: 'cs_test_none' };
    expect(await gateway.query(context, unknown)).toMatchObject({ state: 'missing' });
    expect(await gateway.close(context, unknown)).toBe('closed');
    expect(await gateway.query(context, { ...ref, sessionNo: '' })).toMatchObject({ state: 'missing' });
    expect(await problem(() => gateway.query(context, { ...ref, tradeNo: 'other' }))).toMatchObject({ code: 'order' });
  });

  test.each([
    [true, 'paid'],
    [false, 'ended'],
  ] as const)('a delayed payment is not paid before its method succeeds: %s', async (succeeds, state) => {
    const { payment, ref } = await started();
    simulator.payments.get(payment.tradeNo)!.gatewayNo = `pi_${payment.tradeNo}`;
    simulator.payments.get(payment.tradeNo)!.delayed = 'processing';
    const completed = await verify(simulator.notification(payment.tradeNo));
    expect(completed).toMatchObject({ kind: 'payment', paid: false, state: 'unpaid', tradeNo: payment.tradeNo });
    expect(await gateway.query(context, ref)).toEqual({ state: 'processing', detail: 'processing' });
    expect(await gateway.close(context, ref)).toBe('open');

    simulator.payments.get(payment.tradeNo)!.delayed = succeeds ? 'no' : 'failed';
    if (succeeds) simulator.paySilently(payment.tradeNo);
    const type = `checkout.session.async_payment_${succeeds ? 'succeeded' : 'failed'}`;
    const ended = await verify(simulator.signedEvent(type, simulator.session(payment.tradeNo)));
    expect(ended).toMatchObject(
      succeeds
        ? { kind: 'payment', paid: true }
        : { kind: 'ended', state: 'async_payment_failed', tradeNo: payment.tradeNo },
    );
    expect(await gateway.query(context, ref)).toMatchObject(state === 'paid' ? { paid: true } : { state });
  });

  test('lost replies and server errors are unknown, refusals are not, and no error contains the key', async () => {
    const payment = usd();
    simulator.faults = { api: { times: 1, hangUp: true } };
    expect(await problem(() => gateway.start(context, payment))).toMatchObject({ outcome: 'unknown' });
    expect((await gateway.start(context, payment)).sessionNo).toBe(simulator.payments.get(payment.tradeNo)!.sessionNo);
    for (const status of [409, 500, 503]) {
      simulator.faults = { api: { times: 1, status } };
      expect(await problem(() => gateway.start(context, usd()))).toMatchObject({ outcome: 'unknown' });
    }
    expect(await problem(() => gateway.start(context, usd({ minor: 1 })))).toMatchObject({
      outcome: 'refused',
      code: 'amount_too_small',
    });
    const wrong = { ...context, config: { ...context.config, secret_key: 'sk_test_wrong0123456789' } };
    const refused = await problem(() => gateway.start(wrong, usd()));
    expect(refused).toMatchObject({ outcome: 'refused' });
    expect(refused['message']).not.toContain('wrong0123456789');
    const empty = { ...context, config: {} };
    expect(await problem(() => gateway.start(empty, usd()))).toMatchObject({ outcome: 'refused' });
  });
});

describe('Stripe refunds', () => {
  test('a repeated refund number refunds once, also after Stripe has forgotten the idempotency key', async () => {
    const { payment, ref } = await paid();
    const refund = { refundNo: `R${payment.tradeNo}`, minor: 305, reason: 'wrong amount' };
    expect(await gateway.queryRefund!(context, ref, { ...refund, gatewayRefundNo: '' })).toMatchObject({
      state: 'missing',
    });
    simulator.faults = { api: { times: 1, status: 500 } };
    expect(await problem(() => gateway.refund!(context, ref, refund))).toMatchObject({ outcome: 'unknown' });
    const first = await gateway.refund!(context, { ...ref, gatewayNo: '' }, refund);
    expect(first).toMatchObject({ state: 'success', gatewayRefundNo: expect.stringMatching(/^re_/) });
    expect(await gateway.refund!(context, ref, refund)).toEqual(first);
    const { refunds } = simulator.payments.get(payment.tradeNo)!;
    expect(refunds).toHaveLength(1);
    expect(refunds[0]).toMatchObject({ metadata: { trade_no: payment.tradeNo, refund_no: refund.refundNo } });
    expect(await gateway.queryRefund!(context, ref, { ...refund, gatewayRefundNo: '' })).toEqual(first);
    const byNo = { ...refund, gatewayRefundNo: first.gatewayRefundNo };
    expect(await gateway.queryRefund!(context, ref, byNo)).toEqual(first);
    expect(await gateway.query(context, ref)).toMatchObject({ state: 'paid', paid: true, refundedMinor: 305 });
  });

  test('refused refunds are refused, and failed ones are reported', async () => {
    const { payment, ref } = await paid();
    const refund = { refundNo: `R${payment.tradeNo}`, minor: payment.minor + 1, reason: '' };
    expect(await problem(() => gateway.refund!(context, ref, refund))).toMatchObject({ outcome: 'refused' });
    simulator.faults = { refunds: 'refused' };
    const disputed = await problem(() => gateway.refund!(context, ref, { ...refund, refundNo: 'R2', minor: 1 }));
    expect(disputed).toMatchObject({ outcome: 'refused', code: 'charge_disputed' });
    simulator.faults = { refunds: 'processing' };
    const kept = { refundNo: `K${payment.tradeNo}`, minor: 100, reason: '' };
    expect(await gateway.refund!(context, ref, kept)).toMatchObject({ state: 'processing', detail: 'pending' });
    simulator.faults = {};
    simulator.payments.get(payment.tradeNo)!.refunds[0]!.state = 'refused';
    expect(await gateway.queryRefund!(context, ref, { ...kept, gatewayRefundNo: '' })).toMatchObject({
      state: 'refused',
      detail: 'failed: expired_or_canceled_card',
    });
  });
});

describe('Stripe notifications', () => {
  test('the signature of the published example is accepted, and its body names no account mode', async () => {
    const secret = 'whsec_dummy0000000000000000000000';
    const timestamp = 1795446000;
    const body = '{"id":"evt_1","object":"event","type":"checkout.session.completed"}';
    const signature = 't=1795446000,v1=6d6d8e665b3473a536a10ad2f3982f923ad95fdf5eaef3766a95194f8a276d4b';
    expect(Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp })).toBe(signature);
    const example = { ...context, now: timestamp, config: { ...context.config, webhook_secret: secret } };
    const sent = (text: string) =>
      gateway.verify(
        example,
        receivedNotice({ url: notifyUrl, init: { headers: { 'stripe-signature': signature }, body: text } }),
      );
    expect(await problem(() => sent(body))).toMatchObject({ check: 'merchant' });
    expect(await problem(() => sent(`${body} `))).toMatchObject({ check: 'signature' });
  });

  test.each<[string, (sent: { body: string; signature: string }) => { body: string; signature: string }, number?]>([
    ['a changed body', ({ body, signature }) => ({ body: body.replace('7305', '9305'), signature })],
    ['a changed time', ({ body, signature }) => ({ body, signature: signature.replace(/t=\d+/, 't=1') })],
    ['another signature', ({ body }) => ({ body, signature: `t=${Math.floor(Date.now() / 1000)},v1=00` })],
    ['no signature', ({ body }) => ({ body, signature: '' })],
    ['an empty body', ({ signature }) => ({ body: '', signature })],
    ['an old notification', (sent) => sent, 330],
    ['a notification from the future', (sent) => sent, -330],
  ])('%s is refused', async (_what, change, age = 0) => {
    const { payment } = await paid();
    const { url, init } = simulator.notification(payment.tradeNo);
    const headers = init.headers as Record<string, string>;
    const { body, signature } = change({ body: init.body as string, signature: headers['stripe-signature']! });
    const altered = { url, init: { method: 'POST', headers: { 'stripe-signature': signature }, body } };
    const at = { now: context.now + age };
    expect(await problem(() => verify(altered, at))).toMatchObject({ check: 'signature' });
  });

  test('an empty secret never verifies, and the former secret is accepted next to the current one', async () => {
    const { payment } = await paid();
    const secret = context.config['webhook_secret']!;
    const withSecrets = (current: string, old: string) => ({
      config: { ...context.config, webhook_secret: current, old_webhook_secret: old },
    });
    const sent = simulator.notification(payment.tradeNo);
    const empty = await problem(() => verify(sent, withSecrets('', '')));
    expect(empty).toMatchObject({ check: 'signature', message: 'the webhook secret is empty' });
    expect(await verify(sent, withSecrets('whsec_new', secret))).toMatchObject({ paid: true });
    const other = await problem(() => verify(sent, withSecrets('whsec_new', 'whsec_old')));
    expect(other).toMatchObject({ check: 'signature' });
  });

  test('an event of the other mode is refused', async () => {
    const { payment } = await paid();
    const live = simulator.notification(payment.tradeNo, { 'event.livemode': 1 });
    expect(await problem(() => verify(live))).toMatchObject({ check: 'merchant' });
    const liveKey = { config: { ...context.config, secret_key: 'sk_live_1' } };
    expect(await problem(() => verify(simulator.notification(payment.tradeNo), liveKey))).toMatchObject({
      check: 'merchant',
    });
  });

  test('reported sum, currency and payment status are passed on unchanged', async () => {
    const { payment } = await paid();
    const changed = (change: Record<string, string | number>) =>
      verify(simulator.notification(payment.tradeNo, change));
    expect(await changed({ amount_total: 1 })).toMatchObject({ minor: 1, paid: true });
    expect(await changed({ currency: 'jpy' })).toMatchObject({ currency: 'JPY' });
    expect(await changed({ payment_status: 'no_payment_required' })).toMatchObject({ paid: false });
    expect(await changed({ mode: 'subscription' })).toMatchObject({ kind: 'other' });
    expect(await changed({ client_reference_id: '', 'metadata.trade_no': '' })).toMatchObject({ kind: 'other' });
  });

  test('refunds are reported with our number, or with the newest refund of the charge', async () => {
    const { payment, ref, gatewayNo } = await paid();
    const refundNo = `R${payment.tradeNo}`;
    await gateway.refund!(context, ref, { refundNo, minor: 305, reason: '' });
    const [kept] = simulator.payments.get(payment.tradeNo)!.refunds;
    const object = { id: kept!.gatewayRefundNo, amount: 305, payment_intent: gatewayNo, metadata: kept!.metadata };
    const notice = {
      kind: 'refund',
      refundNo,
      tradeNo: payment.tradeNo,
      gatewayNo,
      minor: 305,
      gatewayRefundNo: kept!.gatewayRefundNo,
    };
    for (const [type, status, state] of [
      ['refund.created', 'pending', 'processing'],
      ['refund.updated', 'succeeded', 'success'],
      ['charge.refund.updated', 'requires_action', 'processing'],
      ['refund.failed', 'failed', 'refused'],
    ] as const) {
      expect(await verify(simulator.signedEvent(type, { ...object, status }))).toMatchObject({ ...notice, state });
    }
    const inDashboard = { ...object, metadata: {}, status: 'succeeded' };
    expect(await verify(simulator.signedEvent('refund.created', inDashboard))).toMatchObject({
      refundNo: '',
      tradeNo: '',
      gatewayNo,
    });
    const charge = simulator.charge(payment.tradeNo);
    expect(await verify(simulator.signedEvent('charge.refunded', charge))).toMatchObject({
      ...notice,
      state: 'success',
    });
    expect(await verify(simulator.signedEvent('charge.refunded', { ...charge, id: 'ch_none' }))).toMatchObject({
      kind: 'other',
    });
  });

  test.each([
    ['needs_response', 0, 'open'],
    ['warning_under_review', 0, 'open'],
    ['appeal_under_review', -7305, 'open'],
    ['won', 0, 'won'],
    ['warning_closed', 0, 'won'],
    ['lost', -7305, 'lost'],
    ['prevented', -7305, 'lost'],
    ['prevented', 0, 'won'],
  ])('a dispute %s with %i moved is %s', async (status, moved, state) => {
    const { gatewayNo, payment } = await paid();
    const dispute = {
      id: 'dp_1',
      amount: 7305,
      currency: 'usd',
      charge: 'ch_1',
      payment_intent: gatewayNo,
      reason: 'fraudulent',
      status,
      evidence_details: { due_by: 1795446000 },
      balance_transactions: moved === 0 ? [] : [{ amount: moved }],
    };
    const notice = {
      kind: 'dispute',
      disputeNo: 'dp_1',
      gatewayNo,
      minor: 7305,
      currency: 'USD',
      reason: 'fraudulent',
      dueAt: 1795446000,
    };
    for (const type of ['created', 'updated', 'closed', 'funds_withdrawn', 'funds_reinstated']) {
      const sent = simulator.signedEvent(`charge.dispute.${type}`, dispute);
      expect(await verify(sent)).toEqual({ ...notice, state, tradeNo: '' });
    }
    const expanded = { ...dispute, charge: simulator.charge(payment.tradeNo) };
    expect(await verify(simulator.signedEvent('charge.dispute.created', expanded))).toMatchObject({
      tradeNo: payment.tradeNo,
    });
  });

  test.each([
    'payment_intent.succeeded',
    'charge.succeeded',
    'customer.created',
    'invoice.paid',
    'payout.paid',
    'radar.early_fraud_warning.created',
    'v2.core.event',
    'constructor',
    '',
  ])('the event type "%s" is of no interest', async (type) => {
    expect(await verify(simulator.signedEvent(type, {}))).toEqual({ kind: 'other', state: type });
  });

  const session = { id: 'cs_1', mode: 'payment', client_reference_id: '1', metadata: { trade_no: '1' } };
  const refund = { id: 're_1', amount: 5, payment_intent: 'pi_1', metadata: {}, status: 'succeeded' };
  const dispute = {
    id: 'dp_1',
    amount: 5,
    currency: 'usd',
    payment_intent: 'pi_1',
    reason: 'fraudulent',
    status: 'lost',
    balance_transactions: [],
  };
  test.each<[string, unknown]>([
    ['checkout.session.completed', null],
    ['checkout.session.completed', 'cs_1'],
    ['checkout.session.completed', []],
    ['checkout.session.completed', { ...session, payment_status: 'paid', currency: 5 }],
    ['checkout.session.completed', { ...session, payment_status: 'paid', metadata: { trade_no: { a: 1 } } }],
    ['checkout.session.completed', { ...session, payment_status: 'paid', payment_intent: 7 }],
    ['checkout.session.completed', { ...session, payment_status: null }],
    ['checkout.session.expired', { ...session, payment_status: 'unpaid', client_reference_id: 5 }],
    ['refund.created', null],
    ['refund.created', { ...refund, amount: '5' }],
    ['refund.created', { ...refund, amount: 5.5 }],
    ['refund.created', { ...refund, amount: -5 }],
    ['refund.updated', { ...refund, id: null }],
    ['refund.failed', { ...refund, status: {} }],
    ['charge.refunded', null],
    ['charge.refunded', { id: {} }],
    ['charge.dispute.created', null],
    ['charge.dispute.created', { ...dispute, currency: undefined }],
    ['charge.dispute.created', { ...dispute, amount: 1e300 }],
    ['charge.dispute.created', { ...dispute, balance_transactions: 'none' }],
    ['charge.dispute.updated', { ...dispute, evidence_details: { due_by: 'soon' } }],
  ])('a signed event %s about %j is refused', async (type, object) => {
    const sent = simulator.signedEvent(type, object as Parameters<StripeSimulator['signedEvent']>[1]); // on purpose
    expect(await problem(() => verify(sent))).toMatchObject({ check: 'order' });
  });

  test.each(['null', '5', '[]', '"text"', '{}', '{"type":5}', '{"type":"refund.created"}', '{"type":"x","data":null}'])(
    'a signed body %s is refused',
    async (payload) => {
      const secret = context.config['webhook_secret']!;
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
      const init = { method: 'POST', headers: { 'stripe-signature': signature }, body: payload };
      expect(await problem(() => verify({ url: notifyUrl, init }))).toHaveProperty('check');
    },
  );

  test('an expired session ends the payment', async () => {
    const { payment } = await started();
    const sent = simulator.signedEvent('checkout.session.expired', simulator.session(payment.tradeNo));
    expect(await verify(sent)).toEqual({ kind: 'ended', tradeNo: payment.tradeNo, state: 'expired' });
  });
});

describe('The webhook endpoint at Stripe', () => {
  test('is created with a pinned version, replaces our former one and keeps those of the operator', async () => {
    const other = await startStripe({ notifyUrl });
    const config = gateway.check({ ...other.config, webhook_secret: '' });
    const fresh = paymentContext(config, { notifyUrl });
    await expect(gateway.test(fresh)).rejects.toThrow('webhook secret is empty');
    const first = await gateway.prepare!(fresh);
    const second = await gateway.prepare!(fresh);
    expect(second['webhook_secret']).toMatch(/^whsec_/);
    expect(second).not.toEqual(first);
    expect(other.endpoints).toMatchObject([
      { id: 'we_dashboard' },
      { url: notifyUrl, secret: second['webhook_secret'], apiVersion: '2026-10-28.endive' },
    ]);
    await gateway.test({ ...fresh, config: { ...config, ...second } });
    await other.close();
  });

  test('is not created without the right, and the message names it', async () => {
    simulator.denied = ['/v1/webhook_endpoints'];
    const refused = await problem(() => gateway.prepare!(context));
    expect(refused).toMatchObject({ outcome: 'refused', message: expect.stringContaining('required permissions') });
    simulator.denied = ['/v1/refunds'];
    await expect(gateway.test(context)).rejects.toThrow('required permissions');
    simulator.denied = [];
    await gateway.test(context);
  });
});

describe('Stripe statements', () => {
  test('balance movements have the sums of the charges, page by page', async () => {
    const other = await startStripe({ notifyUrl });
    const own = paymentContext(gateway.check(other.config), { currency: 'USD', notifyUrl });
    const orders: PaymentRequest[] = [];
    for (let each = 0; each < 40; each++) {
      const payment = usd({ minor: 1000 + each });
      await gateway.start(own, payment);
      other.paySilently(payment.tradeNo);
      orders.push(payment);
    }
    const { gatewayNo } = other.payments.get(orders[0]!.tradeNo)!;
    await gateway.refund!(own, refOf(orders[0]!, { gatewayNo }), { refundNo: 'R1', minor: 7, reason: '' });
    const rows = await gateway.fetchStatement!(own, { from: own.now - 60, to: own.now + 600 });
    expect(rows).toHaveLength(41);
    expect(rows[0]).toMatchObject({
      kind: 'payment',
      tradeNo: orders[0]!.tradeNo,
      gatewayNo,
      minor: 1000,
      state: 'succeeded',
    });
    expect(rows[1]).toMatchObject({ kind: 'refund', tradeNo: orders[0]!.tradeNo, gatewayNo, minor: 7 });
    expect(await gateway.fetchStatement!(own, { from: 1, to: 2 })).toEqual([]);
    await other.close();
  });

  test('a balance report is read, bad rows are reported by line, and other files are refused', () => {
    const head =
      'balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,description,customer_facing_amount,payment_intent_id,payment_metadata[trade_no],refund_metadata[refund_no]';
    const lines = [
      'txn_1,2026-11-23 00:00:00,eur,11.07,0.30,10.77,charge,"a, ""b""\nc",12.30,pi_1,RH1,',
      'txn_2,2026-11-23 00:00:01,usd,-0.29,0,-0.29,refund,,,pi_1,RH1,R1',
      'txn_3,2026-11-23 00:00:02,usd,-100,0,-100,payout,,,,,',
      'txn_4,2026-11-23 00:00:03,usd,1.234,0,1,charge,,,pi_2,RH2,',
      'txn_5,2026-11-23 00:00:03,usd,1.23,0,1,charge,,,,,',
    ];
    expect(gateway.readStatement!(`\uFEFF${[head, ...lines].join('\r\n')}\r\n`)).toEqual({
      rows: [
        { line: 2, kind: 'payment', tradeNo: 'RH1', gatewayNo: 'pi_1', minor: 1230, state: 'charge', at: 1795392000 },
        { line: 4, kind: 'refund', tradeNo: 'RH1', gatewayNo: 'pi_1', minor: 29, state: 'refund', at: 1795392001 },
      ],
      unreadable: [
        { line: 6, problem: 'the sum is not an amount with two decimals' },
        { line: 7, problem: 'neither order number nor payment' },
      ],
    });
    expect(() => gateway.readStatement!('a,b\n1,2')).toThrow('not a balance report of Stripe');
  });
});
