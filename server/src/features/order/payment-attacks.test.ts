import { orderApi, ownOrderApi, paymentApi, type PaymentGateway } from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAlipay } from '#payment-simulator/alipay.ts';
import { startEpay } from '#payment-simulator/epay.ts';
import type { PaymentSimulator } from '#payment-simulator/simulator.ts';
import { startStripe } from '#payment-simulator/stripe.ts';
import { startWxpay } from '#payment-simulator/wxpay.ts';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import { startHub, type TestHub } from '#testing/hub.ts';
import {
  addGateway,
  balanceOf,
  DOLLAR,
  expectPaymentsBalance,
  openPayment,
  openPayments,
  order,
  orderSeen,
} from '#testing/payments.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { until } from '#testing/until.ts';

type Kind = 'epay' | 'alipay' | 'wxpay' | 'stripe';
const kinds = ['epay', 'alipay', 'wxpay', 'stripe'] as const;

/** Names of the notification's fields, by gateway. */
const fields = {
  epay: { amount: 'money', less: '0.01', merchant: 'pid', no: 'trade_no', order: 'out_trade_no' },
  alipay: { amount: 'total_amount', less: '0.01', merchant: 'app_id', no: 'trade_no', order: 'out_trade_no' },
  wxpay: { amount: 'amount.total', less: 1, merchant: 'mchid', no: 'transaction_id', order: 'out_trade_no' },
  stripe: {
    amount: 'amount_total',
    less: 1,
    merchant: 'event.livemode',
    no: 'payment_intent',
    order: 'client_reference_id',
  },
} satisfies Record<Kind, object>;

