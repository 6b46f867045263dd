import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWxpay, type WxpaySimulator } from '#payment-simulator/wxpay.ts';
import type { GatewayContext } from '#payments/gateway.ts';
import { rsaCertificateKey, rsaPrivateKey } from '#payments/rsa-keys.ts';
import { decryptResource, isSigned, requestSignature } from '#payments/wxpay/wxpay-signature.ts';
import { newPayment, paymentContext, receivedNotice, refOf } from '#testing/payment-context.ts';
import { gateway } from './wxpay.ts';

/** A published dummy key: 1024 bit, PKCS#8 as bare base64. */
const dummyKey =
  'MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBANDB6v6AJIvEsiaXMle8DYANal+VZcEYDgWheSNaYRNt7ritrKE9DDSxrtxngFPfAmgiOCWTMQdSkBURP2LLMdiBZwbNB4/uPsF9wjZT1xNyt2xVbMvKsbqcNYNihfni6VfUXzQypYsnpXhoRPl0YVTL/1dwWuTDq5V0N3rlJorVAgMBAAECgYEApBvN4MRb9oRqiGvT56St+DyToxCPLXz7iPGniWNDbUK+p+/gBeE39zS3ggzblRN7kOFVwjQ0Fs2Q9v7YFZInW+AA/FT5+g8tVDiuoQhL/wm8Eg+cemvXZmtlBe/iHyhoJ+qbY8h9HWcMKfNExkokHaKcXsrM+BVEI9a/f1XzPwECQQD3/Q2oxEwvsmrnXUJ4Z+xzKskLdaDCoJ7DND5IK1skKFi101k0JmbG9qsF3uiLERkpUw2uQsLKEGb3Mmw5vwf3AkEA14BpSnjvG4e1zWV1+CZKgfVxnvYqCUAVeTny86zpG5PB97t8Xbyl8nGo0NW4bggqHIBlOwogNwBYA65yvKTIkwJBAOslUZFo6REFLidKoB/J80RVGqO6GwDSCxjv7erC6b5EX7GxwVEY5LXe6dY8QuazBNfRgBRwC4JMwUW+0y6CfIsCQBp2undawoIu+DRw8Tu3+A5dhcZvlFnudLSeWSdzZGzuiDNT4sHgGMDdFE4Q8MUSW5mEauoFJE+cyzIoig6AbeECQFVk+OdW8II7JLNY62pY/jjySA8XrqtRSnC2oVKekjUBKi+JKwDmAGrftNzn/aTqRJV8ek4m1PSsMyK5X6HhBgk=';

const problem = async (work: () => unknown): Promise<Record<string, unknown>> => {
  try {
    await work();
  } catch (error) {
    return { ...(error as object), message: (error as Error).message }; // own members of our error classes
  }
  throw new Error('it did not fail');
};

const publicOf = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');

