import {
  ledgerApi,
  logApi,
  optionApi,
  orderApi,
  ownOrderApi,
  paymentApi,
  planAdminApi,
  planApi,
  registerApi,
  userAdminApi,
} from '@relay-hub/contract';
import type { PaymentGateway } from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryDue } from '../../jobs/watch-orders.ts';
import { startAlipay } from '#payment-simulator/alipay.ts';
import { startEpay } from '#payment-simulator/epay.ts';
import type { PaymentSimulator } from '#payment-simulator/simulator.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
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

onEveryDatabase('orders', (make) => {
  const hub = hubForSuite(make);
  let epay: PaymentSimulator;
  let alipay: PaymentSimulator;
  let form: PaymentGateway;
  let qr: PaymentGateway;
  let payer: TestPerson;

  beforeAll(async () => {
    epay = await startEpay();
    alipay = await startAlipay();
    await openPayments(hub(), { RechargeDiscount: '{"100":0.9}', QuotaForInviter: String(DOLLAR) });
    form = await addGateway(hub(), 'epay', epay);
    qr = await addGateway(hub(), 'alipay', alipay, { percent_fee: 0.03 });
    payer = await addPerson(hub());
  });
  afterAll(async () => {
    await epay?.close();
    await alipay?.close();
  });

  const booksAgree = () => expectPaymentsBalance(hub().server.deps.db);
  /** Everything that is due, now. */
  const askNow = async () => {
    const { db } = hub().server.deps;
    for (const table of ['orders', 'refunds'] as const)
      await db.updateTable(table).set({ query_at: 1 }).where('query_at', '>', 0).execute();
    return queryDue(hub().server.deps);
  };
  const expire = (tradeNo: string) =>
    hub().server.deps.db.updateTable('orders').set({ expires_at: 1 }).where('trade_no', '=', tradeNo).execute();

  test('a payment is credited once, with an entry, a log row and a receipt', async () => {
    const start = await order(payer, qr, 100);
    expect(start).toMatchObject({ type: 2, data: { method: 'GET' } });
    expect(start.trade_no).toMatch(/^\d{24}$/);
    const before = await payer.client.call(ownOrderApi.get, { params: { trade_no: start.trade_no } });
    expect(before).toMatchObject({ status: 'pending', balance: 0, order_amount: 676.71, fee: 2.7, discount: 10 });
    expect(before.start).toMatchObject({ type: 2 });
    const status = () => payer.client.try(ownOrderApi.status, { query: { trade_no: start.trade_no } });
    expect(await status()).toMatchObject({ status: 200, body: { success: false, message: '' } });

    expect(await alipay.pay(start.trade_no)).toMatchObject({ status: 200, body: 'success' });

    expect(await status()).toMatchObject({ status: 200, body: { success: true } });
    expect(await balanceOf(hub(), payer.id)).toEqual({ quota: 100 * DOLLAR, entries: 100 * DOLLAR });
    const seen = await orderSeen(hub(), start.trade_no);
    expect(seen).toMatchObject({ status: 'success', order_minor: 67_671, attention: 'none', user_id: payer.id });
    expect(seen.events.map(({ kind }) => kind)).toEqual(['created', 'started', 'notice_accepted', 'credited']);
    expect(seen.events[2]!.checks.every(({ ok }) => ok)).toBe(true);
    expect((await hub().root.call(orderApi.evidence, { params: { id: seen.events[2]!.id } })).text).toContain(
      start.trade_no,
    );
    const { data } = await payer.client.call(ledgerApi.ownList, { query: {} });
    expect(data[0]).toMatchObject({ kind: 'topup', credits: 100 * DOLLAR, reference: `order:${start.trade_no}` });
    const logs = await payer.client.call(logApi.ownList, { query: { log_type: 1 } });
    expect(logs.data[0]).toMatchObject({ quota: 100 * DOLLAR, request_id: `order:${start.trade_no}` });
    const receipt = await payer.client.call(ownOrderApi.receipt, { params: { trade_no: start.trade_no } });
    expect(receipt).toMatchObject({ order_minor: 67_671, order_currency: 'CNY', amount: 100, refunds: [] });
    expect(receipt.receipt_no).toMatch(/^\d{4}-\d{6}$/);

    expect(await alipay.notify(start.trade_no)).toMatchObject({ status: 200, body: 'success' });
    expect(await balanceOf(hub(), payer.id)).toMatchObject({ quota: 100 * DOLLAR });
    await booksAgree();
  });

  test('a payment for an account that was deleted meanwhile is credited to it, and marked for attention', async () => {
    const gone = await addPerson(hub());
    const { trade_no } = await order(gone, qr, 5);
    const facts = await hub().root.call(userAdminApi.closing, { params: { id: gone.id } });
    expect(facts).toMatchObject({ open_orders: 1 });
    await hub().root.call(userAdminApi.remove, { params: { id: gone.id } });
    expect(await alipay.pay(trade_no)).toMatchObject({ status: 200, body: 'success' });
    expect(await orderSeen(hub(), trade_no)).toMatchObject({ status: 'success', attention: 'account_deleted' });
    const named = await hub().root.call(orderApi.list, { query: { username: gone.username } });
    expect(named.data).toMatchObject([{ trade_no, username: `${gone.username} (deleted ${gone.id})` }]);
    const back = await hub().root.call(userAdminApi.restore, { params: { id: gone.id }, body: {} });
    expect(back).toMatchObject({ username: gone.username, quota: 5 * DOLLAR });
    await booksAgree();
  });

  test('receipts are numbered without gaps', async () => {
    for (let i = 0; i < 2; i++) {
      const { trade_no } = await order(payer, qr, 1);
      await alipay.pay(trade_no);
    }
    const rows = await hub()
      .server.deps.db.selectFrom('orders')
      .where('receipt_no', '<>', '')
      .select('receipt_no')
      .orderBy('receipt_no')
      .execute();
    const numbers = rows.map(({ receipt_no }) => Number(receipt_no.split('-')[1]));
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  });

  test.each([
    ['amount', { uuid: 'x'.repeat(32).replaceAll('x', 'a'), amount: 0 }, 400, 'input.invalid'],
    ['amount', { amount: 1.5 }, 400, 'input.invalid'],
    ['amount', { amount: 1_000_001 }, 400, 'input.invalid'],
    ['uuid', { uuid: 'f'.repeat(32), amount: 10 }, 409, 'gateway.off'],
    ['uuid', { uuid: 'nonsense', amount: 10 }, 400, 'input.invalid'],
  ])('an order with an impossible %s is refused', async (field, body, status, code) => {
    const refused = await payer.client.send('POST', '/api/user/order', { uuid: form.uuid, ...body });
    expect(refused).toMatchObject({ status, body: { success: false, code, field } });
  });

  test('the minimum of the site holds on the server', async () => {
    await hub().root.call(optionApi.set, { body: { key: 'PaymentMinAmount', value: '5' } });
    const refused = await payer.client.try(ownOrderApi.create, { body: { uuid: form.uuid, amount: 4 } });
    expect(refused).toMatchObject({ status: 400, body: { code: 'order.amount', field: 'amount' } });
    await hub().root.call(optionApi.set, { body: { key: 'PaymentMinAmount', value: '1' } });
  });

  test('a user has at most ten unpaid orders, also with parallel requests', async () => {
    const person = await addPerson(hub());
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => person.client.try(ownOrderApi.create, { body: { uuid: form.uuid, amount: 5 } })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ body }) => !body.success && body.code === 'order.too_many')).toHaveLength(4);
  });

  test('another user’s order is unknown', async () => {
    const stranger = await addPerson(hub());
    const { trade_no } = await order(payer, form);
    for (const endpoint of [ownOrderApi.get, ownOrderApi.check, ownOrderApi.cancel, ownOrderApi.receipt])
      expect(await stranger.client.try(endpoint, { params: { trade_no } })).toMatchObject({ status: 404 });
    expect((await orderSeen(hub(), trade_no)).status).toBe('pending');
  });

  describe('without a notification', () => {
    test('a payment is found by a query', async () => {
      const person = await addPerson(hub());
      const { trade_no } = await order(person, qr);
      alipay.paySilently(trade_no);
      expect(await askNow()).toBeGreaterThan(0);
      expect(await balanceOf(hub(), person.id)).toMatchObject({ quota: 10 * DOLLAR });
      await booksAgree();
    });

    test('the payer’s check asks the gateway, and not too often', async () => {
      const person = await addPerson(hub());
      const { trade_no } = await order(person, qr);
      const check = () => person.client.call(ownOrderApi.check, { params: { trade_no } });
      expect(await check()).toMatchObject({ status: 'pending' });
      const asked = alipay.requests.length;
      expect(await check()).toMatchObject({ status: 'pending' });
      expect(alipay.requests).toHaveLength(asked);
      alipay.paySilently(trade_no);
      await hub().server.deps.db.updateTable('orders').set({ queried_at: 0 }).execute();
      expect(await check()).toMatchObject({ status: 'success', balance: 10 * DOLLAR });
    });

    test('an expired order is closed, and a payment after that is credited', async () => {
      const person = await addPerson(hub());
      const { trade_no } = await order(person, qr);
      await expire(trade_no);
      await askNow();
      expect((await orderSeen(hub(), trade_no)).status).toBe('closed');
      await alipay.pay(trade_no);
      expect((await orderSeen(hub(), trade_no)).status).toBe('success');
      expect(await balanceOf(hub(), person.id)).toMatchObject({ quota: 10 * DOLLAR });
    });

    test('a gateway that does not respond leaves the order open', async () => {
      const person = await addPerson(hub());
      const { trade_no } = await order(person, qr);
      alipay.faults.api = { times: 1, status: 502 };
      const seen = await orderSeen(hub(), trade_no);
      const asked = await hub().root.call(orderApi.ask, { params: { id: seen.id }, body: {} });
      expect(asked).toMatchObject({ status: 'pending' });
      expect(asked.events.at(-1)).toMatchObject({ kind: 'query_failed' });
      alipay.paySilently(trade_no);
      expect(await hub().root.call(orderApi.ask, { params: { id: seen.id }, body: {} })).toMatchObject({
        status: 'success',
      });
    });
  });

  test('a cancelled order is closed at the gateway; one that was paid meanwhile is credited', async () => {
    const person = await addPerson(hub());
    const first = await order(person, form);
    await openPayment(first);
    expect(await person.client.call(ownOrderApi.cancel, { params: { trade_no: first.trade_no } })).toMatchObject({
      status: 'closed',
      start: null,
    });
    const second = await order(person, qr);
    alipay.paySilently(second.trade_no);
    expect(await person.client.call(ownOrderApi.cancel, { params: { trade_no: second.trade_no } })).toMatchObject({
      status: 'success',
      balance: 10 * DOLLAR,
    });
  });

  test('a start that the gateway refuses fails the order; one without a response leaves it open', async () => {
    const person = await addPerson(hub());
    const ask = () => person.client.try(ownOrderApi.create, { body: { uuid: qr.uuid, amount: 10 } });
    alipay.faults.api = { times: 1, status: 502 };
    expect(await ask()).toMatchObject({ status: 502, body: { code: 'gateway.unreachable' } });
    const wrong = await addGateway(hub(), 'alipay', { ...alipay, config: { ...alipay.config, app_id: '1' } });
    const refused = await person.client.try(ownOrderApi.create, { body: { uuid: wrong.uuid, amount: 10 } });
    expect(refused).toMatchObject({ status: 502, body: { code: 'gateway.refused' } });
    const { data } = await person.client.call(ownOrderApi.list, { query: {} });
    expect(data.map(({ status }) => status)).toEqual(['failed', 'pending']);
  });

  test('an order of a plan buys it once with the payment, or keeps its credits if it is not on sale any more', async () => {
    const terms = { price: 3 * DOLLAR, unit: 'month', count: 1, allowance: DOLLAR } as const;
    const names = { zh_CN: '', zh_HK: '', en_US: 'Pro', ja_JP: '' };
    const plan = await hub().root.call(planAdminApi.create, { body: { names, terms, most_active: 2 } });
    const buyer = await addPerson(hub());
    const ordered = (amount: number) =>
      buyer.client.call(ownOrderApi.create, {
        body: { uuid: qr.uuid, amount, plan_version_id: plan.version_id },
      });
    await expect(ordered(2)).rejects.toThrow('quota.below_zero');
    const first = await ordered(4);
    const second = await ordered(4);
    await alipay.pay(first.trade_no);
    await alipay.pay(first.trade_no);
    expect(await buyer.client.call(planApi.mine, {})).toMatchObject([{ plan_id: plan.id, source: 'order', period: 1 }]);
    expect(await balanceOf(hub(), buyer.id)).toEqual({ quota: DOLLAR, entries: DOLLAR });
    await hub().root.call(planAdminApi.update, { params: { id: plan.id }, body: { names, terms, most_active: 1 } });
    await alipay.pay(second.trade_no);
    expect(await buyer.client.call(planApi.mine, {})).toHaveLength(1);
    expect(await balanceOf(hub(), buyer.id)).toEqual({ quota: 5 * DOLLAR, entries: 5 * DOLLAR });
    await booksAgree();
  });

  test('an order completed by hand stays marked, and its late notification changes nothing', async () => {
    const person = await addPerson(hub());
    const admin = await addPerson(hub(), { role: 10 });
    const { trade_no } = await order(person, qr);
    const { id } = await orderSeen(hub(), trade_no);
    const body = { remark: 'paid in cash' };
    expect(await admin.client.try(orderApi.complete, { params: { id }, body })).toMatchObject({ status: 403 });
    expect(await hub().root.try(orderApi.complete, { params: { id }, body: { remark: ' ' } })).toMatchObject({
      status: 400,
      body: { field: 'remark' },
    });
    expect(await hub().root.call(orderApi.complete, { params: { id }, body })).toMatchObject({
      status: 'success',
      completed_by: 'root',
      completed_remark: 'paid in cash',
    });
    await alipay.pay(trade_no);
    expect(await hub().root.try(orderApi.complete, { params: { id }, body })).toMatchObject({ status: 409 });
    expect(await orderSeen(hub(), trade_no)).toMatchObject({ completed_by: 'root', status: 'success' });
    expect(await balanceOf(hub(), person.id)).toEqual({ quota: 10 * DOLLAR, entries: 10 * DOLLAR });
    await booksAgree();
  });

  test('the first payment of an invited user rewards the inviter, the second does not', async () => {
    const inviter = await addPerson(hub());
    const invited = await addPerson(hub(), { inviter_id: inviter.id });
    for (let i = 0; i < 2; i++) await alipay.pay((await order(invited, qr)).trade_no);
    expect(await balanceOf(hub(), inviter.id)).toMatchObject({ quota: DOLLAR });
    expect(await inviter.client.call(registerApi.invitations)).toMatchObject({ earned: DOLLAR });
  });

  test('lists, totals and the export of orders agree', async () => {
    const person = await addPerson(hub());
    await alipay.pay((await order(person, qr)).trade_no);
    await order(person, form);
    const query = { user_id: person.id };
    const { data } = await hub().root.call(orderApi.list, { query });
    expect(data.map(({ status }) => status)).toEqual(['pending', 'success']);
    expect(await hub().root.call(orderApi.totals, { query })).toEqual({
      count: 2,
      by_status: [
        { status: 'pending', count: 1 },
        { status: 'success', count: 1 },
      ],
      by_currency: [{ currency: 'CNY', count: 1, paid_minor: 7519, refunded_minor: 0 }],
      attention: 0,
    });
    const csv = await hub().root.download(orderApi.download, { query: { ...query, language: 'en-US' } });
    expect(csv.trim().split('\r\n')).toHaveLength(3);
    expect(csv).toContain('75.19');
    expect((await hub().root.call(orderApi.list, { query: { keyword: data[1]!.gateway_no } })).data).toHaveLength(1);
  });
});

