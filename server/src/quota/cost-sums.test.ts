import { activityApi, analyticsApi, dashboardApi, logApi, priceApi, purchasePriceApi } from '@relay-hub/contract';
import { allEndpoints } from '@relay-hub/contract/registry';
import { beforeAll, expect, test } from 'vitest';
import { checkBooks } from '#features/books/check-books.ts';
import { sealDays } from '#roll-ups/seal-days.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { inMidHour } from '#testing/mid-hour.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { post } from '#testing/relay-calls.ts';
import { journalFolder } from './journal.ts';

onEveryDatabase('what calls cost their operator', (make) => {
  inMidHour();
  const hub = hubForSuite(make);
  const [first, second] = [rawUpstreamForSuite(), rawUpstreamForSuite()];
  const model = 'bought-model';
  let ann: TestPerson;
  let token: { id: number; key: string };
  let failing: number;
  let answering: number;

  const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }];
  const reply = (usage: object, listed: readonly object[] = choices) => ({
    id: 'c',
    object: 'chat.completion',
    choices: listed,
    usage: { prompt_tokens: 1000, completion_tokens: 100, ...usage },
  });

  /**
   * At 1 credit a token, each call is charged 1100. The empty reply of the first channel costs 0.333 × 1000, its refusal
   * nothing, and the second channel says in dollars what it takes: 0.004 are 2000 credits, 0.001 are 500.
   */
  beforeAll(async () => {
    const { root } = hub();
    await root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 8, input: 1, output: 1 } });
    failing = await addChannel(hub(), first().url, { models: model, priority: 9, cost_ratio: 0.333 });
    answering = await addChannel(hub(), second().url, { models: model });
    ann = await addPerson(hub(), { quota: 1_000_000 });
    token = await tokenOf(ann.client);
    const ask = async () => {
      const answer = await post(hub(), token.key, { model, messages: [{ role: 'user', content: 'hello' }] });
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"hi"')]);
    };
    first().reply = (response) => sendJson(response, reply({ completion_tokens: 0 }, []));
    second().reply = (response) => sendJson(response, reply({ cost: 0.004 }));
    await ask();
    hub().server.deps.live.absolve(failing);
    first().reply = (response) => sendJson(response, { error: { message: 'busy' } }, 503);
    second().reply = (response) => sendJson(response, reply({ cost: 0.001 }));
    await ask();
    hub().server.deps.live.absolve(failing);
    second().reply = (response) => sendJson(response, reply({}));
    await ask();
    await caughtUp(hub().server.deps.db);
  });

  test('every attempt has its cost; unknown is not free', async () => {
    const { data } = await hub().root.call(logApi.list, { query: { order: 'id', model_name: model } });
    expect(data.map(({ metadata }) => metadata?.attempts?.map(({ cost }) => cost))).toEqual([
      [
        { credits: '333', by: 'multiple' },
        { credits: '2000', by: 'provider' },
      ],
      [
        { credits: '0', by: 'refused' },
        { credits: '500', by: 'provider' },
      ],
      [{ credits: '0', by: 'refused' }, undefined],
    ]);
    const losing = await hub().root.call(logApi.list, { query: { losing: 1 } });
    expect(losing.data.map(({ id }) => id)).toEqual([data[0]!.id]);
    expect(losing.total_count).toBe(1);
    expect(await hub().root.call(logApi.totals, { query: { losing: 1 } })).toMatchObject({ requests: 1, quota: 1100 });
  });

  test('all pages of administrators have the same sums, by the channel of each attempt', async () => {
    const { root } = hub();
    const all = { cost: 2833, costed: 2200 };
    const usage = (query: object) => root.call(analyticsApi.usage, { query: { days: 1, ...query } });
    const activities = [
      await root.call(activityApi.user, { params: { id: ann.id } }),
      await root.call(activityApi.model, { query: { model } }),
      await root.call(activityApi.token, { params: { id: token.id } }),
    ];
    for (const { total } of activities) expect(total).toMatchObject(all);
    for (const by of ['model', 'owner', 'user', 'user_group', 'channel'])
      expect((await usage({ by })).total, by).toMatchObject(all);
    expect((await root.call(dashboardApi.hub)).days.at(-1)!.total).toMatchObject(all);
    const byChannel = new Map((await usage({ by: 'channel' })).groups.map((group) => [group.id, group]));
    expect(byChannel.get(String(failing))).toMatchObject({ requests: 0, cost: 333, costed: 0 });
    expect(byChannel.get(String(answering))).toMatchObject({ requests: 3, cost: 2500, costed: 2200 });
    expect((await root.call(activityApi.channel, { params: { id: failing } })).total).toMatchObject({ cost: 333 });
    const { total } = await usage({ by: 'model', channel_id: failing });
    expect([total.cost, total.series.cost!.at(-1)]).toEqual([333, 333]);
    for (const by of ['model', 'user', 'channel'] as const)
      expect((await usage({ by })).losses!.map(({ cost }) => cost)).toEqual(by === 'channel' ? [333, 2500] : [2833]);
    const file = await root.download(analyticsApi.download, { query: { days: 1, step: 'day', language: 'en-US' } });
    expect(file).toContain('Cost (credits),Margin (credits)\r\n');
    expect(file.trim()).toMatch(/,2833,-633$/);
  });

  test('the books compare rows, attempts and sums', async () => {
    const { storage, config, db } = hub().server.deps;
    const check = async () =>
      (await checkBooks(storage, journalFolder(config.dataDir))).checks.filter(({ differing }) => differing > 0);
    expect(await check()).toEqual([]);
    const change = (by: number) =>
      db
        .updateTable('usage_by_channel')
        .set((eb) => ({ cost: eb('cost', '+', by) }))
        .where('channel_id', '=', failing)
        .execute();
    await change(1);
    const at = expect.stringMatching(new RegExp(`^channel ${failing}, hour \\d+$`)) as string;
    expect(await check()).toMatchObject([
      { check: 'costs', differing: 1, differences: [{ of: at, expected: '333000', found: '333001' }] },
    ]);
    await change(-1);
  });

  // Every route that a user may read without a record of their own, and those with one.
  test('no reply or export for users has a cost', async () => {
    const { data } = await ann.client.call(logApi.ownList);
    const ids: Record<string, number> = { '/api/log/self/:id': data[0]!.id, '/api/activity/own_token/:id': token.id };
    const routes = allEndpoints
      .filter(({ method, audience }) => method === 'GET' && !['admin', 'root'].includes(audience))
      .map(({ path }) => path)
      .filter((path) => !path.includes(':') || path in ids);
    expect(routes).toEqual(expect.arrayContaining([...Object.keys(ids), '/api/analytics/self/usage']));
    for (const path of routes) {
      const { body } = await ann.client.send('GET', path.replace(':id', String(ids[path])));
      expect(JSON.stringify(body), path).not.toMatch(/"(cost|costed|losses|cost_ratio|cost_rules)"|\bMargin\b/);
    }
  });

  test('sealed days have the sums of their hours', async () => {
    const { db, now } = hub().server.deps;
    for (const table of ['usage_by_channel', 'usage_by_user', 'usage_by_token'] as const)
      await db
        .updateTable(table)
        .set((eb) => ({ hour: eb('hour', '-', 10 * 86_400) }))
        .execute();
    await sealDays(db, now());
    for (const table of [
      'usage_days',
      'usage_days_by_channel',
      'usage_days_by_user',
      'usage_days_of_users',
      'usage_days_by_token',
    ] as const) {
      const { cost, costed } = await db
        .selectFrom(table)
        .select(({ fn }) => [fn.sum<number>('cost').as('cost'), fn.sum<number>('costed').as('costed')])
        .executeTakeFirstOrThrow();
      expect([cost, costed], table).toEqual([2_833_000, 2200]);
    }
  });

  /** By hand: (1000 × 1 × 2 + 100 × 2 × 2) × 0.15 = 360, where the rule for prompts above 500 doubles both sides. */
  test('own purchase prices come before the multiple: by date, currency and rules', async () => {
    const { root, server } = hub();
    const own = { model: 'bought-*', type: 'tokens' as const, input: 1, output: 2, currency: 'CNY' };
    const rules = [{ effect: 'multiply' as const, over: 500, input: 2, output: 2 }];
    const now = server.deps.now();
    const prices = [
      { ...own, rate: 0.2, valid_from: now + 10_000 },
      { ...own, rate: 0.15, rules, valid_from: now - 10 },
      { ...own, rate: 0.14 },
    ];
    const params = { id: answering };
    const set = await root.call(purchasePriceApi.set, { params, body: { prices } });
    expect(set).toMatchObject(prices);
    expect(await root.call(purchasePriceApi.set, { params, body: { prices } })).toEqual(set);
    expect(await root.call(purchasePriceApi.offers, { query: { model } })).toMatchObject([
      { channel_id: failing, own: null, rate: 0.333 },
      { channel_id: answering, own: { input: 1, output: 2, rules }, rate: 0.15 },
    ]);
    const wrong = { params, body: { prices: [{ ...own, currency: 'yuan' }] } };
    expect(await root.try(purchasePriceApi.set, wrong)).toMatchObject({
      status: 400,
      body: { field: 'prices.0.currency' },
    });
    const costOfCall = async () => {
      second().reply = (response) => sendJson(response, reply({}));
      await post(hub(), token.key, { model, messages: [{ role: 'user', content: 'hello' }] });
      await caughtUp(server.deps.db);
      const { data } = await root.call(logApi.list, { query: { model_name: model, size: 1 } });
      return data[0]!.metadata!.attempts!.at(-1)!.cost;
    };
    expect(await costOfCall()).toEqual({ credits: '360', by: 'own', version: set[1]!.id });
    expect(await root.call(purchasePriceApi.set, { params, body: { prices: [] } })).toEqual([]);
    expect(await costOfCall()).toBeUndefined();
  });
});
