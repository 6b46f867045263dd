import {
  type GatewayConfig,
  type GatewayContext,
  GatewayError,
  type PaymentRef,
  type PaymentRequest,
  type RawNotice,
} from '#payments/gateway.ts';

export const NOTIFY_URL = 'http://127.0.0.1:9/api/payment/notify/0123456789abcdef0123456789abcdef';

/** What the hub hands to an adapter, with requests that skip the outbound guard. */
export const gatewayContext = (config: GatewayConfig, change: Partial<GatewayContext> = {}): GatewayContext => ({
  config,
  currency: 'CNY',
  notifyUrl: NOTIFY_URL,
  now: Math.floor(Date.now() / 1000),
  async send({ address, ...init }) {
    try {
      const response = await fetch(address, { ...init, redirect: 'manual' });
      const headers = Object.fromEntries(response.headers);
      return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) };
    } catch {
      throw new GatewayError('unknown', 'no response');
    }
  },
  ...change,
});

export const paymentRequest = (change: Partial<PaymentRequest> = {}): PaymentRequest => ({
  tradeNo: '20261123100000000001',
  minor: 7305,
  currency: 'CNY',
  description: 'Relay Hub – 10 USD',
  expiresAt: Math.floor(Date.now() / 1000) + 900,
  returnUrl: 'http://127.0.0.1:9/panel/topup?order=1',
  clientIp: '203.0.113.9',
  email: '',
  device: 'desktop',
  language: 'en_US',
  ...change,
});

export const paymentRef = ({ tradeNo, minor, currency }: PaymentRequest): PaymentRef => ({
  tradeNo,
  gatewayNo: '',
  sessionNo: '',
  minor,
  currency,
});

/** A notification of a simulator as the hub receives it. */
export async function rawNotice({ url, init }: { url: string; init: RequestInit }): Promise<RawNotice> {
  const request = new Request(url, init);
  return {
    method: request.method,
    query: new URL(url).search.slice(1),
    headers: Object.fromEntries(request.headers),
    body: Buffer.from(await request.arrayBuffer()),
  };
}
