import { createPublicKey } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { startAlipay } from '#payment-simulator/alipay.ts';
import { paymentContext, refOf, newPayment, receivedNotice } from '#testing/payment-context.ts';
import type { PaymentSimulator } from '#payment-simulator/simulator.ts';
import { testKey } from '#payment-simulator/test-key.ts';
import type { GatewayNotice, NoticeRefused, StartedPayment } from '#payments/gateway.ts';
import { rsaPrivateKey } from '#payments/rsa-keys.ts';
import { gateway } from './alipay.ts';

const open: PaymentSimulator[] = [];
afterEach(async () => {
  for (const simulator of open.splice(0)) await simulator.close();
});
const simulated = async (options: Parameters<typeof startAlipay>[0] = {}) => {
  const simulator = await startAlipay(options);
  open.push(simulator);
  return { simulator, context: paymentContext(gateway.check(simulator.config)) };
};
const refusalOf = (promise: Promise<GatewayNotice>) =>
  promise.then(
    () => 'accepted',
    (error: NoticeRefused) => error.check,
  );
const follow = (started: StartedPayment) =>
  fetch(started.show === 'qr' ? started.url : `${started.url}?${new URLSearchParams(started.params).toString()}`);

const payment = newPayment();
const ref = refOf(payment);
const { tradeNo } = payment;

/** A simulated order that was paid; its notification did not arrive. */
async function paidOrder() {
  const { simulator, context } = await simulated();
  await gateway.start(context, payment);
  simulator.paySilently(tradeNo);
  const verify = async (change: Record<string, string>) =>
    await gateway.verify(context, receivedNotice(simulator.notification(tradeNo, change)));
  return { simulator, context, verify };
}

describe('the published notification', () => {
  const config = {
    app_id: '2021000000000001',
    public_key: createPublicKey(rsaPrivateKey(testKey)).export({ format: 'pem', type: 'pkcs1' }),
  };
  const parameters = {
    app_id: '2021000000000001',
    notify_time: '2026-11-23 18:00:00',
    out_trade_no: 'RH202611230001',
    total_amount: '73.05',
    trade_no: '2026112322001400000000000001',
    trade_status: 'TRADE_SUCCESS',
    sign_type: 'RSA2',
    sign: 'MoAZhmqlqA+kBcqYV90JrapXvgrisDv1WsG3PdMAmgmyHGPVmR2yV4cvrkoy4xKRQftuxdWmESJSCPCNZFssMLsfAuED+xEb14EoG08NU3f48Uet1ztetGFJbGalLmbA25KDUm2bWu/rktxd++Rxa21u62ZaynwK3kTm7Z3nBOM=',
  };
  const sentAt = Date.parse('2026-11-23T18:00:00+08:00') / 1000;
  const verify = (form: string, more = {}, now = sentAt) =>
    gateway.verify(paymentContext({ ...config, ...more }, { now }), {
      method: 'POST',
      query: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: Buffer.from(form),
    });
  const form = new URLSearchParams(parameters).toString();

  test('is verified', async () => {
    expect(await verify(form)).toStrictEqual({
      kind: 'payment',
      tradeNo: 'RH202611230001',
      gatewayNo: '2026112322001400000000000001',
      minor: 7305,
      currency: 'CNY',
      paid: true,
      state: 'TRADE_SUCCESS',
    });
  });

  test.each(Object.keys(parameters))('is refused if %s is altered or missing', async (name) => {
    const altered = new URLSearchParams({ ...parameters, [name]: '1' });
    const lacking = new URLSearchParams(Object.entries(parameters).filter(([each]) => each !== name));
    expect(await refusalOf(verify(altered.toString()))).toBe('signature');
    expect(await refusalOf(verify(lacking.toString()))).toBe('signature');
  });

  test.each([
    ['5 minutes before', -300, 'accepted'],
    ['longer before', -301, 'signature'],
    ['2 days after', 172_800, 'accepted'],
    ['longer after', 172_801, 'signature'],
  ])('that arrives %s it was sent: %i s, %s', async (_, later, outcome) => {
    expect(await refusalOf(verify(form, {}, sentAt + later))).toBe(outcome);
  });

  test('is refused with a repeated name, a weak signature type, for another app, and without a usable key', async () => {
    expect(await refusalOf(verify(`${form}&trade_status=TRADE_SUCCESS`))).toBe('signature');
    expect(await refusalOf(verify(form.replace('RSA2', 'RSA')))).toBe('signature');
    expect(await refusalOf(verify(form, { app_id: '2021000000000002' }))).toBe('merchant');
    expect(await refusalOf(verify(form, { seller_id: '2088000000000009' }))).toBe('merchant');
    expect(await refusalOf(verify(form, { public_key: 'not a key' }))).toBe('signature');
  });
});

