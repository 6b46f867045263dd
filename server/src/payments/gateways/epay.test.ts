import { afterEach, describe, expect, test } from 'vitest';
import { startEpay } from '#payment-simulator/epay.ts';
import { paymentContext, refOf, newPayment, receivedNotice } from '#testing/payment-context.ts';
import type { PaymentSimulator } from '#payment-simulator/simulator.ts';
import { signedEpay } from '#payments/epay/epay-calls.ts';
import type { GatewayNotice, GatewayResponse, NoticeRefused, StartedPayment } from '#payments/gateway.ts';
import { testKey } from '#payment-simulator/test-key.ts';
import { gateway } from './epay.ts';

const v1 = { pay_domain: 'https://pay.example', partner_id: '1001', key: 'testkey123', pay_type: 'alipay' };
const TRADE_NO = '20261123100000000001';
const addresses = { notifyUrl: 'https://hub.example/n' };
const order = newPayment({
  tradeNo: 'RH202611230001',
  minor: 1250,
  description: 'RH202611230001',
  returnUrl: 'https://hub.example/r',
});

const open: PaymentSimulator[] = [];
afterEach(async () => {
  for (const simulator of open.splice(0)) await simulator.close();
});
const simulated = async (options: Parameters<typeof startEpay>[0]) => {
  const simulator = await startEpay(options);
  open.push(simulator);
  return simulator;
};
const noticeOf = (query: string, body = '') => ({
  method: body === '' ? 'GET' : 'POST',
  query,
  headers: {},
  body: Buffer.from(body),
});
const refusalOf = (promise: Promise<GatewayNotice>) =>
  promise.then(
    () => 'accepted',
    (error: NoticeRefused) => error.check,
  );

/** Does what the browser does with a started payment, and returns the page that it arrives at. */
async function follow(started: StartedPayment): Promise<Response> {
  if (started.show === 'qr') return await fetch(started.url);
  const form = new URLSearchParams(started.params);
  if (started.method === 'POST') return await fetch(started.url, { method: 'POST', body: form });
  return await fetch(`${started.url}?${form.toString()}`);
}

describe('signatures', () => {
  test('a v1 form has the published signature, and the amount with two decimals', async () => {
    const started = await gateway.start(paymentContext(v1, addresses), order);
    expect(started).toMatchObject({
      show: 'form',
      url: 'https://pay.example/submit.php',
      method: 'POST',
      params: { money: '12.50', sign: '4fae756410ddbc68bbeda5c68ac4f371', sign_type: 'MD5' },
    });
  });

  const notice =
    'money=12.5&name=RH202611230001&out_trade_no=RH202611230001&pid=1001&trade_no=2026112310000000001' +
    '&trade_status=TRADE_SUCCESS&type=alipay&sign=d469deed46c9f21ad7ad8118163b9ded&sign_type=MD5';

  test.each([
    ['a query', noticeOf(notice)],
    ['a form', noticeOf('', notice)],
    [
      'an upper-case signature',
      noticeOf(notice.replace('d469deed46c9f21ad7ad8118163b9ded', (sign) => sign.toUpperCase())),
    ],
  ])('a v1 notification as %s is verified', async (_, raw) => {
    expect(await gateway.verify(paymentContext(v1), raw)).toStrictEqual({
      kind: 'payment',
      tradeNo: 'RH202611230001',
      gatewayNo: '2026112310000000001',
      minor: 1250,
      currency: 'CNY',
      paid: true,
      state: 'TRADE_SUCCESS',
    });
  });

  test.each([
    ['another amount', notice.replace('12.5', '12.50'), ''],
    ['another order', notice.replace('out_trade_no=RH202611230001', 'out_trade_no=RH202611230002'), ''],
    ['another state', notice.replace('TRADE_SUCCESS', 'TRADE_CLOSED'), ''],
    ['an added parameter', `${notice}&param=1`, ''],
    ['no signature', notice.replace(/&sign=.*/, ''), ''],
    ['a name in query and body', notice, 'out_trade_no=RH202611230002'],
    ['a repeated name', `${notice}&money=12.5`, ''],
    ['another signature type', notice.replace('MD5', 'RSA'), ''],
    ['an invented signature type', notice.replace('MD5', 'NONE'), ''],
    ['a body that is not a form', '', '{"pid":"1001"}'],
  ])('a notification with %s is refused', async (_, query, body) => {
    expect(await refusalOf(gateway.verify(paymentContext(v1), noticeOf(query, body)))).toBe('signature');
  });

  test('a v2 request has the published signature', () => {
    const config = { ...v1, protocol: 'v2', private_key: testKey };
    const parameters = {
      clientip: '203.0.113.9',
      method: 'web',
      money: '12.50',
      name: 'RH202611230001',
      notify_url: 'https://hub.example/n',
      out_trade_no: 'RH202611230001',
      pid: '1001',
      type: 'alipay',
    };
    expect(signedEpay(config, parameters, 1_795_446_000)['sign']).toBe(
      'k6R0hfIxPkJj43coNqskux4f03lLJPk2nyojqNVfZ7yVw4JKerOOL24lkTIqE1BDgUcDE1xr5KRdO3jtYhEosPEbTkeRCqs8OKJ2Bszkh285gFNv0aWHY1IuLWpk9pQwmZLYAw743V6OWXeTDnJtiqFiM6rMmtpxtquaBAqRLmE=',
    );
  });
});

