import type { InputOf } from '@relay-hub/contract';
import { logApi, logColumns } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';

type Filter = Partial<InputOf<typeof logApi.list>['query']>;

onEveryDatabase('the log', (make) => {
  const hub = hubForSuite(make);
  let ann: TestPerson;
  let ben: TestPerson;

  beforeAll(async () => {
    ann = await addPerson(hub());
    ben = await addPerson(hub());
    const row = (n: number, { id, username }: TestPerson, more: object = {}) =>
      logRow({
        request_id: `r${n}`,
        user_id: id,
        username,
        created_at: 1000 * n,
        quota: 10 ** n,
        prompt_tokens: n,
        completion_tokens: 2 * n,
        channel_id: 7,
        ...more,
      });
    await insertLogs(hub().server.deps.db, [
      row(1, ann),
      row(2, ann, { model_name: 'gpt-4o-mini', token_name: 'Main', cached_tokens: 1, request_time: 5 }),
      row(3, ben, { channel_id: 8, source_ip: '10.0.0.11', is_stream: true }),
      row(4, ben, { failed: true, quota: 0 }),
      row(5, ann, { type: 1, quota: 500, channel_id: 0 }),
      row(6, ben, { type: 3, quota: 0, channel_id: 0 }),
    ]);
  });

  const all = async (query: Filter): Promise<string[]> =>
    (await hub().root.call(logApi.list, { query })).data.map((log) => log.request_id);
  const own = async (query: Filter): Promise<string[]> =>
    (await ann.client.call(logApi.ownList, { query })).data.map((log) => log.request_id);

  test.each<[Filter, everybodys: string[], anns: string[]]>([
    [{}, ['r6', 'r5', 'r4', 'r3', 'r2', 'r1'], ['r5', 'r2', 'r1']],
    [{ log_type: 2 }, ['r4', 'r3', 'r2', 'r1'], ['r2', 'r1']],
    [{ log_type: 1 }, ['r5'], ['r5']],
    [{ log_type: 0 }, ['r6', 'r5', 'r4', 'r3', 'r2', 'r1'], ['r5', 'r2', 'r1']],
    [{ model_name: 'gpt-4o-mini' }, ['r2'], ['r2']],
    [{ model_name: 'gpt-4' }, [], []],
    [{ token_name: 'Main' }, ['r2'], ['r2']],
    [{ request_id: 'r1' }, ['r1'], ['r1']],
    [{ request_id: 'r3' }, ['r3'], []],
    [{ start_timestamp: 2000, end_timestamp: 5000 }, ['r5', 'r4', 'r3', 'r2'], ['r5', 'r2']],
    [{ start_timestamp: 2001, end_timestamp: 4999 }, ['r4', 'r3'], []],
    [{ log_type: 2, model_name: 'gpt-4o', start_timestamp: 1001 }, ['r4', 'r3'], []],
    [{ failed: 1 }, ['r4'], []],
    [{ stream: 1 }, ['r3'], []],
    [{ stream: 2 }, ['r6', 'r5', 'r4', 'r2', 'r1'], ['r5', 'r2', 'r1']],
    [{ model_name: 'gpt-4o-*' }, ['r2'], ['r2']],
    [{ model_name: 'GPT*' }, [], []],
    [{ model_name: 'gpt%*' }, [], []],
    [{ model_name: '*', log_type: 2 }, ['r4', 'r3', 'r2', 'r1'], ['r2', 'r1']],
    [{ size: 2 }, ['r6', 'r5'], ['r5', 'r2']],
    [{ size: 2, page: 2 }, ['r4', 'r3'], ['r1']],
    [{ order: 'quota' }, ['r4', 'r6', 'r1', 'r2', 'r5', 'r3'], ['r1', 'r2', 'r5']],
    [{ order: '-type,created_at' }, ['r6', 'r1', 'r2', 'r3', 'r4', 'r5'], ['r1', 'r2', 'r5']],
  ])('%o', async (query, everybodys, anns) => {
    expect(await all(query)).toEqual(everybodys);
    expect(await own(query)).toEqual(anns);
  });

  test.each<[Filter, string[]]>([
    [{ source_ip: '10.0.0.1' }, ['r6', 'r5', 'r4', 'r2', 'r1']],
    [{ source_ip: '10.0.0.11' }, ['r3']],
    [{ channel_id: 8 }, ['r3']],
    [{ channel_id: 0 }, ['r6', 'r5', 'r4', 'r3', 'r2', 'r1']],
    [{ username: 'nobody' }, []],
  ])('%o is for administrators', async (query, found) => {
    expect(await all(query)).toEqual(found);
    expect(await own(query)).toEqual(['r5', 'r2', 'r1']);
  });

  test('of one user', async () => {
    expect(await all({ username: ben.username })).toEqual(['r6', 'r4', 'r3']);
    expect(await own({ username: ben.username })).toEqual(['r5', 'r2', 'r1']);
  });

  test.each(logColumns)('can be ordered by %s, both ways', async (column) => {
    expect(await all({ order: `-${column}` })).toEqual((await all({ order: column })).toReversed());
  });

  test('pages know how many rows there are', async () => {
    expect(await hub().root.call(logApi.list, { query: { page: 9, size: 4 } })).toEqual({
      data: [],
      page: 9,
      size: 4,
      total_count: 6,
      more: false,
      next: '',
      previous: '',
      searched_to: 0,
      sorted_newest: 0,
    });
    expect((await ann.client.call(logApi.ownList, { query: { model_name: 'gpt-4o' } })).total_count).toBe(2);
  });

  describe('totals', () => {
    const sum = (quota: number, requests: number, failures: number, prompt: number, cached = 0) => ({
      quota,
      requests,
      failures,
      prompt_tokens: prompt,
      completion_tokens: 2 * prompt,
      cached_tokens: cached,
      since: 0,
    });

    test.each<[Filter & { channel?: number }, object]>([
      [{}, sum(1110, 4, 1, 10, 1)],
      [{ model_name: 'gpt-4o' }, sum(1010, 3, 1, 8)],
      [{ start_timestamp: 3000 }, sum(1000, 2, 1, 7)],
      [{ end_timestamp: 1999 }, sum(10, 1, 0, 1)],
      [{ channel_id: 8 }, sum(1000, 1, 0, 3)],
      [{ channel: 8 }, sum(1000, 1, 0, 3)],
      [{ token_name: 'Main' }, sum(100, 1, 0, 2, 1)],
      [{ source_ip: '10.0.0.11' }, sum(1000, 1, 0, 3)],
      [{ username: 'nobody' }, sum(0, 0, 0, 0)],
      [{ log_type: 1 }, sum(0, 0, 0, 0)],
      [{ failed: 1 }, sum(0, 1, 1, 4)],
      [{ stream: 1 }, sum(1000, 1, 0, 3)],
      [{ model_name: 'gpt-4o-m*' }, sum(100, 1, 0, 2, 1)],
      [{ channel_id: 7, start_timestamp: 2000 }, sum(100, 2, 1, 6, 1)],
    ])('over %o', async (query, sums) => {
      expect(await hub().root.call(logApi.totals, { query })).toEqual(sums);
    });

    test('own ones are over own calls, by account and not by name', async () => {
      expect(await ann.client.call(logApi.ownTotals)).toEqual(sum(110, 2, 0, 3, 1));
      expect(await ben.client.call(logApi.ownTotals, { query: { end_timestamp: 3999 } })).toEqual(sum(1000, 1, 0, 3));
      await hub()
        .server.deps.db.updateTable('logs')
        .set({ username: ann.username })
        .where('request_id', '=', 'r3')
        .execute();
      expect(await ann.client.call(logApi.ownTotals)).toEqual(sum(110, 2, 0, 3, 1));
      expect(await own({ username: ann.username })).toEqual(['r5', 'r2', 'r1']);
    });
  });
});
