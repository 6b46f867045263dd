import { randomBytes } from 'node:crypto';
import { cashierPage, pressedButton } from './cashier.ts';
import {
  deliver,
  HangUp,
  serveSimulator,
  type SimulatorReply,
  type SimulatorRequest,
  takeFault,
} from './simulator-server.ts';
import { type Delivery, type PaymentSimulator, setMembers } from './simulator.ts';
import { WxpayBooks, type WxpayPayment } from './wxpay-books.ts';
import { newCertificate, newKeyPair, privatePem, publicPem, sealed, signLines, verifyLines } from './wxpay-crypto.ts';

export interface WxpayOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** Key kind of the platform; `both` signs with the certificate although a public key exists. */
  mode?: 'public_key' | 'certificate' | 'both';
}

export interface WxpaySimulator extends PaymentSimulator {
  payments: Map<string, WxpayPayment>;
  /** Replies left whose signature is wrong. */
  wrongSignatures: number;
  /** Signs with a new certificate from now on; the old one stays valid. */
  rotateCertificate(): void;
  /** A signed notification with any event type and resource. */
  signedEvent(type: string, resource: Record<string, unknown>): { url: string; init: RequestInit };
}

const now = () => Math.floor(Date.now() / 1000);
const MOST_CLOCK_SKEW_S = 300;

