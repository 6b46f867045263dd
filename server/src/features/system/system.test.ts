import { systemApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { nodeReports } from '#jobs/node-state.ts';
import { jobRounds, repeat } from '#jobs/repeat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { productVersion } from '#version.ts';

onEveryDatabase('the page System', (make) => {
  const hub = hubForSuite(make);

  test('shows this node with its last report, jobs with their failures, the database and what waits', async () => {
    const { deps } = hub().server;
    const before = await hub().root.call(systemApi.get);
    expect(before.nodes).toMatchObject([{ pid: process.pid, is_this: true, state: null }]);

    const job = repeat({ name: 'orders', everyMs: 1, failure: 'a job of this test', log: deps.log }, async () => {
      throw new Error('the gateway is away');
    });
    const failures = () => jobRounds(deps.log).find(({ name }) => name === 'orders')?.count ?? 0;
    await expect.poll(failures, { message: 'failed rounds' }).toBeGreaterThan(1);
    await job.stop();
    await nodeReports(deps)();

    const { version, time, database, nodes, queues } = await hub().root.call(systemApi.get);
    expect(version).toBe(productVersion);
    const isPostgres = deps.config.databaseUrl !== undefined;
    expect(database).toMatchObject({
      kind: isPostgres ? 'postgresql' : 'sqlite',
      version: expect.stringMatching(/^\d+\.\d+/),
    });
    expect(database.bytes).toBeGreaterThan(100_000);
    expect(database.tables.length > 0).toBe(isPostgres);
    const [node] = nodes;
    expect(node?.state).toMatchObject({
      version: productVersion,
      node_version: process.version,
      open_calls: 0,
      waiting: 0,
      redis: 'none',
      jobs: [{ name: 'orders', failures: failures(), error: 'the gateway is away' }],
    });
    expect(Math.abs(time - (node?.seen_time ?? 0))).toBeLessThan(60);
    expect(node?.state?.disk_size).toBeGreaterThan(node?.state?.disk_free ?? Infinity);
    expect(queues).toMatchObject({ settlements: 0, messages: 0, tasks: 0 });
  });

  test('tells that nodes of several versions run, newest first', async () => {
    const { db } = hub().server.deps;
    expect((await hub().root.call(systemApi.get)).upgrade).toBeNull();
    const other = { host: 'elsewhere', pid: 7, started_time: 1, seen_time: 1 };
    const others = [
      { ...other, id: 'a', version: null, schema: null },
      { ...other, id: 'b', version: '9.0.0', schema: '9001-expand-later' },
      { ...other, id: 'c', version: '9.0.0', schema: '9001-expand-later' },
    ];
    await db.insertInto('nodes').values(others).execute();
    expect((await hub().root.call(systemApi.get)).upgrade).toEqual({
      versions: [
        { version: '9.0.0', nodes: 2 },
        { version: productVersion, nodes: 1 },
        { version: '', nodes: 1 },
      ],
      waiting: [],
    });
    await db.deleteFrom('nodes').where('host', '=', 'elsewhere').execute();
  });
});
