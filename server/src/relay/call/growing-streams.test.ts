import { optionApi, priceApi } from '@relay-hub/contract';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { objectOr, parseJson, type Json } from '#json.ts';
import { estimateTokens } from '#quota/estimate.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { tokenOf } from '#testing/chat.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, liftRates } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';

/** One read of an answer. */
const piece = 'A sentence of the long answer, in words. ';
const PIECES = 400;
const PIECE_TOKENS = estimateTokens(piece);
/** Credits of a token of output: gpt-4o, gpt-4.1, Claude 3.5 Haiku and Gemini 2.0 Flash cost less than this. */
const CREDITS_PER_TOKEN = 5;

const messages = [{ role: 'user', content: 'Write a long story.' }];
const named = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const data = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
const many = (write: (index: number) => string) => Array.from({ length: PIECES }, (_, i) => write(i));

/** Streams of vendors, in many reads. */
const streams = {
  chat: [
    ...many(() => data({ id: 'c1', choices: [{ index: 0, delta: { content: piece }, finish_reason: null }] })),
    data({ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    data({ id: 'c1', choices: [], usage: { prompt_tokens: 9, completion_tokens: PIECES * PIECE_TOKENS } }),
    'data: [DONE]\n\n',
  ],
  messages: [
    named('message_start', {
      message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
    }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...many(() => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } })),
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: PIECES * PIECE_TOKENS } }),
    named('message_stop', {}),
  ],
  gemini: many((i) =>
    data({
      candidates: [
        { content: { role: 'model', parts: [{ text: piece }] }, ...(i === PIECES - 1 && { finishReason: 'STOP' }) },
      ],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: (i + 1) * PIECE_TOKENS },
    }),
  ),
  responses: [
    named('response.created', { response: { id: 'r1', status: 'in_progress', output: [] } }),
    ...many(() =>
      named('response.output_text.delta', { item_id: 'i1', output_index: 0, content_index: 0, delta: piece }),
    ),
    named('response.completed', {
      response: {
        id: 'r1',
        status: 'completed',
        output: [{ type: 'message', id: 'i1', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }],
        usage: { input_tokens: 9, output_tokens: PIECES * PIECE_TOKENS, total_tokens: 9 },
      },
    }),
  ],
};

const chatBody = { model: 'gpt-4o', messages, stream: true, stream_options: { include_usage: true } };
const claudeBody = { model: 'claude-3-5-haiku-20241022', messages, stream: true, max_tokens: 8000 };
const geminiBody = { contents: [{ role: 'user', parts: [{ text: 'Write a long story.' }] }] };
const geminiPath = (query: string) => `/gemini/v1beta/models/gemini-2.0-flash:streamGenerateContent${query}`;

