import { explainRow, type AttemptCost, channelApi, optionApi, priceApi } from '@relay-hub/contract';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { objectOr, parseJson, type Json } from '#json.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, liftRates } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { errorOf, post } from '#testing/relay-calls.ts';

const messages = [{ role: 'user', content: 'Hello' }];
const data = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
const named = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const credits = (dollars: number) => Math.ceil(Number((dollars * 500_000).toFixed(6)));

type Wire = 'chat' | 'responses' | 'messages' | 'gemini';

/** A reply of a vendor: its usage and further members. */
interface Reply {
  usage: Json;
  top?: Json;
  /** Items of a Responses reply, or Gemini's grounding. */
  items?: Json[];
  grounding?: Json;
}

const chatReply = ({ usage, top }: Reply) => ({
  id: 'c',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' }],
  usage,
  ...top,
});
const item = { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: 'Hello there' }] };
const responsesReply = ({ usage, top, items = [] }: Reply) => ({
  id: 'r',
  object: 'response',
  status: 'completed',
  output: [...items, item],
  usage,
  ...top,
});
const messagesReply = ({ usage, top }: Reply) => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hello there' }],
  stop_reason: 'end_turn',
  usage,
  ...top,
});
const geminiReply = ({ usage, grounding }: Reply) => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'Hello there' }] },
      finishReason: 'STOP',
      ...(grounding && { groundingMetadata: grounding }),
    },
  ],
  usageMetadata: usage,
});

const jsonOf: Record<Wire, (reply: Reply) => object> = {
  chat: chatReply,
  responses: responsesReply,
  messages: messagesReply,
  gemini: geminiReply,
};

/** The same in a stream, with the tier where each vendor reports it. */
const streamOf: Record<Wire, (reply: Reply) => string[]> = {
  chat: ({ usage, top }) => [
    data({ id: 'c', service_tier: null, choices: [{ index: 0, delta: { content: 'Hello there' } }] }),
    data({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    data({ id: 'c', choices: [], usage, ...top }),
    'data: [DONE]\n\n',
  ],
  responses: (reply) => [
    named('response.created', { response: { id: 'r', status: 'in_progress', service_tier: 'auto', output: [] } }),
    ...(reply.items ?? []).map((one) => named('response.output_item.done', { output_index: 0, item: one })),
    named('response.output_text.delta', { item_id: 'i', output_index: 0, content_index: 0, delta: 'Hello there' }),
    named('response.completed', { response: responsesReply(reply) }),
  ],
  messages: ({ usage }) => {
    const { output_tokens: output, server_tool_use: tools, iterations, ...start } = usage;
    return [
      named('message_start', {
        message: { id: 'm', role: 'assistant', content: [], usage: { ...start, output_tokens: 1 } },
      }),
      named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello there' } }),
      named('content_block_stop', { index: 0 }),
      named('message_delta', {
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: output, ...(tools !== undefined && { server_tool_use: tools }), iterations },
      }),
      named('message_stop', {}),
    ];
  },
  gemini: (reply) => [data(geminiReply(reply))],
};

const luna = { input_tokens: 18_014, input_tokens_details: { cached_tokens: 0, cache_write_tokens: 18_011 } };
const sol = (tier: string): Reply => ({
  usage: {
    prompt_tokens: 300_000,
    prompt_tokens_details: { cached_tokens: 250_000, cache_write_tokens: 20_000 },
    completion_tokens: 4000,
  },
  top: { service_tier: tier },
});
const opus: Reply = {
  usage: {
    input_tokens: 1000,
    cache_read_input_tokens: 50_000,
    cache_creation_input_tokens: 3000,
    cache_creation: { ephemeral_5m_input_tokens: 2000, ephemeral_1h_input_tokens: 1000 },
    output_tokens: 3000,
    server_tool_use: { web_search_requests: 4 },
    service_tier: 'standard',
    speed: 'fast',
    inference_geo: 'us',
  },
};
const anthropicSearch = { type: 'web_search_20250305', name: 'web_search', max_uses: 5 };
const fastBody = { max_tokens: 4000, speed: 'fast', inference_geo: 'us', tools: [anthropicSearch] };
const grounding = { webSearchQueries: ['a', 'b', '', 'a'], groundingChunks: [{ web: { uri: 'https://a.example' } }] };
const counted = { promptTokenCount: 1000, candidatesTokenCount: 100, totalTokenCount: 1100 };
const searchCall = (type: string) => ({ type: 'web_search_call', status: 'completed', action: { type } });
const imageCall = { type: 'image_generation_call', status: 'completed', result: 'aGk=' };
const inner = (one: string, other: string) => ({
  models: [
    { model: one, usage: { prompt_tokens: 2000, completion_tokens: 400, total_tokens: 2400 } },
    { model: other, usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 } },
  ],
});
const imagesMade = {
  web_search: { num_requests: 0 },
  image_gen: {
    input_tokens: 1000,
    input_tokens_details: { text_tokens: 400, image_tokens: 600 },
    cached_tokens: 500,
    cached_tokens_details: { cached_text_tokens: 200, cached_image_tokens: 300 },
    output_tokens: 1056,
    total_tokens: 2056,
  },
};
const codeCall = (container: string) => ({
  type: 'code_interpreter_call',
  status: 'completed',
  container_id: container,
});
const grok = (prompt: number): Reply => ({
  usage: { prompt_tokens: prompt, completion_tokens: 1000, server_side_tool_usage_details: { web_search_calls: 3 } },
  top: { service_tier: 'priority' },
});

