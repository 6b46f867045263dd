import {
  type GatewayContext,
  GatewayError,
  type NoticeReply,
  type PaymentGatewayAdapter,
  type PaymentRef,
  type PaymentRequest,
  type PaymentState,
  type RefundReport,
  type RefundRequest,
  type StartedPayment,
} from '#payments/gateway.ts';
import { beijingTimestamp } from '#payments/beijing-time.ts';
import { cutBytes } from '#payments/reply-text.ts';
import { callWxpay } from '#payments/wxpay/wxpay-api.ts';
import { fetchWxpayBills, readWxpayBill } from '#payments/wxpay/wxpay-bill.ts';
import { checkWxpay, WXPAY_ORIGIN, wxpayForm } from '#payments/wxpay/wxpay-form.ts';
import { verifyWxpay } from '#payments/wxpay/wxpay-notice.ts';
import { paymentState, refundReport, text } from '#payments/wxpay/wxpay-objects.ts';
import { setting } from '#payments/wxpay/wxpay-request.ts';
import { testWxpay } from '#payments/wxpay/wxpay-test-request.ts';

/** WeChat Pay API v3, Native: a QR code. Sources: documents of pay.weixin.qq.com and wechatpay-go 0.2.21. */
export const gateway: PaymentGatewayAdapter = {
  type: 'wxpay',
  form: wxpayForm,
  check: checkWxpay,
  destination: (config) => config['api_base'] || WXPAY_ORIGIN,
  merchant: ({ mch_id: id = '' }) => (id.length < 8 ? id : `${id.slice(0, 3)}••••${id.slice(-3)}`),
  start,
  verify: verifyWxpay,
  acknowledge,
  query,
  close,
  refund,
  queryRefund,
  test: testWxpay,
  readStatement: readWxpayBill,
  fetchStatement: fetchWxpayBills,
};

const MOST_DESCRIPTION_BYTES = 127;
/** The gateway refuses an end that is less than a minute ahead. */
const SHORTEST_LIFE_S = 90;

async function start(context: GatewayContext, payment: PaymentRequest): Promise<StartedPayment> {
  const ends = Math.max(payment.expiresAt, context.now + SHORTEST_LIFE_S);
  const reply = await callWxpay(context, {
    method: 'POST',
    path: '/v3/pay/transactions/native',
    body: {
      appid: setting(context, 'app_id'),
      mchid: setting(context, 'mch_id'),
      description: cutBytes(payment.description, MOST_DESCRIPTION_BYTES) || payment.tradeNo,
      out_trade_no: payment.tradeNo,
      time_expire: beijingTimestamp(ends),
      notify_url: context.notifyUrl,
      amount: { total: payment.minor, currency: 'CNY' },
      ...(payment.clientIp !== '' && { scene_info: { payer_client_ip: payment.clientIp } }),
    },
  });
  const url = text(reply, 'code_url');
  if (url === '') throw new GatewayError('unknown', 'WeChat Pay: the reply has no code_url');
  return { show: 'qr', url, ...(ends !== payment.expiresAt && { expiresAt: ends }) };
}

function acknowledge(accepted: boolean): NoticeReply {
  if (accepted) return { status: 204, type: '', body: '' };
  const body = JSON.stringify({ code: 'FAIL', message: 'the notification was not accepted' });
  return { status: 400, type: 'application/json', body };
}

const missingCodes = new Set(['ORDER_NOT_EXIST', 'ORDERNOTEXIST', 'RESOURCE_NOT_EXISTS']);

const orderPath = ({ tradeNo }: PaymentRef): string =>
  `/v3/pay/transactions/out-trade-no/${encodeURIComponent(tradeNo)}`;

async function query(context: GatewayContext, payment: PaymentRef): Promise<PaymentState> {
  const path = `${orderPath(payment)}?mchid=${encodeURIComponent(setting(context, 'mch_id'))}`;
  try {
    const transaction = await callWxpay(context, { method: 'GET', path });
    const isOurs =
      text(transaction, 'mchid') === setting(context, 'mch_id') &&
      text(transaction, 'appid') === setting(context, 'app_id') &&
      text(transaction, 'out_trade_no') === payment.tradeNo;
    if (!isOurs) throw new GatewayError('unknown', 'WeChat Pay: the reply is about another order', 'MERCHANT');
    return paymentState(transaction);
  } catch (error) {
    if (error instanceof GatewayError && missingCodes.has(error.code)) return { state: 'missing', detail: error.code };
    throw error;
  }
}

/** Codes after which only a query shows the order's state. */
const undecidedCodes = new Set([
  ...missingCodes,
  'ORDERPAID',
  'ORDER_PAID',
  'TRADE_ERROR',
  'INVALID_REQUEST',
  'ORDER_CLOSED',
  'ORDERCLOSED',
]);

async function close(context: GatewayContext, payment: PaymentRef): Promise<'closed' | 'paid' | 'open'> {
  try {
    await callWxpay(context, {
      method: 'POST',
      path: `${orderPath(payment)}/close`,
      body: { mchid: setting(context, 'mch_id') },
    });
    return 'closed';
  } catch (error) {
    if (!(error instanceof GatewayError) || !undecidedCodes.has(error.code)) throw error;
    const { state } = await query(context, payment);
    if (state === 'paid') return 'paid';
    return state === 'unpaid' ? 'open' : 'closed';
  }
}

const MOST_REASON_BYTES = 80;

async function refund(context: GatewayContext, payment: PaymentRef, request: RefundRequest): Promise<RefundReport> {
  const reason = cutBytes(request.reason, MOST_REASON_BYTES);
  const reply = await callWxpay(context, {
    method: 'POST',
    path: '/v3/refund/domestic/refunds',
    body: {
      ...(payment.gatewayNo === '' ? { out_trade_no: payment.tradeNo } : { transaction_id: payment.gatewayNo }),
      out_refund_no: request.refundNo,
      ...(reason !== '' && { reason }),
      notify_url: context.notifyUrl,
      amount: { refund: request.minor, total: payment.minor, currency: 'CNY' },
    },
  });
  return refundReport(reply);
}

async function queryRefund(
  context: GatewayContext,
  _payment: PaymentRef,
  { refundNo }: RefundRequest,
): Promise<RefundReport> {
  try {
    const path = `/v3/refund/domestic/refunds/${encodeURIComponent(refundNo)}`;
    return refundReport(await callWxpay(context, { method: 'GET', path }));
  } catch (error) {
    if (!(error instanceof GatewayError) || !missingCodes.has(error.code)) throw error;
    return { state: 'missing', gatewayRefundNo: '', detail: error.code };
  }
}
