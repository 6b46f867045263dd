import {
  type GatewayContext,
  GatewayError,
  type GatewayRequest,
  type GatewayResponse,
  type PaymentRef,
  type PaymentRequest,
  type RawNotice,
} from '#payments/gateway.ts';

/** A context of an adapter that sends without the outbound guard. */
export const paymentContext = (
  config: GatewayContext['config'],
  more: Partial<GatewayContext> = {},
): GatewayContext => ({
  config,
  currency: 'CNY',
  notifyUrl: 'http://127.0.0.1:9/api/payment/notify/1',
  now: Math.floor(Date.now() / 1000),
  send: sendByFetch,
  ...more,
});

async function sendByFetch({ method, address, headers, body }: GatewayRequest): Promise<GatewayResponse> {
  let response: Response;
  try {
    response = await fetch(address, { method, redirect: 'manual', ...(headers && { headers }), ...(body && { body }) });
  } catch {
    throw new GatewayError('unknown', 'no response');
  }
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** A notification of a simulator as the server receives it. */
export function receivedNotice({ url, init }: { url: string; init: RequestInit }): RawNotice {
  const { method = 'GET', headers, body } = init;
  const isForm = body instanceof URLSearchParams;
  const text = isForm ? body.toString() : typeof body === 'string' ? body : '';
  return {
    method,
    query: URL.parse(url)?.search.slice(1) ?? '',
    headers: {
      ...(isForm && { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }),
      ...Object.fromEntries(new Headers(headers)),
    },
    body: Buffer.from(text),
  };
}

let count = 0;

/** A payment with a new order number. */
export function newPayment(more: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    tradeNo: `${Date.now()}${String(count++).padStart(8, '0')}`,
    minor: 7305,
    currency: 'CNY',
    description: 'Relay Hub: 10 USD of credits',
    expiresAt: Math.floor(Date.now() / 1000) + 3600,
    returnUrl: 'https://hub.example/panel/topup?order=1',
    clientIp: '203.0.113.9',
    email: 'payer@example.com',
    device: 'desktop',
    language: 'en_US',
    ...more,
  };
}

export const refOf = ({ tradeNo, minor, currency }: PaymentRequest, more: Partial<PaymentRef> = {}): PaymentRef => ({
  tradeNo,
  minor,
  currency,
  gatewayNo: '',
  sessionNo: '',
  ...more,
});
