import { readdirSync } from 'node:fs';
import { priceApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { type EmptyDatabase, newSqlite } from '#testing/databases.ts';
import { addChannel, upstreamForSuite } from '#testing/hub.ts';
import { type ServerProcess, startProcess } from '#testing/process.ts';
import { clientOf } from '#testing/relay-calls.ts';
import { spoolFolder } from './spool.ts';

const MB = 1024 * 1024;
const UPLOADS = 8;
const upstream = upstreamForSuite();
let database: EmptyDatabase;
let server: ServerProcess;
let storage: Storage;

beforeAll(async () => {
  database = await newSqlite();
  server = await startProcess(database);
  storage = openStorage(database);
  const model = { model: 'heard', type: 'times', channel_type: 1, input: 1, output: 0 } as const;
  await server.root.call(priceApi.create, { body: model });
  await addChannel(server, upstream().url, { type: 1, models: 'heard' });
}, 60_000);
afterAll(async () => {
  await server?.kill();
  await storage?.close();
  await database?.remove();
});

test('eight uploads of 25 MB at once take a part of that in memory', async () => {
  const { db } = storage;
  const who = await addCaller(db, { quota: 1_000_000_000 });
  const sound = new File([Buffer.alloc(25 * MB, 7)], 'a.mp3', { type: 'audio/mpeg' });
  const client = clientOf(server, who.key);
  // All have arrived before the first is answered.
  upstream().behaviour = { delayMs: 300 };
  const before = server.memory();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, server.memory())), 10);
  try {
    const asked = Array.from({ length: UPLOADS }, () =>
      client.audio.transcriptions.create({ file: sound, model: 'heard' }),
    );
    await Promise.all(asked);
  } finally {
    clearInterval(timer);
  }
  expect(readdirSync(spoolFolder(database.dataDir))).toEqual([]);
  await expect.poll(() => rowsOf(db, who), { message: 'rows of the caller' }).toHaveLength(UPLOADS);
  await expectBooksBalance(db);
  expect((most - before) / MB).toBeLessThan(UPLOADS * 25 * 0.75);
}, 60_000);