onEveryDatabase('attacks on payments', (make) => {
  let database: EmptyDatabase;
  let hub: TestHub;
  let other: TestHub;
  const simulators = new Map<Kind, PaymentSimulator>();
  const gateways = new Map<Kind, PaymentGateway>();

  beforeAll(async () => {
    database = await make();
    hub = await startHub(database);
    other = await startHub(database);
    await openPayments(hub);
    simulators.set('epay', await startEpay());
    simulators.set('alipay', await startAlipay());
    simulators.set('wxpay', await startWxpay());
    for (const kind of ['epay', 'alipay', 'wxpay'] as const)
      gateways.set(kind, await addGateway(hub, kind, simulators.get(kind)!));
    const stripe = await startStripe();
    simulators.set('stripe', stripe);
    gateways.set('stripe', await addGateway(hub, 'stripe', stripe));
  });
  afterAll(async () => {
    await Promise.all([hub?.close(), other?.close()]);
    for (const simulator of simulators.values()) await simulator.close();
    await database?.remove();
  });

  const ordered = async (kind: Kind, amount = 10): Promise<{ person: TestPerson; tradeNo: string }> => {
    const person = await addPerson(hub);
    const start = await order(person, gateways.get(kind)!, amount);
    await openPayment(start);
    return { person, tradeNo: start.trade_no };
  };
  const credited = async (person: TestPerson) => (await balanceOf(hub, person.id)).quota / DOLLAR;
  const booksAgree = () => expectPaymentsBalance(hub.server.deps.db);

  describe.each(kinds)('on %s', (kind) => {
    const simulator = () => simulators.get(kind)!;
    const gateway = () => gateways.get(kind)!;
    /** The number of a person's order, as soon as the gateway knows it. */
    const knownOrderOf = async (person: TestPerson): Promise<string> => {
      const { trade_no: tradeNo } = await until('the gateway knows the order', () =>
        hub.server.deps.db
          .selectFrom('orders')
          .where('trade_no', 'in', [...simulator().payments.keys(), ''])
          .where('user_id', '=', person.id)
          .select('trade_no')
          .executeTakeFirst(),
      );
      return tradeNo;
    };
    /** Sends a notification with a part of it replaced after it was signed. */
    const altered = async (tradeNo: string, alter: (sent: { url: string; init: RequestInit }) => void) => {
      const sent = simulator().notification(tradeNo);
      alter(sent);
      return fetch(sent.url, sent.init);
    };

    test('an untouched payment is credited', async () => {
      const { person, tradeNo } = await ordered(kind);
      const { status } = await simulator().pay(tradeNo);
      expect(status).toBeLessThan(300);
      expect(await credited(person)).toBe(10);
    });

    test('a payment that is delivered a hundred times to two nodes is credited once', async () => {
      const { person, tradeNo } = await ordered(kind);
      simulator().paySilently(tradeNo);
      const { url, init } = simulator().notification(tradeNo);
      const elsewhere = url.replace(hub.url, other.url);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, i) => fetch(i % 2 === 0 ? url : elsewhere, init).then(({ status }) => status)),
      );
      expect(Math.max(...answers)).toBeLessThan(300);
      expect(await credited(person)).toBe(10);
      const seen = await orderSeen(hub, tradeNo);
      expect(seen.events.filter((event) => event.kind === 'credited')).toHaveLength(1);
      expect(seen.attention).toBe('none');
    });

    test('a forged notification changes nothing and is kept', async () => {
      const { person, tradeNo } = await ordered(kind);
      simulator().paySilently(tradeNo);
      const response = await altered(tradeNo, (sent) => {
        const { body } = sent.init;
        if (kind === 'epay') sent.url = sent.url.replace(/money=[^&]+/, 'money=99.00');
        else if (body instanceof URLSearchParams) body.set('total_amount', '99.00');
        // The signature covers every byte.
        else sent.init.body = `${typeof body === 'string' ? body : ''} `;
      });
      const text = await response.text();
      expect(response.status >= 400 || text !== 'success').toBe(true);
      expect(await credited(person)).toBe(0);
      const { data } = await hub.root.call(orderApi.strays, { query: { size: 100 } });
      const kept = data.find(({ gateway_id }) => gateway_id === gateway().id);
      expect(kept).toMatchObject({ kind: 'notice_refused', has_evidence: true });
      expect(kept!.checks.at(-1)!.ok).toBe(false);
      await simulator().notify(tradeNo);
      expect(await credited(person)).toBe(10);
    });

    test.each(['amount', 'merchant', 'order'] as const)(
      'a signed notification with another %s is not believed',
      async (what) => {
        const { person, tradeNo } = await ordered(kind);
        const value =
          what === 'amount'
            ? fields[kind].less
            : what === 'merchant'
              ? kind === 'stripe'
                ? 'true'
                : '99999'
              : '202601010000000000000000';
        const delivery = await simulator().pay(tradeNo, { [fields[kind][what]]: value });
        expect(delivery.status >= 400 || delivery.body !== 'success').toBe(true);
        expect(await credited(person)).toBe(0);
        if (what === 'amount') {
          const seen = await orderSeen(hub, tradeNo);
          expect(seen).toMatchObject({ status: 'pending', attention: 'amount_differs' });
          expect(seen.events.at(-1)!.checks.at(-1)).toEqual({ check: 'amount', ok: false });
        }
      },
    );

    test('a second payment of the same order is shown and not credited', async () => {
      const { person, tradeNo } = await ordered(kind);
      await simulator().pay(tradeNo);
      await simulator().notify(tradeNo, { [fields[kind].no]: kind === 'stripe' ? 'pi_second' : '8888888888888888888' });
      expect(await credited(person)).toBe(10);
      expect(await orderSeen(hub, tradeNo)).toMatchObject({ status: 'success', attention: 'second_payment' });
    });

    test('one payment credits one order only', async () => {
      const first = await ordered(kind);
      const second = await ordered(kind);
      await simulator().pay(first.tradeNo);
      const { gateway_no } = await orderSeen(hub, first.tradeNo);
      await simulator().pay(second.tradeNo, { [fields[kind].no]: gateway_no });
      expect(await credited(second.person)).toBe(0);
      await simulator().notify(second.tradeNo);
      expect(await credited(second.person)).toBe(10);
    });

    test('a notification at another gateway’s address is not believed', async () => {
      const { person, tradeNo } = await ordered(kind);
      const twin = await addGateway(hub, kind, simulator(), { name: 'twin' });
      simulator().paySilently(tradeNo);
      await altered(tradeNo, (sent) => (sent.url = sent.url.replace(gateway().uuid, twin.uuid)));
      expect(await credited(person)).toBe(0);
      await simulator().notify(tradeNo);
      expect(await credited(person)).toBe(10);
    });

    test('a gateway that was disabled or deleted after the order is still heard', async () => {
      const one = await addGateway(hub, kind, simulator(), { name: 'short-lived' });
      const person = await addPerson(hub);
      const starts = [await order(person, one), await order(person, one)];
      for (const start of starts) await openPayment(start);
      await hub.root.call(paymentApi.update, { body: { id: one.id, enable: false } });
      expect((await person.client.try(ownOrderApi.create, { body: { uuid: one.uuid, amount: 10 } })).status).toBe(409);
      await simulator().pay(starts[0]!.trade_no);
      await hub.root.call(paymentApi.remove, { params: { id: one.id } });
      await simulator().pay(starts[1]!.trade_no);
      expect(await credited(person)).toBe(20);
    });

    test('a notification that overtakes the reply to the order is credited', async () => {
      const person = await addPerson(hub);
      const paying = order(person, gateway());
      // A form is known to the gateway only after the reply.
      const start = kind === 'epay' ? await paying : undefined;
      if (start) await openPayment(start);
      await simulator().pay(start?.trade_no ?? (await knownOrderOf(person)));
      await paying;
      expect(await credited(person)).toBe(10);
    });
  });

  test.each<[string, RequestInit]>([
    ['no body', { method: 'POST' }],
    ['an empty form', { method: 'POST', body: new URLSearchParams() }],
    ['JSON that is none', { method: 'POST', body: '{"a":', headers: { 'content-type': 'application/json' } }],
    ['bytes', { method: 'POST', body: new Uint8Array([0, 255, 254, 0]) }],
    [
      'a prototype key',
      { method: 'POST', body: '{"__proto__":{"x":1}}', headers: { 'content-type': 'application/json' } },
    ],
    ['a large body', { method: 'POST', body: 'x'.repeat(300_000) }],
    ['a GET without a query', { method: 'GET' }],
  ])('%s is refused by every gateway', async (_, init) => {
    for (const kind of kinds) {
      const response = await fetch(`${hub.url}/api/payment/notify/${gateways.get(kind)!.uuid}`, init);
      expect(response.status).toBeLessThan(500 + Number(kind === 'wxpay'));
      const text = await response.text();
      expect(text).not.toBe('success');
    }
  });

  test('a reply with a link or an end that cannot be starts no payment, whatever the gateway', async () => {
    const api = await startEpay({ mode: 'api' });
    const cases: [PaymentSimulator, Pick<PaymentGateway, 'uuid'>, Record<string, string | number>[]][] = [
      [api, await addGateway(hub, 'epay', api), [{ qrcode: 'javascript:alert(1)' }, { qrcode: '', payurl: 'data:,x' }]],
      [simulators.get('alipay')!, gateways.get('alipay')!, [{ qr_code: ' java\nscript:alert(1)' }]],
      [simulators.get('wxpay')!, gateways.get('wxpay')!, [{ code_url: 'data:text/html,x' }]],
      [
        simulators.get('stripe')!,
        gateways.get('stripe')!,
        [
          { url: 'javascript:alert(1)' },
          { url: 'data:text/html,x' },
          { url: '//x' },
          { expires_at: 9e15 },
          { expires_at: 1 },
        ],
      ],
    ];
    for (const [simulator, { uuid }, replies] of cases)
      for (const start of replies) {
        const person = await addPerson(hub);
        simulator.faults.start = start;
        const answer = await person.client.try(ownOrderApi.create, { body: { uuid, amount: 10 } });
        delete simulator.faults.start;
        expect({ start, ...answer }).toMatchObject({ status: 502, body: { code: 'gateway.refused' } });
        expect((await person.client.call(ownOrderApi.list)).data).toMatchObject([{ status: 'failed' }]);
      }
    await api.close();
  });

  test('an unknown address and other methods are refused', async () => {
    expect((await fetch(`${hub.url}/api/payment/notify/${'0'.repeat(32)}`, { method: 'POST' })).status).toBe(404);
    for (const method of ['PUT', 'DELETE', 'PATCH'])
      expect((await fetch(`${hub.url}/api/payment/notify/${gateways.get('epay')!.uuid}`, { method })).status).toBe(404);
  });

  test('what strangers send to a gateway’s address is bounded', async () => {
    const { uuid, id } = gateways.get('epay')!;
    for (let i = 0; i < 260; i++)
      await fetch(`${hub.url}/api/payment/notify/${uuid}?pid=${i}&sign=x`, {
        headers: { 'x-forwarded-for': '10.0.0.1' },
      });
    const { count } = await hub.server.deps.db
      .selectFrom('order_events')
      .where('gateway_id', '=', id)
      .where('order_id', '=', 0)
      // Signed ones are kept: only the gateway can send them.
      .where('print', 'not like', 's:%')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBeLessThanOrEqual(200);
  });

  test('after all of this the books agree', booksAgree);
});
