import { ledgerApi, role, statementApi, type Statement } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { caughtUp } from '#testing/caught-up.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';

onEveryDatabase('statements', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let ann: TestPerson;
  let months: string[];
  const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);

  beforeAll(async () => {
    const { root, server } = hub();
    const { db, now } = server.deps;
    await addChannel(hub(), upstream().url);
    ann = await addPerson(hub(), { quota: 5_000_000 });
    const tokens = [await tokenOf(ann.client, { name: 'laptop' }), await tokenOf(ann.client, { name: 'ci' })];
    for (const { key } of tokens)
      for (const model of ['gpt-4o', 'gpt-4o-mini']) expect((await chat(hub(), key, model)).status).toBe(200);
    await root.call(ledgerApi.correct, { params: { id: ann.id }, body: { quota: -700, remark: 'mistake' } });
    await caughtUp(db);
    const back = 40 * 86_400;
    const laptop = tokens[0]!.id;
    // The calls of one token, and the gift, were in an earlier month.
    const moved = db.updateTable('ledger').set((eb) => ({ created_time: eb('created_time', '-', back) }));
    await moved.where('token_id', '=', laptop).execute();
    await moved.where('user_id', '=', ann.id).where('kind', '=', 'gift').execute();
    const earlier = db.updateTable('usage_by_token').set((eb) => ({ hour: eb('hour', '-', back) }));
    await earlier.where('token_id', '=', laptop).execute();
    await db
      .updateTable('usage_by_user')
      .set((eb) => ({ hour: eb('hour', '-', back) }))
      .execute();
    const monthOf = (at: number) => new Date(at * 1000).toISOString().slice(0, 7);
    months = [monthOf(now() - back), monthOf(now())];
  });

  const read = (month: string) => ann.client.call(statementApi.own, { query: { month, time_zone: 'UTC' } });
  const addsUp = ({ opening, closing, entries, spent, usage, unlisted }: Statement) => {
    expect(opening + sum(entries.map(({ credits }) => credits)) - spent).toBe(closing);
    expect(sum(usage.map(({ quota }) => quota)) + unlisted).toBe(spent);
  };

  test('movements and usage add up from the opening to the closing balance, month after month', async () => {
    const [before, now] = [await read(months[0]!), await read(months[1]!)];
    for (const statement of [before, now]) {
      addsUp(statement);
      expect(statement.unlisted).toBe(0);
      expect(statement.usage.map(({ model, requests }) => [model, requests])).toEqual([
        ['gpt-4o', 1],
        ['gpt-4o-mini', 1],
      ]);
    }
    expect(before).toMatchObject({
      opening: 0,
      closed: true,
      entries: [{ kind: 'gift', credits: 5_000_000, count: 1 }],
    });
    expect(before.usage.map(({ token_name: name }) => name)).toEqual(['laptop', 'laptop']);
    expect(now).toMatchObject({
      opening: before.closing,
      closed: false,
      entries: [{ kind: 'correction', credits: -700, count: 1 }],
    });
    expect(now.closing).toBe((await ann.client.call(ledgerApi.ownTotals)).quota);
    const earlier = await read('2020-01');
    expect(earlier).toMatchObject({ opening: 0, closing: 0, spent: 0, entries: [], usage: [] });
  });

  test('the file has the same lines', async () => {
    const { opening, closing, spent } = await read(months[1]!);
    const query = { month: months[1]!, time_zone: 'UTC', language: 'en-US' };
    const lines = (await ann.client.download(statementApi.ownDownload, { query })).trim().split('\r\n');
    expect(lines[0]).toMatch(/Item,Token,Model,Count,Input tokens,Output tokens,Credits,USD,Member,Cost centre$/);
    expect(lines[1]).toBe(`Opening balance,,,,,,${opening},${opening / 500_000},,`);
    expect(lines.at(-1)).toBe(`Closing balance,,,,,,${closing},${closing / 500_000},,`);
    expect(
      lines
        .slice(1, -1)
        .map((line) => Number(line.split(',').at(-4)))
        .reduce((all, each) => all + each),
    ).toBe(closing);
    expect(spent).toBeGreaterThan(0);
  });

  test('administrators read those of users, and nobody those of another', async () => {
    const admin = await addPerson(hub(), { role: role.admin });
    const query = { month: months[0]!, time_zone: 'UTC' };
    const own = await read(months[0]!);
    expect(await admin.client.call(statementApi.get, { query: { ...query, username: ann.username } })).toEqual(own);
    expect(await admin.client.try(statementApi.get, { query })).toMatchObject({
      status: 400,
      body: { field: 'user_id' },
    });
    const other = await addPerson(hub());
    const asked: object = { ...query, user_id: ann.id };
    expect(await other.client.call(statementApi.own, { query: asked as typeof query })).toMatchObject({
      user_id: other.id,
      usage: [],
    });
    expect(await ann.client.try(statementApi.own, { query: { month: '2026-13' } })).toMatchObject({
      status: 400,
      body: { field: 'month' },
    });
    expect(await ann.client.try(statementApi.own, { query: { month: '2999-01' } })).toMatchObject({
      status: 400,
      body: { field: 'month' },
    });
  });

  test('the product family’s routes list past months, and one by model', async () => {
    const date = `${months[0]!}-01`;
    const list = (await ann.client.send<{ data: { data: unknown[] } }>('GET', '/api/user/invoice')).body;
    expect(list).toMatchObject({ data: { total_count: 1, data: [{ date, request_count: 4 }] } });
    const detail = (await ann.client.send('GET', `/api/user/invoice/detail?date=${date}`)).body;
    expect(detail).toMatchObject({
      data: [{ date, model_name: 'gpt-4o', request_count: 2 }, { model_name: 'gpt-4o-mini' }],
    });
  });
});
