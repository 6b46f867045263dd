import type { OrderDetail, PaymentGateway } from '@relay-hub/contract';
import { eventTypes, ledgerApi, orderApi, ownOrderApi, reconciliationApi, userAdminApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDue } from '../../jobs/watch-orders.ts';
import { createAccount } from '#features/account/user/create-account.ts';
import { startAlipay } from '#payment-simulator/alipay.ts';
import { startEpay } from '#payment-simulator/epay.ts';
import type { PaymentSimulator } from '#payment-simulator/simulator.ts';
import { startStripe, type StripeSimulator } from '#payment-simulator/stripe.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { type ApiClient, hubForSuite } from '#testing/hub.ts';
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

let count = 0;
const newReference = () => `refund-test-${++count}`;

onEveryDatabase('refunds and disputes', (make) => {
  const hub = hubForSuite(make);
  let alipay: PaymentSimulator;
  let stripe: StripeSimulator;
  let cny: PaymentGateway;
  let usd: PaymentGateway;

  beforeAll(async () => {
    alipay = await startAlipay();
    stripe = await startStripe();
    await openPayments(hub(), { QuotaForInviter: String(2 * DOLLAR) });
    cny = await addGateway(hub(), 'alipay', alipay);
    usd = await addGateway(hub(), 'stripe', stripe);
  });
  afterAll(async () => {
    await alipay?.close();
    await stripe?.close();
  });

  const paid = async (person: TestPerson, amount = 10, gateway = cny): Promise<OrderDetail> => {
    const { trade_no } = await order(person, gateway, amount);
    await (gateway === cny ? alipay : stripe).pay(trade_no);
    return orderSeen(hub(), trade_no);
  };
  const spend = async (person: TestPerson, credits: number) => {
    const body = { quota: -credits, remark: 'spent' };
    await hub().root.call(ledgerApi.correct, { params: { id: person.id }, body });
  };
  const refund = ({ id }: OrderDetail, more: object, client: ApiClient = hub().root) =>
    client.try(orderApi.refund, {
      params: { id },
      body: { reason: 'asked for', reference: newReference(), quota: DOLLAR, ...more },
    });
  const dollars = async (person: TestPerson) => (await balanceOf(hub(), person.id)).quota / DOLLAR;
  const askNow = async () => {
    await hub().server.deps.db.updateTable('refunds').set({ query_at: 1 }).where('query_at', '>', 0).execute();
    return queryDue(hub().server.deps);
  };
  const booksAgree = () => expectPaymentsBalance(hub().server.deps.db);

  test('parts return the same share of the money, and the last part the rest', async () => {
    const person = await addPerson(hub());
    const bought = await paid(person, 10);
    expect(bought.order_minor).toBe(7300);
    const sums: number[] = [];
    for (const quota of [3_333_333, 1_000_000, 666_667]) {
      const { body } = await refund(bought, { quota });
      expect(body).toMatchObject({ success: true });
      sums.push((body as { data: OrderDetail }).data.refunds.at(-1)!.minor);
    }
    expect(sums).toEqual([4866, 1460, 974]);
    const seen = await orderSeen(hub(), bought.trade_no);
    expect(seen).toMatchObject({ status: 'refunded', refunded_minor: 7300, refunded_quota: 5_000_000 });
    expect(seen.refunds.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
    expect(seen.entries.map(({ kind, credits }) => [kind, credits])).toEqual([
      ['topup', 5_000_000],
      ['refund', -3_333_333],
      ['refund', -1_000_000],
      ['refund', -666_667],
    ]);
    expect(await dollars(person)).toBe(0);
    expect(alipay.payments.get(bought.trade_no)!.refunds.map(({ minor }) => minor)).toEqual(sums);
    const receipt = await person.client.call(ownOrderApi.receipt, { params: { trade_no: bought.trade_no } });
    expect(receipt.refunds.map(({ minor }) => minor)).toEqual(sums);
    expect(await refund(bought, { quota: 1 })).toMatchObject({ status: 409 });
    await booksAgree();
  });

  test('every event of orders and new accounts is written with its cause, once', async () => {
    const { db, live, now } = hub().server.deps;
    const person = await addPerson(hub());
    const bought = await paid(person);
    const register = () =>
      db
        .transaction()
        .execute((trx) =>
          createAccount(
            trx,
            { username: 'newcomer-self', display_name: '', email: '', avatar_url: '', password_hash: '', aff: '' },
            { settings: live.settings, now: now(), ip: '192.0.2.1' },
          ),
        );
    // Each cause returns the object of its event.
    const causes: [type: string, cause: () => Promise<string>][] = [
      ['order.paid', async () => `order:${(await paid(person)).id}`],
      [
        'order.refunded',
        async () => {
          expect(await refund(bought, {})).toMatchObject({ status: 200 });
          return `order:${bought.id}`;
        },
      ],
      ['user.created', async () => `user:${await register()}`],
      [
        'user.created',
        async () => {
          const body = { username: 'newcomer-added', password: 'long-and-not-guessed-7' };
          return `user:${(await hub().root.call(userAdminApi.create, { body })).id}`;
        },
      ],
    ];
    for (const [type, cause] of causes) {
      const object = await cause();
      const written = await db.selectFrom('outbox').where('object', '=', object).select('type').execute();
      expect(written.filter((event) => event.type === type)).toHaveLength(1);
    }
    // Those of incidents, keys, balances and tasks are in `watch-incidents.test.ts`.
    const here = eventTypes.filter((type) => type.startsWith('order.') || type === 'user.created');
    expect(here.toSorted()).toEqual([...new Set(causes.map(([type]) => type))].toSorted());
  });

  test('a repeated request refunds once, also in parallel', async () => {
    const person = await addPerson(hub());
    const bought = await paid(person);
    const reference = newReference();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => refund(bought, { quota: 2 * DOLLAR, reference })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await dollars(person)).toBe(8);
    expect((await orderSeen(hub(), bought.trade_no)).refunds).toHaveLength(1);
  });

  test('parallel refunds never return more than was paid', async () => {
    const person = await addPerson(hub());
    const bought = await paid(person);
    await Promise.all(Array.from({ length: 12 }, () => refund(bought, { quota: 3 * DOLLAR })));
    const seen = await orderSeen(hub(), bought.trade_no);
    expect(seen.refunded_quota).toBeLessThanOrEqual(10 * DOLLAR);
    expect(await dollars(person)).toBe(10 - seen.refunded_quota / DOLLAR);
    const sent = alipay.payments.get(bought.trade_no)!.refunds.reduce((sum, { minor }) => sum + minor, 0);
    expect(sent).toBe(seen.refunded_minor);
  });

  test('spent credits cannot be refunded, unless a super administrator writes them off', async () => {
    const person = await addPerson(hub());
    const admin = await addPerson(hub(), { role: 10 });
    const bought = await paid(person);
    await spend(person, 7 * DOLLAR);
    expect(await orderSeen(hub(), bought.trade_no)).toMatchObject({ unspent_quota: 3 * DOLLAR, balance: 3 * DOLLAR });
    expect(await refund(bought, { quota: 4 * DOLLAR }, admin.client)).toMatchObject({
      status: 409,
      body: { code: 'order.refund_spent', field: 'quota' },
    });
    const off = { quota: 10 * DOLLAR, write_off: true, remark: 'goodwill' };
    expect(await refund(bought, off, admin.client)).toMatchObject({ status: 403 });
    expect(await refund(bought, { ...off, remark: '' })).toMatchObject({ status: 400, body: { field: 'remark' } });
    expect(await dollars(person)).toBe(3);
    const { body } = await refund(bought, off);
    expect(body).toMatchObject({ data: { status: 'refunded', refunds: [{ taken_quota: 3 * DOLLAR, minor: 7300 }] } });
    expect(await dollars(person)).toBe(0);
    await booksAgree();
  });

  test('credits that were added later do not count as unspent credits of an order', async () => {
    const person = await addPerson(hub());
    const first = await paid(person, 10);
    await spend(person, 10 * DOLLAR);
    const second = await paid(person, 5);
    expect(await orderSeen(hub(), first.trade_no)).toMatchObject({ unspent_quota: 0 });
    expect(await orderSeen(hub(), second.trade_no)).toMatchObject({ unspent_quota: 5 * DOLLAR });
    expect(await refund(first, { quota: DOLLAR })).toMatchObject({ status: 409 });
  });

  test('a refund that the gateway refuses returns the credits', async () => {
    const person = await addPerson(hub());
    const bought = await paid(person);
    alipay.faults.refunds = 'refused';
    const { body } = await refund(bought, { quota: 4 * DOLLAR });
    delete alipay.faults.refunds;
    expect(body).toMatchObject({ data: { status: 'success', refunded_minor: 0, refunds: [{ status: 'refused' }] } });
    expect(await dollars(person)).toBe(10);
    const { data } = await person.client.call(ledgerApi.ownList, { query: {} });
    expect(data.slice(0, 2).map(({ kind, credits }) => [kind, credits / DOLLAR])).toEqual([
      ['refund', 4],
      ['refund', -4],
    ]);
    await booksAgree();
  });

  test('a lost reply leaves the refund in progress, and a query ends it without a second refund', async () => {
    const person = await addPerson(hub());
    const bought = await paid(person);
    alipay.faults.api = { times: 3, hangUp: true };
    const { body } = await refund(bought, { quota: 4 * DOLLAR });
    expect(body).toMatchObject({
      data: { status: 'success', attention: 'refund_unknown', refunds: [{ status: 'processing' }] },
    });
    expect(await dollars(person)).toBe(6);
    expect(await refund(bought, { quota: DOLLAR })).toMatchObject({ body: { code: 'order.refund_running' } });
    delete alipay.faults.api;
    await askNow();
    expect(await orderSeen(hub(), bought.trade_no)).toMatchObject({
      status: 'part_refunded',
      attention: 'none',
      refunded_quota: 4 * DOLLAR,
    });
    expect(alipay.payments.get(bought.trade_no)!.refunds).toHaveLength(1);
    await booksAgree();
  });

  test('a refund that only the gateway’s page shows is pointed out, and recorded by hand', async () => {
    const person = await addPerson(hub());
    const admin = await addPerson(hub(), { role: 10 });
    const bought = await paid(person, 10, usd);
    await stripe.event('refund.created', {
      id: 're_dashboard',
      object: 'refund',
      amount: 300,
      currency: 'usd',
      status: 'succeeded',
      payment_intent: bought.gateway_no,
      charge: 'ch_x',
      metadata: {},
    });
    expect(await orderSeen(hub(), bought.trade_no)).toMatchObject({ attention: 'refund_elsewhere', refunded_minor: 0 });
    expect(await dollars(person)).toBe(10);
    const byHand = { quota: 3 * DOLLAR, by_hand: true, remark: 're_dashboard' };
    expect(await refund(bought, byHand, admin.client)).toMatchObject({ status: 403 });
    expect(await refund(bought, byHand)).toMatchObject({ status: 200 });
    await hub().root.call(orderApi.dismiss, { params: { id: bought.id }, body: { remark: 'recorded' } });
    expect(await orderSeen(hub(), bought.trade_no)).toMatchObject({ attention: 'none', refunded_minor: 300 });
    expect(await dollars(person)).toBe(7);
    await booksAgree();
  });

  test('a refund through Stripe is credited back once when it fails later', async () => {
    const person = await addPerson(hub());
    const bought = await paid(person, 10, usd);
    stripe.faults.refunds = 'processing';
    const { body } = await refund(bought, { quota: 5 * DOLLAR });
    delete stripe.faults.refunds;
    expect(body).toMatchObject({ data: { refunds: [{ status: 'processing', minor: 500 }] } });
    const { refund_no } = (body as { data: OrderDetail }).data.refunds[0]!;
    await stripe.endRefund(refund_no, 'refused');
    await stripe.endRefund(refund_no, 'refused');
    expect(await dollars(person)).toBe(10);
    expect(await orderSeen(hub(), bought.trade_no)).toMatchObject({
      status: 'success',
      refunds: [{ status: 'refused' }],
    });
    await booksAgree();
  });

  test('a whole refund takes back the inviter’s reward, as far as it is left', async () => {
    const inviter = await addPerson(hub());
    const invited = await addPerson(hub(), { inviter_id: inviter.id });
    const bought = await paid(invited);
    expect(await dollars(inviter)).toBe(2);
    await spend(inviter, DOLLAR / 2);
    await refund(bought, { quota: 4 * DOLLAR });
    expect(await dollars(inviter)).toBe(1.5);
    const { body } = await refund(bought, { quota: 6 * DOLLAR });
    expect(body).toMatchObject({ data: { status: 'refunded' } });
    expect((body as { data: OrderDetail }).data.refunds.at(-1)).toMatchObject({
      reward_taken: 1.5 * DOLLAR,
      reward_short: 0.5 * DOLLAR,
    });
    expect(await dollars(inviter)).toBe(0);
    const again = await paid(invited);
    expect(again.status).toBe('success');
    expect(await dollars(inviter)).toBe(0);
    await booksAgree();
  });

  test('an epay order has no refund interface: only a super administrator records it', async () => {
    const epay = await startEpay();
    const gateway = await addGateway(hub(), 'epay', epay);
    const person = await addPerson(hub());
    const start = await order(person, gateway);
    await openPayment(start);
    await epay.pay(start.trade_no);
    const bought = await orderSeen(hub(), start.trade_no);
    expect(bought).toMatchObject({ status: 'success', refunds_by_gateway: 'none' });
    expect(await refund(bought, {})).toMatchObject({ status: 409, body: { code: 'order.refund_by_hand' } });
    expect(await refund(bought, { by_hand: true, remark: 'bank transfer' })).toMatchObject({ status: 200 });
    expect(await dollars(person)).toBe(9);
    await epay.close();
  });

  test('a payment that was refunded at the gateway before it was credited is not credited', async () => {
    const person = await addPerson(hub());
    const { trade_no } = await order(person, usd);
    stripe.paySilently(trade_no);
    const { gatewayNo } = stripe.payments.get(trade_no)!;
    await stripe.event('refund.created', {
      id: 're_early',
      object: 'refund',
      amount: 1000,
      currency: 'usd',
      status: 'succeeded',
      payment_intent: gatewayNo,
      metadata: { trade_no },
    });
    const { id } = await orderSeen(hub(), trade_no);
    await hub().root.call(orderApi.dismiss, { params: { id }, body: { remark: 'seen' } });
    await hub().root.call(orderApi.ask, { params: { id }, body: {} });
    await stripe.notify(trade_no);
    expect(await orderSeen(hub(), trade_no)).toMatchObject({ status: 'pending', attention: 'refund_elsewhere' });
    expect(await dollars(person)).toBe(0);
  });

  test('a delayed method is credited when the money arrives, and not before', async () => {
    const person = await addPerson(hub());
    const { trade_no } = await order(person, usd);
    await stripe.delay(trade_no);
    expect(await dollars(person)).toBe(0);
    expect((await orderSeen(hub(), trade_no)).events.at(-1)).toMatchObject({ kind: 'notice_ignored' });
    await stripe.endDelay(trade_no, true);
    expect(await dollars(person)).toBe(10);
  });

  test('reconciliation finds what the gateway has and we lack, and the reverse', async () => {
    const person = await addPerson(hub());
    const own = await addGateway(hub(), 'alipay', alipay, { name: 'reconciled' });
    const starts = [await order(person, own), await order(person, own), await order(person, own)];
    await alipay.pay(starts[0]!.trade_no);
    await alipay.pay(starts[1]!.trade_no);
    const numbers = await Promise.all(starts.map(({ trade_no }) => orderSeen(hub(), trade_no)));
    const time = '2026-11-24 10:00:00';
    const csv = [
      '#支付宝业务明细查询',
      '支付宝交易号,商户订单号,业务类型,商品名称,创建时间,完成时间,订单金额（元）,商家实收（元）',
      `${numbers[0]!.gateway_no}\t,${starts[0]!.trade_no}\t,交易,x,${time},${time},73.00,73.00`,
      `2026112422001400000000000009\t,${starts[2]!.trade_no}\t,交易,x,${time},${time},73.00,73.00`,
      '#合计',
    ].join('\n');
    const { db } = hub().server.deps;
    const { created_at } = await db
      .selectFrom('orders')
      .where('gateway_id', '=', own.id)
      .select('created_at')
      .executeTakeFirstOrThrow();
    const body = { gateway_id: own.id, from: created_at - 3600, to: created_at + 3600, csv };
    const result = await hub().root.call(reconciliationApi.compare, { body });
    expect(result).toMatchObject({ rows: 2, matched: 1, here_minor: 14_600, there_minor: 14_600 });
    expect(result.differences.map(({ kind, trade_no }) => [kind, trade_no])).toEqual([
      ['missing_here', starts[2]!.trade_no],
      ['missing_there', starts[1]!.trade_no],
    ]);
    expect(await hub().root.try(reconciliationApi.compare, { body: { ...body, csv: 'a,b\n1,2' } })).toMatchObject({
      status: 400,
      body: { code: 'statement.format', field: 'csv' },
    });
    expect(await hub().root.try(reconciliationApi.compare, { body: { ...body, to: 0 } })).toMatchObject({
      status: 400,
      body: { field: 'to' },
    });
  });
});