/** Name, wire of the channel, model, body of the request, reply of the vendor, and the charge in dollars. */
const golden: [string, Wire, string, object, Reply, number][] = [
  [
    'a long prompt by priority',
    'chat',
    'gpt-6-sol',
    { service_tier: 'priority', web_search_options: {} },
    sol('priority'),
    0.76,
  ],
  [
    'priority that was served as standard',
    'chat',
    'gpt-6-sol',
    { service_tier: 'priority', web_search_options: {} },
    sol('default'),
    0.38,
  ],
  ['flex', 'chat', 'gpt-6-sol', { service_tier: 'flex', web_search_options: {} }, sol('flex'), 0.19],
  [
    'cache writes of the Responses API',
    'responses',
    'gpt-5.6-luna',
    {},
    { usage: { ...luna, output_tokens: 100 } },
    0.00462335,
  ],
  [
    'writes with a long lifetime',
    'responses',
    'gpt-5.6-luna',
    { prompt_cache_options: { ttl: '12h' } },
    {
      usage: {
        input_tokens: 10_000,
        input_tokens_details: {
          cached_tokens: 0,
          cache_write_tokens: 10_000,
          cache_write_tokens_details: { ttl_12h_tokens: 10_000 },
        },
        output_tokens: 100,
      },
    },
    0.00512,
  ],
  [
    'searches by their items, without opened pages',
    'responses',
    'gpt-5.6-luna',
    { tools: [{ type: 'web_search' }] },
    {
      usage: { input_tokens: 1000, output_tokens: 100 },
      items: [searchCall('search'), searchCall('open_page'), searchCall('search')],
    },
    0.02032,
  ],
  [
    'searches by the provider’s own count',
    'responses',
    'gpt-5.6-luna',
    { tools: [{ type: 'web_search' }] },
    {
      usage: { input_tokens: 1000, output_tokens: 100 },
      items: [searchCall('search'), searchCall('search')],
      top: { tool_usage: { web_search: { num_requests: 1 } } },
    },
    0.01032,
  ],
  [
    'a container by its memory, however often it is used',
    'responses',
    'gpt-5.6-luna',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } }] },
    {
      usage: { input_tokens: 1000, output_tokens: 100 },
      items: [codeCall('c1'), codeCall('c1')],
    },
    0.12032,
  ],
  ['speed, region and searches', 'messages', 'claude-opus-5-5', fastBody, opus, 0.2424],
  [
    'one token above a length',
    'messages',
    'claude-haiku-5-5',
    { max_tokens: 2000 },
    {
      usage: {
        input_tokens: 500,
        cache_read_input_tokens: 99_400,
        cache_creation_input_tokens: 200,
        output_tokens: 1000,
      },
    },
    0.007845,
  ],
  [
    'grounding per prompt',
    'gemini',
    'gemini-2.5-flash',
    { tools: [{ googleSearch: {} }] },
    { usage: counted, grounding },
    0.03555,
  ],
  [
    'grounding per query',
    'gemini',
    'gemini-3.8-flash',
    { tools: [{ googleSearch: {} }] },
    { usage: counted, grounding },
    0.029125,
  ],
  [
    'Google’s priority tier',
    'gemini',
    'gemini-2.5-flash',
    { serviceTier: 'priority' },
    { usage: { ...counted, serviceTier: 'PRIORITY' } },
    0.00099,
  ],
  [
    'xAI’s inclusive length, tier and tools',
    'chat',
    'grok-4.7',
    { service_tier: 'priority', tools: [{ type: 'web_search' }] },
    grok(200_000),
    1.639,
  ],
  [
    'xAI below that length',
    'chat',
    'grok-4.7',
    { service_tier: 'priority', tools: [{ type: 'web_search' }] },
    grok(199_999),
    0.826996,
  ],
  [
    'images of a tool at the price of their model',
    'responses',
    'gpt-5.6-luna',
    { tools: [{ type: 'image_generation' }] },
    { usage: { input_tokens: 1000, output_tokens: 100 }, items: [imageCall], top: { tool_usage: imagesMade } },
    // 320 for the call; 200 × 5 + 200 × 1.25 + 300 × 2 + 300 × 8 + 1,056 × 30 for the image.
    0.03625,
  ],
  [
    'images without reported tokens, by their quality',
    'responses',
    'gpt-5.6-luna',
    { tools: [{ type: 'image_generation', model: 'gpt-image-2', quality: 'medium' }] },
    { usage: { input_tokens: 1000, output_tokens: 100 }, items: [imageCall] },
    0.032,
  ],
  [
    'an adviser at its own price, also a dearer one',
    'messages',
    'claude-haiku-5-5',
    { max_tokens: 2000, tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5-5' }] },
    {
      usage: {
        input_tokens: 1000,
        output_tokens: 100,
        iterations: [
          { type: 'message', input_tokens: 500, output_tokens: 50 },
          {
            type: 'advisor_message',
            model: 'claude-opus-5-5',
            input_tokens: 2000,
            cache_read_input_tokens: 10_000,
            cache_creation_input_tokens: 0,
            output_tokens: 400,
          },
          { type: 'message', input_tokens: 500, output_tokens: 50 },
        ],
      },
    },
    // 100 + 50 for the call; 2,000 × 4 + 10,000 × 0.2 + 400 × 20 for the adviser.
    0.01815,
  ],
  [
    'the models of a compound system, each at its own price',
    'chat',
    'compound',
    {},
    { usage: { prompt_tokens: 3000, completion_tokens: 500 }, top: { usage_breakdown: inner('plain', 'dear') } },
    // 2,400 × 2; 1,000 × 4 + 100 × 8; the least charge of a call for the system, whose own tokens are none.
    0.009602,
  ],
  [
    'a model of a compound system without a price as the system',
    'chat',
    'compound',
    {},
    {
      usage: { prompt_tokens: 3000, completion_tokens: 500 },
      top: { x_groq: { id: 'r', usage_breakdown: inner('plain', 'unheard-of') } },
    },
    // 2,400 × 2; 1,100 × 20.
    0.0268,
  ],
  [
    'a compound system alone, if its list has more tokens than the usage',
    'chat',
    'compound',
    {},
    { usage: { prompt_tokens: 3000, completion_tokens: 499 }, top: { usage_breakdown: inner('plain', 'dear') } },
    0.06998,
  ],
  [
    'a fallback model at its own price',
    'messages',
    'claude-opus-5-5',
    { max_tokens: 2000 },
    {
      usage: {
        input_tokens: 2000,
        output_tokens: 300,
        iterations: [
          { type: 'message', model: 'claude-opus-5-5-20261001', input_tokens: 1000, output_tokens: 100 },
          { type: 'fallback_message', model: 'claude-haiku-5-5', input_tokens: 1000, output_tokens: 200 },
        ],
      },
    },
    // 1,000 × 4 + 100 × 20; 1,000 × 0.1 + 200 × 0.5.
    0.0062,
  ],
  ['a step of a list', 'chat', 'qwen3-max', {}, { usage: { prompt_tokens: 100_000, completion_tokens: 1000 } }, 0.252],
];

