import { hash, randomBytes, randomInt } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { SimulatorReply, SimulatorRequest } from './simulator-server.ts';
import { type Faults, paymentIn, type SimulatedPayment } from './simulator.ts';

type WxpayRefund = SimulatedPayment['refunds'][number] & { notifyUrl: string };

export interface WxpayPayment extends SimulatedPayment {
  description: string;
  /** Parameter `pr` of the QR content. */
  code: string;
  /** The prepay request, to compare repeated ones. */
  request: string;
  refunds: WxpayRefund[];
}

type Members = Record<string, unknown>;

/** Payments and refunds of the simulated WeChat Pay, and its replies about them. */
export class WxpayBooks {
  readonly payments = new Map<string, WxpayPayment>();
  readonly #ids: { appId: string; mchId: string };

  constructor(ids: { appId: string; mchId: string }) {
    this.#ids = ids;
  }

  answer(request: SimulatorRequest, faults: Faults): SimulatorReply {
    const { path: pathname } = request;
    const [, order = '', action] = /^\/v3\/pay\/transactions\/out-trade-no\/([^/]+)(\/close)?$/.exec(pathname) ?? [];
    const [, refundNo] = /^\/v3\/refund\/domestic\/refunds\/([^/]+)$/.exec(pathname) ?? [];
    const body = (request.body === '' ? {} : JSON.parse(request.body)) as Members;
    if (request.method === 'POST' && pathname === '/v3/pay/transactions/native')
      return this.#prepay(body, request.body, faults);
    if (request.method === 'POST' && pathname === '/v3/refund/domestic/refunds') return this.#refund(body, faults);
    if (request.method === 'POST' && action) return this.#close(order, body);
    if (request.method === 'GET' && refundNo) return this.#queryRefund(decodeURIComponent(refundNo));
    if (request.method === 'GET' && order) return this.#query(decodeURIComponent(order), request.query);
    return error(404, 'RESOURCE_NOT_EXISTS');
  }

