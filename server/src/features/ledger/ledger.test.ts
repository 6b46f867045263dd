import type { LedgerEntry, LedgerKind } from '@relay-hub/contract';
import { entryKinds, ledgerApi, role } from '@relay-hub/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { rowsOf } from '#testing/callers.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addAccount, addPerson } from '#testing/people.ts';

const START = 1_750_000_000;

onEveryDatabase('the ledger', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let reader: TestPerson;
  let admin: TestPerson;

  /** An old entry, inserted directly to choose time and kind. */
  const entry = (userId: number, kind: LedgerKind, credits: number, more: Partial<LedgerEntry> = {}) => ({
    user_id: userId,
    token_id: null,
    kind,
    credits,
    balance_after: 0,
    reference: `${kind}:${Math.random()}`,
    actor_id: userId,
    remark: '',
    created_time: START,
    ...more,
  });
  const write = async (...entries: ReturnType<typeof entry>[]) =>
    hub().server.deps.db.insertInto('ledger').values(entries).execute();

  type Query = NonNullable<Parameters<TestPerson['client']['call']>[1]>['query'];
  const ownList = (query: Query = {}) => reader.client.call(ledgerApi.ownList, { query: query as object });
  const list = (query: Query = {}) => admin.client.call(ledgerApi.list, { query: query as object });

  /** Times of the reader's entries from `START` on, newest first: one of each kind, and three more. */
  const all = [101, 101, 100, ...entryKinds.map((_, i) => i).toReversed()];

  beforeAll(async () => {
    reader = await addPerson(hub());
    admin = await addPerson(hub(), { role: role.admin });
    const { id } = reader;
    await write(
      ...entryKinds.map((kind, i) => entry(id, kind, i % 2 === 0 ? 100 + i : -100 - i, { created_time: START + i })),
      entry(id, 'settle', -7, { reference: 'call:request-1', created_time: START + 100 }),
      entry(id, 'correction', 5, { remark: 'Goodwill 100%', actor_id: admin.id, created_time: START + 101 }),
      entry(id, 'topup', 50, { reference: 'order:A-77', actor_id: 0, created_time: START + 101 }),
      entry(admin.id, 'gift', 1, { created_time: START + 50, remark: 'goodwill too' }),
    );
  });

  test('shows its owner every entry, newest first, and no one else’s', async () => {
    const { data, total_count, more } = await ownList({ size: 100 });
    expect(data.map(({ created_time }) => created_time - START)).toEqual(all);
    expect(data.slice(0, 2).map(({ kind }) => kind)).toEqual(['topup', 'correction']);
    expect({ total_count, more }).toEqual({ total_count: all.length, more: false });
    expect(new Set(data.map(({ user_id }) => user_id))).toEqual(new Set([reader.id]));
  });

  test('shows a user that an administrator acted, and an administrator which one', async () => {
    const [own] = (await ownList({ keyword: 'goodwill' })).data;
    expect(own).toMatchObject({ actor: 'administrator', actor_id: 0, actor_name: '' });
    const [seen] = (await list({ keyword: 'goodwill', user_id: reader.id })).data;
    expect(seen).toMatchObject({ actor: 'administrator', actor_id: admin.id, actor_name: admin.username });
    const kinds = new Map((await ownList({ size: 100 })).data.map((one) => [one.kind, one]));
    expect(kinds.get('gift')).toMatchObject({ actor: 'owner', actor_name: reader.username });
    expect((await ownList({ keyword: 'A-77' })).data).toMatchObject([{ actor: 'system', actor_name: '' }]);
  });

  describe('finds', () => {
    const cases: [what: string, query: object, found: number[]][] = [
      ['one kind', { kind: 'gift' }, [0]],
      ['several', { kind: 'settle,topup' }, [101, 100, 5, 2]],
      ['all by naming all', { kind: entryKinds.join(',') }, all],
      ['from a time on', { start_timestamp: START + 8 }, all.filter((time) => time >= 8)],
      ['until a time', { end_timestamp: START + 1 }, [1, 0]],
      ['within a time', { start_timestamp: START + 2, end_timestamp: START + 4, kind: 'topup,reserve' }, [4, 2]],
      ['a request', { keyword: 'request-1' }, [100]],
      ['a reference', { keyword: 'call:request-1' }, [100]],
      ['a part of a reference, in what is no call', { keyword: 'a-7' }, [101]],
      ['no part of a request’s id', { keyword: 'request' }, []],
      ['a part of a remark', { keyword: 'WILL 100%' }, [101]],
      ['a percent sign as such', { keyword: '1%' }, []],
      ['both', { keyword: 'goodwill', kind: 'gift' }, []],
      ['the oldest first', { order: 'created_time', size: 3 }, [0, 1, 2]],
      ['the same by id', { order: 'id', size: 2, page: 2 }, [2, 3]],
      ['nothing beyond the end', { page: 9_007_199_254_740_991 }, []],
    ];
    test.each(cases)('%s', async (_, query, found) => {
      const { data } = await ownList({ size: 100, ...query });
      expect(data.map(({ created_time }) => created_time - START)).toEqual(found);
    });

    test('each entry on one page, also within a second', async () => {
      const account = await addAccount(hub());
      await write(...Array.from({ length: 25 }, (_, i) => entry(account.id, 'settle', -i - 1)));
      const seen: number[] = [];
      for (const page of [1, 2, 3, 4]) {
        const { data, total_count } = await list({ user_id: account.id, size: 10, page });
        expect(total_count).toBe(25);
        seen.push(...data.map(({ credits }) => credits));
      }
      expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => i - 25));
    });

    test('one user’s by name or id, or all users’', async () => {
      const { data: byName } = await list({ username: reader.username.toUpperCase(), size: 100 });
      const { data: byId } = await list({ user_id: reader.id, size: 100 });
      expect(byName).toEqual(byId);
      expect(byName).toHaveLength(all.length);
      expect((await list({ username: 'nobody-here' })).data).toEqual([]);
      expect((await list({ user_id: reader.id, username: admin.username })).data).toEqual([]);
      const everybody = await list({ keyword: 'goodwill' });
      expect(everybody.data.map(({ username }) => username)).toEqual([reader.username, admin.username]);
    });

    test.each([
      ['kind', { kind: 'bribe' }],
      ['start_timestamp', { start_timestamp: 'yesterday' }],
      ['order', { order: 'credits' }],
    ])('nothing, and says why, for an impossible %s', async (field, query) => {
      const answer = await reader.client.try(ledgerApi.ownList, { query });
      expect(answer).toMatchObject({ status: 400, body: { field } });
    });
  });

  test('a call is an entry with its token and its request, and the balance after it', async () => {
    await addChannel(hub(), upstream().url);
    const caller = await addPerson(hub(), { quota: 1_000_000 });
    const { key } = await tokenOf(caller.client, { name: 'my app' });
    await chat(hub(), key);
    const [log] = await rowsOf(hub().server.deps.db, { userId: caller.id });
    const { data } = await caller.client.call(ledgerApi.ownList, { query: {} });
    expect(data).toMatchObject([
      {
        kind: 'settle',
        credits: -log!.quota,
        balance_after: 1_000_000 - log!.quota,
        reference: `call:${log!.request_id}`,
        token_name: 'my app',
        actor: 'owner',
      },
      { kind: 'gift', credits: 1_000_000, balance_after: 1_000_000 },
    ]);
    expect(await caller.client.call(ledgerApi.ownTotals, {})).toMatchObject({
      user_id: caller.id,
      quota: 1_000_000 - log!.quota,
      used_quota: log!.quota,
      added: 1_000_000,
      removed: 0,
      spent: log!.quota,
    });
  });

  describe('of more entries than are counted', () => {
    let account: { id: number };
    const COUNT = 100_050;

    beforeAll(async () => {
      account = await addAccount(hub());
      await sql`
        insert into ledger (user_id, kind, credits, balance_after, reference, actor_id, remark, created_time)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(COUNT)})
        select ${sql.lit(account.id)}, case when i % 1000 = 0 then 'topup' else 'settle' end, -1, i,
          'many:' || i, 1, '', 1750000000 + i from n
      `.execute(hub().server.deps.db);
    });

    test.each([
      [1, 10, 100_010, true],
      [4, 10, 100_040, true],
      [5, 10, COUNT, false],
      [1, 50, COUNT, false],
      [5000, 20, COUNT, false],
    ])('page %i of %i tells of %i', async (page, size, total_count, more) => {
      const { data, ...told } = await list({ user_id: account.id, page, size });
      expect(told).toEqual({ page, size, total_count, more });
      expect(data[0]!.balance_after).toBe(COUNT - (page - 1) * size);
    });

    test('those of a rare kind are all counted', async () => {
      expect(await list({ user_id: account.id, kind: 'topup' })).toMatchObject({ total_count: 100, more: false });
    });
  });
});
