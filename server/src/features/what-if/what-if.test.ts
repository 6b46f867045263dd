import {
  analyticsApi,
  logApi,
  optionApi,
  priceApi,
  purchasePriceApi,
  userGroupApi,
  whatIfApi,
} from '@relay-hub/contract';
import type { WhatIfInput, WhatIfReport } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { caughtUp } from '#testing/caught-up.ts';
import { addCaller } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, type TestHub } from '#testing/hub.ts';
import { inMidHour } from '#testing/mid-hour.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';
import { WhatIfWorker } from './what-if-worker.ts';

const [model, resold, perCall] = ['again-model', 'resold-model', 'per-call-model'];
const list = { type: 'tokens', channel_type: 8, output: 1 } as const;
const month = () => new Date().toISOString().slice(0, 7);

/** The prices of the hub whose month is priced again, and those of the other one. */
const before = [
  { ...list, model, input: 1 },
  { ...list, model: resold, input: 1 },
  { model: perCall, type: 'times', channel_type: 8, input: 2, output: 0 },
] as const;
const after = [
  {
    ...list,
    model,
    input: 2.5,
    output: 7,
    extra_ratios: { cached_tokens_ratio: 0.2, reasoning_tokens_ratio: 1.5 },
    rules: [
      { effect: 'multiply', modes: ['priority'], input: 1.7, output: 1.9 },
      { effect: 'multiply', over: 4000, input: 2, output: 1.5 },
    ],
    fees: [{ event: 'web_search', fee: 5, most: 10 }],
  },
  { ...list, model: resold, input: 3 },
  { model: perCall, type: 'times', channel_type: 8, input: 7, output: 0 },
] as const satisfies WhatIfInput['prices'];
const bought = { model: 'again-*', type: 'tokens', input: 0.7, output: 0.9, currency: 'CNY', rate: 0.14 } as const;

const usage = { prompt_tokens: 1000, completion_tokens: 100 };
const parts = {
  prompt_tokens_details: { cached_tokens: 400 },
  completion_tokens_details: { reasoning_tokens: 30 },
};
const items = ['search', 'search', 'open_page'].map((type) => ({
  type: 'web_search_call',
  status: 'completed',
  action: { type, query: 'q' },
}));
const text = { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] };

/** Calls with the replies of their provider. */
const calls: { model: string; reply: object; responses?: true }[] = [
  { model, reply: { usage: { ...usage, ...parts } } },
  { model, reply: { usage, service_tier: 'priority' } },
  { model, reply: { usage: { ...usage, prompt_tokens: 5000 } } },
  { model, reply: { usage: { ...usage, cost: 0.004 } } },
  { model: resold, reply: { usage } },
  { model: perCall, reply: { usage } },
  {
    model,
    responses: true,
    reply: {
      object: 'response',
      id: 'r',
      status: 'completed',
      output: [...items, text],
      usage: { input_tokens: 900, output_tokens: 50 },
    },
  },
];

