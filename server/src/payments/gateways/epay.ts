import { minorOf, minorText } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import { checkedAddress, checkedConfig, checkKeyPair, maskedAccount } from '#payments/config-fields.ts';
import {
  baseOf,
  callApiPhp,
  epayBase,
  epayValues,
  isSignedEpay,
  isV2,
  orderIn,
  postSigned,
} from '#payments/epay/epay-calls.ts';
import { signedEpay, textOf } from '#payments/epay/epay-calls.ts';
import { epayFields } from '#payments/epay/epay-fields.ts';
import { queryEpayRefund, refundEpay } from '#payments/epay/epay-refunds.ts';
import { fetchEpayOrders } from '#payments/epay/epay-orders.ts';
import { GatewayError, GatewayFieldError, NoticeRefused } from '#payments/gateway.ts';
import type {
  GatewayContext,
  PaymentGatewayAdapter,
  PaymentReport,
  PaymentRequest,
  StartedPayment,
} from '#payments/gateway.ts';
import { cutBytes, linkParts } from '#payments/reply-text.ts';
import { noticeParameters } from '#payments/signed-parameters.ts';

/** The reference program cuts longer names. */
const LONGEST_NAME_BYTES = 127;
/** v1 and v2; 3 is an order that the operator froze after its payment. */
const paidStates = new Set(['1', '2', '3', 'TRADE_SUCCESS', 'TRADE_FINISHED']);
const missingOrder = /不存在|未找到|not (?:be )?found|not exist|no such/i;
const wrongAccount = /商户(?!订单)|密钥|merchant(?! order)|\b(?:pid|key)\b/i;

/**
 * Epay, a protocol of many operators without a specification: v1 (MD5) and v2 (RSA) of the reference program, with the
 * deviations that its forks are known for.
 */
export const gateway: PaymentGatewayAdapter = {
  type: 'epay',
  form: {
    title: 'Epay',
    currencies: ['CNY', 'USD'],
    fields: epayFields,
    // A v1 refund has no number: repeating it refunds again.
    refunds: 'none',
    statements: ['api'],
    website: '',
  },

  check(config) {
    const checked = checkedConfig(epayFields, config);
    const pay_domain = baseOf(checkedAddress('pay_domain', checked['pay_domain'] ?? '').href);
    if (!/^\w{1,64}$/.test(checked['partner_id'] ?? '')) throw new GatewayFieldError('partner_id', 'form');
    if (!/^\w{0,40}$/.test(checked['pay_type'] ?? '')) throw new GatewayFieldError('pay_type', 'form');
    if (checked['mode'] === 'api' && !checked['pay_type']) {
      throw new GatewayFieldError('pay_type', 'missing', 'the API of epay has no cashier');
    }
    if (isV2(checked)) checkKeyPair(checked, 'private_key', 'platform_public_key');
    return { ...checked, pay_domain };
  },

  destination: (config) => new URL(epayBase(config)).origin,
  refundsFor: (config) => (isV2(config) ? 'part' : 'none'),
  merchant: (config) => maskedAccount(epayValues(config)('partner_id')),

  async start(context, payment) {
    const { config } = context;
    const values = epayValues(config);
    const order = {
      type: values('pay_type'),
      out_trade_no: payment.tradeNo,
      notify_url: context.notifyUrl,
      return_url: payment.returnUrl,
      name: cutBytes(payment.description, LONGEST_NAME_BYTES),
      money: minorText(payment.minor),
    };
    if (values('mode') === 'api') return await startByApi(context, payment, order);
    const endpoint = isV2(config) ? 'api/pay/submit' : 'submit.php';
    const params = signedEpay(config, { pid: values('partner_id'), ...order }, context.now);
    return { show: 'form', url: `${epayBase(config)}/${endpoint}`, method: 'POST', params };
  },

  async verify(context, notice) {
    const parameters = noticeParameters(notice);
    const valueOf = (name: string) => parameters.get(name) ?? '';
    const types = isV2(context.config) ? ['RSA'] : ['MD5', ''];
    if (!types.includes(valueOf('sign_type').toUpperCase())) {
      throw new NoticeRefused('signature', 'the signature type is not that of the configured protocol');
    }
    if (!isSigned(context, parameters)) throw new NoticeRefused('signature', 'the signature is wrong');
    if (valueOf('pid') !== epayValues(context.config)('partner_id')) {
      throw new NoticeRefused('merchant', 'the notification is for another merchant');
    }
    const report = reportOf(context, valueOf);
    if (report.tradeNo === '' || report.gatewayNo === '')
      throw new NoticeRefused('order', 'an order number is missing');
    if (report.minor === null) throw new NoticeRefused('amount', 'the amount is not a decimal number');
    return { kind: 'payment', ...report };
  },

  acknowledge: (accepted) => ({ status: 200, type: 'text/plain; charset=utf-8', body: accepted ? 'success' : 'fail' }),

  async query(context, { tradeNo }) {
    let order: Json;
    try {
      order = isV2(context.config)
        ? await postSigned(context, 'api/pay/query', { out_trade_no: tradeNo })
        : orderIn(await callApiPhp(context, { act: 'order', out_trade_no: tradeNo }));
    } catch (error) {
      if (isMissingOrder(error)) return { state: 'missing', detail: error.message };
      throw error;
    }
    const pid = textOf(order, 'pid');
    if (textOf(order, 'out_trade_no') !== tradeNo || (pid !== '' && pid !== epayValues(context.config)('partner_id'))) {
      throw new GatewayError('unknown', 'the gateway answered with another order');
    }
    const report = reportOf(context, (name) => textOf(order, name));
    if (report.state === '') throw new GatewayError('unknown', 'the gateway answered without the state of the order');
    return report.paid ? { ...report, state: 'paid' } : { state: 'unpaid', detail: report.state };
  },

  async close(context, payment) {
    if (!isV2(context.config)) return 'open';
    try {
      await postSigned(context, 'api/pay/close', { out_trade_no: payment.tradeNo });
      return 'closed';
    } catch (error) {
      if (!(error instanceof GatewayError) || error.outcome === 'unknown') throw error;
      const { state } = await gateway.query(context, payment);
      return state === 'paid' ? 'paid' : 'open';
    }
  },

  refund: refundEpay,
  queryRefund: queryEpayRefund,

  async test(context) {
    if (isV2(context.config)) await postSigned(context, 'api/merchant/info', {});
    else await callApiPhp(context, { act: 'query' });
  },

  fetchStatement: fetchEpayOrders,
};

