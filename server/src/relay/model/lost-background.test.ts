import { expect, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, userOf } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { setOptions } from '#testing/mailbox.ts';
import { startProcess } from '#testing/process.ts';
import { clientOf } from '#testing/relay-calls.ts';

const MODEL = 'mistral-small-latest';
const BALANCE = 1_000_000;
const raw = rawUpstreamForSuite();
const piece = (content: string): string =>
  JSON.stringify({
    choices: [{ index: 0, delta: { content }, finish_reason: content === 'whole' ? 'stop' : null }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });

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
    const calls = { measure: 'calls', period: 'at_once', amount: 3 } as const;
    const limits = { caps: [calls], key_caps: [], time_zone: 'UTC', learn: false };
    await addChannel(first, raw().url, { type: 28, models: MODEL, limits });
    await setOptions(first.root, { ReplyCacheEnabled: 'true' });
    const who = await addCaller(db, { quota: BALANCE });
    await db
      .updateTable('tokens')
      .set({ response_store_hours: 24, enable_cache: true })
      .where('id', '=', who.tokenId)
      .execute();
    const reader = await addCaller(db, { quota: BALANCE });
    await db.updateTable('tokens').set({ enable_cache: true }).where('id', '=', reader.tokenId).execute();
    const start = (server: { url: string }) =>
      clientOf(server, who.key).responses.create({ model: MODEL, input: 'hello', background: true });
    await expect.poll(() => start(first).then(({ status }) => status, String), slowly).toBe('in_progress');
    const queued = await start(first);
    await expect.poll(() => raw().requests.length, slowly).toBe(2);
    expect(await clientOf(first, who.key).responses.retrieve(queued.id)).toMatchObject({ status: 'in_progress' });
    // A stream in progress, which the reply cache would keep, takes the last of the calls at once.
    const streamed = { model: MODEL, stream: true, messages: [{ role: 'user', content: 'hello' }] };
    raw().reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${piece('half')}\n\n`);
    };
    const ask = (server: { url: string }) =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${reader.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(streamed),
      });
    const begun = (await ask(first)).body!.getReader();
    await begun.read();
    expect((await ask(first)).status).toBe(429);
    await first.kill();
    await begun.cancel().catch(() => undefined);

    next = await startProcess(database);
    // The killed process gives back its calls, and has kept no half of a reply.
    raw().reply = (response) => sendStream(response, [`data: ${piece('whole')}\n\n`, 'data: [DONE]\n\n']);
    const asked = async () => {
      const { status, headers, body } = await ask(next!);
      return [status, headers.get('x-relay-cache'), (await new Response(body).text()).includes('whole')];
    };
    await expect.poll(asked, slowly).toEqual([200, 'miss', true]);
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