onEveryDatabase('a month priced again', (make) => {
  inMidHour();
  const [hub, other] = [hubForSuite(make), hubForSuite(make)];
  const upstream = rawUpstreamForSuite();
  let channel: number;

  async function run(
    { url, root, server }: TestHub,
    terms: { prices: WhatIfInput['prices']; ratio: number; own: boolean },
  ) {
    for (const key of ['UnpricedTiers', 'UnpricedTools'])
      await root.call(optionApi.set, { body: { key, value: 'pass' } });
    for (const price of terms.prices ?? []) await root.call(priceApi.create, { body: price });
    await root.call(userGroupApi.create, {
      body: { symbol: 'gold', name: 'Gold', ratio: terms.ratio, public: false, api_rate: 10_000 },
    });
    const more = { models: [model, resold, perCall].join(), group: 'gold', cost_ratio: 0.5 };
    channel = await addChannel({ root }, upstream().url, more);
    if (terms.own) await root.call(purchasePriceApi.set, { params: { id: channel }, body: { prices: [bought] } });
    const caller = await addCaller(server.deps.db, { group: 'gold', quota: 100_000_000 });
    for (const { model: name, reply, responses } of calls) {
      const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }];
      upstream().reply = (response) => sendJson(response, { id: 'c', object: 'chat.completion', choices, ...reply });
      const body = responses
        ? { model: name, input: 'hello', tools: [{ type: 'web_search' }] }
        : { model: name, messages: [{ role: 'user', content: 'hello' }] };
      const answer = await post({ url }, caller.key, body, responses ? '/v1/responses' : '/v1/chat/completions');
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('hi')]);
    }
    await caughtUp(server.deps.db);
  }

  async function whatIf(question: Omit<WhatIfInput, 'month'>): Promise<WhatIfReport> {
    const { root } = hub();
    const { id } = await root.call(whatIfApi.start, { body: { month: month(), time_zone: 'UTC', ...question } });
    await expect
      .poll(async () => (await root.call(whatIfApi.get, { params: { id } })).state, { message: 'the report is made' })
      .toBe('done');
    const done = await root.call(whatIfApi.get, { params: { id } });
    expect(done).toMatchObject({ total: calls.length, done: calls.length, error: '' });
    return done.report!;
  }

  beforeAll(async () => {
    await run(other(), { prices: after, ratio: 0.8, own: true });
    await run(hub(), { prices: [...before], ratio: 1.1, own: false });
  }, 60_000);

  const groups = [{ symbol: 'gold', ratio: 0.8 }];
  const sorted = (of: readonly { id: string }[], sums: unknown[][]) =>
    of.map(({ id }, at) => [id, ...(sums[at] ?? [])].join(' ')).toSorted();

  test('equals a hub that really had these prices, ratios and purchase prices, by every grouping', async () => {
    const channels = [{ channel_id: channel, cost_ratio: 0.5, prices: [bought] }];
    const report = await whatIf({ prices: after, groups, channels });
    for (const by of ['model', 'user_group', 'channel'] as const) {
      const really = await other().root.call(analyticsApi.usage, { query: { days: 1, by } });
      const would = report.groups[by].map((sums) => [sums.would_charge, sums.would_cost, sums.would_costed]);
      expect(sorted(report.groups[by], would), by).toEqual(
        sorted(
          really.groups,
          really.groups.map(({ quota, cost, costed }) => [quota, cost, costed]),
        ),
      );
      const own = await hub().root.call(analyticsApi.usage, { query: { days: 1, by } });
      const charged = report.groups[by].map((sums) => [sums.charged, sums.cost, sums.costed]);
      expect(sorted(report.groups[by], charged), by).toEqual(
        sorted(
          own.groups,
          own.groups.map(({ quota, cost, costed }) => [quota, cost, costed]),
        ),
      );
    }
    const names = report.groups.user_group.map(({ name }) => name);
    expect(names).toEqual(['Gold']);
  });

  test('without other terms nothing differs, and nothing is changed', async () => {
    const rows = async () => (await hub().root.call(logApi.list, { query: { order: 'id' } })).data;
    const kept = await rows();
    for (const question of [{}, { base: 'current', costs: 'again' }] as const) {
      const { total } = await whatIf(question);
      expect(total, JSON.stringify(question)).toMatchObject({
        charged: total.would_charge,
        cost: total.would_cost,
        costed: total.would_costed,
      });
    }
    expect(await rows()).toEqual(kept);
  });

  test('costs stay as recorded, or follow the list price as in settlement; a factor multiplies charges alone', async () => {
    const prices = [after[1]];
    const recorded = (await whatIf({ prices, factor: 2 })).groups.model.find(({ id }) => id === resold)!;
    // 1000 × 1 + 100 × 1 at the ratio 1.1, and half of the list price without it; then 1000 × 3 + 100, twice.
    expect(recorded).toMatchObject({ charged: 1210, would_charge: 6820, cost: 550, would_cost: 550 });
    const again = (await whatIf({ prices, costs: 'again' })).groups.model.find(({ id }) => id === resold)!;
    expect(again).toMatchObject({ would_charge: 3410, cost: 550, would_cost: 1550 });
    const id = (await hub().root.call(whatIfApi.list))[0]!.id;
    const file = await hub().root.download(whatIfApi.download, { params: { id }, query: { language: 'en-US' } });
    expect(file.split('\r\n')).toContain(`${resold},${resold},1,1210,3410,550,1550,660,1860`);
  });

  test('one report is made at a time; one that its node left is made by another, and one can be cancelled', async () => {
    const { root, server } = hub();
    const { db, now, nodeId } = server.deps;
    const body = { month: month() };
    const { id } = await root.call(whatIfApi.start, { body });
    await expect
      .poll(async () => (await root.call(whatIfApi.get, { params: { id } })).state, { message: 'the report is made' })
      .toBe('done');
    const leave = (seen: number) =>
      db
        .updateTable('what_ifs')
        .set({ state: 'running', node: `not ${nodeId}`, seen_time: seen, report: null })
        .where('id', '=', id)
        .execute();
    await leave(now());
    expect(await root.try(whatIfApi.start, { body })).toMatchObject({ status: 409, body: { code: 'what_if.running' } });
    expect(await root.call(whatIfApi.cancel, { params: { id } })).toMatchObject({ state: 'cancelled' });
    await leave(0);
    const worker = new WhatIfWorker(server.deps);
    worker.wake();
    await expect
      .poll(async () => (await root.call(whatIfApi.get, { params: { id } })).report?.total.calls, {
        message: 'another node makes the report',
      })
      .toBe(calls.length);
    await worker.stop();
    await root.call(whatIfApi.remove, { params: { id } });
    expect(await root.try(whatIfApi.get, { params: { id } })).toMatchObject({ status: 404 });
  });

  test.each([
    [{ month: '2026-13' }, 'month'],
    [{ month: '2999-01' }, 'month'],
    [{ prices: [before[0], before[0]] }, 'prices'],
    [{ factor: -1 }, 'factor'],
    [{ channels: [{ channel_id: 1, cost_ratio: -1 }] }, 'channels.0.cost_ratio'],
  ])('%j is refused by its field', async (wrong, field) => {
    const answer = await hub().root.try(whatIfApi.start, { body: { month: month(), ...wrong } });
    expect([answer.status, answer.body]).toEqual([400, expect.objectContaining({ field })]);
  });
});
