import { minorText } from '@relay-hub/contract';
import { callAlipay } from './alipay-calls.ts';
import {
  type GatewayContext,
  GatewayError,
  type PaymentRef,
  type RefundReport,
  type RefundRequest,
} from '#payments/gateway.ts';

/** Sends a refund; `refundNo` makes repetitions harmless. Only `fund_change=Y` means that the money was returned. */
export async function refundAlipay(
  context: GatewayContext,
  payment: PaymentRef,
  refund: RefundRequest,
): Promise<RefundReport> {
  let detail: string;
  let accepted = false;
  try {
    const reply = await callAlipay(context, 'alipay.trade.refund', {
      out_trade_no: payment.tradeNo,
      refund_amount: minorText(refund.minor),
      out_request_no: refund.refundNo,
      refund_reason: refund.reason,
    });
    ({ detail, ok: accepted } = reply);
    if (accepted && reply.valueOf('fund_change') === 'Y') return { state: 'success', gatewayRefundNo: '', detail };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.outcome === 'unknown') throw error;
    detail = error.message;
  }
  // A repetition changes no funds, and its refusal does not mean that the first request was refused.
  const known = await queryAlipayRefund(context, payment, refund).catch(() => undefined);
  if (!known) throw new GatewayError('unknown', detail);
  return known.state === 'missing' ? { ...known, state: accepted ? 'processing' : 'refused', detail } : known;
}

/** A refund that was just sent can be missing for some seconds. */
export async function queryAlipayRefund(
  context: GatewayContext,
  payment: PaymentRef,
  refund: RefundRequest,
): Promise<RefundReport> {
  const reply = await callAlipay(context, 'alipay.trade.fastpay.refund.query', {
    out_trade_no: payment.tradeNo,
    out_request_no: refund.refundNo,
    query_options: ['gmt_refund_pay'],
  });
  const status = reply.valueOf('refund_status');
  if (reply.ok && status === 'REFUND_SUCCESS') return { state: 'success', gatewayRefundNo: '', detail: status };
  if (reply.ok || reply.code === 'ACQ.TRADE_NOT_EXIST') {
    return { state: 'missing', gatewayRefundNo: '', detail: status || reply.detail };
  }
  throw new GatewayError('refused', reply.detail, reply.code);
}
