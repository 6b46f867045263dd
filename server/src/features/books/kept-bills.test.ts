import {
  analyticsApi,
  auditApi,
  billApi,
  billSourceApi,
  type BillVendor,
  billVendors,
  channelApi,
  priceApi,
} from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchNightly } from './bill-sources.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { inMidHour } from '#testing/mid-hour.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { type BilledDay, startBillingApis } from '#upstream-simulator/billing-apis.ts';

const DAY_MS = 86_400_000;
/** Three days ago: within the days that every provider has, and over. */
const day = () => new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
const month = () => day().slice(0, 7);
const DOLLAR = 500_000 * 1000;

onEveryDatabase('bills that are kept', (make) => {
  inMidHour();
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  let channel: number;
  let api: Awaited<ReturnType<typeof startBillingApis>>;
  let billed: BilledDay[] = [];

  beforeAll(async () => {
    api = await startBillingApis(() => billed);
    await hub().root.call(priceApi.create, {
      body: { model: 'tested-model', type: 'tokens', channel_type: 8, input: 100, output: 100 },
    });
    channel = await addChannel(hub(), upstream().url, { models: 'tested-model', cost_ratio: 0.5 });
  });
  afterAll(() => api.close());

  const addCost = (model: string, dollars: number, calls = 10) =>
    hub()
      .server.deps.db.insertInto('usage_by_channel')
      .values({
        hour: Date.parse(`${day()}T03:00:00Z`) / 1000,
        channel_id: channel,
        model_name: model,
        request_count: calls,
        failed_count: 0,
        quota: dollars * 1_000_000,
        prompt_tokens: calls * 1000,
        completion_tokens: calls * 10,
        cached_tokens: 0,
        request_time: 1,
        cost: dollars * DOLLAR,
        costed: dollars * 1_000_000,
      })
      .execute();
  const line = (model: string, cost: number, requests: number | null = 10) => ({
    date: day(),
    model,
    cost,
    requests,
    input: requests === null ? null : requests * 1000,
    output: requests === null ? null : requests * 10,
    rows: 1,
  });
  const billOf = (provider: string, lines = [line('kept-model', 3)]) => ({
    body: { provider, month: month(), lines, channel_ids: [channel], time_zone: 'UTC' },
  });

  test('a closed bill keeps its result, notes and people; reopening needs a reason, is audited and compares again', async () => {
    const { root } = hub();
    await addCost('kept-model', 2);
    const { id } = await root.call(billApi.save, billOf('Example'));
    const params = { id };
    expect(await root.call(billApi.get, { params })).toMatchObject({
      closed: false,
      bill: 3,
      ours: 2,
      report: { causes: [{ cause: 'price', difference: 1 }] },
    });
    await root.call(billApi.close, { params, body: { note: 'a discount is due' } });
    const closed = await root.call(billApi.get, { params });
    expect(closed).toMatchObject({ closed: true, from: `${month()}-01` });
    expect(closed.events.map(({ act, actor, note }) => [act, actor, note])).toEqual([
      ['saved', 'root', ''],
      ['closed', 'root', 'a discount is due'],
    ]);
    // Rows are folded and deleted, and costs change.
    const { db } = hub().server.deps;
    await db.deleteFrom('usage_by_channel').where('model_name', '=', 'kept-model').execute();
    expect(await root.call(billApi.get, { params })).toEqual(closed);
    for (const refused of [
      await root.try(billApi.save, billOf('Example')),
      await root.try(billApi.close, { params, body: {} }),
      await root.try(billApi.remove, { params }),
    ])
      expect([refused.status, refused.body]).toEqual([409, expect.objectContaining({ code: 'bill.closed' })]);
    const bare = await root.try(billApi.reopen, { params, body: { note: ' ' } });
    expect([bare.status, bare.body]).toEqual([400, expect.objectContaining({ field: 'note' })]);
    await root.call(billApi.reopen, { params, body: { note: 'a corrected bill came' } });
    expect(await root.call(billApi.get, { params })).toMatchObject({ closed: false, bill: 3, ours: 0 });
    const { data } = await root.call(auditApi.list, { query: { size: 5 } });
    const reopened = data.find(({ path, status }) => path === '/api/books/bills/:id/reopen' && status === 200);
    expect(reopened).toMatchObject({ kind: 'bill', object_id: String(id), actor_name: 'root' });
    expect(await root.try(billApi.reopen, { params, body: { note: 'again' } })).toMatchObject({ status: 409 });
    await root.call(billApi.save, billOf('Example', [line('kept-model', 4)]));
    expect(await root.call(billApi.list)).toMatchObject([{ id, provider: 'Example', month: month(), bill: 4 }]);
    await root.call(billApi.remove, { params });
    expect(await root.call(billApi.list)).toEqual([]);
    const other = await root.try(billApi.save, { body: { ...billOf('Example').body, month: '2020-01' } });
    expect([other.status, other.body]).toEqual([400, expect.objectContaining({ code: 'bill.month', field: 'lines' })]);
  });

  test('tests and checks have a cost: in analytics apart from every sum, and as the cause of a difference', async () => {
    const { root, server } = hub();
    upstream().reply = (response) =>
      sendJson(response, {
        id: 'c',
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 9, completion_tokens: 1 },
      });
    const usage = async () => root.call(analyticsApi.usage, { query: { days: 7, by: 'channel', channel_id: 0 } });
    const before = await usage();
    await root.call(channelApi.test, { params: { id: channel }, query: { model: 'tested-model' } });
    upstream().reply = (response) => sendJson(response, { error: { message: 'busy' } }, 503);
    await root.try(channelApi.test, { params: { id: channel }, query: { model: 'tested-model' } });
    const after = await usage();
    // 10 tokens × 100 credits, half of the list price; the refused one costs nothing.
    expect(after.own).toEqual({ calls: 2, failed: 1, cost: 500, unknown: 0 });
    expect({ ...after, own: before.own }).toEqual(before);
    const date = new Date(server.deps.now() * 1000).toISOString().slice(0, 10);
    const lines = [{ ...line('tested-model', 0.001, 1), date, input: 9, output: 1 }];
    const report = await root.call(billApi.compare, {
      body: { lines, channel_ids: [channel], time_zone: 'UTC', unit: 0 },
    });
    expect(report).toMatchObject({ bill: 0.001, ours: 0, causes: [{ cause: 'test', lines: 1, difference: 0.001 }] });
    expect(report.lines[0]).toMatchObject({ tests: { cost: 0.001, requests: 1, input: 9, output: 1 } });
  });

  test('open months are fetched every night; a failure is shown, tried again and reported', async () => {
    const { root, server } = hub();
    const { deps } = server;
    billed = [{ date: day(), model: 'nightly', amount: '1', requests: 1, input: 10, output: 1 }];
    const body = { name: 'Nightly', base_url: api.url, channel_ids: [channel], key: 'sk-ordinary-key-0002' };
    const { id } = await root.call(billSourceApi.create, { body: { ...body, vendor: 'openrouter' } });
    const params = { id };
    const at = (hours: number) => ({ ...deps, now: () => deps.now() + hours * 3600 });
    const keptOnes = async () => (await root.call(billApi.list)).filter(({ provider }) => provider === 'Nightly');
    await expect(fetchNightly(at(0))).rejects.toThrow('Nightly: HTTP 401');
    const asked = api.paths.length;
    // Not asked again within an hour, and still a trouble.
    await expect(fetchNightly(at(0))).rejects.toThrow('Nightly: HTTP 401');
    expect(api.paths).toHaveLength(asked);
    expect(await root.call(billSourceApi.list)).toMatchObject([
      { id, last_error: expect.stringContaining('no admin key') },
    ]);
    await root.call(billSourceApi.update, { params, body: { ...body, key: api.adminKey } });
    await fetchNightly(at(1));
    billed[0]!.amount = '2';
    await fetchNightly(at(25));
    const [bill] = await keptOnes();
    expect(await keptOnes()).toMatchObject([
      { month: month(), bill: 2, origin: 'api', events: [{ act: 'saved', actor: '' }] },
    ]);
    expect(await root.call(billSourceApi.list)).toMatchObject([{ id, last_error: '' }]);
    // Thirty days later the provider has only later days; those that are kept stay.
    await fetchNightly(at(30 * 24));
    expect(await keptOnes()).toMatchObject([{ month: month(), bill: 2 }]);
    await root.call(billApi.close, { params: { id: bill!.id }, body: { note: '' } });
    const closed = await keptOnes();
    billed[0]!.amount = '3';
    await deps.db.updateTable('bill_sources').set({ fetched_time: 0 }).execute();
    await fetchNightly(at(49));
    expect(await keptOnes()).toEqual(closed);
    await root.call(billSourceApi.remove, { params });
    await deps.db.deleteFrom('bills').execute();
  });

  test('the last minutes of a month belong to it', async () => {
    const { deps } = hub().server;
    await fetchNightly({ ...deps, now: () => Date.UTC(2026, 10, 30, 23, 50) / 1000 });
  });

  describe.each(Object.keys(billVendors) as BillVendor[])('the bill of %s', (vendor) => {
    test('is fetched by pages with its own key, compared and kept; a failure is shown', async () => {
      const { root } = hub();
      billed = [
        { date: day(), model: `${vendor}-one`, amount: '1.25', requests: 10, input: 10_000, output: 100 },
        { date: day(), model: `${vendor}-two`, amount: '0.5', requests: 10, input: 10_000, output: 100 },
        { date: day(), model: `${vendor}-three`, amount: '0.25', requests: 10, input: 10_000, output: 100 },
      ];
      await addCost(`${vendor}-one`, 1.25);
      await addCost(`${vendor}-two`, 0.25);
      const body = {
        vendor,
        name: `Account at ${vendor}`,
        base_url: api.url,
        key: 'sk-ordinary-key-0001',
        channel_ids: [channel],
      };
      const source = await root.call(billSourceApi.create, { body });
      const params = { id: source.id };
      expect(source).toMatchObject({ vendor, fetched_time: 0, last_error: '' });
      expect(JSON.stringify(source)).not.toContain('ordinary-key');
      const fetching = { params, body: { month: month() } };
      expect(await root.try(billSourceApi.fetch, fetching)).toMatchObject({
        status: 502,
        body: { code: 'channel.upstream_failed' },
      });
      const [failed] = (await root.call(billSourceApi.list)).filter(({ id }) => id === source.id);
      expect(failed!.last_error).toMatch(/^HTTP 401 Key .* is no admin key$/);
      expect(failed!.last_error).not.toContain('ordinary-key');
      const { name, channel_ids } = body;
      const moved = { name, channel_ids, base_url: 'https://elsewhere.example', key: '' };
      const again = await root.try(billSourceApi.update, { params, body: moved });
      expect([again.status, again.body]).toEqual([400, expect.objectContaining({ field: 'key' })]);
      await root.call(billSourceApi.update, { params, body: { ...moved, base_url: api.url, key: api.adminKey } });
      const kept = await root.call(billSourceApi.fetch, fetching);
      expect(kept).toMatchObject({ provider: name, month: month(), origin: 'api', bill: 2, closed: false });
      const { report } = await root.call(billApi.get, { params: { id: kept.id } });
      const differing = report.lines.filter(({ model }) => model.startsWith(vendor));
      expect(differing.map(({ model, difference, cause }) => [model, difference, cause])).toEqual([
        [`${vendor}-three`, 0.25, 'only_bill'],
        [`${vendor}-two`, 0.25, 'price'],
        [`${vendor}-one`, 0, 'none'],
      ]);
      expect((await root.call(billSourceApi.list)).find(({ id }) => id === source.id)).toMatchObject({
        last_error: '',
      });
      billed = [];
      expect(await root.try(billSourceApi.fetch, fetching)).toMatchObject({
        status: 404,
        body: { code: 'bill.empty' },
      });
      await root.call(billSourceApi.remove, { params });
    });
  });
});