describe('the configuration', () => {
  test.each([
    'https://pay.example/',
    'https://pay.example/submit.php',
    'https://pay.example/api.php?act=query',
    'https://pay.example/api/pay/create',
  ])('the address %s is reduced to its base', (pay_domain) => {
    expect(gateway.check({ ...v1, pay_domain })['pay_domain']).toBe('https://pay.example');
  });

  test.each([
    [{ pay_domain: 'pay.example' }, 'pay_domain', 'form'],
    [{ pay_domain: 'https://user:password@pay.example' }, 'pay_domain', 'form'],
    [{ partner_id: '10&01' }, 'partner_id', 'form'],
    [{ mode: 'api', pay_type: '' }, 'pay_type', 'missing'],
    [{ protocol: 'v3' }, 'protocol', 'choice'],
    [{ protocol: 'v2', private_key: testKey, platform_public_key: testKey }, 'platform_public_key', 'key'],
  ])('%j is refused', (change, field, problem) => {
    expect(() => gateway.check({ ...v1, ...change })).toThrow(expect.objectContaining({ field, problem }));
  });

  test('the merchant is shown masked', () => {
    expect(gateway.merchant(v1)).toBe('1••••1');
  });
});

const variants = (['v1', 'v2'] as const).flatMap((protocol) =>
  (['form', 'api'] as const).flatMap((mode) => [false, true].map((post) => ({ protocol, mode, post }))),
);

describe.each(variants)('with $protocol, $mode, POST notifications: $post', (options) => {
  test('a payment is started, paid, verified and queried', async () => {
    const simulator = await simulated({ ...options, ampKey: options.post });
    const context = paymentContext(gateway.check(simulator.config));
    const payment = newPayment({ tradeNo: TRADE_NO });
    const ref = refOf(payment);
    await gateway.test(context);
    expect(await gateway.query(context, ref)).toMatchObject({ state: 'missing' });

    const page = await follow(await gateway.start(context, payment));
    expect(await page.text()).toContain('73.05');
    expect(await gateway.query(context, ref)).toStrictEqual({ state: 'unpaid', detail: '0' });

    simulator.paySilently(payment.tradeNo);
    const notice = await gateway.verify(context, receivedNotice(simulator.notification(payment.tradeNo)));
    expect(notice).toMatchObject({ kind: 'payment', tradeNo: payment.tradeNo, minor: 7305, paid: true });
    expect(await gateway.query(context, ref)).toMatchObject({ state: 'paid', minor: 7305, paid: true });
    expect(await gateway.close(context, ref)).toBe(options.protocol === 'v2' ? 'paid' : 'open');
  });
});

test('phones get the link instead of the QR code', async () => {
  const simulator = await simulated({ mode: 'api' });
  const started = await gateway.start(
    paymentContext(simulator.config),
    newPayment({ tradeNo: TRADE_NO, device: 'mobile' }),
  );
  expect(started).toMatchObject({ show: 'form', method: 'GET', url: `${simulator.url}/cashier/${TRADE_NO}` });
});

