import { minorOf, minorText } from '@relay-hub/contract';
import { alipayAddress, callAlipay, ensureSuccess, signedAlipay } from '#payments/alipay/alipay-calls.ts';
import { alipayFields, alipayValues } from '#payments/alipay/alipay-fields.ts';
import { queryAlipayRefund, refundAlipay } from '#payments/alipay/alipay-refunds.ts';
import { readAlipayStatement } from '#payments/alipay/alipay-statement.ts';
import { beijingText, secondsOfBeijing } from '#payments/beijing-time.ts';
import { checkedAddress, checkedConfig, checkKeyPair, maskedAccount, storedKey } from '#payments/config-fields.ts';
import { GatewayError, GatewayFieldError, NoticeRefused } from '#payments/gateway.ts';
import type { GatewayContext, PaymentGatewayAdapter, PaymentReport, PaymentRequest } from '#payments/gateway.ts';
import { cutBytes } from '#payments/reply-text.ts';
import { isRsaSignature, rsaPublicKey } from '#payments/rsa-keys.ts';
import { noticeParameters, type Parameters, signedText } from '#payments/signed-parameters.ts';

const paidStates = new Set(['TRADE_SUCCESS', 'TRADE_FINISHED']);
const LONGEST_SUBJECT_BYTES = 256;
/** Alipay repeats a notification for a day, and does not say whether the time is that of the first. */
const OLDEST_NOTICE_S = 48 * 3600;
const MOST_SKEW_S = 300;
/** A trade exists once its QR code was scanned or its page was opened. */
const MISSING_TRADE = 'ACQ.TRADE_NOT_EXIST';

const pages: Record<string, { method: string; product_code: string }> = {
  pagepay: { method: 'alipay.trade.page.pay', product_code: 'FAST_INSTANT_TRADE_PAY' },
  wappay: { method: 'alipay.trade.wap.pay', product_code: 'QUICK_WAP_WAY' },
};

