import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GatewayNotice, PaymentGatewayAdapter } from '#payments/gateway.ts';
import { gateway as stripe } from '#payments/gateways/stripe.ts';
import { gateway as wxpay } from '#payments/gateways/wxpay.ts';
import { newPayment, paymentContext, refOf } from '#testing/payment-context.ts';
import type { PaymentSimulator } from './simulator.ts';
import { startStripe, type StripeSimulator } from './stripe.ts';
import { startWxpay } from './wxpay.ts';

/** Verifies what the simulators send, as the hub does. */
const hub = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]));
    const notice = { method: 'POST', query: '', headers, body: Buffer.concat(chunks) };
    adapter
      .verify(paymentContext(config), notice)
      .then((each) => notices.push(each))
      .then(
        () => true,
        () => false,
      )
      .then((accepted) => adapter.acknowledge(accepted))
      .then(({ status, body }) => res.writeHead(status).end(body))
      .catch(() => res.destroy());
  });
});

let notices: GatewayNotice[] = [];
let adapter: PaymentGatewayAdapter;
let config: Record<string, string>;
let notifyUrl: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  notifyUrl = `http://127.0.0.1:${(hub.address() as AddressInfo).port}/notify`; // a TCP server has one
});
afterAll(() => hub.close());
beforeEach(() => {
  notices = [];
});

function use(one: PaymentGatewayAdapter, simulator: PaymentSimulator): void {
  adapter = one;
  config = { ...one.check(simulator.config) };
}

const press = (page: string, button: string, fields: Record<string, string> = {}) =>
  fetch(page, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ ...fields, do: button }) });

async function start() {
  const payment = newPayment();
  const page = await adapter.start(paymentContext(config, { notifyUrl }), payment);
  return { payment, page };
}

describe('The simulated cashier of Stripe', () => {
  let simulator: StripeSimulator;
  beforeAll(async () => {
    simulator = await startStripe({ notifyUrl });
    use(stripe, simulator);
  });
  afterAll(() => simulator.close());

  test('declines, sends the payer back, or notifies the hub before it sends them on', async () => {
    const { payment, page } = await start();
    expect(await (await fetch(page.url)).text()).toContain('Cancel payment');
    const declined = await press(page.url, 'decline');
    expect([declined.status, simulator.payments.get(payment.tradeNo)!.state]).toEqual([402, 'open']);
    const cancelled = await press(page.url, 'cancel');
    expect(cancelled.headers.get('location')).toBe(`${payment.returnUrl}&cancelled=1`);
    expect(notices).toEqual([]);
    const paid = await press(page.url, 'pay');
    expect(paid.headers.get('location')).toBe(payment.returnUrl);
    expect(notices).toMatchObject([{ kind: 'payment', tradeNo: payment.tradeNo, paid: true }]);
    expect(await (await fetch(page.url)).text()).not.toContain('button');
  });

  test('sends disputes, refunds, delayed payments and other events', async () => {
    const { payment, page } = await start();
    const ref = refOf(payment, { sessionNo: page.sessionNo! });
    expect(await simulator.delay(payment.tradeNo)).toEqual({ status: 200, body: '' });
    await simulator.endDelay(payment.tradeNo, true);
    simulator.faults = { refunds: 'processing' };
    await adapter.refund!(paymentContext(config), ref, { refundNo: 'R1', minor: 5, reason: '' });
    await simulator.endRefund('R1', 'success');
    await simulator.dispute(payment.tradeNo, 'needs_response');
    await simulator.dispute(payment.tradeNo, 'lost');
    await simulator.event('payout.paid', {});
    expect(notices).toMatchObject([
      { kind: 'payment', paid: false },
      { kind: 'payment', paid: true },
      { kind: 'refund', refundNo: 'R1', state: 'success' },
      { kind: 'dispute', state: 'open' },
      { kind: 'dispute', state: 'lost' },
      { kind: 'other', state: 'payout.paid' },
    ]);
    expect(await simulator.notify(payment.tradeNo, { 'event.livemode': 1 })).toMatchObject({ status: 400 });
  });
});

test('the simulated cashier of WeChat Pay declines, cancels and pays the order of a QR code', async () => {
  const simulator = await startWxpay();
  use(wxpay, simulator);
  const { payment, page } = await start();
  const fields = { pr: page.url.replace('weixin://wxpay/bizpayurl?pr=', '') };
  const address = `${simulator.url}/pay`;
  expect(await (await fetch(`${address}?pr=${fields.pr}`)).text()).toContain('Pay');
  expect((await press(address, 'decline', fields)).status).toBe(402);
  expect(await (await press(address, 'cancel', fields)).text()).toContain('Payment cancelled');
  expect(simulator.payments.get(payment.tradeNo)!.state).toBe('open');
  expect(await (await press(address, 'pay', fields)).text()).toContain('Paid');
  simulator.faults = { refunds: 'processing' };
  const context = paymentContext(config, { notifyUrl });
  await adapter.refund!(context, refOf(payment), { refundNo: 'R1', minor: 5, reason: '' });
  expect(await simulator.endRefund('R1', 'refused')).toEqual({ status: 204, body: '' });
  expect(notices).toMatchObject([
    { kind: 'payment', tradeNo: payment.tradeNo, paid: true, minor: payment.minor },
    { kind: 'refund', refundNo: 'R1', tradeNo: payment.tradeNo, state: 'refused' },
  ]);
  expect(await simulator.notify(payment.tradeNo, { mchid: '1' })).toMatchObject({ status: 400 });
  await simulator.close();
});