test.each([
  ['a relative link', { payurl: '/pay/1?a=b' }, { show: 'form', url: 'https://pay.example/pay/1', params: { a: 'b' } }],
  ['a code as text', { code: '1', qrcode: 'weixin://pay?pr=1' }, { show: 'qr', url: 'weixin://pay?pr=1' }],
])('a reply of mapi.php with %s is understood', async (_, reply, started) => {
  const send = () =>
    Promise.resolve({ status: 200, headers: {}, body: Buffer.from(JSON.stringify({ code: 1, ...reply })) });
  expect(await gateway.start(paymentContext({ ...v1, mode: 'api' }, { send }), order)).toMatchObject(started);
});

test.each([
  ['an error', '{"code":-3,"msg":"wrong key testkey123"}', 'refused'],
  ['nothing to pay with', '{"code":1}', 'refused'],
  ['a web page', '<!DOCTYPE html><html>', 'unknown'],
  ['a broken reply', '{"code":1', 'unknown'],
])('a reply with %s is a failure without secrets', async (_, reply, outcome) => {
  const send = () => Promise.resolve({ status: 200, headers: {}, body: Buffer.from(reply) });
  const started = gateway.start(paymentContext({ ...v1, mode: 'api' }, { send }), order);
  await expect(started).rejects.toMatchObject({
    outcome,
    message: expect.not.stringContaining('testkey123') as string,
  });
});

test('the test reports a wrong key and a wrong address', async () => {
  const { config, url } = await simulated({});
  const wrongKey = paymentContext({ ...config, key: 'another-key-000000' });
  await expect(gateway.test(wrongKey)).rejects.toMatchObject({
    outcome: 'refused',
    message: expect.stringContaining('密钥错误') as string,
  });
  const wrongHost = paymentContext({ ...config, pay_domain: `${url}/panel` });
  await expect(gateway.test(wrongHost)).rejects.toThrow(/web page/);
});

test('v2 replies are believed only with the platform’s signature and the current time', async () => {
  const simulator = await simulated({ protocol: 'v2' });
  const other = await simulated({ protocol: 'v2' });
  const { platform_public_key = '' } = other.config;
  await expect(gateway.test(paymentContext({ ...simulator.config, platform_public_key }))).rejects.toThrow(/signature/);
  const context = paymentContext(simulator.config);
  let reply: GatewayResponse | undefined;
  await gateway.test({ ...context, send: async (request) => (reply = await context.send(request)) });
  const replay = { ...context, now: context.now + 302, send: () => Promise.resolve(reply!) }; // kept above
  await expect(gateway.test(replay)).rejects.toThrow(/clock/);
});

test('a valid v2 notification for another merchant of the platform is refused', async () => {
  const simulator = await simulated({ protocol: 'v2' });
  const context = paymentContext(simulator.config);
  await follow(await gateway.start(context, newPayment({ tradeNo: TRADE_NO })));
  const foreign = receivedNotice(simulator.notification(TRADE_NO, { pid: '1002' }));
  expect(await refusalOf(gateway.verify(context, foreign))).toBe('merchant');
});

test.each([
  ['no amount', { money: '' }, 'amount'],
  ['an amount with three decimals', { money: '73.051' }, 'amount'],
  ['a negative amount', { money: '-73.05' }, 'amount'],
  ['no order number', { out_trade_no: '' }, 'order'],
])('a signed notification with %s is refused', async (_, change, check) => {
  const simulator = await simulated({});
  const context = paymentContext(simulator.config);
  await follow(await gateway.start(context, newPayment({ tradeNo: TRADE_NO })));
  const raw = receivedNotice(simulator.notification(TRADE_NO, change));
  expect(await refusalOf(gateway.verify(context, raw))).toBe(check);
});

test('two gateways are verified each with its keys, at the same time', async () => {
  const config = { ...v1, key: 'another-key' };
  const { params } = (await gateway.start(paymentContext(config), order)) as StartedPayment & { show: 'form' };
  const notice = noticeOf(new URLSearchParams({ ...params, trade_no: '1' }).toString());
  expect(await refusalOf(gateway.verify(paymentContext(v1), notice))).toBe('signature');
});

