import { priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';

const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };
const said = (text: string, more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
  unknown: { field: ['ü', text.length] },
});
const chunks = [said('one\n'), said('two'), { ...said('three', { finishReason: 'STOP' }), usageMetadata }];
const events = (all: readonly object[], lineEnd = '\r\n') =>
  all.map((chunk) => `data: ${JSON.stringify(chunk)}${lineEnd}${lineEnd}`).join('');
const asked = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], unknown: 1 };

onOneDatabase('streamGenerateContent without alt=sse', (make) => {
  const hub = hubForSuite(make);
  const google = rawUpstreamForSuite();
  const other = upstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let id = 0;

  beforeAll(async () => {
    for (const model of ['g-google', 'g-other', 'g-nova-v1:0'])
      await hub().root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 1, input: 1, output: 2 } });
    id = await addChannel(hub(), google().url, {
      type: 25,
      models: 'g-google',
      key: 'AIza-secret-0001',
      first_token_timeout: 1,
    });
    await addChannel(hub(), other().url, { models: 'g-other,g-nova-v1:0' });
  });
  beforeEach(async () => void (who = await addCaller(db())));
  afterEach(async () => {
    hub().server.deps.live.health.forget(id);
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const ask = (model: string, query = '') =>
    post(hub(), who.key, asked, `/gemini/v1beta/models/${model}:streamGenerateContent${query}`);

  test('is asked for by a name with a colon too, which Google’s clients do not encode', async () => {
    await ask('g-nova-v1:0');
    expect(JSON.parse(other().requests.at(-1)!.body)).toMatchObject({ model: 'g-nova-v1:0' });
  });

  test('is one JSON list of the events of a Gemini channel, with all that they hold', async () => {
    const large = said('z'.repeat(300_000));
    for (const lineEnd of ['\n', '\r\n']) {
      const all = [...chunks.slice(0, 2), large, chunks[2]!];
      const bytes = Buffer.from(events(all, lineEnd));
      const pieces = Array.from({ length: 40 }, (_, i) => bytes.subarray(i * 10, i * 10 + 10));
      google().reply = (response) => sendStream(response, [...pieces, bytes.subarray(400)]);
      const answer = await ask('g-google');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain('application/json');
      expect(JSON.parse(answer.text)).toEqual(all);
    }
    const { url, body } = google().requests.at(-1)!;
    expect(url).toBe('/v1beta/models/g-google:streamGenerateContent?alt=sse');
    expect(JSON.parse(body.toString())).toEqual(asked);
    for (const row of await rowsOf(db(), who))
      expect(row).toMatchObject({
        is_stream: true,
        quota: 11 + 2 * 7,
        metadata: { outcome: 'answered', usage_source: 'upstream', finish_reason: 'stop' },
      });
  });

  test('with it, the events of a Gemini channel pass as they are', async () => {
    google().reply = (response) => sendStream(response, [events(chunks)]);
    const answer = await ask('g-google', '?alt=sse');
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(answer.text).toBe(events(chunks));
  });

  test('is a list as well where the channel speaks something else', async () => {
    other().next({ usage: { prompt_tokens: 5, completion_tokens: 6 } });
    const answer = await ask('g-other');
    expect(answer.headers.get('content-type')).toContain('application/json');
    const list = JSON.parse(answer.text) as { candidates: { content: { parts: { text?: string }[] } }[] }[];
    const text = list.flatMap(({ candidates }) => candidates[0]!.content.parts.map((part) => part.text)).join('');
    expect(text).toBe('Hello! How can I help you today?');
    expect(list.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { totalTokenCount: 11 },
    });
    expect(await rowsOf(db(), who)).toMatchObject([{ quota: 5 + 2 * 6 }]);
  });

  test('a list that breaks ends with an error, and is still a list', async () => {
    const error = { error: { code: 500, message: 'no more for AIza-secret-0001', status: 'INTERNAL' } };
    for (const [pieces, ending, status] of [
      [[events(chunks.slice(0, 2)), 'data: {"candidates":'], 'cut', 'UNAVAILABLE'],
      [[events(chunks.slice(0, 2))], 'end', 'UNAVAILABLE'],
      [[events([...chunks.slice(0, 2), error])], 'end', 'INTERNAL'],
    ] as const) {
      google().reply = (response) => sendStream(response, pieces, ending);
      const answer = await ask('g-google');
      expect(answer.status).toBe(200);
      const list = JSON.parse(answer.text) as object[];
      expect(list.slice(0, -1)).toEqual(chunks.slice(0, 2));
      expect(list.at(-1)).toMatchObject({ error: { status } });
      expect(answer.text).not.toContain('secret-0001');
    }
    for (const row of await rowsOf(db(), who))
      expect(row).toMatchObject({ failed: true, metadata: { outcome: 'broken' } });
  });

  test('a failure before the first event has its own status', async () => {
    google().reply = (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const late = await ask('g-google');
    expect(late.status).toBe(504);
    expect(JSON.parse(late.text)).toMatchObject({ error: { code: 504, status: 'DEADLINE_EXCEEDED' } });
  });

  test('a complete reply becomes a list of one', async () => {
    google().reply = (response) => sendJson(response, chunks[2]);
    const answer = await ask('g-google');
    expect(JSON.parse(answer.text)).toEqual([chunks[2]]);
    expect(await rowsOf(db(), who)).toMatchObject([{ quota: 25, metadata: { usage_source: 'upstream' } }]);
  });
});