  #prepay(body: Members, request: string, faults: Faults): SimulatorReply {
    const { appid, mchid, description, out_trade_no: tradeNo, notify_url: notifyUrl, time_expire: ends } = body;
    if (mchid !== this.#ids.mchId) return error(400, 'MCH_NOT_EXISTS');
    if (appid !== this.#ids.appId) return error(400, 'APPID_MCHID_NOT_MATCH');
    const { total, currency } = (body['amount'] ?? {}) as Members;
    const isValid =
      typeof tradeNo === 'string' &&
      /^[\w\-|*@]{6,32}$/.test(tradeNo) &&
      typeof description === 'string' &&
      description !== '' &&
      Buffer.byteLength(description) <= 127 &&
      typeof notifyUrl === 'string' &&
      !notifyUrl.includes('?') &&
      Number.isSafeInteger(total) &&
      (total as number) >= 1 &&
      currency === 'CNY' &&
      (ends === undefined || isLaterByAMinute(ends));
    if (!isValid) return error(400, 'PARAM_ERROR');
    const known = this.payments.get(tradeNo);
    if (known && (known.request !== request || known.state !== 'open')) return error(403, 'OUT_TRADE_NO_USED');
    const payment: WxpayPayment = known ?? {
      tradeNo,
      gatewayNo: '',
      minor: total as number,
      currency: 'CNY',
      state: 'open',
      notifyUrl,
      returnUrl: '',
      refunds: [],
      description,
      code: randomBytes(6).toString('hex'),
      request,
    };
    this.payments.set(tradeNo, payment);
    return json(200, { code_url: `weixin://wxpay/bizpayurl?pr=${payment.code}`, ...faults.start });
  }

  #query(tradeNo: string, query: URLSearchParams): SimulatorReply {
    const payment = this.payments.get(tradeNo);
    if (query.get('mchid') !== this.#ids.mchId) return error(400, 'PARAM_ERROR');
    return payment ? json(200, this.transaction(payment)) : error(404, 'ORDER_NOT_EXIST');
  }

  #close(tradeNo: string, body: Members): SimulatorReply {
    const payment = this.payments.get(tradeNo);
    if (body['mchid'] !== this.#ids.mchId) return error(400, 'PARAM_ERROR');
    if (!payment) return error(404, 'ORDER_NOT_EXIST');
    if (payment.state === 'paid') return error(400, 'ORDERPAID');
    payment.state = 'closed';
    return { status: 204 };
  }

  #refund(body: Members, faults: Faults): SimulatorReply {
    const { transaction_id: gatewayNo, out_trade_no: tradeNo, out_refund_no: refundNo, notify_url: url } = body;
    const { refund, total, currency } = (body['amount'] ?? {}) as Members;
    const payment = [...this.payments.values()].find(
      (each) => each.state === 'paid' && (each.gatewayNo === gatewayNo || each.tradeNo === tradeNo),
    );
    if (!payment) return error(404, 'RESOURCE_NOT_EXISTS');
    if (typeof refundNo !== 'string' || typeof refund !== 'number' || !Number.isSafeInteger(refund)) {
      return error(400, 'PARAM_ERROR');
    }
    const known = payment.refunds.find((each) => each.refundNo === refundNo);
    if (known) return known.minor === refund ? this.#refundReply(payment, known) : error(400, 'INVALID_REQUEST');
    const refunded = payment.refunds
      .filter(({ state }) => state !== 'refused')
      .reduce((sum, { minor }) => sum + minor, 0);
    if (total !== payment.minor || currency !== 'CNY' || refund < 1) return error(400, 'PARAM_ERROR');
    if (refunded + refund > payment.minor) return error(400, 'INVALID_REQUEST');
    if (faults.refunds === 'refused') return error(403, 'NOT_ENOUGH');
    const created: WxpayRefund = {
      refundNo,
      gatewayRefundNo: `50${digits(26)}`,
      minor: refund,
      state: faults.refunds === 'processing' ? 'processing' : 'success',
      notifyUrl: typeof url === 'string' ? url : payment.notifyUrl,
    };
    payment.refunds.push(created);
    return this.#refundReply(payment, created);
  }

