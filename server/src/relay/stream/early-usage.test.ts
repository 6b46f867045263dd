import { beforeAll, expect, test } from 'vitest';
import { estimateTokens } from '#quota/estimate.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendStream } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';

const ANTHROPIC = 14;
const GEMINI = 25;

const said = 'A long answer of many words. '.repeat(40);
const event = (json: { type: string }) => `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`;
const usage = { input_tokens: 1000, output_tokens: 3 };
const start = event({ type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage } } as never);
const text = [
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } } as never),
];
const told = event({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn' },
  usage: { output_tokens: 77 },
} as never);

const asked = {
  model: 'claude-sonnet-4-6',
  max_tokens: 4000,
  messages: [{ role: 'user', content: 'hi' }],
  stream: true,
};

onOneDatabase('usage reported before the reply', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  beforeAll(async () => {
    await addChannel(hub(), raw().url, { type: ANTHROPIC, models: 'claude-sonnet-4-6' });
    await addChannel(hub(), raw().url, { type: GEMINI, models: 'gemini-2.5-flash' });
  });

  async function rowOf(pieces: string[], path: string, body: object = asked) {
    raw().reply = (response) => sendStream(response, pieces, 'cut');
    const who = await addCaller(db());
    await post(hub(), who.key, body, path).catch(() => {});
    await expect.poll(() => rowsOf(db(), who), { message: 'rows of the caller' }).toHaveLength(1);
    await expectBooksBalance(db());
    return (await rowsOf(db(), who))[0]!;
  }

  test.each(['/claude/v1/messages', '/v1/chat/completions'])(
    'what was said after it is charged as well when the stream is cut, as an estimate: %s',
    async (path) => {
      expect(await rowOf([start, ...text], path)).toMatchObject({
        prompt_tokens: 1000,
        completion_tokens: estimateTokens(said),
        metadata: { outcome: 'broken', usage_source: 'estimate' },
      });
    },
  );

  test.each(['/claude/v1/messages', '/v1/chat/completions'])(
    'a stream that is cut before a word was said costs nothing: %s',
    async (path) => {
      expect(await rowOf([start], path)).toMatchObject({ quota: 0, failed: true, metadata: { outcome: 'failed' } });
    },
  );

  test('usage reported after the last text is believed without an end marker', async () => {
    expect(await rowOf([start, ...text, told], '/claude/v1/messages')).toMatchObject({
      prompt_tokens: 1000,
      completion_tokens: 77,
      metadata: { outcome: 'broken', usage_source: 'upstream' },
    });
  });

  test('usage reported with each chunk is believed', async () => {
    const piece = (count: number) =>
      `data: ${JSON.stringify({
        candidates: [{ content: { role: 'model', parts: [{ text: said }] } }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: count },
      })}\n\n`;
    const path = '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse';
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
    expect(await rowOf([piece(10), piece(20)], path, { contents })).toMatchObject({
      completion_tokens: 20,
      metadata: { outcome: 'broken', usage_source: 'upstream' },
    });
  });
});
