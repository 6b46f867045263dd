import {
  auditApi,
  ledgerApi,
  limitApi,
  planAdminApi,
  planApi,
  type PlanTerms,
  redemptionApi,
  type Subscription,
} from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkBooks } from '#features/books/check-books.ts';
import { journalFolder } from '#quota/journal.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { renewPlans } from '#jobs/renew-plans.ts';
import { refundOf, renewPlan } from './plan-money.ts';

const DAY_S = 86_400;
const MONTH: PlanTerms = {
  price: 5_000_000,
  unit: 'month',
  count: 1,
  time_zone: 'UTC',
  allowance: 10_000_000,
  windows: [],
  groups: [],
  models: [],
  beyond: 'choice',
  grace_days: 0,
};

onEveryDatabase('plans', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,gpt-4o-mini' });
  });
  afterAll(async () => {
    const { deps } = hub().server;
    await expectBooksBalance(deps.db);
    const report = await checkBooks(deps.storage, journalFolder(deps.config.dataDir));
    expect(report.checks.filter(({ differing }) => differing > 0)).toEqual([]);
  });

  let count = 0;
  const key = () => `request-${++count}`;
  const named = (name: string) => ({ zh_CN: '', zh_HK: '', en_US: name, ja_JP: '' });
  const makePlan = (terms: Partial<PlanTerms> = {}, more: object = {}) =>
    hub().root.call(planAdminApi.create, {
      body: { names: named(`Plan ${++count}`), terms: { ...MONTH, ...terms }, ...more },
    });
  const buy = (
    { client }: TestPerson,
    { version_id }: { version_id: number },
    more: { request_key?: string; renew?: boolean; beyond?: boolean; start?: 'now' | 'after' } = {},
  ) => client.call(planApi.buy, { body: { version_id, request_key: key(), ...more } });
  const balanceOf = async ({ id }: TestPerson) => {
    await caughtUp(hub().server.deps.db);
    const user = await hub()
      .server.deps.db.selectFrom('users')
      .where('id', '=', id)
      .select(({ eb }) => eb('quota', '+', eb.ref('held')).as('left'))
      .executeTakeFirstOrThrow();
    return user.left;
  };
  const lastRow = async ({ id }: TestPerson) => {
    await caughtUp(hub().server.deps.db);
    return hub()
      .server.deps.db.selectFrom('logs')
      .where('user_id', '=', id)
      .where('type', '=', 2)
      .select(['quota', 'metadata'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
  };
  const renewAt = (subscription: Pick<Subscription, 'id'>, now: number) =>
    hub()
      .server.deps.db.transaction()
      .execute((trx) => renewPlan(trx, subscription.id, now));
  const periodsOf = ({ id }: Pick<Subscription, 'id'>) =>
    hub()
      .server.deps.db.selectFrom('subscription_periods')
      .where('subscription_id', '=', id)
      .selectAll()
      .orderBy('number')
      .execute();

  test('50 racing purchases with one request key are one, paid once', async () => {
    const person = await addPerson(hub(), { quota: 12_000_000 });
    const plan = await makePlan();
    const request_key = key();
    const bought = await Promise.all(Array.from({ length: 50 }, () => buy(person, plan, { request_key })));
    expect(new Set(bought.map(({ id }) => id)).size).toBe(1);
    expect(await balanceOf(person)).toBe(7_000_000);
    const { data } = await person.client.call(ledgerApi.ownList, { query: { kind: 'plan' } });
    expect(data).toMatchObject([{ kind: 'plan', credits: -5_000_000, reference: `plan:${bought[0]!.id}:1` }]);
    await expect(buy(person, plan)).rejects.toThrow('plan.too_many');
  });

  test('the last one in stock is sold once, and a purchase without credits changes nothing', async () => {
    const plan = await makePlan({}, { stock: 1 });
    const poor = await addPerson(hub(), { quota: 4_999_999 });
    await expect(buy(poor, plan)).rejects.toThrow('quota.below_zero');
    expect(await poor.client.call(planApi.mine, {})).toEqual([]);
    const people = [await addPerson(hub(), { quota: 6_000_000 }), await addPerson(hub(), { quota: 6_000_000 })];
    const results = await Promise.allSettled(people.map((person) => buy(person, plan)));
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await balanceOf(people[0]!)) + (await balanceOf(people[1]!))).toBe(7_000_000);
    const offers = await hub().root.call(planApi.offers, {});
    expect(offers.find(({ id }) => id === plan.id)).toMatchObject({ left: 0, terms: { price: 5_000_000 } });
  });

  test('a plan pays for calls, its row and GET /v1/key say so, and then the balance pays', async () => {
    const person = await addPerson(hub(), { quota: 6_000_000 });
    const plan = await makePlan({
      allowance: 1000,
      price: 0,
      windows: [{ measure: 'credits', period: 'five_hours', amount: 800, reset: 'rolling' }],
    });
    const sub = await buy(person, plan);
    const { key: token } = await tokenOf(person.client);
    expect((await chat(hub(), token)).status).toBe(200);
    const row = await lastRow(person);
    const [paid] = row.metadata?.plans ?? [];
    expect(row.quota).toBe(0);
    expect(paid).toMatchObject({ name: plan.names.en_US });
    expect(paid!.credits).toBeGreaterThan(0);
    expect(await balanceOf(person)).toBe(6_000_000);
    const [mine] = await person.client.call(planApi.mine, {});
    expect(mine!.use).toMatchObject([
      { subject: 'plan', period: 'period', amount: 1000, used: paid!.credits, resets_time: sub.ends },
      { subject: 'plan', period: 'five_hours', amount: 800, used: paid!.credits },
    ]);
    const info = await fetch(`${hub().url}/v1/key`, { headers: { authorization: `Bearer ${token}` } });
    expect(await info.json()).toMatchObject({
      limits: [],
      plans: [{ name: plan.names.en_US, ends_at: sub.ends, renews: true, limits: [{ used: paid!.credits }, {}] }],
    });
    // Until the window is used up, and the call after it is paid from the balance.
    for (let calls = 0; (await balanceOf(person)) === 6_000_000 && calls < 50; calls++) await chat(hub(), token);
    const [after] = await person.client.call(planApi.mine, {});
    expect(after!.use[1]).toMatchObject({ used: 800, left: 0 });
    expect((await lastRow(person)).quota).toBeGreaterThan(0);
  });

  test.each([
    { renew: true, status: 429, text: /The budget of the plan is used up: .* The budget resets at/ },
    { renew: false, status: 402, text: /The budget of the plan is used up: .* Buy another plan or top up\./ },
  ])('a used-up plan without the balance answers $status (renews: $renew)', async ({ renew, status, text }) => {
    const person = await addPerson(hub(), { quota: 6_000_000 });
    const plan = await makePlan({ allowance: 0, price: 0 });
    await buy(person, plan, { renew, beyond: false });
    const { key: token } = await tokenOf(person.client);
    const answer = await chat(hub(), token);
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
    expect(await balanceOf(person)).toBe(6_000_000);
  });

  test('a plan pays only for its models and groups, and not while it is paused', async () => {
    const person = await addPerson(hub(), { quota: 6_000_000 });
    const plan = await makePlan({ price: 0, models: ['gpt-4o-*'], groups: ['default'] });
    const sub = await buy(person, plan);
    const { key: token } = await tokenOf(person.client);
    await chat(hub(), token, 'gpt-4o');
    expect((await lastRow(person)).metadata?.plans).toBeUndefined();
    const before = await balanceOf(person);
    await chat(hub(), token, 'gpt-4o-mini');
    expect((await lastRow(person)).metadata?.plans).toHaveLength(1);
    expect(await balanceOf(person)).toBe(before);
    await hub().root.call(planAdminApi.manage, { params: { id: sub.id }, body: { action: 'pause' } });
    await chat(hub(), token, 'gpt-4o-mini');
    expect((await lastRow(person)).metadata?.plans).toBeUndefined();
  });

  test('buyers keep their version when a plan changes, and new ones have to see it', async () => {
    const person = await addPerson(hub(), { quota: 60_000_000 });
    const plan = await makePlan();
    const sub = await buy(person, plan);
    const { names, descriptions } = plan;
    const terms = { ...MONTH, allowance: 1 };
    const params = { id: plan.id };
    const changed = await hub().root.call(planAdminApi.update, { params, body: { names, descriptions, terms } });
    expect(changed).toMatchObject({ version: 2, terms: { allowance: 1 } });
    const same = await hub().root.call(planAdminApi.update, { params, body: { names, descriptions, terms } });
    expect(same.version).toBe(2);
    expect((await person.client.call(planApi.mine, {}))[0]).toMatchObject({
      version: 1,
      use: [{ amount: 10_000_000 }],
    });
    const other = await addPerson(hub(), { quota: 60_000_000 });
    await expect(buy(other, plan)).rejects.toThrow('plan.changed');
    expect(await renewAt(sub, sub.ends)).toBe('renewed');
    expect((await periodsOf(sub)).map(({ granted }) => granted)).toEqual([10_000_000, 10_000_000]);
  });

  test('a dearer plan begins at once with the rest of the old one, a cheaper one with the next period', async () => {
    const person = await addPerson(hub(), { quota: 100_000_000 });
    const lite = await makePlan();
    const pro = await makePlan({ price: 15_000_000, allowance: 40_000_000 });
    const sub = await buy(person, lite);
    const change = (version_id: number) =>
      person.client.call(planApi.change, { params: { id: sub.id }, body: { version_id } });
    const [up] = await Promise.all([change(pro.version_id), change(pro.version_id)]);
    expect(up).toMatchObject({ plan_id: pro.id, period: 2, rolled_over: 10_000_000, use: [{ amount: 50_000_000 }] });
    expect(await balanceOf(person)).toBe(80_000_000);
    const down = await change(lite.version_id);
    expect(down).toMatchObject({ plan_id: pro.id, next_version_id: lite.version_id, period: 2 });
    // Up again takes the planned change back, and costs and grants nothing.
    expect(await change(pro.version_id)).toMatchObject({ next_version_id: null, period: 2, rolled_over: 10_000_000 });
    await change(lite.version_id);
    expect(await renewAt(sub, up.ends)).toBe('renewed');
    expect(await balanceOf(person)).toBe(75_000_000);
    const [mine] = await person.client.call(planApi.mine, {});
    expect(mine).toMatchObject({ plan_id: lite.id, period: 3, rolled_over: 0, starts: up.ends });
    expect((await periodsOf(sub)).map(({ moved, closed }) => [moved, closed])).toEqual([
      [10_000_000, true],
      [0, false],
      [0, false],
    ]);
  });

  describe('a renewal', () => {
    test('by several nodes at once is one period, and one that was cancelled ends', async () => {
      const person = await addPerson(hub(), { quota: 100_000_000 });
      const sub = await buy(person, await makePlan());
      const outcomes = await Promise.all([1, 2, 3].map(() => renewAt(sub, sub.ends + 5)));
      expect(outcomes.toSorted()).toEqual(['not_due', 'not_due', 'renewed']);
      expect(await balanceOf(person)).toBe(90_000_000);
      await person.client.call(planApi.set, { params: { id: sub.id }, body: { renew: false } });
      const [first, second] = await periodsOf(sub);
      expect(second!.starts).toBe(first!.ends);
      expect(await renewAt(sub, second!.ends)).toBe('ended');
      expect(await person.client.call(planApi.mine, {})).toEqual([]);
    });

    test('after days without a node keeps the edges, and charges no period that is over', async () => {
      const person = await addPerson(hub(), { quota: 100_000_000 });
      const sub = await buy(person, await makePlan({ unit: 'day', count: 1 }));
      expect(await renewAt(sub, sub.starts + 4 * DAY_S + 60)).toBe('renewed');
      const periods = await periodsOf(sub);
      expect(periods.map(({ number, starts }) => [number, starts])).toEqual([
        [1, sub.starts],
        [5, sub.starts + 4 * DAY_S],
      ]);
      expect(await balanceOf(person)).toBe(90_000_000);
    });

    test('that the balance does not cover waits for the days of grace, with the old allowance', async () => {
      const person = await addPerson(hub(), { quota: 5_000_000 });
      const sub = await buy(person, await makePlan({ grace_days: 3 }));
      expect(await renewAt(sub, sub.ends)).toBe('waiting');
      expect(await periodsOf(sub)).toMatchObject([{ number: 1, usable_until: sub.ends + 3 * DAY_S }]);
      expect(await renewAt(sub, sub.ends + 3 * DAY_S)).toBe('ended');
    });

    test('of a paused plan waits, and one of a deleted account ends without a charge', async () => {
      const { db } = hub().server.deps;
      const person = await addPerson(hub(), { quota: 100_000_000 });
      const sub = await buy(person, await makePlan({ unit: 'day' }));
      const params = { id: sub.id };
      await hub().root.call(planAdminApi.manage, { params, body: { action: 'pause' } });
      expect(await renewAt(sub, sub.ends + 2 * DAY_S)).toBe('not_due');
      await hub().root.call(planAdminApi.manage, { params, body: { action: 'resume' } });
      expect(await renewAt(sub, sub.ends + 2 * DAY_S)).toBe('renewed');
      expect(await balanceOf(person)).toBe(90_000_000);
      await db.updateTable('users').set({ deleted_time: 1 }).where('id', '=', person.id).execute();
      expect(await renewAt(sub, sub.ends + 9 * DAY_S)).toBe('ended');
      expect(await balanceOf(person)).toBe(90_000_000);
    });

    test('is made by the job for what is due', async () => {
      const { db, now } = hub().server.deps;
      const person = await addPerson(hub(), { quota: 100_000_000 });
      const sub = await buy(person, await makePlan());
      const ends = now() - 10;
      await db
        .updateTable('subscriptions')
        .set({ anchor: ends - 30 * DAY_S, ends })
        .where('id', '=', sub.id)
        .execute();
      expect(await renewPlans(hub().server.deps)).toBeGreaterThanOrEqual(1);
      expect(await periodsOf(sub)).toHaveLength(2);
      expect(await renewPlans(hub().server.deps)).toBe(0);
    });
  });

  test('a refund returns the lower of unused time and allowance, once, and no call uses the plan afterwards', async () => {
    const person = await addPerson(hub(), { quota: 6_000_000 });
    const plan = await makePlan();
    const sub = await buy(person, plan, { beyond: true });
    const { key: token } = await tokenOf(person.client);
    await chat(hub(), token);
    const { metadata } = await lastRow(person);
    const used = metadata!.plans![0]!.credits;
    const { refundable } = (await person.client.call(planApi.mine, {}))[0]!;
    const params = { id: sub.id };
    const refund = { params, body: { action: 'refund' as const } };
    const results = await Promise.allSettled([1, 2].map(() => hub().root.call(planAdminApi.manage, refund)));
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(refundable).toBeGreaterThan(0);
    const balance = await balanceOf(person);
    expect(balance - 1_000_000).toBeLessThanOrEqual(Math.floor(5_000_000 * (1 - used / 10_000_000)));
    await chat(hub(), token);
    expect((await lastRow(person)).metadata?.plans).toBeUndefined();
    const listed = await hub().root.call(planAdminApi.get, { params: { id: plan.id } });
    expect(listed).toMatchObject({ sold: 1, active: 0, used, revenue: 5_000_000 - (balance - 1_000_000) });
  });

  test('a code gives its plan once, also with no credits', async () => {
    const person = await addPerson(hub(), { quota: 0 });
    const plan = await makePlan();
    const body = { name: 'codes', quota: 0, count: 2, plan_id: plan.id };
    const codes = await hub().root.call(redemptionApi.create, { body });
    await person.client.call(redemptionApi.redeem, { body: { key: codes[0]! } });
    expect(await person.client.call(planApi.mine, {})).toMatchObject([{ source: 'code', price: 0, plan_id: plan.id }]);
    // One at a time is allowed: the second code stays unused.
    await expect(person.client.call(redemptionApi.redeem, { body: { key: codes[1]! } })).rejects.toThrow(
      'plan.too_many',
    );
    const { data } = await hub().root.call(redemptionApi.list, { query: { keyword: 'codes' } });
    expect(data.map(({ status, plan_id }) => [status, plan_id]).toSorted(([a], [b]) => a! - b!)).toEqual([
      [1, plan.id],
      [3, plan.id],
    ]);
  });

  test('a gift pays for calls and is neither renewed nor refunded', async () => {
    const person = await addPerson(hub(), { quota: 0 });
    const plan = await makePlan();
    const params = { id: plan.id };
    const body = { user_id: person.id, request_key: key() };
    const gift = await hub().root.call(planAdminApi.give, { params, body });
    expect(await hub().root.call(planAdminApi.give, { params, body })).toMatchObject({ id: gift.id });
    expect(gift).toMatchObject({ source: 'gift', renew: false, refundable: 0, price: 0 });
    const { key: token } = await tokenOf(person.client);
    expect((await chat(hub(), token)).status).toBe(200);
    const again = person.client.call(planApi.set, { params: { id: gift.id }, body: { renew: true } });
    await expect(again).rejects.toThrow('plan.given');
    await expect(hub().root.call(planAdminApi.remove, { params })).rejects.toThrow('plan.sold');
    expect(await hub().root.call(planAdminApi.subscriptions, { params })).toMatchObject([
      { username: person.username },
    ]);
    // Limits of the account count calls of a plan, too.
    const limits = { caps: [{ measure: 'credits' as const, period: 'day' as const, amount: 1 }] };
    await hub().root.call(limitApi.set, { params: { id: person.id }, body: limits });
    expect((await chat(hub(), token)).status).toBe(429);
    await hub().root.call(planAdminApi.manage, { params: { id: gift.id }, body: { action: 'pause' } });
    const { data } = await hub().root.call(auditApi.list, { query: { kind: 'subscription' } });
    expect(data[0]).toMatchObject({ object_id: String(gift.id) });
  });
});

/** A price of 30, an allowance of 40, 10 of 30 days gone: what a refund returns. */
test.each([
  { what: 'use is the lower', used: 20, at: 5, expected: 15_000_000 },
  { what: 'time is the lower', used: 12, at: 10, expected: 20_000_000 },
  { what: 'nothing of a free period', used: 0, at: 0, price: 0, expected: 0 },
  { what: 'nothing after the end', used: 0, at: 30, expected: 0 },
  { what: 'nothing twice', used: 0, at: 0, refunded: 1, expected: 0 },
  { what: 'by time without an allowance', used: 0, at: 10, granted: null, expected: 20_000_000 },
  { what: 'all before it begins', used: 0, at: -1, expected: 30_000_000 },
])('a refund: $what', ({ used, at, price = 30_000_000, refunded = 0, granted = 40_000_000, expected }) => {
  const period = { starts: 0, ends: 30 * DAY_S, price, granted, refunded, closed: false };
  expect(refundOf(period, used * 1_000_000, at * DAY_S)).toBe(expected);
});