const isMissingOrder = (error: unknown): error is GatewayError =>
  error instanceof GatewayError &&
  error.outcome === 'refused' &&
  missingOrder.test(error.message) &&
  !wrongAccount.test(error.message);

function isSigned({ config }: GatewayContext, parameters: ReadonlyMap<string, string>): boolean {
  try {
    return isSignedEpay(config, parameters);
  } catch (error) {
    if (error instanceof GatewayError) throw new NoticeRefused('signature', error.message);
    throw error;
  }
}

function reportOf({ currency }: GatewayContext, valueOf: (name: string) => string): PaymentReport {
  const state = valueOf('trade_status') || valueOf('status');
  const minor = minorOf(valueOf('money')) ?? null;
  const refunded = minorOf(valueOf('refundmoney')) ?? (state === '2' ? (minor ?? 0) : 0);
  return {
    tradeNo: valueOf('out_trade_no'),
    gatewayNo: valueOf('trade_no'),
    minor,
    currency,
    paid: paidStates.has(state),
    state,
    ...(refunded > 0 && { refundedMinor: refunded }),
  };
}

async function startByApi(
  context: GatewayContext,
  payment: PaymentRequest,
  order: Record<string, string>,
): Promise<StartedPayment> {
  const device = payment.device === 'mobile' ? 'mobile' : 'pc';
  const parameters = { ...order, clientip: payment.clientIp || '127.0.0.1', device };
  if (!isV2(context.config)) {
    const reply = await postSigned(context, 'mapi.php', parameters);
    const link = textOf(reply, 'payurl') || textOf(reply, 'payurl2');
    return shown(context, device, { link, code: textOf(reply, 'qrcode'), scheme: textOf(reply, 'urlscheme') });
  }
  const reply = await postSigned(context, 'api/pay/create', { ...parameters, method: 'web' });
  const info = textOf(reply, 'pay_info');
  const type = textOf(reply, 'pay_type');
  if (type === 'qrcode') return shown(context, device, { link: '', code: info, scheme: '' });
  if (type === 'urlscheme') return shown(context, device, { link: '', code: '', scheme: info });
  if (type === 'jump' || (type === 'html' && info.startsWith('https://'))) {
    return shown(context, device, { link: info, code: '', scheme: '' });
  }
  throw new GatewayError('refused', `the gateway’s payment page of type ${type.slice(0, 20)} is not supported`);
}

/** Phones cannot scan their own screen: they get the link if there is one. */
function shown(
  { config }: GatewayContext,
  device: 'mobile' | 'pc',
  { link, code, scheme }: { link: string; code: string; scheme: string },
): StartedPayment {
  const page = link === '' ? null : URL.parse(link, link.startsWith('/') ? epayBase(config) : undefined);
  const content = code || scheme;
  if (page && (device === 'mobile' || content === '')) return { show: 'form', method: 'GET', ...linkParts(page.href) };
  if (content === '') throw new GatewayError('refused', 'the gateway answered without a payment page');
  return { show: 'qr', url: content };
}