/** Alipay's open platform in China, with keys (not certificates). Decision 0036 says why its SDK is not used. */
export const gateway: PaymentGatewayAdapter = {
  type: 'alipay',
  form: {
    title: 'Alipay',
    currencies: ['CNY'],
    fields: alipayFields,
    refunds: 'part',
    statements: ['csv'],
    website: 'https://open.alipay.com/',
  },

  check(config) {
    const checked = checkedConfig(alipayFields, config);
    const address = checkedAddress('gateway', checked['gateway'] ?? '');
    for (const field of ['app_id', 'seller_id']) {
      if (!/^\d{0,32}$/.test(checked[field] ?? '')) throw new GatewayFieldError(field, 'form', 'not a number');
    }
    checkKeyPair(checked, 'private_key', 'public_key');
    return { ...checked, gateway: address.origin + address.pathname };
  },

  destination: (config) => new URL(alipayValues(config)('gateway')).origin,
  merchant: (config) => maskedAccount(alipayValues(config)('app_id')),

  async start(context, payment) {
    if (payment.currency !== 'CNY') throw new GatewayError('refused', 'Alipay takes CNY only');
    const page = pages[alipayValues(context.config)('pay_type')];
    const order = orderContent(payment);
    if (page) {
      const quit = page.method === 'alipay.trade.wap.pay' ? { quit_url: payment.returnUrl } : {};
      const content = { ...order, ...quit, product_code: page.product_code };
      const addresses = { notify_url: context.notifyUrl, return_url: payment.returnUrl };
      const params = signedAlipay(context, page.method, content, addresses);
      return { show: 'form', method: 'GET', url: alipayAddress(context), params };
    }
    const minutes = Math.max(1, Math.floor((payment.expiresAt - context.now) / 60));
    const content = { ...order, qr_code_timeout_express: `${minutes}m` };
    const reply = ensureSuccess(await callAlipay(context, 'alipay.trade.precreate', content, context.notifyUrl));
    if (reply.valueOf('qr_code') === '') throw new GatewayError('unknown', 'Alipay answered without a QR code');
    return { show: 'qr', url: reply.valueOf('qr_code') };
  },

  async verify(context, notice) {
    const parameters = noticeParameters(notice);
    const valueOf = (name: string) => parameters.get(name) ?? '';
    if (valueOf('sign_type') !== 'RSA2') throw new NoticeRefused('signature', 'the signature type is not RSA2');
    if (!isSigned(context, parameters)) throw new NoticeRefused('signature', 'the signature is wrong');
    const values = alipayValues(context.config);
    if (valueOf('app_id') !== values('app_id'))
      throw new NoticeRefused('merchant', 'the notification is for another app');
    if (values('seller_id') !== '' && valueOf('seller_id') !== values('seller_id')) {
      throw new NoticeRefused('merchant', 'the notification is for another seller');
    }
    const age = context.now - secondsOfBeijing(valueOf('notify_time'));
    if (age > OLDEST_NOTICE_S || age < -MOST_SKEW_S)
      throw new NoticeRefused('signature', `it was sent at ${valueOf('notify_time').slice(0, 40) || 'no time'}`);
    const state = valueOf('trade_status');
    if (state === '') return { kind: 'other', state: valueOf('notify_type') };
    const report = reportOf(valueOf);
    const { tradeNo, gatewayNo } = report;
    if (tradeNo === '' || gatewayNo === '') throw new NoticeRefused('order', 'an order number is missing');
    const refunded = minorOf(valueOf('refund_fee')) ?? 0;
    if (refunded > 0 || valueOf('gmt_refund') !== '' || valueOf('out_biz_no') !== '') {
      const refund = { refundNo: valueOf('out_biz_no'), gatewayRefundNo: '', minor: refunded, cumulative: true };
      return { kind: 'refund', ...refund, tradeNo, gatewayNo, state: 'success', detail: state };
    }
    if (state === 'TRADE_CLOSED') return { kind: 'ended', tradeNo, state };
    if (report.minor === null) throw new NoticeRefused('amount', 'the amount is not a decimal number');
    return { kind: 'payment', ...report };
  },

  acknowledge: (ok) => ({ status: 200, type: 'text/plain; charset=utf-8', body: ok ? 'success' : 'failure' }),

  async query(context, { tradeNo }) {
    const reply = await callAlipay(context, 'alipay.trade.query', { out_trade_no: tradeNo });
    if (reply.code === MISSING_TRADE) return { state: 'missing', detail: reply.detail };
    const report = reportOf(ensureSuccess(reply).valueOf);
    if (report.tradeNo !== tradeNo) throw new GatewayError('unknown', 'Alipay answered with another order');
    if (report.paid) return { ...report, state: 'paid' };
    // Also after a full refund: there is no money that could be credited.
    return { state: report.state === 'TRADE_CLOSED' ? 'ended' : 'unpaid', detail: report.state };
  },

  async close(context, payment) {
    const reply = await callAlipay(context, 'alipay.trade.close', { out_trade_no: payment.tradeNo });
    if (reply.ok) return 'closed';
    // A QR code or page that was not opened yet can still be paid until it expires.
    if (reply.code === MISSING_TRADE) return 'open';
    const { state } = await gateway.query(context, payment);
    if (state === 'paid') return 'paid';
    return state === 'ended' ? 'closed' : 'open';
  },

  refund: refundAlipay,
  queryRefund: queryAlipayRefund,

  async test(context) {
    const reply = await callAlipay(context, 'alipay.trade.query', { out_trade_no: `TEST${context.now}` });
    if (reply.code !== MISSING_TRADE) ensureSuccess(reply);
  },

  readStatement: readAlipayStatement,
};

const orderContent = (payment: PaymentRequest): Record<string, string> => ({
  out_trade_no: payment.tradeNo,
  total_amount: minorText(payment.minor),
  subject: cutBytes(payment.description.replaceAll(/[/=&]/g, ' '), LONGEST_SUBJECT_BYTES),
  time_expire: beijingText(payment.expiresAt),
});

function isSigned({ config }: GatewayContext, parameters: Parameters): boolean {
  try {
    const key = storedKey(config, 'public_key', rsaPublicKey);
    return isRsaSignature(signedText(parameters, ['sign', 'sign_type']), parameters.get('sign') ?? '', key);
  } catch (error) {
    if (error instanceof GatewayError) throw new NoticeRefused('signature', error.message);
    throw error;
  }
}

function reportOf(valueOf: (name: string) => string): PaymentReport {
  const state = valueOf('trade_status');
  return {
    tradeNo: valueOf('out_trade_no'),
    gatewayNo: valueOf('trade_no'),
    minor: minorOf(valueOf('total_amount')) ?? null,
    currency: 'CNY',
    paid: paidStates.has(state),
    state,
  };
}
