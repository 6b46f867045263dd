import type { LogPage } from '@relay-hub/contract';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '#db/tables.ts';
import { sealDays } from '#roll-ups/seal-days.ts';
import { sumNames } from '#roll-ups/usage-scope.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import type { LogTableRow } from '#testing/log-rows.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { addAccount } from '#testing/people.ts';
import { allLogs } from './all-logs.ts';
import type { PageQuery } from './log-page.ts';
import { listLogs, listOwnLogs } from './log-queries.ts';
import type { LogFilters } from './log-search.ts';
import { totalsOf } from './log-totals.ts';

const sums = sql.join(sumNames.map((name) => sql.ref(name)));
const ROWS = 18_000;
const DAYS = 12;
const now = Math.floor(Date.now() / 1000);
const since = now - DAYS * 86_400;
const unhurried = { pageMs: Infinity, countMs: Infinity };

const models = ['gpt-4o', 'gpt-4o', 'gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5', 'Gpt-4o'];
const tokens = ['main', 'Main', 'laptop'];

type Query = LogFilters & PageQuery;
const everything: Query = {
  log_type: 0,
  model_name: '',
  token_id: 0,
  token_name: '',
  request_id: '',
  start_timestamp: 0,
  end_timestamp: 0,
  failed: 0,
  stream: 0,
  username: '',
  source_ip: '',
  channel_id: 0,
  page: 1,
  size: 100,
  order: '',
  after: '',
  before: '',
};
type Kept = LogTableRow & { id: number };

/** A reference implementation of the filters. */
function isFound(row: Kept, query: Query): boolean {
  const { model_name: model, failed, stream, start_timestamp: from, end_timestamp: to } = query;
  return (
    (query.log_type === 0 || row.type === query.log_type) &&
    (model === '' ||
      (model.endsWith('*') ? row.model_name.startsWith(model.slice(0, -1)) : row.model_name === model)) &&
    (query.token_id === 0 || row.token_id === query.token_id) &&
    (query.token_name === '' || row.token_name === query.token_name) &&
    (query.request_id === '' || row.request_id === query.request_id) &&
    (query.username === '' || row.username === query.username) &&
    (query.source_ip === '' || row.source_ip === query.source_ip) &&
    (query.channel_id === 0 || row.channel_id === query.channel_id) &&
    (failed === 0 || row.failed) &&
    (stream === 0 || row.is_stream === (stream === 1)) &&
    row.created_at >= from &&
    (to === 0 || row.created_at <= to)
  );
}