onOneDatabase('reservations', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;

  const sent = (): Json => objectOr(parseJson(raw().requests.at(-1)!.body.toString()));
  const set = (key: string, value: string) => hub().root.call(optionApi.set, { body: { key, value } });
  const streaming = (pieces: readonly string[]) =>
    (raw().reply = (response: ServerResponse) => sendStream(response, pieces));

  beforeAll(async () => {
    await liftRates(hub().root);
    await hub().root.call(priceApi.create, {
      body: { model: 'gemini-2.0-flash', type: 'tokens', channel_type: 25, input: 1, output: 4 },
    });
    await addChannel(hub(), raw().url, { type: 1, models: 'gpt-4o,gpt-5' });
    await addChannel(hub(), raw().url, { type: 14, models: 'claude-3-5-haiku-20241022,claude-sonnet-4-6' });
    await addChannel(hub(), raw().url, { type: 25, models: 'gemini-2.0-flash,gemini-2.5-flash' });
  });
  beforeEach(() => (raw().requests.length = 0));
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  describe('of a stream grow while it runs', () => {
    test('and end with what the stream has used', async () => {
      who = await addCaller(db());
      streaming(streams.chat);
      const stream = await clientOf(hub(), who.key).chat.completions.create({ ...chatBody, model: 'gpt-4o' } as never);
      let text = '';
      for await (const chunk of stream as never as AsyncIterable<{ choices: { delta: { content?: string } }[] }>)
        text += chunk.choices[0]?.delta.content ?? '';
      expect(text).toBe(piece.repeat(PIECES));
      const [row] = await rowsOf(db(), who);
      expect(row!.metadata).toMatchObject({ outcome: 'answered', usage_source: 'upstream' });
      expect(row!.metadata).not.toHaveProperty('ended_by');
      expect(row!.metadata!.reserved).toBeGreaterThanOrEqual(row!.quota);
      // Far less than the 16,384 tokens that the model can write.
      expect(row!.metadata!.reserved).toBeLessThan(3 * row!.quota);
    });

    test.each<[string, readonly string[], string, object, RegExp]>([
      [
        'Chat Completions',
        streams.chat,
        '/v1/chat/completions',
        chatBody,
        /"finish_reason":"length"[^]*"usage":\{[^]*data: \[DONE\]\n\n$/,
      ],
      [
        'Messages',
        streams.messages,
        '/v1/messages',
        claudeBody,
        /"content_block_stop","index":0[^]*"stop_reason":"max_tokens"[^]*event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/,
      ],
      [
        'Gemini',
        streams.gemini,
        geminiPath('?alt=sse'),
        geminiBody,
        /"finishReason":"MAX_TOKENS"[^]*"candidatesTokenCount":\d+[^]*$/,
      ],
      ['Gemini as a list', streams.gemini, geminiPath(''), geminiBody, /"finishReason":"MAX_TOKENS"[^]*\]$/],
      [
        'Messages of a Chat Completions channel',
        streams.chat,
        '/v1/messages',
        { ...claudeBody, model: 'gpt-4o' },
        /"content_block_stop","index":0[^]*"stop_reason":"max_tokens"[^]*"message_stop"\}\n\n$/,
      ],
      [
        'Responses of a Messages channel',
        streams.messages,
        '/v1/responses',
        { model: 'claude-3-5-haiku-20241022', input: 'Hi', stream: true },
        /event: response\.incomplete\ndata: [^\n]*"max_output_tokens"[^\n]*\n\n$/,
      ],
    ])('and end as at an output limit when the balance is used up: %s', async (_, pieces, path, body, end) => {
      who = await addCaller(db(), { quota: 3000 });
      streaming(pieces);
      const answer = await post(hub(), who.key, body, path);
      expect({ status: answer.status, text: answer.text }).toMatchObject({
        status: 200,
        text: expect.stringMatching(end),
      });
      if (path.endsWith(geminiPath(''))) expect(parseJson(answer.text)).toBeInstanceOf(Array);
      const [row] = await rowsOf(db(), who);
      expect(row!.metadata).toMatchObject({
        outcome: 'answered',
        ended_by: 'user_quota',
        finish_reason: 'length',
        usage_source: 'estimate',
      });
      expect(row!.completion_tokens).toBeGreaterThan(100);
      expect(row!.completion_tokens).toBeLessThan((PIECES * PIECE_TOKENS) / 2);
      // Charged for what was delivered, and at most one read is not covered.
      const delivered = answer.text.split(path === '/v1/responses' ? `"delta":"${piece}` : piece).length - 1;
      expect(delivered).toBe(Math.round(row!.completion_tokens / (piece.length / 3.9)));
      expect(row!.metadata!.shortfall ?? 0).toBeLessThanOrEqual(2 * PIECE_TOKENS * CREDITS_PER_TOKEN);
      expect((await userOf(db(), who)).balance).toBe(3000 - row!.quota);
    });

    test('and end with an error where an operator prefers it, or the dialect has no other end', async () => {
      streaming(streams.responses);
      who = await addCaller(db(), { quota: 3000 });
      const responses = await post(hub(), who.key, { model: 'gpt-4o', input: 'Hi', stream: true }, '/v1/responses');
      expect(responses.text).toMatch(/Insufficient balance[^]*$/);
      expect(responses.text).not.toContain('response.completed');
      await set('StreamQuotaEnd', 'error');
      try {
        streaming(streams.chat);
        who = await addCaller(db(), { quota: 3000 });
        const answer = await post(hub(), who.key, chatBody);
        expect(answer.text).toMatch(/"code":"insufficient_quota"[^]*$/);
        expect(answer.text).not.toContain('[DONE]');
        const [row] = await rowsOf(db(), who);
        expect(row!.metadata).toMatchObject({ outcome: 'answered', ended_by: 'user_quota', status: 402 });
        expect(row!.quota).toBeGreaterThan(1000);
      } finally {
        await set('StreamQuotaEnd', 'length');
      }
    });

    test('so that 200 at once share a balance, and cost the operator at most a read each', async () => {
      who = await addCaller(db(), { quota: 120_000 });
      streaming(streams.chat);
      const answers = await Promise.all(Array.from({ length: 200 }, () => post(hub(), who.key, chatBody)));
      const admitted = answers.filter(({ status }) => status === 200);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]));
      for (const { text } of admitted) expect(text).toMatch(/data: \[DONE\]\n\n$/);
      const rows = await rowsOf(db(), who);
      const shortfall = rows.reduce((sum, { metadata }) => sum + (metadata?.shortfall ?? 0), 0);
      expect(shortfall).toBeLessThanOrEqual(admitted.length * 2 * PIECE_TOKENS * CREDITS_PER_TOKEN);
      const { balance } = await userOf(db(), who);
      expect(balance).toBeGreaterThanOrEqual(0);
      expect(balance).toBeLessThan(20_000);
    }, 60_000);

    test('within the budgets of the key', async () => {
      const { id, key } = await tokenOf(hub().root, {
        limits: { caps: [{ measure: 'credits', period: 'day', amount: 3000 }] },
      });
      streaming(streams.chat);
      const answer = await post(hub(), key, chatBody);
      expect(answer.text).toMatch(/"finish_reason":"length"/);
      const rows = () => db().selectFrom('logs').selectAll().where('token_id', '=', id).execute();
      await expect.poll(rows, { message: 'rows of the caller' }).toHaveLength(1);
      const [row] = await rows();
      expect(row!.metadata).toMatchObject({ ended_by: 'credits:day' });
      expect(row!.quota).toBeLessThanOrEqual(3000 + 2 * PIECE_TOKENS * CREDITS_PER_TOKEN);
      expect(row!.metadata).not.toHaveProperty('shortfall');
    });
  });

  describe('of other calls cover the longest answer', () => {
    const reply = (json: object) => (raw().reply = (response: ServerResponse) => sendJson(response, json));
    const chatReply = {
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 2 },
    };
    const claudeReply = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 9, output_tokens: 2 },
    };
    const geminiReply = {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2 },
    };
    const responsesReply = {
      id: 'r',
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
      usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
    };

    test('of the model, and change nothing where the balance covers it', async () => {
      who = await addCaller(db(), { quota: 100_000_000 });
      reply(chatReply);
      expect((await post(hub(), who.key, { model: 'gpt-4o', messages })).status).toBe(200);
      expect(sent()).toEqual({ model: 'gpt-4o', messages });
      expect((await rowsOf(db(), who))[0]!.metadata!.reserved).toBe(Math.ceil(12 * 1.25) + 16_384 * 5);
    });

    test.each<[string, object, string, object, (request: Json) => unknown]>([
      ['Chat Completions', chatReply, '/v1/chat/completions', { model: 'gpt-4o', messages }, (r) => r['max_tokens']],
      [
        'a reasoning model',
        chatReply,
        '/v1/chat/completions',
        { model: 'gpt-5', messages },
        (r) => r['max_completion_tokens'],
      ],
      [
        'several choices',
        chatReply,
        '/v1/chat/completions',
        { model: 'gpt-4o', messages, n: 3, max_tokens: 9000 },
        (r) => Number(r['max_tokens']) * 3,
      ],
      ['Responses', responsesReply, '/v1/responses', { model: 'gpt-5', input: 'Hi' }, (r) => r['max_output_tokens']],
      [
        'Messages',
        claudeReply,
        '/v1/messages',
        { model: 'claude-sonnet-4-6', messages, max_tokens: 64_000 },
        (r) => r['max_tokens'],
      ],
      [
        'Messages that reason',
        claudeReply,
        '/v1/messages',
        {
          model: 'claude-sonnet-4-6',
          messages,
          max_tokens: 64_000,
          thinking: { type: 'enabled', budget_tokens: 32_000 },
        },
        (r) =>
          Number(objectOr(r['thinking'])['budget_tokens']) < Number(r['max_tokens']) ? r['max_tokens'] : 'too small',
      ],
      [
        'Gemini',
        geminiReply,
        '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
        geminiBody,
        (r) => objectOr(r['generationConfig'])['maxOutputTokens'],
      ],
    ])('or half of what is left, which limits the answer: %s', async (_, json, path, body, limit) => {
      who = await addCaller(db(), { quota: 25_000 });
      reply(json);
      expect((await post(hub(), who.key, body, path)).status).toBe(200);
      const [row] = await rowsOf(db(), who);
      const { reserved = 0, output_ratio: ratio = 0 } = row!.metadata!;
      expect(reserved).toBeLessThanOrEqual(12_500);
      expect(reserved).toBeGreaterThan(11_500);
      expect(limit(sent())).toBeGreaterThan(Math.floor(11_000 / ratio));
      expect(Number(limit(sent())) * ratio).toBeLessThanOrEqual(12_500);
    });

    test('also for streams that hide part of their output', async () => {
      who = await addCaller(db(), { quota: 25_000 });
      streaming(streams.chat.slice(-3));
      expect((await post(hub(), who.key, { ...chatBody, model: 'gpt-5' })).status).toBe(200);
      expect(Number(sent()['max_completion_tokens'])).toBeGreaterThan(500);
      who = await addCaller(db(), { quota: 25_000 });
      const hosted = { ...chatBody, tools: [{ type: 'mcp', server_label: 'docs' }] };
      expect((await post(hub(), who.key, hosted)).status).toBe(200);
      expect(Number(sent()['max_tokens'])).toBeGreaterThan(2000);
    });

    test('so that parallel calls share a balance, and the shortest answer is refused by what it needs', async () => {
      who = await addCaller(db(), { quota: 20_000 });
      const behaviour = { ...chatReply, usage: { prompt_tokens: 9, completion_tokens: 16_000 } };
      let open = 0;
      raw().reply = async (response) => {
        open++;
        await expect.poll(() => open, { message: 'open calls at the upstream' }).toBeGreaterThanOrEqual(2);
        sendJson(response, behaviour);
      };
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => post(hub(), who.key, { model: 'gpt-4o', messages })),
      );
      const refused = answers.filter(({ status }) => status === 402);
      expect(refused.length).toBeGreaterThan(190);
      expect(new Set(refused.map((answer) => errorOf(answer).code))).toEqual(new Set(['insufficient_quota']));
      const rows = await rowsOf(db(), who);
      expect(rows.length).toBe(200 - refused.length);
      // The limits sum up to less than the balance, and usage beyond a limit is not charged.
      expect(rows.reduce((sum, { metadata }) => sum + (metadata?.shortfall ?? 0), 0)).toBe(0);
      expect((await userOf(db(), who)).balance).toBeGreaterThanOrEqual(0);
    }, 60_000);
  });
});