describe('WeChat Pay signatures', () => {
  test('a request is signed as in the published example', () => {
    const body =
      '{"appid":"wxd678efh567hg6787","mchid":"1900000001","description":"Top-up","out_trade_no":"RH202611230001","notify_url":"https://hub.example/n","amount":{"total":7305,"currency":"CNY"}}';
    const request = { method: 'POST', path: '/v3/pay/transactions/native', timestamp: 1795446000, nonce: 'NONCE0001' };
    expect(requestSignature({ ...request, body }, rsaPrivateKey(dummyKey))).toBe(
      'Au9EwlqYn6a++1QiRkhEQ5FL6S+BcR3kO2LsBElQ1oNgA+YEAf7PQRgLwt5Q1XRAhstAg5w0xPDwvrkiCmAJVjx2COapfkPjnxgHLuAJrt2oPZE/LUosT2kA8WOo+HkV2dM0FMoAbP8jome5Uwv0s3H5P89JLjr9d7WITldqERQ=',
    );
  });

  test('a reply is verified as in the published example, and not after a change', () => {
    const key = createPublicKey(rsaPrivateKey(dummyKey));
    const signed = {
      timestamp: '1795446001',
      nonce: 'NONCE0002',
      serial: '',
      signature:
        'qXNxdI8NY/RhHiVjuMVSaMscZkeOyTpIYLT4dFMwbdXfKTFvuJwZcqvPxM8XBe0wOHkHREo/LSS3hfwj/hfQLVV60Y1l4FiSseLHTZRgOJ2riy7YSaeVCLWjYQK6YWunaFpdpkVYVtySTdNXDh4ZBcDbeAs/aUaOlP0ioQq5Cpc=',
    };
    expect(isSigned(signed, Buffer.from('{"code_url":"weixin://wxpay/bizpayurl?pr=abc"}'), key)).toBe(true);
    expect(isSigned(signed, Buffer.from('{"code_url":"weixin://wxpay/bizpayurl?pr=abd"}'), key)).toBe(false);
    expect(isSigned({ ...signed, signature: 'AAAA' }, Buffer.from('{}'), key)).toBe(false);
  });

  test('a resource is decrypted as in the published example, and refused after a change', () => {
    const key = '0123456789abcdef0123456789ABCDEF';
    const resource = {
      nonce: '61f9c719728a',
      associatedData: 'transaction',
      ciphertext:
        'tDdVRN0NUNEiuTf7HR/YwSRfhF1G4Li0w5UF/+d1vGirn7Y0V0CM/1FrdYraptsJR0JgUkTUzz6Fk5iHS3/0bJEo4UVnhsC5892oMLSbeFNJzJMcLmjl33A2hJcK/x0P3ki3cPvbkO0f8sqhuRpiGmg6',
    };
    expect(decryptResource(resource, key)).toBe(
      '{"out_trade_no":"RH202611230001","trade_state":"SUCCESS","amount":{"total":7305,"currency":"CNY"}}',
    );
    expect(() => decryptResource({ ...resource, associatedData: 'refund' }, key)).toThrow();
    expect(() => decryptResource({ ...resource, ciphertext: 'AAAA' }, key)).toThrow();
  });
});

describe('WeChat Pay configuration', () => {
  const valid = {
    app_id: 'wxd678efh567hg6787',
    mch_id: '1900000001',
    mch_certificate_serial_number: '5a:bc:0d',
    mch_apiv3_key: '0123456789abcdef0123456789ABCDEF',
    mch_private_key: dummyKey,
  };

  test('keys of every form become the same PEM text', () => {
    const key = rsaPrivateKey(dummyKey);
    const checked = gateway.check(valid);
    const pkcs1 = key.export({ type: 'pkcs1', format: 'pem' });
    for (const form of [checked['mch_private_key']!, pkcs1, JSON.stringify(pkcs1).slice(1, -1)]) {
      expect(gateway.check({ ...valid, mch_private_key: form })).toEqual(checked);
    }
    expect(checked).toMatchObject({
      mch_certificate_serial_number: '5ABC0D',
      api_base: 'https://api.mch.weixin.qq.com',
    });
    expect(createPrivateKey(checked['mch_private_key']!).equals(key)).toBe(true);
    const spki = publicOf(key);
    expect(rsaCertificateKey(spki).equals(createPublicKey(key))).toBe(true);
    expect(gateway.merchant(checked)).toBe('190••••001');
  });

  test.each<[string, Record<string, string>, string, string]>([
    ['an unreadable private key', { mch_private_key: 'no key at all' }, 'mch_private_key', 'key'],
    ['a truncated private key', { mch_private_key: dummyKey.slice(0, 400) }, 'mch_private_key', 'key'],
    ['no private key', { mch_private_key: '' }, 'mch_private_key', 'missing'],
    ['an APIv3 key of 31 characters', { mch_apiv3_key: 'x'.repeat(31) }, 'mch_apiv3_key', 'form'],
    ['a merchant number with letters', { mch_id: 'abc' }, 'mch_id', 'form'],
    [
      'a serial number with other letters',
      { mch_certificate_serial_number: 'xyz' },
      'mch_certificate_serial_number',
      'form',
    ],
    ['a public key id without a key', { public_key_id: 'PUB_KEY_ID_1' }, 'public_key', 'missing'],
    ['a public key without its id', { public_key: 'x' }, 'public_key_id', 'missing'],
    ['a private key as public key', { public_key_id: 'PUB_KEY_ID_1', public_key: 'AAAA' }, 'public_key', 'key'],
    [
      'the merchant’s own public key',
      { public_key_id: 'PUB_KEY_ID_1', public_key: publicOf(rsaPrivateKey(dummyKey)) },
      'public_key',
      'key',
    ],
    ['another payment product', { pay_type: 'JSAPI' }, 'pay_type', 'choice'],
    ['plain http', { api_base: 'http://pay.example' }, 'api_base', 'form'],
  ])('%s is refused by field', async (_what, change, field, kind) => {
    const refused = await problem(() => gateway.check({ ...valid, ...change }));
    expect(refused).toMatchObject({ field, problem: kind });
  });

  test('a key that became unreadable in the database refuses the payment and does not end the process', async () => {
    const context = paymentContext({ ...valid, mch_private_key: 'broken' });
    expect(await problem(() => gateway.start(context, newPayment()))).toMatchObject({ outcome: 'refused' });
  });
});

