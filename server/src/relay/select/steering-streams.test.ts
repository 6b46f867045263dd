import { beforeAll, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendStream } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';

type Json = Record<string, unknown>;

const data = (json: Json): string => `data: ${JSON.stringify(json)}\n\n`;
const event = (json: Json & { type: string }): string => `event: ${json.type}\n${data(json)}`;

const chunk = (delta: Json, finish: string | null = null): string =>
  data({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
const openAiStream = [
  chunk({ role: 'assistant', reasoning_content: 'Let me see.' }),
  chunk({ content: 'Hi.' }),
  chunk({}, 'stop'),
  data({ object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } }),
  'data: [DONE]\n\n',
];

const message = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] };
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const responsesStream = [
  event({ type: 'response.created', response: { id: 'r', object: 'response', status: 'in_progress', output: [] } }),
  event({ type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: 'Hi.' }),
  event({
    type: 'response.completed',
    response: { id: 'r', object: 'response', status: 'completed', output: [message], usage },
  }),
];

const block = (index: number, content_block: Json, delta: Json): string[] => [
  event({ type: 'content_block_start', index, content_block }),
  event({ type: 'content_block_delta', index, delta }),
  event({ type: 'content_block_stop', index }),
];
const anthropicStream = [
  event({
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [],
      usage: { input_tokens: 10, output_tokens: 1 },
    },
  }),
  ...block(0, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: 'Let me see.' }),
  ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi.' }),
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
  event({ type: 'message_stop' }),
];

const parts = (texts: Json[], more: Json = {}): string =>
  data({ candidates: [{ index: 0, content: { role: 'model', parts: texts }, ...more }] });
const geminiStream = [
  parts([{ text: 'Let me see.', thought: true }]),
  data({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  }),
];

function streamAt(url: string): string[] {
  if (url.includes('/messages')) return anthropicStream;
  if (url.includes(':streamGenerateContent')) return geminiStream;
  return url.endsWith('/responses') ? responsesStream : openAiStream;
}

const messages = [{ role: 'user', content: 'hello' }];

/** A stream in each dialect, and what its caller reads at the end of one. */
const callers = {
  'Chat Completions': {
    ask: (model: string) => ({ path: '/v1/chat/completions', body: { model, messages, stream: true } }),
    end: 'data: [DONE]',
    thought: '"reasoning_content":"Let me see."',
  },
  Responses: {
    ask: (model: string) => ({ path: '/v1/responses', body: { model, input: 'hello', stream: true } }),
    end: 'event: response.completed',
    thought: undefined,
  },
  Messages: {
    ask: (model: string) => ({ path: '/v1/messages', body: { model, messages, max_tokens: 10_000, stream: true } }),
    end: 'event: message_stop',
    thought: undefined,
  },
  generateContent: {
    ask: (model: string) => ({
      path: `/gemini/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
      body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
    }),
    end: '"finishReason":"STOP"',
    thought: undefined,
  },
};
type Caller = keyof typeof callers;

/** How each vendor's request sets a high reasoning effort. */
const told: Record<string, Json> = {
  o3: { stream: true, reasoning_effort: 'high' },
  'claude-3-7-sonnet-latest': { stream: true, thinking: { type: 'enabled', budget_tokens: expect.any(Number) } },
  'gemini-2.5-flash': { generationConfig: { thinkingConfig: { thinkingBudget: 24_576 } } },
};

onOneDatabase('the suffix of a model’s name, on a stream', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();

  beforeAll(async () => {
    upstream().reply = (response) => sendStream(response, streamAt(upstream().requests.at(-1)!.url));
    await addChannel(hub(), upstream().url, { type: 1, models: 'o3' });
    await addChannel(hub(), upstream().url, { type: 14, models: 'claude-3-7-sonnet-latest' });
    await addChannel(hub(), upstream().url, { type: 25, models: 'gemini-2.5-flash', key: 'a-google-key' });
  });

  const cells = (Object.keys(callers) as Caller[]).flatMap((caller) =>
    Object.keys(told).map((model) => [caller, model] as const),
  );

  test.each(cells)('%s asks %s', async (caller, model) => {
    const who = await addCaller(hub().server.deps.db);
    const { ask, end, thought } = callers[caller];
    const { path, body } = ask(`${model}#high`);
    const answer = await post(hub(), who.key, body, path);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(answer.text).toContain('Hi.');
    expect(answer.text).toContain(end);
    if (thought) expect(answer.text).toContain(thought);

    const { url, body: sent } = upstream().requests.at(-1)!;
    const same = caller === 'Responses' && model === 'o3';
    expect(JSON.parse(sent.toString())).toMatchObject(
      same ? { stream: true, reasoning: { effort: 'high' } } : told[model]!,
    );
    expect(sent.toString() + url).not.toContain('#');
    expect(url).not.toContain('%23');
    const rows = await rowsOf(hub().server.deps.db, who);
    expect(rows).toMatchObject([
      { model_name: model, prompt_tokens: 10, metadata: { requested_model: `${model}#high`, outcome: 'answered' } },
    ]);
    await expectBooksBalance(hub().server.deps.db);
  });
});
