import { minorText } from '@relay-hub/contract';
import { isV2, postSigned, textOf } from './epay-calls.ts';
import {
  type GatewayContext,
  GatewayError,
  type PaymentRef,
  type RefundReport,
  type RefundRequest,
} from '#payments/gateway.ts';

const missingRefund = /不存在|未找到|not (?:be )?found|not exist|no such/i;

/** Sends a refund by v2, whose `out_refund_no` makes repetitions harmless. A success is an acceptance only. */
export async function refundEpay(
  context: GatewayContext,
  payment: PaymentRef,
  refund: RefundRequest,
): Promise<RefundReport> {
  if (!isV2(context.config)) throw new GatewayError('refused', 'refunds need the protocol v2');
  try {
    const reply = await postSigned(context, 'api/pay/refund', {
      out_trade_no: payment.tradeNo,
      money: minorText(refund.minor),
      out_refund_no: refund.refundNo,
    });
    return { state: 'processing', gatewayRefundNo: textOf(reply, 'refund_no'), detail: 'accepted' };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.outcome === 'unknown') throw error;
    // The refusal of a repetition does not mean that the first request was refused.
    const known = await queryEpayRefund(context, payment, { ...refund, gatewayRefundNo: '' }).catch(() => undefined);
    if (!known) throw new GatewayError('unknown', error.message, error.code);
    return known.state === 'missing' ? { ...known, state: 'refused', detail: error.message } : known;
  }
}

export async function queryEpayRefund(
  context: GatewayContext,
  _: PaymentRef,
  refund: RefundRequest & { gatewayRefundNo: string },
): Promise<RefundReport> {
  try {
    const reply = await postSigned(context, 'api/pay/refundquery', { out_refund_no: refund.refundNo });
    const status = textOf(reply, 'status');
    const gatewayRefundNo = textOf(reply, 'refund_no') || refund.gatewayRefundNo;
    // 0 is "failed" or "not yet", so it never returns the credits.
    return { state: status === '1' ? 'success' : 'processing', gatewayRefundNo, detail: `status ${status}` };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.outcome === 'unknown' || !missingRefund.test(error.message))
      throw error;
    return { state: 'missing', gatewayRefundNo: '', detail: error.message };
  }
}