/** Simulates WeChat Pay API v3 (Native). QR contents are `weixin://wxpay/bizpayurl?pr=x`; `/pay?pr=x` is their page. */
export async function startWxpay({ port = 0, mode = 'public_key' }: WxpayOptions = {}): Promise<WxpaySimulator> {
  const merchant = { ...newKeyPair(), serial: randomBytes(20).toString('hex').toUpperCase() };
  const publicKey = { ...newKeyPair(), id: `PUB_KEY_ID_${Date.now()}` };
  const certificates = mode === 'public_key' ? [] : [newCertificate()];
  const apiKey = randomBytes(16).toString('hex');
  const ids = { appId: `wx${randomBytes(8).toString('hex')}`, mchId: '1900000109' };
  const books = new WxpayBooks(ids);

  const signer = () => {
    const certificate = certificates.at(-1);
    return certificate ?? { privateKey: publicKey.privateKey, serial: publicKey.id };
  };

  function signed(reply: SimulatorReply): SimulatorReply {
    if (reply.status === 401) return reply;
    const { privateKey, serial } = signer();
    const [timestamp, nonce, body] = [now(), randomBytes(8).toString('hex'), String(reply.body ?? '')];
    const isWrong = simulator.wrongSignatures > 0;
    if (isWrong) simulator.wrongSignatures--;
    return {
      ...reply,
      headers: { ...reply.headers, ...signatureOf(privateKey, serial, timestamp, nonce, isWrong ? `${body} ` : body) },
    };
  }

  async function handle(request: SimulatorRequest): Promise<SimulatorReply> {
    if (request.path === '/pay') return cashier(request);
    simulator.requests.push(`${request.method} ${request.target}`);
    const fault = takeFault(simulator.faults);
    if (fault?.status !== undefined) return { status: fault.status, body: '{"code":"SYSTEM_ERROR","message":"busy"}' };
    const reply = signed(answer(request));
    // The reply is lost after the operation was executed.
    if (fault?.hangUp === true) throw new HangUp();
    return reply;
  }

  function answer(request: SimulatorRequest): SimulatorReply {
    if (!isAuthorized(request)) return json(401, { code: 'SIGN_ERROR', message: 'the signature is wrong' });
    if (request.path === '/v3/certificates') return certificateList();
    const bill = books.bill(request, simulator.url);
    // The download of a bill is the only successful reply without a signature in practice; a signature does no harm.
    return bill ?? books.answer(request, simulator.faults);
  }

  function isAuthorized({ method, target, headers, body }: SimulatorRequest): boolean {
    const header = /^WECHATPAY2-SHA256-RSA2048 (.*)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const part = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(header)?.[1] ?? '';
    return (
      part('mchid') === ids.mchId &&
      part('serial_no') === merchant.serial &&
      Math.abs(now() - Number(part('timestamp'))) < MOST_CLOCK_SKEW_S &&
      headers['user-agent'] !== undefined &&
      headers.accept === 'application/json' &&
      verifyLines(merchant.publicKey, part('signature'), method, target, part('timestamp'), part('nonce_str'), body)
    );
  }

  function certificateList(): SimulatorReply {
    if (certificates.length === 0) return json(404, { code: 'RESOURCE_NOT_EXISTS', message: 'no certificate' });
    const data = certificates.map(({ serial, pem }) => ({
      serial_no: serial,
      effective_time: '2020-01-01T00:00:00+08:00',
      expire_time: '2049-12-31T23:59:59+08:00',
      encrypt_certificate: sealed(pem, apiKey, 'certificate'),
    }));
    return json(200, { data });
  }

  async function cashier(request: SimulatorRequest): Promise<SimulatorReply> {
    const pr = request.query.get('pr') ?? new URLSearchParams(request.body).get('pr') ?? '';
    const payment = books.byCode(pr);
    const title = 'WeChat Pay';
    if (!payment) return cashierPage({ title: 'Unknown QR code', status: 404 });
    if (payment.state !== 'open') return cashierPage({ title, lines: [`The payment is ${payment.state}`] });
    const page = { title, lines: [payment.description, `CNY ${payment.minor / 100}`], fields: { pr } };
    const button = pressedButton(request);
    if (button === undefined) return cashierPage(page);
    if (button === 'decline') return cashierPage({ ...page, error: 'The bank declined' });
    if (button === 'cancel') return cashierPage({ title, lines: ['Payment cancelled'] });
    // The payment is taken even if the hub cannot be reached.
    await simulator.pay(payment.tradeNo).catch(() => undefined);
    return cashierPage({ title, lines: ['Paid'] });
  }

  function event(
    type: string,
    resource: Record<string, unknown>,
    notifyUrl?: string,
  ): { url: string; init: RequestInit } {
    const original = type.startsWith('REFUND') ? 'refund' : 'transaction';
    const body = JSON.stringify({
      id: randomBytes(16).toString('hex'),
      create_time: new Date().toISOString(),
      event_type: type,
      resource_type: 'encrypt-resource',
      summary: type,
      resource: { original_type: original, ...sealed(JSON.stringify(resource), apiKey, original) },
    });
    const { privateKey, serial } = signer();
    const headers = {
      'content-type': 'application/json',
      ...signatureOf(privateKey, serial, now(), randomBytes(8).toString('hex'), body),
    };
    const [last] = [...books.payments.values()].slice(-1);
    return { url: notifyUrl ?? last?.notifyUrl ?? '', init: { method: 'POST', headers, body } };
  }

  function notification(tradeNo: string, change?: Record<string, string | number>) {
    const payment = books.payment(tradeNo);
    const transaction = books.transaction(payment);
    setMembers(transaction, change);
    return event('TRANSACTION.SUCCESS', transaction, payment.notifyUrl);
  }

  const notify = (tradeNo: string, change?: Record<string, string | number>): Promise<Delivery> =>
    deliver(notification(tradeNo, change));

  const server = await serveSimulator(handle, port);
  const simulator: WxpaySimulator = {
    url: server.url,
    config: {
      app_id: ids.appId,
      mch_id: ids.mchId,
      mch_certificate_serial_number: merchant.serial,
      mch_apiv3_key: apiKey,
      mch_private_key: privatePem(merchant),
      ...(mode !== 'certificate' && { public_key_id: publicKey.id, public_key: publicPem(publicKey) }),
      pay_type: 'Native',
      api_base: server.url,
    },
    payments: books.payments,
    faults: {},
    requests: [],
    wrongSignatures: 0,
    rotateCertificate: () => void certificates.push(newCertificate()),
    signedEvent: event,
    paySilently: (tradeNo) => books.pay(books.payment(tradeNo)),
    pay: (tradeNo, change) => {
      books.pay(books.payment(tradeNo));
      return notify(tradeNo, change);
    },
    notify,
    notification,
    endRefund: (refundNo, state) => {
      const { payment, refund } = books.refund(refundNo);
      refund.state = state;
      const type = state === 'success' ? 'REFUND.SUCCESS' : 'REFUND.CLOSED';
      return deliver(event(type, books.refundNotice(payment, refund), refund.notifyUrl));
    },
    close: server.close,
  };
  return simulator;
}

function signatureOf(
  ...[key, serial, timestamp, nonce, body]: [Parameters<typeof signLines>[0], string, number, string, string]
): Record<string, string> {
  return {
    'wechatpay-timestamp': String(timestamp),
    'wechatpay-nonce': nonce,
    'wechatpay-serial': serial,
    'wechatpay-signature': signLines(key, timestamp, nonce, body),
    'wechatpay-signature-type': 'WECHATPAY2-SHA256-RSA2048',
  };
}

const json = (status: number, body: unknown): SimulatorReply => ({ status, body: JSON.stringify(body) });