test.each([
  ['facepay', 'qr'],
  ['pagepay', 'form'],
  ['wappay', 'form'],
] as const)('%s: a payment is started, paid, verified and queried', async (payType, show) => {
  const { simulator, context } = await simulated({ payType });
  await gateway.test(context);
  const started = await gateway.start(context, { ...payment, description: 'Hub / 10 = 10 & more 充值' });
  expect(started).toMatchObject(show === 'qr' ? { show } : { show, method: 'GET', url: `${simulator.url}/gateway.do` });
  if (show === 'qr') {
    expect(await gateway.query(context, ref)).toMatchObject({ state: 'missing' });
    expect(await gateway.close(context, ref)).toBe('open');
  }

  const page = await follow(started);
  expect(await page.text()).toContain('73.05');
  expect(await gateway.query(context, ref)).toStrictEqual({ state: 'unpaid', detail: 'WAIT_BUYER_PAY' });
  simulator.paySilently(tradeNo);
  const notice = await gateway.verify(context, receivedNotice(simulator.notification(tradeNo)));
  expect(notice).toMatchObject({ kind: 'payment', tradeNo, minor: 7305, paid: true });
  expect(await gateway.query(context, ref)).toMatchObject({ state: 'paid', minor: 7305, currency: 'CNY' });
  expect(await gateway.close(context, ref)).toBe('paid');
});

test('an order that was opened and not paid is closed', async () => {
  const { context } = await simulated();
  await follow(await gateway.start(context, payment));
  expect(await gateway.close(context, ref)).toBe('closed');
  expect(await gateway.query(context, ref)).toStrictEqual({ state: 'ended', detail: 'TRADE_CLOSED' });
  expect(await gateway.close(context, ref)).toBe('closed');
});

test.each([
  [{ trade_status: 'TRADE_FINISHED' }, { kind: 'payment', paid: true }],
  [{ trade_status: 'WAIT_BUYER_PAY' }, { kind: 'payment', paid: false }],
  [{ trade_status: 'TRADE_CLOSED' }, { kind: 'ended', tradeNo }],
  [
    { refund_fee: '3.05', out_biz_no: 'R1' },
    { kind: 'refund', refundNo: 'R1', minor: 305, cumulative: true },
  ],
  [
    { trade_status: 'TRADE_CLOSED', refund_fee: '73.05' },
    { kind: 'refund', minor: 7305 },
  ],
  [{ gmt_refund: '2026-11-23 22:00:00.123' }, { kind: 'refund' }],
  [{ trade_status: '', notify_type: 'open_app_auth_notify' }, { kind: 'other' }],
])('a notification with %j is classified', async (change, expected) => {
  const { verify } = await paidOrder();
  expect(await verify(change)).toMatchObject(expected);
});

test.each([
  [{ app_id: '2021000000000002' }, 'merchant'],
  [{ seller_id: '2088000000000009' }, 'merchant'],
  [{ total_amount: '73.051' }, 'amount'],
  [{ total_amount: '' }, 'amount'],
  [{ trade_no: '' }, 'order'],
])('a signed notification with %j is refused', async (change, check) => {
  const { verify } = await paidOrder();
  expect(await refusalOf(verify(change))).toBe(check);
});