test.each([
  ['a server error', { times: 1, status: 502 }],
  ['a connection that ends', { times: 1, hangUp: true }],
])('%s has an unknown result', async (_, api) => {
  const simulator = await simulated({ protocol: 'v2' });
  const context = paymentContext(simulator.config);
  const payment = newPayment({ tradeNo: TRADE_NO });
  await follow(await gateway.start(context, payment));
  simulator.paySilently(payment.tradeNo);
  const refund = { refundNo: 'R1', minor: 100, reason: 'test' };
  for (const act of [
    () => gateway.query(context, refOf(payment)),
    () => gateway.close(context, refOf(payment)),
    () => gateway.refund!(context, refOf(payment), refund), // epay has it
  ]) {
    simulator.faults.api = { ...api };
    await expect(act()).rejects.toMatchObject({ outcome: 'unknown' });
  }
});

describe('refunds', () => {
  test('only v2 offers them', () => {
    expect([gateway.refundsFor?.(v1), gateway.refundsFor?.({ ...v1, protocol: 'v2' })]).toStrictEqual(['none', 'part']);
  });

  test('a repeated refund refunds once, and a refused one is reported', async () => {
    const simulator = await simulated({ protocol: 'v2' });
    const context = paymentContext(simulator.config);
    const payment = newPayment({ tradeNo: TRADE_NO });
    const ref = refOf(payment);
    await follow(await gateway.start(context, payment));
    simulator.paySilently(payment.tradeNo);
    const refund = { refundNo: 'R1', minor: 305, reason: 'test' };
    const query = () => gateway.queryRefund!(context, ref, { ...refund, gatewayRefundNo: '' });

    expect(await query()).toMatchObject({ state: 'missing' });
    expect(await gateway.refund!(context, ref, refund)).toMatchObject({ state: 'processing', gatewayRefundNo: 'RR1' });
    expect(await query()).toMatchObject({ state: 'success' });
    await gateway.refund!(context, ref, refund);
    expect(simulator.payments.get(payment.tradeNo)?.refunds).toHaveLength(1);
    // The number was used with another sum: the refund that exists counts.
    expect(await gateway.refund!(context, ref, { ...refund, minor: 306 })).toMatchObject({ state: 'success' });
    expect(await gateway.query(context, ref)).toMatchObject({ state: 'paid', refundedMinor: 305 });

    simulator.faults.refunds = 'refused';
    expect(await gateway.refund!(context, ref, { ...refund, refundNo: 'R2' })).toMatchObject({ state: 'refused' });
  });
});

test.each(['v1', 'v2'] as const)('the statement of %s has all paid orders of the period', async (protocol) => {
  const simulator = await simulated({ protocol });
  const context = paymentContext(simulator.config);
  for (let i = 0; i < 60; i++) {
    await follow(await gateway.start(context, newPayment({ tradeNo: `202611231000000001${i}` })));
    if (i % 2 === 0) simulator.paySilently(`202611231000000001${i}`);
  }
  const rows = await gateway.fetchStatement!(context, { from: context.now - 60, to: context.now + 60 });
  expect(rows).toHaveLength(30);
  expect(rows[0]).toMatchObject({ kind: 'payment', tradeNo: '20261123100000000158', minor: 7305, state: '1' });
  expect(await gateway.fetchStatement!(context, { from: 1, to: 2 })).toStrictEqual([]);
});

test('a cashier that is cancelled or declines leaves the order open', async () => {
  const simulator = await simulated({});
  const context = paymentContext(simulator.config);
  const payment = newPayment({ tradeNo: TRADE_NO });
  const page = await follow(await gateway.start(context, payment));
  const press = (button: string) =>
    fetch(page.url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ do: button }) });
  expect((await press('decline')).status).toBe(402);
  expect((await press('cancel')).headers.get('location')).toBe(payment.returnUrl);
  expect(await gateway.query(context, refOf(payment))).toMatchObject({ state: 'unpaid' });
  expect((await press('pay')).headers.get('location')).toContain('trade_status=TRADE_SUCCESS');
  expect(await gateway.query(context, refOf(payment))).toMatchObject({ state: 'paid' });
});
