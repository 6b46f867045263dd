import {
  ledgerApi,
  orderApi,
  type OrderDetail,
  type PaymentGateway,
  registerApi,
  userAdminApi,
} from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAlipay } from '#payment-simulator/alipay.ts';
import type { PaymentSimulator } from '#payment-simulator/simulator.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import {
  addGateway,
  balanceOf,
  DOLLAR,
  expectPaymentsBalance,
  openPayments,
  order,
  orderSeen,
} from '#testing/payments.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { payShares } from './inviter-share.ts';

const DAY_S = 86_400;

onEveryDatabase('the share of an inviter', (make) => {
  const hub = hubForSuite(make);
  let alipay: PaymentSimulator;
  let gateway: PaymentGateway;
  let inviter: TestPerson;
  let payer: TestPerson;
  let count = 0;

  beforeAll(async () => {
    alipay = await startAlipay();
    await openPayments(hub(), { InviterSharePercent: '12.5', InviterShareDays: '14' });
    gateway = await addGateway(hub(), 'alipay', alipay);
    inviter = await addPerson(hub());
    payer = await addPerson(hub());
    await invite(payer, inviter);
  });
  afterAll(async () => {
    await expectPaymentsBalance(hub().server.deps.db);
    await alipay?.close();
  });

  const invite = ({ id }: TestPerson, by: TestPerson) =>
    hub().server.deps.db.updateTable('users').set({ inviter_id: by.id }).where('id', '=', id).execute();
  const topUp = async (dollars: number, by = payer): Promise<OrderDetail> => {
    const { trade_no } = await order(by, gateway, dollars);
    await alipay.pay(trade_no);
    return orderSeen(hub(), trade_no);
  };
  const after = (days: number) => {
    const { deps } = hub().server;
    return payShares({ ...deps, now: () => deps.now() + days * DAY_S });
  };
  const refund = async ({ id }: OrderDetail, quota: number) => {
    const body = { reason: 'asked for', reference: `share-refund-${++count}`, quota };
    expect((await hub().root.try(orderApi.refund, { params: { id }, body })).status).toBe(200);
  };
  const earned = async (of = inviter) => (await balanceOf(hub(), of.id)).quota / DOLLAR;

  test('is paid once, when its time has come, whichever node looks', async () => {
    const before = await earned();
    await topUp(10);
    const own = await inviter.client.call(registerApi.invitations);
    expect(own).toMatchObject({ share_percent: 12.5, share_days: 14, share_waiting: 1.25 * DOLLAR });
    expect(await after(13)).toBe(0);
    const paid = await Promise.all([after(15), after(15), after(15)]);
    expect([paid.reduce((sum, each) => sum + each), await after(16)]).toEqual([1, 0]);
    expect((await earned()) - before).toBe(1.25);
    expect(await inviter.client.call(registerApi.invitations)).toMatchObject({ share_waiting: 0 });
  });

  test.each([
    ['shrinks with a refund before', 4, 0.75],
    ['ends with a whole refund before', 10, 0],
  ])('%s it is due', async (_, dollars, share) => {
    const before = await earned();
    const made = await topUp(10);
    await refund(made, dollars * DOLLAR);
    await after(15);
    expect((await earned()) - before).toBe(share);
  });

  test('is taken back by a whole refund later, never below zero', async () => {
    const before = await earned();
    const made = await topUp(10);
    await after(15);
    expect((await earned()) - before).toBe(1.25);
    await refund(made, 10 * DOLLAR);
    expect((await earned()) - before).toBe(0);
    const again = await topUp(10);
    await after(15);
    const { quota } = await balanceOf(hub(), inviter.id);
    await hub().root.call(ledgerApi.correct, {
      params: { id: inviter.id },
      body: { quota: 100 - quota, remark: 'spent' },
    });
    await refund(again, 10 * DOLLAR);
    expect(await earned()).toBe(0);
  });

  test('waits while the order is disputed', async () => {
    const before = await earned();
    const made = await topUp(10);
    const orders = () => hub().server.deps.db.updateTable('orders').where('id', '=', made.id);
    await orders().set({ status: 'disputed' }).execute();
    expect(await after(15)).toBe(0);
    await orders().set({ status: 'success' }).execute();
    expect(await after(15)).toBe(1);
    expect((await earned()) - before).toBe(1.25);
  });

  test('is nobody’s without an inviter who may sign in', async () => {
    const alone = await addPerson(hub());
    await topUp(10, alone);
    expect(await after(15)).toBe(0);
    await topUp(10);
    await hub().root.call(userAdminApi.manage, { body: { id: inviter.id, action: 'disable' } });
    expect(await after(15)).toBe(0);
    await topUp(10);
    await hub().root.call(userAdminApi.manage, { body: { id: inviter.id, action: 'enable' } });
    expect(await after(15)).toBe(0);
  });
});
