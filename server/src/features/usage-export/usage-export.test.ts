import { type BillingSystem, logApi, type UsageExport, usageExportApi, userAdminApi } from '@relay-hub/contract';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { insertLogs, logRow, type LogTableRow } from '#testing/log-rows.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { until } from '#testing/until.ts';
import { billingKey, startBillingSystems } from '#upstream-simulator/billing-systems.ts';
import { CommittedIds, type LastIds } from './committed-ids.ts';
import { sendUsage } from './send-usage.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

onEveryDatabase('usage that is exported to billing systems', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const committed = new CommittedIds();
  let systems: Awaited<ReturnType<typeof startBillingSystems>>;
  let customer: number;
  let serial = 0;

  beforeAll(async () => {
    const { root } = hub();
    const password = 'a-password-of-somebody';
    ({ id: customer } = await root.call(userAdminApi.create, { body: { username: 'customer', password } }));
    await root.call(userAdminApi.update, { body: { id: customer, customer_id: 'cus_0001' } });
  });
  beforeEach(async () => {
    systems = await startBillingSystems();
    const { db } = hub().server.deps;
    for (const table of ['usage_exports', 'refused_usage', 'logs'] as const) await db.deleteFrom(table).execute();
    return () => systems.close();
  });

  const rows = (count: number, more: Partial<LogTableRow> = {}) =>
    Array.from({ length: count }, () =>
      logRow({
        request_id: `request-${++serial}`,
        user_id: customer,
        created_at: hub().server.deps.now(),
        quota: 100,
        prompt_tokens: 20,
        completion_tokens: 3,
        ...more,
      }),
    );
  const addRows = async (...given: Parameters<typeof rows>) => {
    const added = rows(...given);
    await insertLogs(hub().server.deps.db, added);
    return added.map(({ request_id: id }) => `call:${id}`);
  };
  const add = (kind: BillingSystem, more: object = {}) =>
    hub().root.call(usageExportApi.create, {
      body: {
        kind,
        name: `To ${kind}`,
        address: kind === 'cloudevents' ? `${systems.url}/api/v1/events` : systems.url,
        key: billingKey,
        event: 'usage',
        ...more,
      },
    });
  /** A round at a later time. */
  const round = (laterS = 0) => {
    const { deps } = hub().server;
    return sendUsage({ ...deps, now: () => deps.now() + laterS }, committed);
  };
  /** A round that sees all rows: transactions of other databases of this PostgreSQL hold them back. */
  const send = async (laterS = 0) => {
    const { db } = hub().server.deps;
    await until('all rows may be sent', async () => {
      const { logs, ledger } = await newestIds(db);
      const last = await committed.last(db);
      return last !== undefined && last.logs >= logs && last.ledger >= ledger;
    });
    return round(laterS);
  };
  const shown = async () => (await hub().root.call(usageExportApi.list))[0]!;
  const ids = () => systems.taken.map(({ id }) => id);

  test('a call is an event with its tokens and charge, once, and only after it was added', async () => {
    const { root, server } = hub();
    await addChannel(hub(), upstream().url);
    const { key } = await addToken(hub(), { tag: 'research' });
    await post(hub(), key, hello);
    await addRows(1);
    // The log is complete when it is read.
    await root.call(logApi.list, { query: {} });
    await add('cloudevents', { secret });
    await post(hub(), key, hello);
    await root.call(logApi.list, { query: {} });
    await addRows(1, { failed: true, quota: 0 });
    await addRows(1, { request_id: 'import-old-1' });
    await send();
    await send();
    const row = await server.deps.db
      .selectFrom('logs')
      .where('user_id', '=', 1)
      .orderBy('id', 'desc')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(systems.taken.map(({ event }) => event)).toEqual([
      {
        specversion: '1.0',
        id: `call:${row.request_id}`,
        source: 'relay-hub',
        time: new Date(row.created_at * 1000).toISOString(),
        datacontenttype: 'application/json',
        type: 'usage',
        subject: '1',
        data: {
          user_id: 1,
          token_id: row.token_id,
          cost_centre: 'research',
          model: 'gpt-4o',
          calls: 1,
          input_tokens: row.prompt_tokens,
          output_tokens: row.completion_tokens,
          cached_tokens: 0,
          credits: row.quota,
          usd: (row.quota / 500_000).toFixed(6),
        },
      },
    ]);
    expect(systems.headers[0]).toMatchObject({
      'content-type': 'application/cloudevents-batch+json',
      'webhook-id': expect.stringMatching(/^msg_call:/),
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    expect(await shown()).toMatchObject({ sent: 1, waiting: 0, last_error: '', refused: 0 });
    expect(JSON.stringify(await root.call(usageExportApi.list))).not.toContain(billingKey);
  });

  test('a returned charge is an event of its own, after its call', async () => {
    await add('cloudevents');
    const [call] = await addRows(1);
    await hub()
      .server.deps.db.insertInto('ledger')
      .values({
        user_id: customer,
        token_id: null,
        kind: 'refund',
        credits: 40,
        balance_after: 40,
        reference: 'task:returned',
        actor_id: customer,
        remark: '',
        created_time: hub().server.deps.now(),
      })
      .execute();
    await send();
    await hub().server.deps.db.deleteFrom('ledger').where('reference', '=', 'task:returned').execute();
    expect(ids()).toEqual([call, 'task:returned']);
    expect(systems.taken[1]!.event).toMatchObject({
      subject: 'cus_0001',
      data: { calls: 0, input_tokens: 0, credits: -40, usd: '-0.000080' },
    });
  });

  describe.each<BillingSystem>(['cloudevents', 'lago', 'stripe'])('%s', (kind) => {
    test('gets every event once and in order through 429, 500, lost answers and answers that only look fine', async () => {
      const { root } = hub();
      const { id } = await add(kind);
      const expected = await addRows(5);
      const count = kind === 'stripe' ? 5 : 1;
      for (const fault of ['busy', 'broken', 'fine', 'lost'] as const) {
        systems.faults.push(...Array.from({ length: count }, () => fault));
        await expect(send(fault === 'busy' ? 0 : 4000 * (systems.headers.length + 1))).rejects.toThrow(`To ${kind}`);
        const { last_error: failure, next_time: next, waiting } = await shown();
        expect([failure !== '', next > 0, waiting]).toEqual([true, true, 5]);
        if (fault === 'busy') {
          expect(failure).toMatch(/^HTTP 429/);
          // The receiver asked for two minutes.
          const asked = systems.headers.length;
          await expect(send(60)).rejects.toThrow('HTTP 429');
          expect(systems.headers).toHaveLength(asked);
        }
        systems.faults.length = 0;
      }
      await send(1_000_000);
      expect(new Set(ids())).toEqual(new Set(expected));
      if (kind !== 'stripe') expect(ids()).toEqual(expected);
      expect(systems.state.repeated).toBeGreaterThan(0);
      expect(await shown()).toMatchObject({ id, sent: 5, waiting: 0, last_error: '', next_time: 0 });
      await root.call(usageExportApi.test, { params: { id } });
      await root.call(usageExportApi.update, {
        params: { id },
        body: { ...bodyOf(await shown()), key: 'another-key-of-someone' },
      });
      const tested = await root.try(usageExportApi.test, { params: { id } });
      expect([tested.status, tested.body.message]).toEqual([502, expect.stringContaining('HTTP 401')]);
    });

    test('goes on behind refused events, keeps them and sends them again', async () => {
      const { root, server } = hub();
      const { id } = await add(kind);
      const other = await root.call(userAdminApi.create, {
        body: { username: `unknown-${kind}`, password: 'a-password-of-somebody', customer_id: 'cus_unknown' },
      });
      systems.wrong.add('cus_unknown');
      const before = await addRows(2);
      const [refused] = await addRows(1, { user_id: other.id });
      const after = await addRows(2);
      await send();
      expect(new Set(ids())).toEqual(new Set([...before, ...after]));
      const state = await shown();
      expect(state).toMatchObject({ sent: 4, refused: 1, waiting: 0, last_error: '' });
      expect(state.last_refusal).toMatch(/not_found|not known|No such customer/);
      await root.call(userAdminApi.update, { body: { id: other.id, customer_id: 'cus_0002' } });
      await root.call(usageExportApi.retry, { params: { id } });
      await send();
      expect(ids().at(-1)).toBe(refused);
      expect(await shown()).toMatchObject({ sent: 5, refused: 0, last_refusal: '' });
      expect(await server.deps.db.selectFrom('refused_usage').selectAll().execute()).toEqual([]);
    });
  });

  test('a meter counts what was chosen, for accounts with a customer id', async () => {
    await add('stripe', { measure: 'tokens' });
    await addRows(1, { user_id: 1 });
    await addRows(1);
    await send();
    expect(systems.taken.map(({ event }) => event)).toEqual([
      {
        event_name: 'usage',
        identifier: `call:request-${serial}`,
        timestamp: expect.stringMatching(/^\d{10}$/),
        'payload[stripe_customer_id]': 'cus_0001',
        'payload[value]': '23',
      },
    ]);
    expect(await shown()).toMatchObject({ sent: 1, skipped: 1 });
  });

  test('a day can be sent from the beginning, under the same ids', async () => {
    const { root } = hub();
    const before = await addRows(250);
    const since = new Date(hub().server.deps.now() * 1000).toISOString().slice(0, 10);
    const { id } = await add('cloudevents', { since });
    await send();
    expect(ids()).toEqual(before);
    await root.call(usageExportApi.restart, { params: { id }, body: { since } });
    expect(await shown()).toMatchObject({ waiting: 250 });
    await send();
    expect(systems.taken).toHaveLength(250);
    expect(systems.state.repeated).toBe(250);
    const future = await root.try(usageExportApi.restart, { params: { id }, body: { since: '9999-01-01' } });
    expect([future.status, future.body]).toEqual([400, expect.objectContaining({ field: 'since' })]);
  });

  test.each([
    ['a field that is needed', { kind: 'cloudevents', address: '' }, 'address'],
    ['a key that is needed', { kind: 'stripe', key: '' }, 'key'],
    ['an address that is none', { kind: 'cloudevents', address: 'ftp://x' }, 'address'],
    ['a secret of another form', { kind: 'cloudevents', secret: 'short' }, 'secret'],
    ['a day that no calendar has', { kind: 'lago', since: '2026-02-30' }, 'since'],
  ])('%s is named', async (_, { kind, ...more }, field) => {
    const refused = await hub().root.try(usageExportApi.create, {
      body: {
        kind: kind as BillingSystem,
        name: 'Refused',
        address: 'https://a.example',
        key: 'a-key',
        event: 'usage',
        ...more,
      },
    });
    expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ field })]);
  });

  test('a key never goes to another address', async () => {
    const { id } = await add('lago');
    const body = { ...bodyOf(await shown()), address: 'https://elsewhere.example' };
    const moved = await hub().root.try(usageExportApi.update, { params: { id }, body });
    expect([moved.status, moved.body]).toEqual([400, expect.objectContaining({ field: 'key' })]);
  });

  test('a row that is committed behind later ones is not passed by', async () => {
    const { db } = hub().server.deps;
    if (!isPostgres(db)) return;
    await add('cloudevents');
    let finish = () => {};
    const late = rows(1);
    const started = Promise.withResolvers<void>();
    const transaction = db.transaction().execute(async (trx) => {
      await trx.insertInto('logs').values(late).execute();
      const ended = new Promise<void>((resolve) => (finish = resolve));
      started.resolve();
      await ended;
    });
    await started.promise;
    const [later] = await addRows(1);
    await round();
    await round();
    expect(ids()).toEqual([]);
    finish();
    await transaction;
    await send();
    expect(ids()).toEqual([`call:${late[0]!.request_id}`, later]);
  });
});

async function newestIds(db: Db): Promise<LastIds> {
  const newest = async (table: 'logs' | 'ledger') => {
    const { id } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.max<number | null>('id').as('id'))
      .executeTakeFirstOrThrow();
    return id ?? 0;
  };
  return { logs: await newest('logs'), ledger: await newest('ledger') };
}

const bodyOf = ({ name, address, event, measure, enabled }: UsageExport) => ({
  name,
  address,
  event,
  measure,
  enabled,
  key: '',
  secret: '',
});
