import type { APIRequestContext } from '@playwright/test';
import type { BillReport, KeptBill, NewBill, WhatIfRun } from '@relay-hub/contract';
import { dataOf } from './data-of.ts';

/** Adds teams, connections of identity providers, priced rules, bills and what-if reports. */
export async function addOperatorData(request: APIRequestContext): Promise<void> {
  await addTeams(request);
  for (const data of [
    { name: 'Okta', adopts: true, admins: true },
    { name: 'Microsoft Entra ID of the Singapore office, staging tenant', adopts: true },
  ])
    await dataOf(request.post('/api/scim/', { data }));
  await dataOf(request.put('/api/prices/single/gpt-4.1', { data: priceWithRules }));
  await addBills(request);
  await addWhatIf(request);
}

async function addTeams(request: APIRequestContext): Promise<void> {
  for (const name of ['research', 'evaluation-load-test']) {
    const { id } = await dataOf<{ id: number }>(request.post('/api/team/', { data: { name } }));
    if (name !== 'research') continue;
    await dataOf(
      request.post(`/api/team/${id}/credits`, { data: { credits: 12_500_000, reference: 'picture-of-a-team' } }),
    );
    for (const invite of [
      { email: '', role: 'member', cost_centre: 'R-2026' },
      { email: '', role: 'billing' },
    ])
      await dataOf(request.post(`/api/team/${id}/invites`, { data: invite }));
    const caps = [
      { measure: 'credits', period: 'month', amount: 25_000_000 },
      { measure: 'requests', period: 'day', amount: 6000 },
    ];
    const limits = { caps, time_zone: 'Asia/Shanghai' };
    await dataOf(request.put(`/api/team/${id}/limits`, { data: { limits } }));
    await dataOf(
      request.put(`/api/team/${id}/limits`, {
        data: { cost_centre: 'R-2026', limits: { ...limits, caps: [caps[0]] } },
      }),
    );
  }
}

const priceWithRules = {
  model: 'gpt-4.1',
  type: 'tokens',
  channel_type: 1,
  input: 1,
  output: 4,
  rules: [
    { over: 200_000, effect: 'multiply', input: 2, output: 1.5 },
    { modes: ['batch', 'flex'], effect: 'multiply', input: 0.5, output: 0.5 },
    { modes: ['priority'], regions: ['regional'], effect: 'multiply', input: 1.75, output: 1.75 },
    {
      effect: 'replace',
      input: 0.8,
      output: 3.2,
      zone: 'Asia/Shanghai',
      days: [1, 2, 3, 4, 5],
      from: '00:30',
      to: '08:30',
      except: ['2026-10-01'],
    },
  ],
  fees: [{ event: 'web_search', fee: 5, most: 10 }],
};

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Bills of the seeded channels: one agrees and is closed, one differs for several reasons. */
async function addBills(request: APIRequestContext): Promise<void> {
  const today = dayOf(Date.now());
  const terms = { time_zone: 'UTC', rate: 1, unit: 0.01 };
  const none = { cost: null, requests: null, input: null, output: null, rows: 1 };
  for (const [channel, provider] of [
    [1, 'OpenAI, organisation of the research department'],
    [3, 'Anthropic'],
  ] as const) {
    const days = Array.from({ length: 8 }, (_, at) => dayOf(Date.now() - (at + 1) * 86_400_000));
    const ask = { ...terms, channel_ids: [channel] };
    const lines = days.map((date) => ({ ...none, date, model: 'a-model-of-no-call' }));
    const { lines: known } = await dataOf<BillReport>(request.post('/api/books/bill', { data: { ...ask, lines } }));
    const own = known
      .filter(({ ours }) => ours.requests)
      .map(({ date, model, ours: { cost, requests, input, output } }, at) => {
        const dearer = channel === 1 && at % 5 === 2 ? 1.25 : 1;
        const more = channel === 1 && at % 7 === 3 ? 40 : 0;
        return {
          date,
          model,
          cost: (cost ?? 0) * dearer + more / 100,
          requests: (requests ?? 0) + more,
          input,
          output,
          rows: 1,
        };
      });
    const foreign = { ...none, date: days[1] ?? today, model: 'gpt-4o-realtime-preview', cost: 3.21, requests: 12 };
    const bill: NewBill = {
      ...ask,
      provider,
      month: today.slice(0, 7),
      note: '',
      lines: channel === 1 ? [...own, foreign] : own,
    };
    const { id } = await dataOf<KeptBill>(request.post('/api/books/bills', { data: bill }));
    if (channel === 3)
      await dataOf(request.post(`/api/books/bills/${id}/close`, { data: { note: 'Paid, invoice 2026-1184' } }));
  }
  await dataOf(
    request.post('/api/books/bill_sources', {
      data: {
        vendor: 'openai',
        name: 'OpenAI, organisation of the research department',
        base_url: '',
        key: 'sk-admin-of-the-pictures',
        channel_ids: [1, 2],
      },
    }),
  );
}

async function addWhatIf(request: APIRequestContext): Promise<void> {
  const month = dayOf(Date.now() - 86_400_000).slice(0, 7);
  for (const terms of [
    { note: 'Cheaper for partners', factor: 0.9, groups: [{ symbol: 'vip', ratio: 0.6 }] },
    { base: 'current', factor: 1.1, channels: [{ channel_id: 1, cost_ratio: 0.8, prices: [] }], costs: 'again' },
  ]) {
    const { id } = await dataOf<WhatIfRun>(
      request.post('/api/what_if', { data: { month, time_zone: 'UTC', ...terms } }),
    );
    for (let state = 'running'; state === 'running';)
      ({ state } = await dataOf<WhatIfRun>(request.get(`/api/what_if/${id}`)));
  }
}