onEveryDatabase('payment gateways', (make) => {
  const hub = hubForSuite(make);
  let simulators: PaymentSimulator[] = [];

  beforeAll(async () => {
    simulators = [await startEpay(), await startEpay()];
    await openPayments(hub());
  });
  afterAll(() => Promise.all(simulators.map((one) => one.close())));

  test('secrets are written once and never shown, and changed keys apply to the next request', async () => {
    const [first, second] = [simulators[0]!, simulators[1]!];
    const made = await addGateway(hub(), 'epay', first);
    const secret = first.config['key']!;
    for (const { body } of [
      await hub().root.try(paymentApi.get, { params: { id: made.id } }),
      await hub().root.try(paymentApi.list),
    ])
      expect(JSON.stringify(body)).not.toContain(secret);
    expect(JSON.parse(made.config)).toMatchObject({ key: '••••••••', partner_id: first.config['partner_id'] });
    const row = await hub()
      .server.deps.db.selectFrom('payment_gateways')
      .where('id', '=', made.id)
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(secret);

    const test1 = await hub().root.call(paymentApi.test, { params: { id: made.id } });
    expect(test1).toMatchObject({ ok: true, message: '' });
    await hub().root.call(paymentApi.update, { body: { id: made.id, config: { key: 'a-wrong-key-of-the-operator' } } });
    const test2 = await hub().root.call(paymentApi.test, { params: { id: made.id } });
    expect(test2).toMatchObject({ ok: false });
    expect(test2.message).not.toBe('');

    const moved = { id: made.id, config: JSON.stringify({ pay_domain: second.config['pay_domain'] }) };
    expect(await hub().root.try(paymentApi.update, { body: moved })).toMatchObject({
      status: 400,
      body: { code: 'gateway.secret_again', field: 'config.key' },
    });
    await hub().root.call(paymentApi.update, { body: { id: made.id, config: { ...second.config } } });
    expect(await hub().root.call(paymentApi.test, { params: { id: made.id } })).toMatchObject({ ok: true });
  });

  test('only a super administrator changes whose notifications are believed', async () => {
    const admin = await addPerson(hub(), { role: 10 });
    const { id } = await addGateway(hub(), 'epay', simulators[0]!);
    const change = (body: object) => admin.client.try(paymentApi.update, { body: { id, ...body } });
    expect(await change({ config: { key: 'a-key-that-the-administrator-knows' } })).toMatchObject({ status: 403 });
    expect(await change({ currency: 'USD' })).toMatchObject({ status: 403 });
    expect(await change({ notify_domain: 'https://elsewhere.example' })).toMatchObject({ status: 403 });
    const { config } = await hub().root.call(paymentApi.get, { params: { id } });
    expect(await change({ name: 'renamed', sort: 7, config })).toMatchObject({ status: 200 });
    const body = { type: 'epay', name: 'x', icon: 'x', currency: 'CNY', config: simulators[0]!.config } as const;
    expect(await admin.client.try(paymentApi.create, { body })).toMatchObject({ status: 403 });
  });

  test('a gateway with orders keeps its currency', async () => {
    const person = await addPerson(hub());
    const made = await addGateway(hub(), 'epay', simulators[0]!);
    await hub().root.call(paymentApi.update, { body: { id: made.id, currency: 'USD' } });
    await order(person, made);
    expect(await hub().root.try(paymentApi.update, { body: { id: made.id, currency: 'CNY' } })).toMatchObject({
      status: 409,
      body: { code: 'gateway.currency_fixed', field: 'currency' },
    });
  });

  test('a partial update keeps everything else, and the type is fixed', async () => {
    const made = await addGateway(hub(), 'epay', simulators[0]!, { percent_fee: 0.006, enable: false, sort: 0 });
    expect(made).toMatchObject({ percent_fee: 0.006, enable: false, sort: 0 });
    const updated = await hub().root.call(paymentApi.update, { body: { id: made.id, name: 'renamed' } });
    expect(updated).toMatchObject({ ...made, name: 'renamed', updated_at: updated.updated_at });
    expect(await hub().root.try(paymentApi.update, { body: { id: made.id, type: 'stripe' } })).toMatchObject({
      status: 400,
      body: { code: 'gateway.type_fixed', field: 'type' },
    });
  });

  test.each([
    ['icon', { icon: 'x'.repeat(301) }],
    ['currency', { currency: 'EUR' }],
    ['fixed_fee', { fixed_fee: -1 }],
    ['fixed_fee', { fixed_fee: 0.001 }],
    ['percent_fee', { percent_fee: 0.00001 }],
    ['percent_fee', { percent_fee: -0.1 }],
    ['sort', { sort: -1 }],
    ['type', { type: 'barter' }],
    ['notify_domain', { notify_domain: 'ftp://hub.example' }],
    ['config', { config: '[1]' }],
    ['config.partner_id', { config: { partner_id: '' } }],
  ])('a wrong %s is refused and nothing is created', async (field, change) => {
    const count = async () => (await hub().root.call(paymentApi.list)).total_count;
    const before = await count();
    const { config } = simulators[0]!;
    const merged =
      'config' in change && typeof change.config === 'object' ? { config: { ...config, ...change.config } } : change;
    const body = { type: 'epay', name: 'x', icon: 'x', currency: 'CNY', config, ...merged };
    expect(await hub().root.send('POST', '/api/payment/', body)).toMatchObject({ status: 400, body: { field } });
    expect(await count()).toBe(before);
  });

  test('users see enabled gateways in the arranged order, without keys', async () => {
    const person = await addPerson(hub());
    const a = await addGateway(hub(), 'epay', simulators[0]!, { name: 'a' });
    const b = await addGateway(hub(), 'epay', simulators[0]!, { name: 'b' });
    const c = await addGateway(hub(), 'epay', simulators[0]!, { name: 'c', enable: false });
    await hub().root.call(paymentApi.arrange, { body: { ids: [b.id, a.id, c.id] } });
    const seen = await person.client.call(ownOrderApi.gateways);
    expect(seen.slice(0, 2).map(({ name }) => name)).toEqual(['b', 'a']);
    expect(seen.every((gateway) => !('config' in gateway))).toBe(true);
    await hub().root.call(paymentApi.remove, { params: { id: b.id } });
    expect((await person.client.call(ownOrderApi.gateways))[0]!.name).toBe('a');
    await hub().root.call(paymentApi.restore, { params: { id: b.id } });
    expect((await person.client.call(ownOrderApi.gateways))[0]!.name).toBe('b');
  });
});