describe.each(['public_key', 'certificate', 'both'] as const)('WeChat Pay with the platform mode %s', (mode) => {
  let simulator: WxpaySimulator;
  let context: GatewayContext;

  beforeAll(async () => {
    simulator = await startWxpay({ mode });
    context = paymentContext(gateway.check(simulator.config));
  });
  afterAll(() => simulator.close());

  async function paid() {
    const payment = newPayment();
    await gateway.start(context, payment);
    simulator.paySilently(payment.tradeNo);
    return payment;
  }
  const verify = (sent: { url: string; init: RequestInit }, more: Partial<GatewayContext> = {}) =>
    gateway.verify({ ...context, ...more }, receivedNotice(sent));

  test('a payment is started, paid, notified and queried with its exact amount in fen', async () => {
    // In floating point these lose a fen: 1.10 × 100, 19.99 × 100, 4.35 × 100.
    for (const minor of [110, 1999, 435]) {
      const payment = newPayment({ minor, description: '充值 '.repeat(40) });
      const ref = refOf(payment);
      expect(await gateway.query(context, ref)).toMatchObject({ state: 'missing' });
      const { url } = await gateway.start(context, payment);
      expect(url).toMatch(/^weixin:\/\/wxpay\/bizpayurl\?pr=\w+$/);
      expect(await gateway.query(context, ref)).toEqual({ state: 'unpaid', detail: 'NOTPAY' });
      simulator.paySilently(payment.tradeNo);
      const report = {
        tradeNo: payment.tradeNo,
        gatewayNo: expect.stringMatching(/^42\d{26}$/),
        minor,
        currency: 'CNY',
        paid: true,
        state: 'SUCCESS',
      };
      expect(await verify(simulator.notification(payment.tradeNo))).toEqual({ kind: 'payment', ...report });
      expect(await gateway.query(context, ref)).toEqual({ ...report, state: 'paid' });
      expect(await gateway.close(context, ref)).toBe('paid');
    }
  });

  test('an unpaid payment is closed, and closing again succeeds', async () => {
    const payment = newPayment();
    await gateway.start(context, payment);
    expect(await gateway.close(context, refOf(payment))).toBe('closed');
    expect(await gateway.query(context, refOf(payment))).toEqual({ state: 'ended', detail: 'CLOSED' });
    expect(await gateway.close(context, refOf(payment))).toBe('closed');
    expect(await gateway.close(context, refOf(newPayment()))).toBe('closed');
  });

  test('a refunded payment still counts as paid, and a repeated refund number refunds once', async () => {
    const payment = await paid();
    const ref = refOf(payment);
    const refund = { refundNo: `R${payment.tradeNo}`, minor: 305, reason: 'wrong amount' };
    expect(await gateway.queryRefund!(context, ref, { ...refund, gatewayRefundNo: '' })).toMatchObject({
      state: 'missing',
    });
    const first = await gateway.refund!(context, ref, refund);
    expect(first).toMatchObject({ state: 'success', gatewayRefundNo: expect.stringMatching(/^50\d+$/) });
    expect(await gateway.refund!(context, ref, refund)).toEqual(first);
    expect(simulator.payments.get(payment.tradeNo)!.refunds).toHaveLength(1);
    expect(await gateway.queryRefund!(context, ref, { ...refund, gatewayRefundNo: '' })).toEqual(first);
    // A query names the price and that something was refunded, not how much: all of it, to be safe.
    expect(await gateway.query(context, ref)).toMatchObject({
      state: 'paid',
      minor: payment.minor,
      refundedMinor: payment.minor,
    });
    expect(
      await problem(() => gateway.refund!(context, ref, { ...refund, refundNo: 'R2', minor: 7001 })),
    ).toMatchObject({
      outcome: 'refused',
      code: 'INVALID_REQUEST',
    });
  });

  test('a refund in progress is reported, and its notification carries our number', async () => {
    const payment = await paid();
    simulator.faults = { refunds: 'processing' };
    const refundNo = `R${payment.tradeNo}`;
    const refund = await gateway.refund!(context, refOf(payment), { refundNo, minor: 100, reason: '' });
    simulator.faults = {};
    expect(refund.state).toBe('processing');
    const resource = {
      mchid: context.config['mch_id'],
      out_trade_no: payment.tradeNo,
      transaction_id: 'T1',
      out_refund_no: refundNo,
      refund_id: refund.gatewayRefundNo,
      amount: { total: payment.minor, refund: 100 },
    };
    const notice = { kind: 'refund', refundNo, tradeNo: payment.tradeNo, gatewayNo: 'T1', minor: 100 };
    for (const [status, state] of [
      ['SUCCESS', 'success'],
      ['CLOSED', 'refused'],
      ['ABNORMAL', 'processing'],
    ]) {
      const sent = simulator.signedEvent(`REFUND.${status}`, { ...resource, refund_status: status });
      expect(await verify(sent)).toMatchObject({ ...notice, state, gatewayRefundNo: refund.gatewayRefundNo });
    }
    expect(await verify(simulator.signedEvent('COUPON.USE', {}))).toEqual({ kind: 'other', state: 'COUPON.USE' });
  });

  test.each([
    ['mchid', '1900000999'],
    ['appid', 'wx0000000000000000'],
  ])('a notification for another %s is refused', async (name, value) => {
    const { tradeNo } = await paid();
    const refused = await problem(() => verify(simulator.notification(tradeNo, { [name]: value })));
    expect(refused).toMatchObject({ check: 'merchant' });
  });

  test('a reported total is passed on unchanged, and another state is not a payment', async () => {
    const { tradeNo } = await paid();
    expect(await verify(simulator.notification(tradeNo, { 'amount.total': 1 }))).toMatchObject({ minor: 1 });
    expect(await verify(simulator.notification(tradeNo, { 'amount.total': '7305' }))).toMatchObject({ minor: null });
    expect(await verify(simulator.notification(tradeNo, { 'amount.currency': 'USD' }))).toMatchObject({
      currency: 'USD',
    });
    expect(await verify(simulator.notification(tradeNo, { trade_state: 'NOTPAY' }))).toMatchObject({ paid: false });
    expect(await verify(simulator.notification(tradeNo, { trade_state: 'REFUND' }))).toMatchObject({
      paid: true,
      refundedMinor: simulator.payments.get(tradeNo)!.minor,
    });
  });

  test.each<[string, Record<string, string>, ((body: string) => string)?]>([
    ['a changed body', {}, (body) => body.replace('TRANSACTION', 'TRANSACTIOM')],
    ['a changed nonce', { 'wechatpay-nonce': 'other' }],
    ['a changed timestamp', { 'wechatpay-timestamp': String(Math.floor(Date.now() / 1000) - 7) }],
    ['a timestamp that is no number', { 'wechatpay-timestamp': 'NaN' }],
    ['an unknown serial number', { 'wechatpay-serial': 'ABCDEF' }],
    ['an unknown public key id', { 'wechatpay-serial': 'PUB_KEY_ID_0' }],
    ['a signature test', { 'wechatpay-signature': 'WECHATPAY/SIGNTEST/AAAA' }],
    ['no signature', { 'wechatpay-signature': '' }],
  ])('%s is refused', async (_what, headers, change = (body) => body) => {
    const { tradeNo } = await paid();
    const { url, init } = simulator.notification(tradeNo);
    const sent = {
      ...init,
      headers: { ...(init.headers as Record<string, string>), ...headers },
      body: change(init.body as string),
    };
    expect(await problem(() => verify({ url, init: sent }))).toMatchObject({ check: 'signature' });
  });

  test('a notification that is more than 300 s old or early is refused', async () => {
    const { tradeNo } = await paid();
    for (const shift of [-330, 330]) {
      const shifted = { now: context.now + shift };
      expect(await problem(() => verify(simulator.notification(tradeNo), shifted))).toMatchObject({
        check: 'signature',
      });
    }
    expect(await verify(simulator.notification(tradeNo), { now: context.now + 250 })).toMatchObject({ paid: true });
  });

  test('the keys of a second merchant are never used for the first', async () => {
    const other = await startWxpay({ mode });
    const { tradeNo } = await paid();
    const foreign = paymentContext(gateway.check(other.config));
    expect(await problem(() => gateway.verify(foreign, receivedNotice(simulator.notification(tradeNo))))).toMatchObject(
      {
        check: 'signature',
      },
    );
    const edited = paymentContext({ ...context.config, mch_apiv3_key: 'x'.repeat(32) });
    await expect(gateway.verify(edited, receivedNotice(simulator.notification(tradeNo)))).rejects.toThrow('APIv3 key');
    await other.close();
  });

  test('lost replies, server errors and unverified replies are unknown, and refusals are not', async () => {
    const payment = newPayment();
    simulator.faults = { api: { times: 1, hangUp: true } };
    expect(await problem(() => gateway.start(context, payment))).toMatchObject({ outcome: 'unknown' });
    expect(await gateway.query(context, refOf(payment))).toMatchObject({ state: 'unpaid' });
    simulator.faults = { api: { times: 1, status: 503 } };
    expect(await problem(() => gateway.start(context, payment))).toMatchObject({
      outcome: 'unknown',
      code: 'SYSTEM_ERROR',
    });
    simulator.wrongSignatures = 1;
    expect(await problem(() => gateway.start(context, newPayment()))).toMatchObject({
      outcome: 'unknown',
      code: 'SIGNATURE',
    });

    const done = await paid();
    simulator.wrongSignatures = 1;
    const refund = { refundNo: `R${done.tradeNo}`, minor: 1, reason: '' };
    expect(await problem(() => gateway.refund!(context, refOf(done), refund))).toMatchObject({ outcome: 'unknown' });
    expect(await gateway.queryRefund!(context, refOf(done), { ...refund, gatewayRefundNo: '' })).toMatchObject({
      state: 'success',
    });
    simulator.faults = { refunds: 'refused' };
    const refused = await problem(() => gateway.refund!(context, refOf(done), { ...refund, refundNo: 'R3' }));
    expect(refused).toMatchObject({ outcome: 'refused', code: 'NOT_ENOUGH' });
    simulator.faults = {};
    expect(await problem(() => gateway.start(context, newPayment({ minor: 0 })))).toMatchObject({
      outcome: 'refused',
      code: 'PARAM_ERROR',
    });
  });

  test('the test request reports wrong keys in words and without secrets', async () => {
    await gateway.test(context);
    const wrongKey = paymentContext({ ...context.config, mch_private_key: dummyKey });
    const refused = await problem(() => gateway.test(wrongKey));
    expect(refused).toMatchObject({
      outcome: 'refused',
      code: 'SIGN_ERROR',
      message: expect.stringContaining('belong together'),
    });
    expect(refused['message']).not.toContain(dummyKey);
    if (mode !== 'certificate') return;
    const wrongSecret = paymentContext({ ...context.config, mch_apiv3_key: 'y'.repeat(32) });
    expect(await problem(() => gateway.test(wrongSecret))).toMatchObject({ code: 'APIV3_KEY', outcome: 'refused' });
  });

  test('the bill of today has the payments and refunds', async () => {
    const payment = await paid();
    await gateway.refund!(context, refOf(payment), { refundNo: `R${payment.tradeNo}`, minor: 5, reason: '' });
    const rows = await gateway.fetchStatement!(context, { from: context.now - 2 * 86_400, to: context.now + 60 });
    expect(rows.filter(({ tradeNo }) => tradeNo === payment.tradeNo)).toMatchObject([
      { kind: 'payment', minor: payment.minor, state: 'SUCCESS', gatewayNo: expect.stringMatching(/^42/) },
      { kind: 'refund', minor: 5, state: 'SUCCESS' },
    ]);
    expect(rows.every(({ at }) => Math.abs(at - context.now) < 120)).toBe(true);
  });
});

