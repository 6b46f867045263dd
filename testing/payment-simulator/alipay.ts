import { minorOf, minorText } from '@relay-hub/contract';
import { createSign, createVerify, generateKeyPairSync } from 'node:crypto';
import { cashierReply } from './cashier.ts';
import { deliver, faultReply, serveSimulator, type SimulatorReply, type SimulatorRequest } from './simulator-server.ts';
import {
  type Delivery,
  type Faults,
  paymentIn,
  type PaymentSimulator,
  type SimulatedPayment,
  textFields,
  withQuery,
} from './simulator.ts';

interface AlipayOptions {
  payType?: 'facepay' | 'pagepay' | 'wappay';
}

type Fields = Record<string, string>;

/** Short, because each simulator generates its keys. */
const KEY_BITS = 1024;

const APP_ID = '2021000000000001';
const SELLER_ID = '2088000000000001';
const products: Fields = {
  'alipay.trade.page.pay': 'FAST_INSTANT_TRADE_PAY',
  'alipay.trade.wap.pay': 'QUICK_WAP_WAY',
};

/** A simulated Alipay. As there, a trade exists once the payer opened the cashier; it can be paid until it is closed. */
export async function startAlipay({ payType = 'facepay' }: AlipayOptions = {}): Promise<PaymentSimulator> {
  const app = generateKeyPairSync('rsa', { modulusLength: KEY_BITS });
  const platform = generateKeyPairSync('rsa', { modulusLength: KEY_BITS });
  const payments = new Map<string, SimulatedPayment>();
  const opened = new Set<string>();
  const faults: Faults = {};
  const requests: string[] = [];

  const sorted = (fields: Fields, skipped: readonly string[]) =>
    Object.entries(fields)
      .flatMap(([name, value]) => (value === '' || skipped.includes(name) ? [] : [`${name}=${value}`]))
      .toSorted()
      .join('&');
  const signature = (text: string) => createSign('RSA-SHA256').update(text, 'utf8').sign(platform.privateKey, 'base64');

  /** Why a request is refused, as `sub_code`; empty if it is accepted. */
  const problemOf = (fields: Fields): string => {
    if (fields['app_id'] !== APP_ID) return 'isv.invalid-app-id';
    if (fields['sign_type'] !== 'RSA2' || fields['charset'] !== 'utf-8' || fields['version'] !== '1.0')
      return 'isv.invalid-parameter';
    const verifier = createVerify('RSA-SHA256').update(sorted(fields, ['sign']), 'utf8');
    if (!verifier.verify(app.publicKey, fields['sign'] ?? '', 'base64')) return 'isv.invalid-signature';
    const sent = Date.parse(`${fields['timestamp']?.replace(' ', 'T')}+08:00`);
    return Math.abs(sent - Date.now()) < 900_000 ? '' : 'isv.invalid-timestamp';
  };

  const create = (fields: Fields, content: Fields): SimulatedPayment | undefined => {
    const tradeNo = content['out_trade_no'] ?? '';
    const minor = minorOf(content['total_amount'] ?? '');
    if (!/^\w{1,64}$/.test(tradeNo) || minor === undefined || !content['subject'] || /[/=&]/.test(content['subject']))
      return undefined;
    if (Date.parse(`${content['time_expire']?.replace(' ', 'T')}+08:00`) <= Date.now()) return undefined;
    const payment: SimulatedPayment = payments.get(tradeNo) ?? {
      tradeNo,
      gatewayNo: `20261123220014${String(payments.size + 1).padStart(14, '0')}`,
      minor,
      currency: 'CNY',
      state: 'open',
      notifyUrl: fields['notify_url'] ?? '',
      returnUrl: fields['return_url'] ?? `${server.url}/returned`,
      refunds: [],
    };
    payments.set(tradeNo, payment);
    return payment.minor === minor ? payment : undefined;
  };

  const refundedOf = ({ refunds }: SimulatedPayment) =>
    refunds.reduce((sum, { minor, state }) => (state === 'success' ? sum + minor : sum), 0);

  const statusOf = (payment: SimulatedPayment): string => {
    if (payment.state === 'open') return 'WAIT_BUYER_PAY';
    return payment.state === 'closed' || refundedOf(payment) === payment.minor ? 'TRADE_CLOSED' : 'TRADE_SUCCESS';
  };

  const refuse = (sub_code: string, sub_msg = sub_code): Fields => ({
    code: '40004',
    msg: 'Business Failed',
    sub_code,
    sub_msg,
  });
  const accept = (fields: Fields): Fields => ({ code: '10000', msg: 'Success', ...fields });

  const methods: Record<string, (content: Fields, payment: SimulatedPayment) => Fields> = {
    'alipay.trade.query': (_, payment) =>
      accept({ ...idsOf(payment), trade_status: statusOf(payment), total_amount: minorText(payment.minor) }),
    'alipay.trade.close': (_, payment) => {
      if (payment.state !== 'open') return refuse('ACQ.TRADE_STATUS_ERROR');
      payment.state = 'closed';
      return accept(idsOf(payment));
    },
    'alipay.trade.refund': refundReply,
    'alipay.trade.fastpay.refund.query': (content, payment) => {
      const refund = payment.refunds.find(({ refundNo }) => refundNo === content['out_request_no']);
      if (refund?.state !== 'success') return accept({});
      const amounts = { refund_amount: minorText(refund.minor), refund_status: 'REFUND_SUCCESS' };
      return accept({ ...idsOf(payment), out_request_no: refund.refundNo, ...amounts });
    },
  };

  function refundReply(content: Fields, payment: SimulatedPayment): Fields {
    const refundNo = content['out_request_no'] ?? '';
    const minor = minorOf(content['refund_amount'] ?? '') ?? 0;
    const known = payment.refunds.find((refund) => refund.refundNo === refundNo);
    if (known && known.minor !== minor) return refuse('ACQ.DISCORDANT_REPEAT_REQUEST');
    if (!known) {
      if (statusOf(payment) !== 'TRADE_SUCCESS') return refuse('ACQ.TRADE_STATUS_ERROR');
      if (minor <= 0 || minor > payment.minor - refundedOf(payment)) return refuse('ACQ.REASON_TRADE_REFUND_FEE_ERR');
      if (faults.refunds === 'refused') return refuse('ACQ.SELLER_BALANCE_NOT_ENOUGH');
      payment.refunds.push({ refundNo, gatewayRefundNo: '', minor, state: faults.refunds ?? 'success' });
    }
    const changed = !known && faults.refunds === undefined;
    if (changed) void notifyRefund(payment, refundNo);
    return accept({ ...idsOf(payment), refund_fee: minorText(refundedOf(payment)), fund_change: changed ? 'Y' : 'N' });
  }

  const notifyRefund = (payment: SimulatedPayment, refundNo: string): Promise<Delivery | undefined> => {
    const change = {
      out_biz_no: refundNo,
      refund_fee: minorText(refundedOf(payment)),
      gmt_refund: `${beijingNow()}.123`,
    };
    // Tests without a hub have no address for it.
    return simulator.notify(payment.tradeNo, change).catch(() => undefined);
  };

  const apiReply = (fields: Fields): SimulatorReply => {
    const method = fields['method'] ?? '';
    const content = JSON.parse(fields['biz_content'] ?? '{}') as Fields; // the hub's request
    const problem = problemOf(fields);
    if (problem !== '')
      return signedReply(method, { code: '40002', msg: 'Invalid Arguments', sub_code: problem, sub_msg: problem });
    if (method === 'alipay.trade.precreate') {
      const payment = create(fields, content);
      if (!payment) return signedReply(method, refuse('ACQ.INVALID_PARAMETER'));
      return signedReply(
        method,
        accept({ out_trade_no: payment.tradeNo, qr_code: cashierOf(payment), ...textFields({}, faults.start) }),
      );
    }
    const payment = payments.get(content['out_trade_no'] ?? '');
    if (!payment || !opened.has(payment.tradeNo))
      return signedReply(method, refuse('ACQ.TRADE_NOT_EXIST', '交易不存在'));
    return signedReply(method, methods[method]?.(content, payment) ?? refuse('isv.invalid-method'));
  };

  /** The signature covers the object as sent, with a blank and escaped slashes that a parser would drop. */
  const signedReply = (method: string, fields: Fields): SimulatorReply => {
    const object = JSON.stringify(fields)
      .replaceAll('/', String.raw`\/`)
      .replace('{', '{ ');
    return { body: `{"${method.replaceAll('.', '_')}_response":${object},"sign":"${signature(object)}"}` };
  };

  const payPage = (fields: Fields): SimulatorReply => {
    const content = JSON.parse(fields['biz_content'] ?? '{}') as Fields; // the hub's request
    const isProduct = content['product_code'] === products[fields['method'] ?? ''];
    const payment = isProduct && problemOf(fields) === '' ? create(fields, content) : undefined;
    if (!payment)
      return { status: 400, type: 'text/html', body: `<h1>${problemOf(fields) || 'invalid-parameter'}</h1>` };
    return { location: cashierOf(payment) };
  };

  const answer = (request: SimulatorRequest): SimulatorReply | Promise<SimulatorReply> => {
    if (request.path.startsWith('/cashier/')) {
      const open = ({ tradeNo }: SimulatedPayment) => void opened.add(tradeNo);
      return cashierReply(request, { payments, opened: open, pay: simulator.pay, returnUrl });
    }
    const fields: Fields = Object.fromEntries([...request.query, ...new URLSearchParams(request.body)]);
    if (request.path !== '/gateway.do') return { type: 'text/html', body: '<!doctype html><html>Alipay</html>' };
    if (products[fields['method'] ?? ''] !== undefined) return payPage(fields);
    requests.push(`${request.method} ${fields['method']}`);
    return faultReply(faults) ?? apiReply(fields);
  };

  const noticeFields = (payment: SimulatedPayment, change?: Record<string, string | number>): Fields => {
    const fields = textFields(
      {
        notify_time: beijingNow(),
        notify_type: 'trade_status_sync',
        notify_id: `id-${payment.tradeNo}`,
        app_id: APP_ID,
        charset: 'utf-8',
        version: '1.0',
        sign_type: 'RSA2',
        ...idsOf(payment),
        seller_id: SELLER_ID,
        trade_status: statusOf(payment),
        total_amount: minorText(payment.minor),
        receipt_amount: minorText(payment.minor),
        subject: '充值 100 % + more',
      },
      change,
    );
    return { ...fields, sign: signature(sorted(fields, ['sign', 'sign_type'])) };
  };
  const returnUrl = (payment: SimulatedPayment): string => withQuery(payment.returnUrl, idsOf(payment));

  const server = await serveSimulator(answer);
  const cashierOf = ({ tradeNo }: SimulatedPayment) => `${server.url}/cashier/${tradeNo}`;
  const simulator: PaymentSimulator = {
    url: server.url,
    config: {
      app_id: APP_ID,
      private_key: app.privateKey.export({ format: 'pem', type: 'pkcs1' }),
      public_key: platform.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
      pay_type: payType,
      seller_id: SELLER_ID,
      gateway: `${server.url}/gateway.do`,
    },
    payments,
    faults,
    requests,
    pay: (tradeNo, change) => {
      simulator.paySilently(tradeNo);
      return simulator.notify(tradeNo, change);
    },
    paySilently: (tradeNo) => {
      opened.add(tradeNo);
      paymentIn(payments, tradeNo).state = 'paid';
    },
    notify: (tradeNo, change) => deliver(simulator.notification(tradeNo, change)),
    notification: (tradeNo, change) => {
      const payment = paymentIn(payments, tradeNo);
      return {
        url: payment.notifyUrl,
        init: { method: 'POST', body: new URLSearchParams(noticeFields(payment, change)) },
      };
    },
    endRefund: async (refundNo, state) => {
      const payment = [...payments.values()].find(({ refunds }) =>
        refunds.some((refund) => refund.refundNo === refundNo),
      );
      const refund = payment?.refunds.find((each) => each.refundNo === refundNo);
      if (!payment || !refund) throw new Error(`the simulated gateway has no refund ${refundNo}`);
      refund.state = state;
      return state === 'success' ? await notifyRefund(payment, refundNo) : undefined;
    },
    close: server.close,
  };
  return simulator;
}

const idsOf = ({ tradeNo, gatewayNo }: SimulatedPayment): Fields => ({ out_trade_no: tradeNo, trade_no: gatewayNo });

const beijingNow = (): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Shanghai', dateStyle: 'short', timeStyle: 'medium' }).format();
