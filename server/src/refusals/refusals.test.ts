import { logApi, logCleanupApi, logType } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { startHub, type TestHub } from '#testing/hub.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { Folding, MODELS_OF_TOKEN, type RefusedCall } from './folding.ts';
import { MOST_NETWORKS, UnknownKeys } from './unknown-keys.ts';

const HOUR = 3600 * 480_000;

const call = (more: Partial<RefusedCall> = {}): RefusedCall => ({
  userId: 1,
  username: 'ann',
  tokenId: 1,
  tokenName: 'laptop',
  group: 'default',
  model: 'gpt-9',
  endpoint: '/v1/chat/completions',
  status: 404,
  code: 'model_not_found',
  reason: 'model_not_found',
  message: 'no such model',
  requestId: 'r1',
  sourceIp: '10.0.0.1',
  needed: 0,
  ...more,
});

describe('folding', () => {
  test('equal refusals of an hour share one row with the facts of the first and the last call', () => {
    const folding = new Folding();
    expect(folding.add(call({ requestId: 'r1' }), HOUR)).toBe(true);
    expect(folding.add(call({ requestId: 'r2', message: 'still none' }), HOUR + 3599)).toBe(false);
    expect(folding.add(call({ requestId: 'r3' }), HOUR + 3600)).toBe(true);
    expect(folding.take(10)).toMatchObject([
      { count: 2, first_request_id: 'r1', request_id: 'r2', first_time: HOUR, message: 'still none' },
      { count: 1, first_request_id: 'r3', request_id: 'r3', hour: HOUR + 3600 },
    ]);
    expect(folding.take(10)).toEqual([]);
  });

  test('counts restart after a write, and are kept after a failed write', () => {
    const folding = new Folding();
    folding.add(call(), HOUR);
    const taken = folding.take(10);
    folding.add(call({ requestId: 'r2' }), HOUR + 1);
    folding.putBack(taken);
    expect(folding.take(10)).toMatchObject([{ count: 2, first_request_id: 'r1', request_id: 'r2' }]);
    // The same for a past hour.
    folding.add(call({ requestId: 'r3' }), HOUR + 2);
    const late = folding.take(10);
    folding.add(call({ requestId: 'r4' }), HOUR + 4000);
    folding.putBack(late);
    expect(folding.take(10).toSorted((a, b) => a.hour - b.hour)).toMatchObject([
      { count: 1, hour: HOUR },
      { count: 1 },
    ]);
  });

  test('a token that requests ever new models gets few rows, and does not affect other tokens', () => {
    const folding = new Folding();
    for (let n = 0; n < 1000; n++) folding.add(call({ model: `m${n}` }), HOUR);
    folding.add(call({ tokenId: 2 }), HOUR);
    folding.add(call({ reason: 'model_not_priced', model: 'm999' }), HOUR);
    const rows = folding.take(10_000);
    expect(rows).toHaveLength(MODELS_OF_TOKEN + 1 + 2);
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(1002);
    expect(rows.filter((row) => row.many_models)).toMatchObject([{ count: 1000 - MODELS_OF_TOKEN, model_name: '' }]);
  });

  test('memory stays bounded while the database accepts no writes', () => {
    const folding = new Folding();
    for (let n = 0; n < 30_000; n++) folding.add(call({ tokenId: n }), HOUR);
    expect(folding.waiting).toBeLessThanOrEqual(20_000);
    expect(folding.waiting + folding.takeLost()).toBe(30_000);
  });

  test('no call is lost with many tokens while writes succeed', () => {
    const folding = new Folding();
    let written = 0;
    for (let n = 0; n < 50_000; n++) {
      folding.add(call({ tokenId: n % 25_000 }), HOUR);
      if (n % 1000 === 0) written += folding.take(5000).reduce((sum, { count }) => sum + count, 0);
    }
    for (let rows = folding.take(5000); rows.length > 0; rows = folding.take(5000))
      written += rows.reduce((sum, { count }) => sum + count, 0);
    expect(written).toBe(50_000);
  });
});

test('unknown keys from too many networks share one row', () => {
  const keys = new UnknownKeys();
  for (let n = 0; n < 2 * MOST_NETWORKS; n++)
    keys.add('unknown', `10.0.${Math.floor(n / 250)}.${n % 250}`, '/v1/models', HOUR);
  const rows = keys.take(10_000);
  expect(rows).toHaveLength(MOST_NETWORKS + 1);
  expect(rows.find(({ address }) => address === '')).toMatchObject({ unknown: MOST_NETWORKS });
  keys.putBack(rows);
  expect(keys.waiting).toBe(MOST_NETWORKS + 1);
});

onOneDatabase('refused calls in the database', (make) => {
  const refusedOf = async (hub: TestHub, { userId }: TestCaller) =>
    (await hub.root.call(logApi.list, { query: { log_type: logType.refused, size: 100 } })).data.filter(
      ({ user_id }) => user_id === userId,
    );
  const stored = (hub: TestHub) => hub.server.deps.db.selectFrom('refusals').select('count').execute();

  test('the first call is written soon, the rest on shutdown or when the log is read', async () => {
    const database = await make();
    let hub = await startHub(database);
    const caller = await addCaller(hub.server.deps.db);
    try {
      const refused = () => post(hub, caller.key, { ...hello, model: 'nothing' });
      await refused();
      await expect.poll(() => stored(hub), { timeout: 1500 }).toEqual([{ count: 1 }]);
      for (let n = 0; n < 9; n++) await refused();
      expect(await stored(hub)).toEqual([{ count: 1 }]);
      await post(hub, `sk-${'x'.repeat(48)}`, hello);
      await hub.close();
      hub = await startHub(database);
      expect(await stored(hub)).toEqual([{ count: 10 }]);
      expect((await hub.root.call(logApi.unknownKeys)).data).toMatchObject([{ address: '127.0.0.1', unknown: 1 }]);
      // The next process adds to the row.
      await refused();
      expect(await refusedOf(hub, caller)).toMatchObject([{ metadata: { refusal: { count: 11 } } }]);
    } finally {
      await hub.close();
      await database.remove();
    }
  }, 30_000);

  test('two nodes add to one row, and the log cleanup deletes it', async () => {
    const database = await make();
    const hub = await startHub(database);
    const other = await startHub(database);
    try {
      const caller = await addCaller(hub.server.deps.db);
      await Promise.all([hub, other, hub, other].map((node) => post(node, caller.key, { ...hello, model: 'nothing' })));
      await other.server.deps.refusals.caughtUp();
      expect(await refusedOf(hub, caller)).toMatchObject([{ metadata: { refusal: { count: 4 } } }]);
      await hub.server.deps.db.updateTable('refusals').set({ created_at: 100_000, first_time: 100_000 }).execute();
      await hub.root.call(logCleanupApi.start, { query: { target_timestamp: 200_000 } });
      await expect.poll(() => refusedOf(hub, caller)).toEqual([]);
      await expect.poll(async () => (await hub.root.call(logCleanupApi.progress)).state).toBe('done');
    } finally {
      await other.close();
      await hub.close();
      await database.remove();
    }
  }, 30_000);
});
