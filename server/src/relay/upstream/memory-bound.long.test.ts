import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { type EmptyDatabase, onOneDatabase } from '#testing/databases.ts';
import { addChannel, upstreamForSuite } from '#testing/hub.ts';
import { type ServerProcess, startProcess } from '#testing/process.ts';
import { hello } from '#testing/relay-calls.ts';
import type { Behaviour } from '#upstream-simulator/behaviour.ts';

const MB = 1024 * 1024;
const line: Behaviour = { fault: 'hugeLine', lineBytes: 64 * MB };
const bomb: Behaviour = { fault: 'gzipBomb', bombBytes: 256 * MB };

onOneDatabase('memory of a process whose upstreams send oversized replies', (make) => {
  const upstream = upstreamForSuite();
  let database: EmptyDatabase;
  let server: ServerProcess;
  let storage: Storage;

  beforeAll(async () => {
    database = await make();
    server = await startProcess(database);
    storage = openStorage(database);
    await addChannel(server, upstream().url);
  }, 60_000);
  afterAll(async () => {
    await server?.kill();
    await storage?.close();
    await database?.remove();
  });

  /** Calls and discards replies; returns bytes received and the peak memory of the server. */
  async function watched(behaviour: Behaviour, path: string, stream: boolean) {
    const { db } = storage;
    const who = await addCaller(db, { quota: 1_000_000_000 });
    upstream().next(behaviour);
    let most = server.memory();
    const timer = setInterval(() => (most = Math.max(most, server.memory())), 10);
    let bytes = 0;
    try {
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...hello, max_tokens: 1000, stream }),
      });
      for await (const piece of response.body!) bytes += (piece as Uint8Array).length;
    } finally {
      clearInterval(timer);
    }
    await expect.poll(() => rowsOf(db, who), { message: 'rows of the caller' }).toHaveLength(1);
    const [row] = await rowsOf(db, who);
    await expectBooksBalance(db);
    return { bytes, most, outcome: row!.metadata?.outcome };
  }

  test.each<[string, Behaviour, string, boolean, object, number]>([
    ['a line of 64 MB, passed on', line, '/v1/chat/completions', true, { outcome: 'answered' }, 150],
    ['an answer of 64 MB, passed on', line, '/v1/chat/completions', false, { outcome: 'answered' }, 300],
    ['a line of 64 MB, converted', line, '/v1/messages', true, { outcome: 'broken' }, 150],
    ['an answer of 64 MB, converted', line, '/v1/messages', false, { outcome: 'answered' }, 500],
    ['a gzip bomb as an answer', bomb, '/v1/chat/completions', false, { outcome: 'failed' }, 50],
    ['a gzip bomb as a stream', bomb, '/v1/chat/completions', true, { outcome: 'failed' }, 50],
  ])('%s', async (_, behaviour, path, stream, expected, moreMb) => {
    const before = server.memory();
    const { bytes, most, outcome } = await watched(behaviour, path, stream);
    expect({ outcome }).toMatchObject(expected);
    expect(bytes > 64 * MB).toBe(outcome === 'answered');
    expect((most - before) / MB).toBeLessThan(moreMb);
  });
});
