import { expect, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, userOf } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { startProcess } from '#testing/process.ts';
import { clientOf } from '#testing/relay-calls.ts';

const MODEL = 'mistral-small-latest';
const BALANCE = 1_000_000;
const raw = rawUpstreamForSuite();

/** For processes that start on a busy machine. */
const slowly = { timeout: 20_000 };

test('a response that is made here in the background fails, free of charge, when its process is killed', async () => {
  const database = await newSqlite();
  const first = await startProcess(database);
  const storage = openStorage(database);
  let next: typeof first | undefined;
  try {
    const { db } = storage;
    raw().reply = () => {};
    await addChannel(first, raw().url, { type: 28, models: MODEL });
    const who = await addCaller(db, { quota: BALANCE });
    await db.updateTable('tokens').set({ response_store_hours: 24 }).where('id', '=', who.tokenId).execute();
    const start = (server: { url: string }) =>
      clientOf(server, who.key).responses.create({ model: MODEL, input: 'hello', background: true });
    await expect.poll(() => start(first).then(({ status }) => status, String), slowly).toBe('in_progress');
    const queued = await start(first);
    await expect.poll(() => raw().requests.length, slowly).toBe(2);
    expect(await clientOf(first, who.key).responses.retrieve(queued.id)).toMatchObject({ status: 'in_progress' });
    await first.kill();

    next = await startProcess(database);
    const lost = () => clientOf(next!, who.key).responses.retrieve(queued.id);
    await expect.poll(async () => (await lost()).status, slowly).toBe('failed');
    expect(await lost()).toMatchObject({ id: queued.id, error: { code: 'server_error' } });
    expect((await userOf(db, who)).balance).toBe(BALANCE);

    raw().reply = (response) =>
      sendJson(response, {
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'the answer' } }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      });
    const again = await start(next);
    await expect
      .poll(() => clientOf(next!, who.key).responses.retrieve(again.id), slowly)
      .toMatchObject({ status: 'completed', output_text: 'the answer' });
    await expectBooksBalance(db);
  } finally {
    await Promise.all([first.kill(), next?.kill()]);
    await storage.close();
    await database.remove();
  }
}, 180_000);