describe('WeChat Pay platform certificates', () => {
  test('are downloaded once, again for an unknown serial number, and at most once a minute', async () => {
    const simulator = await startWxpay({ mode: 'certificate' });
    const context = paymentContext(gateway.check(simulator.config));
    const downloads = () => simulator.requests.filter((line) => line === 'GET /v3/certificates').length;
    const payment = newPayment();
    await Promise.all([gateway.start(context, payment), gateway.start(context, newPayment())]);
    expect(downloads()).toBe(1);

    simulator.rotateCertificate();
    simulator.paySilently(payment.tradeNo);
    const notice = receivedNotice(simulator.notification(payment.tradeNo));
    expect(await problem(() => gateway.verify(context, notice))).toMatchObject({ check: 'signature' });
    expect(downloads()).toBe(1);
    const later = { ...context, now: context.now + 61 };
    expect(await gateway.verify(later, notice)).toMatchObject({ kind: 'payment', paid: true });
    expect(downloads()).toBe(2);
    await gateway.query({ ...later, now: context.now + 2 }, refOf(payment));
    expect(downloads()).toBe(2);
    await simulator.close();
  });
});

describe('WeChat Pay trade bills', () => {
  test('rows with commas in names are read, bad rows are reported by line, and other files are refused', () => {
    const head = '交易时间,微信订单号,商户订单号,交易状态,退款状态,商品名称,订单金额,申请退款金额';
    const lines = [
      '`2026-11-23 08:00:00,`4200,`RH1,`SUCCESS,`,`a, b,`12.30,`0.00',
      '`2026-11-23 08:00:01,`4200,`RH1,`REFUND,`PROCESSING,`a,`12.30,`0.29',
      '`2026-11-23 08:00:02,`4201,`RH2,`SUCCESS,`,`a,`12.345,`0.00',
      '总交易单数,应结订单总金额',
      '`3,`24.60',
    ];
    expect(gateway.readStatement!(`\uFEFF${[head, ...lines].join('\r\n')}`)).toEqual({
      rows: [
        { line: 2, kind: 'payment', tradeNo: 'RH1', gatewayNo: '4200', minor: 1230, state: 'SUCCESS', at: 1795392000 },
        { line: 3, kind: 'refund', tradeNo: 'RH1', gatewayNo: '4200', minor: 29, state: 'PROCESSING', at: 1795392001 },
      ],
      unreadable: [{ line: 4, problem: '订单金额 is not an amount' }],
    });
    expect(() => gateway.readStatement!('a,b\n1,2')).toThrow('not a WeChat Pay trade bill');
  });
});
