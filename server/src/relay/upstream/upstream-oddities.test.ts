import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { clientOf, hello, post } from '#testing/relay-calls.ts';
import type { Behaviour } from '#upstream-simulator/behaviour.ts';

const streamed = { ...hello, stream: true };

onOneDatabase('answers of upstreams that are odd, and answers all the same', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url);
    await addChannel(hub(), raw().url, { models: 'gpt-4.1,text-embedding-3-large' });
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const lastRow = async (who: TestCaller) => (await rowsOf(db(), who)).at(-1)!;

  describe('usage that is none, or more than one', () => {
    test.each([hello, streamed])('none: an estimate, and labelled as one', async (body) => {
      const who = await addCaller(db());
      upstream().next({ usage: 'none', text: 'word '.repeat(100) });
      expect((await post(hub(), who.key, body)).status).toBe(200);
      const row = await lastRow(who);
      expect(row).toMatchObject({ prompt_tokens: 9, metadata: { outcome: 'answered', usage_source: 'estimate' } });
      expect(row.completion_tokens).toBeGreaterThan(80);
      expect(row.completion_tokens).toBeLessThan(150);
    });

    test.each([
      { prompt_tokens: -5, completion_tokens: 3 },
      { prompt_tokens: 1e15, completion_tokens: 3 },
      { prompt_tokens: 5.5, completion_tokens: 3 },
      {},
    ])('%j is none', async (usage) => {
      for (const body of [hello, streamed]) {
        const who = await addCaller(db());
        upstream().next({ usage, usageIn: 'always' });
        await post(hub(), who.key, body);
        const row = await lastRow(who);
        expect(row).toMatchObject({ prompt_tokens: 9, metadata: { usage_source: 'estimate' } });
        expect(row.quota).toBeLessThan(100);
      }
    });

    test.each(['always', 'twice', 'eachChunk', 'finishChunk'] as const)('%s: counted once', async (usage) => {
      const who = await addCaller(db());
      upstream().next({ usage });
      const answer = await post(hub(), who.key, streamed);
      // One word in, seven chunks out: 1.25 + 35
      expect(await lastRow(who)).toMatchObject({
        prompt_tokens: 1,
        completion_tokens: 7,
        quota: 37,
        metadata: { usage_source: 'upstream' },
      });
      expect(answer.text).not.toMatch(/"choices":\[\],"usage"/);
      expect(answer.text).toMatch(/\[DONE\]\n\n$/);
    });
  });

  test('a null among the choices breaks nothing', async () => {
    const who = await addCaller(db());
    raw().reply = (response) => sendJson(response, { choices: [null, { message: { content: 'a' } }] });
    expect((await post(hub(), who.key, { ...hello, model: 'gpt-4.1' })).status).toBe(200);
    raw().reply = (response) =>
      sendStream(response, [
        'data: {"choices":[null,{"delta":{}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\n',
        'data: [DONE]\n\n',
      ]);
    expect((await post(hub(), who.key, { ...streamed, model: 'gpt-4.1' })).status).toBe(200);
  });

  describe('unusual but well', () => {
    test.each<Behaviour>([
      { fault: 'crlf' },
      { fault: 'bom' },
      { fault: 'comments' },
      { fault: 'splitUtf8' },
      { fault: 'drip', dripMs: 0.1, chunks: 2 },
    ])('%j', async (behaviour) => {
      const who = await addCaller(db());
      upstream().next(behaviour);
      const answer = await post(hub(), who.key, streamed);
      expect(answer.text).toMatch(/\[DONE\](\r?\n){2}$/);
      expect(answer.text).not.toContain('"usage":{');
      if (behaviour.fault === 'comments') expect(answer.text).toContain(': ping\n\n');
      if (behaviour.fault === 'splitUtf8') expect(answer.text).toContain('👋🏽');
      const row = await lastRow(who);
      expect(row).toMatchObject({
        prompt_tokens: 1,
        metadata: { outcome: 'answered', usage_source: 'upstream', finish_reason: 'stop' },
      });

      upstream().next(behaviour);
      let said = '';
      for await (const chunk of await clientOf(hub(), who.key).chat.completions.create({ ...hello, stream: true }))
        said += chunk.choices[0]?.delta.content ?? '';
      expect(said).toMatch(behaviour.fault === 'splitUtf8' ? /^Grüße aus Köln! 你好世界/ : /^Hello! How/);
    });

    test.each([hello, streamed])('a line of 8 megabytes passes', async (body) => {
      const who = await addCaller(db());
      upstream().next({ fault: 'hugeLine', lineBytes: 8_000_000 });
      const answer = await post(hub(), who.key, body);
      expect(answer.text.length).toBeGreaterThan(8_000_000);
      expect(await lastRow(who)).toMatchObject({
        prompt_tokens: 1,
        completion_tokens: 7,
        metadata: { outcome: 'answered', usage_source: 'upstream' },
      });
    });

    test('an embedding of megabytes passes, with its usage', async () => {
      const who = await addCaller(db());
      const reply = JSON.stringify({
        data: [{ embedding: 'A'.repeat(2_000_000) }],
        usage: { prompt_tokens: 77, total_tokens: 77 },
      });
      raw().reply = (response) => sendJson(response, reply);
      const answer = await post(hub(), who.key, { model: 'text-embedding-3-large', input: 'x' }, '/v1/embeddings');
      expect(answer.text).toBe(reply);
      expect(await lastRow(who)).toMatchObject({ prompt_tokens: 77, completion_tokens: 0 });
    });
  });
});