  #queryRefund(refundNo: string): SimulatorReply {
    const { payment, refund } = this.#refundOf(refundNo) ?? {};
    return payment && refund ? this.#refundReply(payment, refund) : error(404, 'RESOURCE_NOT_EXISTS');
  }

  #refundReply(payment: WxpayPayment, refund: WxpayRefund): SimulatorReply {
    const { refund_status: status, ...members } = this.refundNotice(payment, refund);
    return json(200, { ...members, status, channel: 'ORIGINAL', funds_account: 'AVAILABLE' });
  }

  transaction(payment: WxpayPayment): Members {
    const states = { open: 'NOTPAY', closed: 'CLOSED', paid: payment.refunds.length > 0 ? 'REFUND' : 'SUCCESS' };
    const isPaid = payment.state === 'paid';
    return {
      appid: this.#ids.appId,
      mchid: this.#ids.mchId,
      out_trade_no: payment.tradeNo,
      ...(isPaid && { transaction_id: payment.gatewayNo, success_time: new Date().toISOString(), bank_type: 'OTHERS' }),
      trade_type: 'NATIVE',
      trade_state: states[payment.state],
      trade_state_desc: states[payment.state],
      // The payer used a coupon: the sum paid is smaller than the order.
      amount: {
        total: payment.minor,
        payer_total: Math.max(1, payment.minor - 1),
        currency: 'CNY',
        payer_currency: 'CNY',
      },
    };
  }

  refundNotice(payment: WxpayPayment, refund: WxpayRefund): Members {
    const states = { success: 'SUCCESS', processing: 'PROCESSING', refused: 'CLOSED' };
    return {
      mchid: this.#ids.mchId,
      out_trade_no: payment.tradeNo,
      transaction_id: payment.gatewayNo,
      out_refund_no: refund.refundNo,
      refund_id: refund.gatewayRefundNo,
      refund_status: states[refund.state],
      user_received_account: 'balance',
      amount: { total: payment.minor, refund: refund.minor, payer_total: payment.minor, payer_refund: refund.minor },
    };
  }

  payment = (tradeNo: string): WxpayPayment => paymentIn(this.payments, tradeNo);

  refund(refundNo: string): { payment: WxpayPayment; refund: WxpayRefund } {
    const found = this.#refundOf(refundNo);
    if (!found) throw new Error(`no refund ${refundNo}`);
    return found;
  }

  #refundOf(refundNo: string): { payment: WxpayPayment; refund: WxpayRefund } | undefined {
    for (const payment of this.payments.values()) {
      const refund = payment.refunds.find((each) => each.refundNo === refundNo);
      if (refund) return { payment, refund };
    }
    return undefined;
  }

  pay(payment: WxpayPayment): void {
    payment.state = 'paid';
    payment.gatewayNo ||= `42${digits(26)}`;
  }

  byCode(code: string): WxpayPayment | undefined {
    return [...this.payments.values()].find((payment) => payment.code === code);
  }

  /** The last bill that was asked for: its lines hold the time, so it is written once. */
  #bill = '';

  /** Replies about bills: today's holds all payments, the others do not exist. */
  bill({ path, query, method }: SimulatorRequest, origin: string): SimulatorReply | undefined {
    if (method === 'GET' && path === '/v3/billdownload/file') {
      return { type: 'application/gzip', body: gzipSync(this.#bill) };
    }
    if (method !== 'GET' || path !== '/v3/bill/tradebill') return undefined;
    if (query.get('bill_date') !== beijingNow().slice(0, 10)) return error(400, 'NO_STATEMENT_EXIST');
    this.#bill = this.billText();
    return json(200, {
      hash_type: 'SHA1',
      hash_value: hash('sha1', this.#bill),
      download_url: `${origin}/v3/billdownload/file?token=simulated`,
    });
  }

  billText(): string {
    const names =
      '交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,应结订单金额,代金券金额,微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率,订单金额,申请退款金额,费率备注'.split(
        ',',
      );
    const { appId, mchId } = this.#ids;
    const line = (cells: Record<string, string>) => names.map((name) => `\`${cells[name] ?? ''}`).join(',');
    const lines: string[] = [];
    for (const payment of this.payments.values()) {
      if (payment.state !== 'paid') continue;
      const shared = {
        交易时间: beijingNow(),
        公众账号ID: appId,
        商户号: mchId,
        微信订单号: payment.gatewayNo,
        商户订单号: payment.tradeNo,
        交易类型: 'NATIVE',
        商品名称: `${payment.description}, credits`,
        货币种类: 'CNY',
      };
      lines.push(line({ ...shared, 交易状态: 'SUCCESS', 订单金额: yuan(payment.minor), 申请退款金额: '0.00' }));
      for (const refund of payment.refunds) {
        lines.push(
          line({
            ...shared,
            交易状态: 'REFUND',
            商户退款单号: refund.refundNo,
            退款状态: refund.state.toUpperCase(),
            订单金额: yuan(payment.minor),
            申请退款金额: yuan(refund.minor),
          }),
        );
      }
    }
    return `\uFEFF${[names.join(','), ...lines, '总交易单数,应结订单总金额', `\`${lines.length},\`0.00`].join('\r\n')}\r\n`;
  }
}

const yuan = (minor: number): string => `${Math.trunc(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;
const beijingNow = (): string => new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
const isLaterByAMinute = (time: unknown): boolean =>
  typeof time === 'string' && /[+-]\d\d:\d\d$/.test(time) && Date.parse(time) > Date.now() + 60_000;
const digits = (length: number): string => Array.from({ length }, () => randomInt(10)).join('');

const json = (status: number, body: unknown): SimulatorReply => ({ status, body: JSON.stringify(body) });

const error = (status: number, code: string): SimulatorReply => json(status, { code, message: `simulated ${code}` });