onEveryDatabase('the pages of a long log', (make) => {
  const hub = hubForSuite(make);
  let db: Db;
  let users: { id: number; username: string }[];
  /** Newest first. */
  let rows: Kept[];

  async function readRows(): Promise<void> {
    const all = await db.selectFrom('logs').selectAll().execute();
    rows = (all as unknown as Kept[]).toSorted((a, b) => b.created_at - a.created_at || b.id - a.id);
  }

  function rowAt(n: number): LogTableRow {
    const user = users[n % 7 === 0 ? 1 : n % 977 === 0 ? 2 : 0]!;
    const note = n % 211 === 0;
    // Of a process that died during the call.
    const lost = !note && n % 331 === 0;
    // Not quite chronological, several per second, with gaps of hours.
    const late = n % 50 === 0 ? (n * 7919) % 5000 : 0;
    const at = since + Math.floor((n / ROWS) * DAYS * 86_400) - late;
    return logRow({
      request_id: `r${n}`,
      user_id: user.id,
      username: user.username,
      created_at: at - (at % 5),
      type: note ? 1 + 2 * (n % 2) : 2,
      model_name: note ? '' : n % 401 === 0 ? 'rare-model' : models[n % 6]!,
      // Token 3 is renamed and given away; token 4 is rare.
      token_id: note ? 0 : n % 1009 === 0 ? 4 : 1 + (n % 3),
      token_name: note ? '' : n % 1009 === 0 ? 'old laptop' : n > ROWS / 2 ? 'main' : tokens[n % 3]!,
      channel_id: note || lost ? 0 : 1 + (n % 5),
      quota: lost ? 0 : (n * 31) % 1000,
      source_ip: `10.0.${n % 3}.1`,
      is_stream: n % 3 === 0,
      failed: lost || (!note && n % 37 === 0),
      request_time: n % 100,
    });
  }

  beforeAll(async () => {
    db = hub().server.deps.db;
    users = [await addAccount(hub()), await addAccount(hub()), await addAccount(hub())];
    const made = Array.from({ length: ROWS }, (_, n) => rowAt(n)).filter(
      ({ created_at: at }) => Math.floor(at / 3600) % 9 !== 0,
    );
    await insertLogs(hub().server.deps.db, made);
    // Usage of the first days is not known by token, as after an update.
    await db
      .deleteFrom('usage_by_token')
      .where('hour', '<', since + 3 * 86_400)
      .execute();
    await sql`insert into usage_by_token (hour, user_id, token_id, model_name, ${sums})
      select hour, user_id, 0, model_name, ${sums} from usage_by_user where hour < ${since + 3 * 86_400}`.execute(db);
    expect(await sealDays(hub().server.deps.db, now)).toBeGreaterThan(DAYS - 5);
    await readRows();
  }, 120_000);

  const anyTime = fc.oneof(
    fc.constant(0),
    fc.integer({ min: since - 3600, max: now + 3600 }),
    fc.integer({ min: 0, max: DAYS * 24 }).map((hour) => since - (since % 3600) + hour * 3600),
  );
  const filters = {
    log_type: fc.constantFrom(0, 1, 2, 2, 3, 4),
    model_name: fc.constantFrom('gpt-4o', 'gpt-4o*', 'rare-model', 'rare*', 'nothing', ''),
    token_id: fc.constantFrom(1, 3, 4, 5),
    token_name: fc.constantFrom('main', 'old laptop', 'nobody’s'),
    request_id: fc.constantFrom('r17', 'r10550', 'nothing'),
    username: fc.nat(2).map((n) => n),
    source_ip: fc.constantFrom('10.0.1.1', '10.0.9.1'),
    channel_id: fc.integer({ min: 1, max: 6 }),
    failed: fc.constant(1),
    stream: fc.constantFrom(1, 2),
    start_timestamp: anyTime,
    end_timestamp: anyTime,
  };
  const everyFilter = fc.record(filters);
  type AnyFilter = Partial<typeof everyFilter extends fc.Arbitrary<infer T> ? T : never>;
  const queryOf = ({ username, ...filter }: AnyFilter): Query => ({
    ...everything,
    ...filter,
    ...(username !== undefined && { username: users[username]!.username }),
  });
  // Few filters at once, because all of them together rarely match a row.
  const someFilter = fc
    .tuple(everyFilter, fc.subarray(Object.keys(filters), { maxLength: 3 }))
    .map(([all, names]): AnyFilter => Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))));

  const idsOf = (page: LogPage): number[] => page.data.map(({ id }) => id);
  const found = (query: Query): Kept[] => rows.filter((row) => isFound(row, query));

  /** Byte order, as in SQL. */
  function sorted(list: Kept[], order: string): Kept[] {
    const terms = order
      .split(',')
      .map((part) => (part.startsWith('-') ? ([part.slice(1), -1] as const) : ([part, 1] as const)));
    const last = terms[0]![1];
    const keys = [...terms, ['created_at', last] as const, ['id', last] as const];
    return list.toSorted((a, b) => {
      for (const [key, sign] of keys) {
        const [x, y] = [a[key as keyof Kept]!, b[key as keyof Kept]!];
        if (x !== y) return x < y ? -sign : sign;
      }
      return 0;
    });
  }

  test('any page of any filter, by its number, is what a look at every row finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        someFilter,
        fc.constantFrom('', '-created_at', 'created_at', 'id', '-id,created_at'),
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1.05, noNaN: true }),
        async (filter, order, size, depth) => {
          const query = queryOf(filter);
          const expected = found(query);
          if (order === 'created_at' || order === 'id') expected.reverse();
          const page = 1 + Math.floor((depth * expected.length) / size);
          const answer = await listLogs(db, { ...query, order, size, page }, unhurried);
          expect(idsOf(answer)).toEqual(expected.slice((page - 1) * size, page * size).map(({ id }) => id));
          expect(answer.next !== '').toBe(page * size < expected.length);
          if (answer.more) expect(answer.total_count).toBeLessThan(expected.length);
          else expect(answer.total_count).toBe(expected.length);
        },
      ),
      { numRuns: 100 },
    );
  }, 120_000);

  test.each(['-created_at', 'created_at'])('deep pages are where the roll-ups say (%s)', async (order) => {
    const noon = since + 4 * 86_400 + 1234;
    for (const filter of [
      {},
      { log_type: 2 },
      { model_name: 'gpt-4o' },
      { start_timestamp: noon },
      { channel_id: 2 },
      { token_id: 1 },
    ]) {
      const query = { ...everything, ...filter, order };
      const expected = found(query).map(({ id }) => id);
      if (order === 'created_at') expected.reverse();
      for (let page = 10; (page - 1) * 100 < expected.length + 100; page += 7) {
        const answer = await listLogs(db, { ...query, page }, unhurried);
        expect({ page, ids: idsOf(answer) }).toEqual({ page, ids: expected.slice((page - 1) * 100, page * 100) });
      }
    }
  });

  test('the roll-ups count exactly what the walk does not count', async () => {
    for (const filter of [
      {},
      { log_type: 2 },
      { model_name: 'gpt-4o' },
      { username: users[0]!.username },
      { failed: 1 },
      { token_id: 1 },
      { token_id: 4 },
      { token_id: 3, username: users[1]!.username },
    ]) {
      const query = { ...everything, ...filter };
      const { total_count: total, more } = await listLogs(db, query);
      expect({ ...filter, total, more }).toEqual({ ...filter, total: found(query).length, more: false });
    }
  });

  test('going on from page to page shows every row once, there and back', async () => {
    await fc.assert(
      fc.asyncProperty(
        someFilter,
        fc.nat(DAYS * 24),
        fc.constantFrom('-created_at', 'created_at'),
        fc.constantFrom(17, 100),
        async (filter, hour, order, size) => {
          const start = since + hour * 3600;
          const span = { start_timestamp: start, end_timestamp: start + 20 * 3600 };
          const query = { ...queryOf(filter), ...span, order, size };
          const pages: LogPage[] = [];
          for (let after = ''; pages.length === 0 || after !== ''; after = pages.at(-1)!.next)
            pages.push(await listLogs(db, { ...query, after }, unhurried));
          const expected = found(query).map(({ id }) => id);
          if (order === 'created_at') expected.reverse();
          expect(pages.flatMap(idsOf)).toEqual(expected);
          for (let n = pages.length - 1; n > 0; n--) {
            const back = await listLogs(db, { ...query, before: pages[n]!.previous }, unhurried);
            expect(idsOf(back)).toEqual(idsOf(pages[n - 1]!));
          }
        },
      ),
      { numRuns: 15 },
    );
  }, 120_000);

  test('a search whose time is up says how far it came, and goes on from there', async () => {
    const query = { ...everything, token_name: 'old laptop', size: 10 };
    const expected = found(query).map(({ id }) => id);
    const ids: number[] = [];
    let stops = 0;
    for (let after = ''; ;) {
      const answer = await listLogs(db, { ...query, after }, { pageMs: 0, countMs: 0 });
      ids.push(...idsOf(answer));
      if (after === '') expect(answer).toMatchObject({ more: true });
      if (answer.searched_to > 0) stops++;
      if (answer.next === '') break;
      after = answer.next;
    }
    expect(ids).toEqual(expected);
    expect(stops).toBeGreaterThan(3);
    const deep = await listLogs(db, { ...query, page: 3 }, { pageMs: 0, countMs: 0 });
    expect(deep).toMatchObject({ data: [], next: '' });
    expect(deep.searched_to).toBeGreaterThan(0);
  });

  test.each(['-quota', 'token_name,-request_time', 'type', '-source_ip', 'model_name', 'channel_id'])(
    'the order by %s is of the newest rows, and says so',
    async (order) => {
      for (const filter of [{ failed: 1 }, { username: users[1]!.username }, {}, { token_name: 'laptop' }]) {
        const query = { ...everything, ...filter, order, page: 3 };
        const answer = await listLogs(db, query, unhurried);
        // Orders other than time are limited to index-only searches.
        const newest = rows.filter((row) => isFound(row, { ...query, token_name: '' })).slice(0, 10_000);
        const expected = sorted(
          newest.filter((row) => isFound(row, query)),
          order,
        );
        expect(idsOf(answer)).toEqual(expected.slice(200, 300).map(({ id }) => id));
        expect(answer.total_count).toBe(expected.length);
        expect(answer.sorted_newest).toBe(Object.keys(filter).length === 0 || 'token_name' in filter ? 10_000 : 0);
      }
    },
  );

  test('own pages are of own rows', async () => {
    const { id } = users[1]!;
    const answer = await listOwnLogs(db, id, { ...everything, page: 3 }, unhurried);
    const expected = rows.filter((row) => row.user_id === id);
    expect(idsOf(answer)).toEqual(expected.slice(200, 300).map((row) => row.id));
    expect(answer.total_count).toBe(expected.length);
  });

  test('totals of any filter are those of its calls', async () => {
    await fc.assert(
      fc.asyncProperty(someFilter, async (filter) => {
        const query = queryOf(filter);
        const calls = found(query).filter(({ type }) => type === 2);
        const sum = (of: (row: Kept) => number) => calls.reduce((total, row) => total + of(row), 0);
        expect(await totalsOf(db, query, undefined, Infinity)).toEqual({
          requests: calls.length,
          failures: sum(({ failed }) => (failed ? 1 : 0)),
          quota: sum(({ quota }) => quota),
          prompt_tokens: sum((row) => row.prompt_tokens),
          completion_tokens: sum((row) => row.completion_tokens),
          cached_tokens: sum((row) => row.cached_tokens),
          since: 0,
        });
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  describe('while rows come and go', () => {
    test('no row is shown twice or left out', async () => {
      const query = { ...everything, log_type: 2, size: 50 };
      const expected = found(query)
        .slice(0, 200)
        .map(({ id }) => id);
      const ids: number[] = [];
      let answer = await listLogs(db, query);
      for (let n = 0; n < 4; n++) {
        ids.push(...idsOf(answer));
        await db
          .insertInto('logs')
          .values(logRow({ request_id: `new${n}`, user_id: users[0]!.id, created_at: now }))
          .execute();
        answer = await listLogs(db, { ...query, after: answer.next, page: n + 2 });
      }
      expect(ids).toEqual(expected);
      await db.deleteFrom('logs').where('request_id', 'like', 'new%').execute();
    });

    test('an export has every row once', async () => {
      const query = { ...everything, start_timestamp: now - 2 * 86_400 };
      const ids: number[] = [];
      for await (const { id } of (await allLogs(db, { ...query, limit: 0 })).rows) ids.push(id);
      expect(ids).toEqual(found(query).map(({ id }) => id));
      const rare = { ...everything, model_name: 'rare*', order: 'created_at' };
      const rareIds: number[] = [];
      for await (const { id } of (await allLogs(db, { ...rare, limit: 0 })).rows) rareIds.push(id);
      expect(rareIds).toEqual(
        found(rare)
          .map(({ id }) => id)
          .toReversed(),
      );
    });
  });
});
