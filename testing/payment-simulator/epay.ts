import { minorOf, minorText } from '@relay-hub/contract';
import {
  createHash,
  createPublicKey,
  createSign,
  createVerify,
  generateKeyPairSync,
  timingSafeEqual,
} from 'node:crypto';
import { cashierReply } from './cashier.ts';
import { deliver, faultReply, serveSimulator, type SimulatorReply, type SimulatorRequest } from './simulator-server.ts';
import {
  type Faults,
  paymentIn,
  type PaymentSimulator,
  type SimulatedPayment,
  textFields,
  withQuery,
} from './simulator.ts';

interface EpayOptions {
  protocol?: 'v1' | 'v2';
  mode?: 'form' | 'api';
  /** Sends notifications as a form instead of a query. */
  post?: boolean;
  /** Appends `&key=` and the key to the text that v1 signs. */
  ampKey?: boolean;
}

type Fields = Record<string, string>;

/** Short, because each simulator generates its keys. */
const KEY_BITS = 1024;

const PID = '1001';
const KEY = 'simulated-epay-key-0123456789';

/** A simulated epay operator. */
export async function startEpay(options: EpayOptions = {}): Promise<PaymentSimulator> {
  const { protocol = 'v1', mode = 'form', post = false, ampKey = false } = options;
  const merchant = generateKeyPairSync('rsa', { modulusLength: KEY_BITS });
  const platform = generateKeyPairSync('rsa', { modulusLength: KEY_BITS });
  const payments = new Map<string, SimulatedPayment>();
  const refundKeys = new Map<string, SimulatedPayment>();
  const faults: Faults = {};
  const requests: string[] = [];
  const now = () => String(Math.floor(Date.now() / 1000));

  const textToSign = (fields: Fields) => {
    const names = Object.keys(fields).filter((name) => name !== 'sign' && name !== 'sign_type' && fields[name] !== '');
    return names.toSorted().reduce((text, name) => `${text}${text && '&'}${name}=${fields[name]}`, '');
  };
  const md5 = (fields: Fields) =>
    createHash('md5')
      .update(`${textToSign(fields)}${ampKey ? '&key=' : ''}${KEY}`)
      .digest('hex');

  const withSign = (fields: Fields): Fields =>
    protocol === 'v1'
      ? { ...fields, sign: md5(fields), sign_type: 'MD5' }
      : {
          ...fields,
          sign: createSign('RSA-SHA256').update(textToSign(fields)).sign(platform.privateKey, 'base64'),
          sign_type: 'RSA',
        };

  const isFromHub = (fields: Fields): boolean => {
    if (fields['pid'] !== PID) return false;
    const sign = fields['sign'] ?? '';
    if (protocol === 'v1') {
      const expected = Buffer.from(md5(fields));
      return (
        fields['sign_type'] === 'MD5' && sign.length === expected.length && timingSafeEqual(Buffer.from(sign), expected)
      );
    }
    if (fields['sign_type'] !== 'RSA' || Math.abs(Number(fields['timestamp']) - Number(now())) > 300) return false;
    const key = createPublicKey(merchant.privateKey);
    return createVerify('RSA-SHA256').update(textToSign(fields)).verify(key, sign, 'base64');
  };

  /** Replies of v2 are signed; `money` is a JSON number with two decimals, as in the reference program. */
  const success = (fields: Fields, list?: Fields[]): SimulatorReply => {
    const signed = protocol === 'v2' ? withSign({ code: '0', ...fields, timestamp: now() }) : { code: '1', ...fields };
    const members = Object.entries(signed).map(([name, value]) =>
      name === 'money' || name === 'code' ? `"${name}":${value}` : `"${name}":${JSON.stringify(value)}`,
    );
    if (list) members.push(`"data":${JSON.stringify(list)}`);
    return { body: `{${members.join(',')}}` };
  };
  const failure = (msg: string): SimulatorReply => ({
    body: JSON.stringify({ code: protocol === 'v1' ? -1 : 1, msg }),
  });

  const create = (fields: Fields): SimulatedPayment | undefined => {
    const tradeNo = fields['out_trade_no'] ?? '';
    const minor = minorOf(fields['money'] ?? '');
    if (tradeNo === '' || minor === undefined || fields['notify_url']?.includes('?')) return undefined;
    const payment: SimulatedPayment = payments.get(tradeNo) ?? {
      tradeNo,
      gatewayNo: `2026${String(payments.size + 1).padStart(15, '0')}`,
      minor,
      currency: 'CNY',
      state: 'open',
      notifyUrl: fields['notify_url'] ?? '',
      returnUrl: fields['return_url'] ?? '',
      refunds: [],
    };
    payments.set(tradeNo, payment);
    return payment.minor === minor ? payment : undefined;
  };

  const orderFields = (payment: SimulatedPayment): Fields => {
    const refunded = payment.refunds
      .filter(({ state }) => state === 'success')
      .reduce((sum, { minor }) => sum + minor, 0);
    const paid = payment.state === 'paid';
    return {
      trade_no: payment.gatewayNo,
      out_trade_no: payment.tradeNo,
      pid: PID,
      type: 'alipay',
      addtime: beijingNow(),
      endtime: paid ? beijingNow() : '',
      money: minorText(payment.minor),
      status: paid ? (refunded === payment.minor ? '2' : '1') : '0',
      ...(refunded > 0 && { refundmoney: minorText(refunded) }),
    };
  };

  const refundReply = (fields: Fields, payment: SimulatedPayment): SimulatorReply => {
    const refundNo = fields['out_refund_no'] ?? '';
    const minor = minorOf(fields['money'] ?? '') ?? 0;
    const known = payment.refunds.find((refund) => refund.refundNo === refundNo);
    if (known)
      return known.minor === minor ? success({ refund_no: known.gatewayRefundNo }) : failure('refund number was used');
    const left = payment.refunds.reduce((rest, refund) => rest - refund.minor, payment.minor);
    if (payment.state !== 'paid' || minor <= 0 || minor > left) return failure('the sum cannot be refunded');
    if (faults.refunds === 'refused') return failure('the balance is insufficient');
    const refund = { refundNo, gatewayRefundNo: `R${refundNo}`, minor, state: faults.refunds ?? ('success' as const) };
    payment.refunds.push(refund);
    refundKeys.set(refundNo, payment);
    return success({ refund_no: refund.gatewayRefundNo, out_refund_no: refundNo, money: minorText(minor) });
  };

  const payPage = (fields: Fields): SimulatorReply => {
    const payment = isFromHub(fields) ? create(fields) : undefined;
    return payment
      ? { location: cashierOf(payment) }
      : { status: 403, type: 'text/html', body: '<html>wrong sign</html>' };
  };

  const apiPhp = (fields: Fields): SimulatorReply => {
    if (fields['pid'] !== PID || fields['key'] !== KEY) return failure('商户密钥错误');
    if (fields['act'] === 'query') return success({ pid: PID, key: KEY, active: '1', balance: '0.00' });
    if (fields['act'] === 'orders') return ordersReply(fields);
    const payment = payments.get(fields['out_trade_no'] ?? '');
    return payment ? success(orderFields(payment)) : failure('订单号不存在');
  };

  const ordersReply = (fields: Fields): SimulatorReply => {
    const offset = Number(fields['offset'] ?? 0);
    return success(
      {},
      [...payments.values()]
        .toReversed()
        .map(orderFields)
        .slice(offset, offset + Number(fields['limit'])),
    );
  };

  const signedReply = (path: string, fields: Fields): SimulatorReply => {
    if (!isFromHub(fields)) return failure('签名校验失败');
    if (path === '/mapi.php' || path === '/api/pay/create') {
      const payment = create(fields);
      if (!payment || !fields['type'] || !fields['clientip']) return failure('a parameter is missing');
      const page = cashierOf(payment);
      const onPhone = fields['device'] === 'mobile';
      if (protocol === 'v1')
        return success({
          trade_no: payment.gatewayNo,
          [onPhone ? 'payurl' : 'qrcode']: page,
          ...textFields({}, faults.start),
        });
      return success({ trade_no: payment.gatewayNo, pay_type: onPhone ? 'jump' : 'qrcode', pay_info: page });
    }
    if (path === '/api/merchant/info') return success({ pid: PID, balance: '0.00' });
    if (path === '/api/merchant/orders') return ordersReply(fields);
    if (path === '/api/pay/refundquery') {
      const refundNo = fields['out_refund_no'] ?? '';
      const refund = refundKeys.get(refundNo)?.refunds.find((each) => each.refundNo === refundNo);
      if (!refund) return failure('退款订单不存在');
      return success({ refund_no: refund.gatewayRefundNo, status: refund.state === 'success' ? '1' : '0' });
    }
    const payment = payments.get(fields['out_trade_no'] ?? '');
    if (!payment) return failure('订单号不存在');
    if (path === '/api/pay/query') return success(orderFields(payment));
    if (path === '/api/pay/refund') return refundReply(fields, payment);
    if (payment.state === 'paid') return failure('the order is paid');
    payment.state = 'closed';
    return success({});
  };

  const answer = (request: SimulatorRequest): SimulatorReply | Promise<SimulatorReply> => {
    const { path } = request;
    const fields: Fields = Object.fromEntries([...request.query, ...new URLSearchParams(request.body)]);
    if (path.startsWith('/cashier/')) return cashierReply(request, { payments, pay: simulator.pay, returnUrl });
    if (path === '/submit.php' || path === '/api/pay/submit') return payPage(fields);
    requests.push(`${request.method} ${path}${fields['act'] === undefined ? '' : `?act=${fields['act']}`}`);
    const fault = faultReply(faults);
    if (fault) return fault;
    if (protocol === 'v1' && path === '/api.php') return apiPhp(fields);
    if (request.method === 'POST' && (protocol === 'v2' ? path.startsWith('/api/') : path === '/mapi.php')) {
      return signedReply(path, fields);
    }
    return { status: 404, type: 'text/html', body: '<!doctype html><html>404</html>' };
  };

  const noticeFields = (payment: SimulatedPayment, change?: Record<string, string | number>): Fields =>
    withSign(
      textFields(
        {
          pid: PID,
          trade_no: payment.gatewayNo,
          out_trade_no: payment.tradeNo,
          type: 'alipay',
          name: payment.tradeNo,
          money: minorText(payment.minor).replace(/0$/, ''),
          trade_status: 'TRADE_SUCCESS',
          ...(protocol === 'v2' && { timestamp: now() }),
        },
        change,
      ),
    );
  const returnUrl = (payment: SimulatedPayment): string => withQuery(payment.returnUrl, noticeFields(payment));

  const server = await serveSimulator(answer);
  const cashierOf = ({ tradeNo }: SimulatedPayment) => `${server.url}/cashier/${tradeNo}`;
  const bare = (pem: string) => pem.replaceAll(/-----[A-Z ]+-----|\s/g, '');
  const keys: Record<string, string> =
    protocol === 'v1'
      ? { key: KEY, key_joiner: ampKey ? 'amp_key' : 'plain' }
      : {
          private_key: bare(merchant.privateKey.export({ format: 'pem', type: 'pkcs8' })),
          platform_public_key: bare(platform.publicKey.export({ format: 'pem', type: 'spki' })),
        };
  const simulator: PaymentSimulator = {
    url: server.url,
    config: { pay_domain: server.url, partner_id: PID, protocol, mode, pay_type: 'alipay', ...keys },
    payments,
    faults,
    requests,
    pay: (tradeNo, change) => {
      simulator.paySilently(tradeNo);
      return simulator.notify(tradeNo, change);
    },
    paySilently: (tradeNo) => void (paymentIn(payments, tradeNo).state = 'paid'),
    notify: (tradeNo, change) => deliver(simulator.notification(tradeNo, change)),
    notification: (tradeNo, change) => {
      const payment = paymentIn(payments, tradeNo);
      const form = new URLSearchParams(noticeFields(payment, change));
      return post
        ? { url: payment.notifyUrl, init: { method: 'POST', body: form } }
        : { url: `${payment.notifyUrl}?${form.toString()}`, init: {} };
    },
    endRefund: (refundNo, state) => {
      const refund = refundKeys.get(refundNo)?.refunds.find((each) => each.refundNo === refundNo);
      if (refund) refund.state = state;
      return Promise.resolve(undefined);
    },
    close: server.close,
  };
  return simulator;
}

/** Operators state their local time. */
const beijingNow = (): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Shanghai', dateStyle: 'short', timeStyle: 'medium' }).format();