test('each amount is sent in exact decimals', async () => {
  const { simulator, context } = await simulated();
  for (const minor of [1, 1005, 1999, 6767, 73_000_000_01]) {
    await gateway.start(context, { ...payment, tradeNo: `T${minor}`, minor });
    expect(simulator.payments.get(`T${minor}`)?.minor).toBe(minor);
  }
});

describe('refunds', () => {
  const refund = { refundNo: 'R1', minor: 305, reason: 'test' };
  const query = { ...refund, gatewayRefundNo: '' };

  test('a repeated refund refunds once, and the whole order can be refunded in parts', async () => {
    const { simulator, context } = await paidOrder();
    expect(await gateway.queryRefund!(context, ref, query)).toMatchObject({ state: 'missing' });
    for (let i = 0; i < 2; i++) expect(await gateway.refund!(context, ref, refund)).toMatchObject({ state: 'success' });
    expect(await gateway.queryRefund!(context, ref, query)).toMatchObject({ state: 'success' });
    expect(await gateway.query(context, ref)).toMatchObject({ state: 'paid' });
    const rest = { ...refund, refundNo: 'R2', minor: 7000 };
    for (let i = 0; i < 2; i++) expect(await gateway.refund!(context, ref, rest)).toMatchObject({ state: 'success' });
    expect(simulator.payments.get(tradeNo)?.refunds.map(({ minor }) => minor)).toStrictEqual([305, 7000]);
    expect(await gateway.refund!(context, ref, { ...refund, refundNo: 'R3' })).toMatchObject({ state: 'refused' });
  });

  test('a refund without changed funds is in progress until it is queried as done', async () => {
    const { simulator, context } = await paidOrder();
    simulator.faults.refunds = 'processing';
    expect(await gateway.refund!(context, ref, refund)).toMatchObject({ state: 'processing' });
    await simulator.endRefund('R1', 'success');
    expect(await gateway.queryRefund!(context, ref, query)).toMatchObject({ state: 'success' });
  });

  test('a refused refund has the code of Alipay', async () => {
    const { simulator, context } = await paidOrder();
    simulator.faults.refunds = 'refused';
    const report = await gateway.refund!(context, ref, refund);
    expect(report).toMatchObject({ state: 'refused', detail: expect.stringContaining('BALANCE_NOT_ENOUGH') as string });
  });

  test.each([{ status: 502 }, { hangUp: true }])('a refund after %j has an unknown result', async (api) => {
    const { simulator, context } = await paidOrder();
    simulator.faults.api = { times: 1, ...api };
    await expect(gateway.refund!(context, ref, refund)).rejects.toMatchObject({ outcome: 'unknown' });
  });
});

test.each([
  ['a system error', '{"alipay_trade_query_response":{"code":"20000","sub_code":"isp.unknow-error"}}', 'unknown'],
  ['a busy system', '{"alipay_trade_query_response":{"code":"40004","sub_code":"ACQ.SYSTEM_ERROR"}}', 'unknown'],
  ['an unsigned success', '{"alipay_trade_query_response":{"code":"10000","trade_status":"TRADE_SUCCESS"}}', 'unknown'],
  ['a wrong signature', '{"alipay_trade_query_response":{"code":"40004"},"sign":"AAAA"}', 'unknown'],
  ['an unsigned refusal', '{"error_response":{"code":"40002","sub_code":"isv.invalid-app-id"}}', 'refused'],
  ['a web page', '<!doctype html><html></html>', 'unknown'],
  ['an unfinished reply', '{"alipay_trade_query_response":{"code":"10000"', 'unknown'],
])('a query with %s is no result', async (_, body, outcome) => {
  const { simulator } = await simulated();
  const send = () => Promise.resolve({ status: 200, headers: {}, body: Buffer.from(body) });
  const queried = gateway.query(paymentContext(simulator.config, { send }), ref);
  await expect(queried).rejects.toMatchObject({ outcome });
});

