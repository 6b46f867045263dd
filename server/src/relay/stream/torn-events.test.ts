import { priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { SseEvents } from '#chat/sse-events.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendStream } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';

const event = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
const long = 'z'.repeat(200_000);

onOneDatabase('a stream that breaks within an event', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;

  beforeAll(async () => {
    const price = { type: 'tokens' as const, channel_type: 1, input: 1, output: 1 };
    await hub().root.call(priceApi.create, { body: { model: 'gpt-image-torn', ...price } });
    await addChannel(hub(), raw().url, { models: 'gpt-4o,gpt-image-torn' });
    await addChannel(hub(), raw().url, { type: 14, models: 'claude-sonnet-4-5' });
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const first = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Oh' } };
  const said = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: long } };
  test.each([
    ['/v1/chat/completions', hello, event({ choices: [{ index: 0, delta: { content: long } }] }).slice(0, -9)],
    ['/v1/messages', { ...hello, model: 'claude-sonnet-4-5', max_tokens: 9 }, event(first) + event(said).slice(0, -9)],
    [
      '/v1/images/generations',
      { model: 'gpt-image-torn', prompt: 'a cat' },
      event({ type: 'image_generation.partial_image', b64_json: long }),
    ],
  ])('%s: its error is an event of its own all the same', async (path, body, sent) => {
    raw().reply = (response) => sendStream(response, [sent], 'cut');
    const who = await addCaller(db());
    const answer = await post(hub(), who.key, { ...body, stream: true }, path);
    expect(answer.status).toBe(200);
    const events = new SseEvents().push(Buffer.from(answer.text));
    expect(events).toHaveLength(path === '/v1/messages' ? 3 : 2);
    expect(JSON.parse(events.at(-1)!.data)).toMatchObject({ error: { message: expect.stringContaining('broke off') } });
    expect(await rowsOf(db(), who)).toMatchObject([{ failed: true }]);
  });
});