const stated = (amount: string): AttemptCost => ({ credits: amount, by: 'provider' });

const channels: Record<string, number> = {
  compound: 31,
  'grok-4.7': 56,
  'qwen3-max': 17,
  'claude-opus-5-5': 14,
  'claude-haiku-5-5': 14,
};
const pathOf: Record<Wire, (model: string, stream: boolean) => string> = {
  chat: () => '/v1/chat/completions',
  responses: () => '/v1/responses',
  messages: () => '/v1/messages',
  gemini: (model, stream) =>
    `/gemini/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
};
const bodyOf = (wire: Wire, model: string, stream: boolean): object => {
  if (wire === 'gemini') return { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
  const usage = wire === 'chat' && stream ? { stream_options: { include_usage: true } } : {};
  return { model, stream, ...usage, ...(wire === 'responses' ? { input: 'Hello' } : { messages }) };
};

onOneDatabase('prices with rules and fees', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;

  const sent = (): Json => objectOr(parseJson(raw().requests.at(-1)!.body.toString()));
  const set = (key: string, value: string) => hub().root.call(optionApi.set, { body: { key, value } });
  const answer = (wire: Wire, reply: Reply, stream: boolean) =>
    (raw().reply = (response: ServerResponse) =>
      stream ? sendStream(response, streamOf[wire](reply)) : sendJson(response, jsonOf[wire](reply)));

  beforeAll(async () => {
    await liftRates(hub().root);
    const models = [...new Set(golden.map(([, , model]) => model))];
    const byType = Map.groupBy(models, (model) => channels[model] ?? (model.startsWith('gemini') ? 25 : 1));
    for (const [type, list] of byType) await addChannel(hub(), raw().url, { type, models: list.join(',') });
    for (const [model, input, output] of [
      ['plain', 1, 1],
      ['dear', 2, 4],
      ['compound', 10, 10],
    ] as const)
      await hub().root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 1, input, output } });
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  describe.each([false, true])('charge what the provider bills (stream: %s)', (stream) => {
    test.each(golden)('%s', async (_, wire, model, more, reply, dollars) => {
      who = await addCaller(db(), { quota: 10_000_000 });
      answer(wire, reply, stream);
      const response = await post(
        hub(),
        who.key,
        { ...bodyOf(wire, model, stream), ...more },
        pathOf[wire](model, stream),
      );
      expect(response.status, response.text).toBe(200);
      const [row] = await rowsOf(db(), who);
      expect(row!.quota).toBe(credits(dollars));
      // The row alone explains its charge.
      expect(explainRow(row!)?.credits).toBe(row!.quota);
    });
  });

  test.each<[string, Wire, Wire, string, object, object, Reply, number]>([
    [
      'Messages from a Responses channel',
      'messages',
      'responses',
      'gpt-5.6-luna',
      { max_tokens: 100 },
      {},
      { usage: { ...luna, output_tokens: 100 }, top: { service_tier: 'priority' } },
      0.0092467,
    ],
    [
      'Chat Completions from a Messages channel',
      'chat',
      'messages',
      'claude-opus-5-5',
      { web_search_options: {} },
      {},
      { usage: { input_tokens: 1000, output_tokens: 100, server_tool_use: { web_search_requests: 2 } } },
      0.026,
    ],
    [
      'Responses from a Gemini channel',
      'responses',
      'gemini',
      'gemini-2.5-flash',
      { service_tier: 'priority' },
      {},
      { usage: { ...counted, serviceTier: 'PRIORITY' } },
      0.00099,
    ],
  ])('the same through a conversion: %s', async (_, caller, wire, model, more, _more, reply, dollars) => {
    for (const stream of [false, true]) {
      who = await addCaller(db(), { quota: 10_000_000 });
      answer(wire === 'responses' ? 'chat' : wire, wire === 'responses' ? asChat(reply) : reply, stream);
      const body = { ...bodyOf(caller, model, stream), ...more };
      const response = await post(hub(), who.key, body, pathOf[caller](model, stream));
      expect(response.status, response.text).toBe(200);
      const [row] = await rowsOf(db(), who);
      expect(row!.quota).toBe(credits(dollars));
    }
  });

  describe('what costs extra and has no price', () => {
    const plain = chatReply({ usage: { prompt_tokens: 1000, completion_tokens: 10 } });
    const options: [string, object, string, (body: Json) => unknown][] = [
      ['a tier', { service_tier: 'priority' }, 'service_tier', (body) => body['service_tier']],
      ['a speed', { speed: 'fast' }, 'speed', (body) => body['speed']],
      ['a region', { inference_geo: 'us' }, 'inference_geo', (body) => body['inference_geo']],
      ['a hosted tool', { tools: [{ type: 'web_search' }] }, 'tools[0]', (body) => body['tools']],
      ['searching', { web_search_options: {} }, 'web_search_options', (body) => body['web_search_options']],
      ['Alibaba’s search', { enable_search: true }, 'enable_search', (body) => body['enable_search']],
      ['OpenRouter’s plugin', { plugins: [{ id: 'web' }] }, 'plugins[0]', (body) => body['plugins']],
    ];
    let channel: number;

    beforeAll(async () => {
      channel = await addChannel(hub(), raw().url, { type: 1, models: 'plain' });
    });

    test.each(options)('is refused, removed or marked, as the channel says: %s', async (_, more, field, read) => {
      who = await addCaller(db());
      raw().reply = (response: ServerResponse) => sendJson(response, plain);
      const body = { model: 'plain', messages, ...more };
      const edit = (policy: '' | 'refuse' | 'remove' | 'pass') =>
        hub().root.call(channelApi.update, {
          body: { id: channel, unpriced_tiers: policy, unpriced_tools: policy },
        });
      await edit('refuse');
      const refused = await post(hub(), who.key, body);
      expect(refused.status).toBe(400);
      expect(errorOf(refused)).toMatchObject({ code: 'option_not_priced', param: field });

      await edit('remove');
      const removed = await post(hub(), who.key, body);
      expect(removed.status).toBe(200);
      expect(removed.headers.get('x-relay-dropped')).toContain(field);
      expect(read(sent())).toBeUndefined();

      await edit('pass');
      expect((await post(hub(), who.key, body)).status).toBe(200);
      expect(read(sent())).toEqual(Object.values(more)[0]);
      const [last] = await rowsOf(db(), who);
      expect(last!.metadata!.unpriced).toEqual([field]);
      await edit('');
    });

    test('follows the site where the channel says nothing', async () => {
      who = await addCaller(db());
      raw().reply = (response: ServerResponse) => sendJson(response, plain);
      const tool = { model: 'plain', messages, tools: [{ type: 'web_search' }] };
      expect((await post(hub(), who.key, tool)).status).toBe(400);
      expect((await post(hub(), who.key, { model: 'plain', messages, service_tier: 'flex' })).status).toBe(200);
      expect(sent()).not.toHaveProperty('service_tier');
      await set('UnpricedTools', 'pass');
      expect((await post(hub(), who.key, tool)).status).toBe(200);
      await set('UnpricedTools', 'refuse');
    });
  });

  test.each<[Wire, string, object, Reply]>([
    ['chat', 'gpt-6-sol', { service_tier: 'flex', web_search_options: {} }, sol('flex')],
    ['responses', 'gpt-5.6-luna', {}, { usage: { ...luna, output_tokens: 100 } }],
    ['messages', 'claude-opus-5-5', fastBody, opus],
  ])('the cost is told in the reply, and found by its id: %s', async (wire, model, more, reply) => {
    who = await addCaller(db(), { quota: 10_000_000 });
    const headers = { 'x-relay-cost': 'usage' };
    for (const stream of [false, true]) {
      answer(wire, reply, stream);
      const body = { ...bodyOf(wire, model, stream), ...more };
      const response = await post(hub(), who.key, body, pathOf[wire](model, stream), { headers });
      const [row] = await rowsOf(db(), who);
      const cost = row!.quota / 500_000;
      if (stream) expect(response.text).toContain(`: x-relay-cost ${cost}\n\n`);
      else {
        expect(response.headers.get('x-relay-cost')).toBe(String(cost));
        expect(JSON.parse(response.text)).toMatchObject({ usage: { cost } });
      }
      const found = await post(hub(), who.key, '', `/v1/generation?id=${response.requestId}`, { method: 'GET' });
      expect(JSON.parse(found.text)).toMatchObject({
        data: { id: response.requestId, total_cost: cost, streamed: stream },
      });
      const other = await addCaller(db());
      const hidden = await post(hub(), other.key, '', `/v1/generation?id=${response.requestId}`, { method: 'GET' });
      expect([hidden.status, errorOf(hidden).code]).toEqual([404, 'generation_not_found']);
    }
    answer(wire, reply, false);
    const plain = await post(hub(), who.key, { ...bodyOf(wire, model, false), ...more }, pathOf[wire](model, false));
    expect(JSON.parse(plain.text)).not.toHaveProperty('usage.cost');
  });

  test.each<[string, string, object[], object]>([
    [
      'Moonshot’s calls, one for each event',
      '$web_search',
      ['a', 'b'].map((id, index) => ({
        choices: [
          { index: 0, delta: { tool_calls: [{ index, id, function: { name: '$web_search', arguments: '' } }] } },
        ],
      })),
      { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] },
    ],
    [
      'Zhipu’s results',
      'web_search',
      [{ choices: [{ index: 0, delta: { content: 'Hi' } }], web_search: [{ title: 'a' }, { title: 'b' }] }],
      { tools: [{ type: 'web_search', web_search: { enable: true } }] },
    ],
  ])('searches in events before the usage are charged: %s', async (_, name, events, more) => {
    await hub().root.call(priceApi.create, {
      body: {
        model: `searching ${name}`,
        type: 'tokens',
        channel_type: 1,
        input: 1,
        output: 1,
        fees: [{ event: 'web_search', fee: 5, most: 2 }],
      },
    });
    await addChannel(hub(), raw().url, { type: 1, models: `searching ${name}` });
    who = await addCaller(db(), { quota: 10_000_000 });
    const usage = { prompt_tokens: 100, completion_tokens: 10 };
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
    raw().reply = (response: ServerResponse) =>
      sendStream(response, [...events, end, { choices: [], usage }].map(data).concat('data: [DONE]\n\n'));
    const body = { ...bodyOf('chat', `searching ${name}`, true), ...more };
    const response = await post(hub(), who.key, body);
    expect(response.status, response.text).toBe(200);
    const [row] = await rowsOf(db(), who);
    expect(row!.quota).toBe(110 + 5000 * (name === 'web_search' ? 1 : 2));
  });

  test('a tier that only a header names is charged', async () => {
    const channel = await addChannel(hub(), raw().url, { type: 14, models: 'tier-by-header' });
    await hub().root.call(priceApi.create, {
      body: {
        model: 'tier-by-header',
        type: 'tokens',
        channel_type: 14,
        input: 1,
        output: 1,
        rules: [{ modes: ['priority'], effect: 'multiply', input: 2, output: 2 }],
      },
    });
    expect(channel).toBeGreaterThan(0);
    const reply = { usage: { input_tokens: 1000, output_tokens: 100 } };
    for (const stream of [false, true])
      for (const [tier, factor] of [
        ['priority', 2],
        ['default', 1],
      ] as const) {
        who = await addCaller(db(), { quota: 10_000_000 });
        raw().reply = (response: ServerResponse) => {
          response.setHeader('x-amzn-bedrock-service-tier', tier);
          if (stream) void sendStream(response, streamOf.messages(reply));
          else sendJson(response, messagesReply(reply));
        };
        const body = { ...bodyOf('messages', 'tier-by-header', stream), max_tokens: 200 };
        expect((await post(hub(), who.key, body, '/v1/messages')).status).toBe(200);
        expect((await rowsOf(db(), who))[0]!.quota).toBe(1100 * factor);
      }
  });

  test.each([1, 3, 8, 17, 20, 45])('reasoning beside max_tokens is charged at a channel of type %i', async (type) => {
    const model = `reasons-${type}`;
    await addChannel(hub(), raw().url, { type, models: model, ...(type === 3 && { other: '2024-10-21' }) });
    await hub().root.call(priceApi.create, {
      body: { model, type: 'tokens', channel_type: type, input: 1, output: 1 },
    });
    const thought = 'I think. '.repeat(1000);
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 3000,
      completion_tokens_details: { reasoning_tokens: 2800 },
    };
    const choice = { index: 0, message: { role: 'assistant', reasoning_content: thought, content: 'Hello' } };
    for (const stream of [false, true]) {
      who = await addCaller(db(), { quota: 10_000_000 });
      raw().reply = (response: ServerResponse) =>
        stream
          ? sendStream(response, [
              data({ choices: [{ index: 0, delta: { reasoning_content: thought } }] }),
              data({ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] }),
              data({ choices: [], usage }),
              'data: [DONE]\n\n',
            ])
          : sendJson(response, { choices: [{ ...choice, finish_reason: 'stop' }], usage });
      const response = await post(hub(), who.key, { ...bodyOf('chat', model, stream), max_tokens: 500 });
      expect(response.status, response.text).toBe(200);
      const [row] = await rowsOf(db(), who);
      expect([row!.quota, row!.metadata!.usage_mark]).toEqual([3012, undefined]);
    }
  });

  test('a charge by an estimate is told: in usage and header of JSON, in the comment of streams', async () => {
    const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    const headers = { 'x-relay-cost': 'usage' };
    for (const [wire, usage] of [
      ['chat', zeros],
      ['messages', { input_tokens: 0, output_tokens: 0 }],
    ] as const)
      for (const stream of [false, true]) {
        who = await addCaller(db());
        answer(wire, { usage }, stream);
        const model = wire === 'chat' ? 'plain' : 'claude-opus-5-5';
        if (wire === 'chat') await addChannel(hub(), raw().url, { type: 1, models: 'plain' });
        const body = { ...bodyOf(wire, model, stream), max_tokens: 100 };
        const response = await post(hub(), who.key, body, pathOf[wire](model, stream), { headers });
        const [row] = await rowsOf(db(), who);
        expect(row!.metadata!.usage_source).toBe('estimate');
        if (stream) expect(response.text).toMatch(/: x-relay-usage estimate\n: x-relay-cost [\d.]+\n\n/);
        else expect(response.headers.get('x-relay-usage')).toBe('estimate');
        if (wire === 'chat' && !stream)
          expect(JSON.parse(response.text)).toMatchObject({
            usage: { prompt_tokens: row!.prompt_tokens, completion_tokens: row!.completion_tokens },
          });
      }
  });

  test('the cost in a reply is what the balance covered', async () => {
    who = await addCaller(db(), { quota: 2000 });
    answer('chat', { usage: { prompt_tokens: 100_000, completion_tokens: 50_000 } }, false);
    await addChannel(hub(), raw().url, { type: 1, models: 'plain' });
    const response = await post(hub(), who.key, {
      model: 'plain',
      messages,
      tools: [{ type: 'mcp' }],
      max_tokens: 60_000,
    });
    const [row] = await rowsOf(db(), who);
    expect(row!.metadata).toHaveProperty('shortfall');
    expect(response.headers.get('x-relay-cost')).toBe(String(row!.quota / 500_000));
  });

  test('a tool that the channel’s rules delete after conversion is not refused', async () => {
    const channel = await addChannel(hub(), raw().url, { type: 1, models: 'without-tools' });
    await hub().root.call(priceApi.create, {
      body: { model: 'without-tools', type: 'tokens', channel_type: 1, input: 1, output: 1 },
    });
    answer('chat', { usage: { prompt_tokens: 10, completion_tokens: 1 } }, false);
    who = await addCaller(db());
    const body = { model: 'without-tools', messages, tools: [{ type: 'web_search' }] };
    expect(errorOf(await post(hub(), who.key, body)).code).toBe('option_not_priced');
    await hub().root.call(channelApi.update, {
      body: { id: channel, request_rules: [{ action: 'delete', field: 'tools' }] },
    });
    expect((await post(hub(), who.key, body)).status).toBe(200);
    expect(sent()).not.toHaveProperty('tools');
    expect((await rowsOf(db(), who))[0]!.metadata).not.toHaveProperty('unpriced');
  });

  const plainUsage = { prompt_tokens: 1000, completion_tokens: 100 };
  // Purchase price, group ratio of 1, and the list price of 1100 credits: 1 + 1 for a token.
  test.each<[string, number | null, Wire, Json, AttemptCost | undefined]>([
    ['OpenRouter’s statement in dollars', null, 'chat', { ...plainUsage, cost: 0.00123456 }, stated('617.28')],
    ['xAI’s in its ticks', null, 'chat', { ...plainUsage, cost_in_usd_ticks: 12_345_678 }, stated('617.2839')],
    [
      'Perplexity’s sum',
      null,
      'chat',
      { ...plainUsage, cost: { input_cost: 0.001, total_cost: 0.006 } },
      stated('3000'),
    ],
    ['a statement comes before the multiple', 0.5, 'chat', { ...plainUsage, cost: 0 }, stated('0')],
    ['the channel’s multiple, exact', 0.333, 'chat', plainUsage, { credits: '366.3', by: 'multiple' }],
    ['a free provider', 0, 'chat', plainUsage, { credits: '0', by: 'multiple' }],
    ['a negative statement says nothing', null, 'chat', { ...plainUsage, cost: -1 }, undefined],
    ['unknown', null, 'chat', plainUsage, undefined],
  ])('what an attempt costs the operator: %s', async (_, ratio, wire, usage, cost) => {
    const channel = await addChannel(hub(), raw().url, { type: 1, models: 'bought', priority: 0 });
    await hub().root.try(priceApi.create, {
      body: { model: 'bought', type: 'tokens', channel_type: 1, input: 1, output: 1 },
    });
    await hub().root.call(channelApi.update, { body: { id: channel, cost_ratio: ratio } });
    for (const stream of [false, true]) {
      who = await addCaller(db());
      answer(wire, { usage }, stream);
      expect((await post(hub(), who.key, bodyOf(wire, 'bought', stream))).status).toBe(200);
      const [row] = await rowsOf(db(), who);
      expect(row!.quota).toBe(1100);
      expect(row!.metadata!.attempts!.map((attempt) => attempt.cost)).toEqual([cost]);
    }
    await hub().root.send('DELETE', `/api/channel/${channel}`);
  });

  test('the tier of the provider’s project counts for calls that name none', async () => {
    const channel = await addChannel(hub(), raw().url, { type: 1, models: 'gpt-5.6-terra' });
    await hub().root.call(channelApi.update, { body: { id: channel, default_tier: 'priority' } });
    const usage = { prompt_tokens: 1000, completion_tokens: 10 };
    answer('chat', { usage }, false);
    const charges: number[] = [];
    for (const tier of [undefined, 'auto', 'default', 'flex']) {
      who = await addCaller(db());
      const body = { model: 'gpt-5.6-terra', messages, ...(tier && { service_tier: tier }) };
      expect((await post(hub(), who.key, body)).status).toBe(200);
      charges.push((await rowsOf(db(), who))[0]!.quota);
    }
    const [project, auto, standard, flex] = charges as [number, number, number, number];
    expect([project, auto, flex]).toEqual([2 * standard, 2 * standard, standard / 2]);
  });

  test('hosted tools without a limit get the one that is reserved for', async () => {
    who = await addCaller(db(), { quota: 10_000_000 });
    answer('messages', opus, false);
    const { max_uses: _, ...unlimited } = anthropicSearch;
    const body = { model: 'claude-opus-5-5', max_tokens: 100, messages, tools: [unlimited] };
    expect((await post(hub(), who.key, body, '/v1/messages')).status).toBe(200);
    expect(sent()['tools']).toEqual([{ ...unlimited, max_uses: 10 }]);
    answer('responses', { usage: { input_tokens: 9, output_tokens: 9 } }, false);
    const asked = { model: 'gpt-5.6-luna', input: 'Hello', tools: [{ type: 'web_search' }] };
    expect((await post(hub(), who.key, asked, '/v1/responses')).status).toBe(200);
    expect(sent()['max_tool_calls']).toBe(10);
    const rows = await rowsOf(db(), who);
    for (const row of rows) expect(row.metadata!.reserved).toBeGreaterThan(10 * 5000);
  });
});

/** The reply of an OpenAI channel whose caller speaks another dialect: such calls go to Chat Completions. */
function asChat({ usage, top }: Reply): Reply {
  return {
    usage: {
      prompt_tokens: usage['input_tokens'],
      prompt_tokens_details: usage['input_tokens_details'],
      completion_tokens: usage['output_tokens'],
    },
    ...(top && { top }),
  };
}