test.each([
  ['the app’s key', { private_key: testKey }, /private_key does not belong/],
  ['Alipay’s key', { public_key: testPublicKey() }, /public_key has to be Alipay’s/],
  ['the app', { app_id: '1' }, /app_id is unknown/],
])('the test reports that %s is wrong', async (_, change, words) => {
  const { simulator } = await simulated();
  await expect(gateway.test(paymentContext({ ...simulator.config, ...change }))).rejects.toThrow(words);
});

test('the test reports a wrong clock and a wrong address', async () => {
  const { simulator, context } = await simulated();
  await expect(gateway.test({ ...context, now: context.now - 8 * 3600 })).rejects.toThrow(/clock/);
  const elsewhere = { ...simulator.config, gateway: `${simulator.url}/` };
  await expect(gateway.test(paymentContext(elsewhere))).rejects.toThrow(/web page/);
});

test('two gateways are used at the same time, each with its keys', async () => {
  const [one, two] = [await simulated(), await simulated()];
  for (const { context } of [one, two, one]) await gateway.start(context, payment);
  const notice = receivedNotice(one.simulator.notification(tradeNo));
  expect(await gateway.verify(one.context, notice)).toMatchObject({ kind: 'payment' });
  expect(await refusalOf(gateway.verify(two.context, notice))).toBe('signature');
});

test.each([
  [{ app_id: 'app' }, 'app_id', 'form'],
  [{ gateway: 'file:///etc/passwd' }, 'gateway', 'form'],
  [{ pay_type: 'app' }, 'pay_type', 'choice'],
  [{ private_key: testKey, public_key: testPublicKey() }, 'public_key', 'key'],
])('the configuration with %j is refused', async (change, field, problem) => {
  const { simulator } = await simulated();
  const check = () => gateway.check({ ...simulator.config, ...change });
  expect(check).toThrow(expect.objectContaining({ field, problem }));
});

describe('the statement', () => {
  const header =
    '支付宝交易号,商户订单号,业务类型,商品名称,创建时间,完成时间,门店编号,订单金额（元）,商家实收（元）,退款批次号/请求号,备注';
  const csv = [
    '#支付宝业务明细查询',
    '#账号：[20880000]',
    header,
    '2026112322001\t,RH1\t,交易    ,"Hub, 10 USD",2026-11-23 22:00:00,2026-11-23 22:00:10,\t,73.05,72.61,\t,',
    '2026112322001\t,RH1\t,退款    ,"Hub ""x"", 10 USD",2026-11-24 08:00:00,,\t,-3.05,-3.05,R1\t,',
    '2026112322002\t,RH2\t,转账    ,Hub,2026-11-24 08:00:00,2026-11-24 08:00:00,\t,1.00,1.00,\t,',
    '2026112322003\t,RH3\t,交易    ,Hub,2026-11-24 08:00:00,2026-11-24 08:00:00,\t,1.005,1.00,\t,',
    '#交易合计：1笔',
  ].join('\r\n');

  test('is read by the names of its columns', () => {
    const { rows, unreadable } = gateway.readStatement!(csv);
    const common = { tradeNo: 'RH1', gatewayNo: '2026112322001' };
    expect(rows).toStrictEqual([
      { ...common, line: 4, kind: 'payment', minor: 7305, state: '交易', at: Date.UTC(2026, 10, 23, 14, 0, 10) / 1000 },
      { ...common, line: 5, kind: 'refund', minor: 305, state: '退款', at: Date.UTC(2026, 10, 24) / 1000 },
    ]);
    expect(unreadable.map(({ line }) => line)).toStrictEqual([6, 7]);
  });

  test.each(['', '#only a comment', 'a,b\n1,2', csv.replace('业务类型', '业务')])('%j is no statement', (text) => {
    expect(() => gateway.readStatement!(text)).toThrow(/empty|missing/);
  });
});

function testPublicKey(): string {
  return createPublicKey(rsaPrivateKey(testKey)).export({ format: 'der', type: 'spki' }).toString('base64');
}
