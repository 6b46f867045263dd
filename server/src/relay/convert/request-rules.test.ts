import { channelApi, priceApi, type RequestRule } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { errorOf, post } from '#testing/relay-calls.ts';
import type { ReceivedRequest } from '#upstream-simulator/request-ring.ts';

type Rules = (Partial<RequestRule> & Pick<RequestRule, 'action' | 'field'>)[];

const model = 'ruled-model';
const messages = [{ role: 'user', content: 'hello' }];
const set = (field: string, value: unknown) => ({ action: 'set', field, value }) as const;

/** A call, the type of the channel, its rules, and the members that the upstream receives. */
interface RuleCase {
  path?: string;
  body: object;
  type?: number;
  rules: Rules;
  sent: object;
  /** Members that are not sent. */
  without?: string[];
}

const chat = { model, messages };
const gemini = `/gemini/v1beta/models/${model}:generateContent`;

const cases: Record<string, RuleCase> = {
  'a field is set, whether or not it was sent': {
    body: { ...chat, temperature: 1 },
    rules: [set('temperature', 0.2), set('verbosity', 'low')],
    sent: { temperature: 0.2, verbosity: 'low' },
  },
  'a default fills only what is missing': {
    body: { ...chat, temperature: 0 },
    rules: [
      { action: 'default', field: 'temperature', value: 1 },
      { action: 'default', field: 'top_p', value: 0.5 },
    ],
    sent: { temperature: 0, top_p: 0.5 },
  },
  'a field is renamed with its value': {
    body: { ...chat, max_tokens: 7 },
    rules: [{ action: 'rename', field: 'max_tokens', to: 'max_completion_tokens' }],
    sent: { max_completion_tokens: 7 },
    without: ['max_tokens'],
  },
  'a field is deleted': {
    body: { ...chat, user: 'u-1', seed: 1 },
    rules: [{ action: 'delete', field: 'user' }],
    sent: { seed: 1 },
    without: ['user'],
  },
  'a path leads into objects and lists': {
    body: { ...chat, metadata: { keep: 'a', drop: 'b' } },
    rules: [
      set('chat_template_kwargs.enable_thinking', false),
      { action: 'delete', field: 'metadata.drop' },
      set('messages.0.name', 'somebody'),
      set('metadata.keep.deeper', 1),
    ],
    sent: {
      chat_template_kwargs: { enable_thinking: false },
      metadata: { keep: 'a' },
      messages: [{ ...messages[0], name: 'somebody' }],
    },
  },
  'rules apply in order, each to what the ones before left': {
    body: { ...chat, a: 1 },
    rules: [
      { action: 'rename', field: 'a', to: 'b' },
      { ...set('c', 'yes'), when: [{ field: 'b', test: 'is', value: 1 }] },
      { ...set('d', 'no'), when: [{ field: 'a', test: 'present' }] },
    ],
    sent: { b: 1, c: 'yes' },
    without: ['a', 'd'],
  },
  'a rule applies where all its conditions hold': {
    body: { ...chat, user: 'u-1', nothing: null },
    rules: [
      { ...set('all', 1), when: [{ field: 'user', test: 'is', value: 'u-1' }, { field: 'seed', test: 'absent' }] }, // prettier-ignore
      { ...set('one', 1), when: [{ field: 'user', test: 'is', value: 'u-1' }, { field: 'seed', test: 'present' }] }, // prettier-ignore
      { ...set('other', 1), when: [{ field: 'user', test: 'is_not', value: 'u-1' }] },
      { ...set('null', 1), when: [{ field: 'nothing', test: 'is', value: null }] },
    ],
    sent: { all: 1, null: 1 },
    without: ['one', 'other'],
  },
  'a rule applies to its models and endpoints': {
    body: chat,
    rules: [
      { ...set('mine', 1), models: ['other', 'ruled-*'] },
      { ...set('others', 1), models: ['other', 'rule'] },
      { ...set('chats', 1), endpoints: ['embeddings', 'chat'] },
      { ...set('messages_only', 1), endpoints: ['messages'] },
    ],
    sent: { mine: 1, chats: 1 },
    without: ['others', 'messages_only'],
  },
  'the Responses API': {
    path: '/v1/responses',
    body: { model, input: 'hello' },
    type: 1,
    rules: [set('reasoning.effort', 'low'), { ...set('store', false), endpoints: ['responses'] }],
    sent: { reasoning: { effort: 'low' }, store: false, input: 'hello' },
  },
  'the Messages API': {
    path: '/v1/messages',
    body: { model, max_tokens: 50, messages, top_k: 3 },
    type: 14,
    rules: [set('max_tokens', 60), { action: 'delete', field: 'top_k' }],
    sent: { max_tokens: 60, messages },
    without: ['top_k'],
  },
  'the Gemini API': {
    path: gemini,
    body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], generationConfig: { topK: 1 } },
    type: 25,
    rules: [set('generationConfig.maxOutputTokens', 77)],
    sent: { generationConfig: { topK: 1, maxOutputTokens: 77 } },
  },
  'a converted chat, in the format of the provider': {
    path: '/v1/messages',
    body: { model, max_tokens: 50, messages },
    rules: [set('chat_template_kwargs.enable_thinking', false), { action: 'rename', field: 'max_tokens', to: 'limit' }],
    sent: { chat_template_kwargs: { enable_thinking: false }, limit: 50 },
    without: ['max_tokens'],
  },
  'a converted chat, in the format of the client': {
    body: chat,
    type: 14,
    rules: [{ ...set('stop', ['END']), before_conversion: true }, { ...set('top_k', 5) }],
    sent: { stop_sequences: ['END'], top_k: 5 },
    without: ['stop'],
  },
  'a chat that a vendor with a format of its own takes': {
    body: chat,
    type: 39,
    rules: [set('options.num_ctx', 4096)],
    sent: { options: { num_ctx: 4096 } },
  },
  completions: {
    path: '/v1/completions',
    body: { model, prompt: 'hello' },
    type: 1,
    rules: [set('echo', false)],
    sent: { echo: false, prompt: 'hello' },
  },
  embeddings: {
    path: '/v1/embeddings',
    body: { model, input: 'hello' },
    rules: [set('dimensions', 8)],
    sent: { dimensions: 8, input: 'hello' },
  },
  pictures: {
    path: '/v1/images/generations',
    body: { model, prompt: 'a cat' },
    type: 1,
    rules: [{ action: 'default', field: 'quality', value: 'low' }],
    sent: { quality: 'low', prompt: 'a cat' },
  },
  speech: {
    path: '/v1/audio/speech',
    body: { model, input: 'hello', voice: 'alloy' },
    type: 1,
    rules: [set('speed', 2)],
    sent: { speed: 2, voice: 'alloy' },
  },
  moderations: {
    path: '/v1/moderations',
    body: { model, input: 'hello' },
    type: 1,
    rules: [set('extra', 1)],
    sent: { extra: 1 },
  },
};

/** Replies that the simulator does not give: of other vendors, by type of channel, and of the Responses API. */
const replies: Record<number | string, object> = {
  '/v1/chat/completions': {
    id: 'c',
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  },
  '/v1/responses': {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model,
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }],
    usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
  },
  14: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, output_tokens: 2 },
  },
  25: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
  },
  39: {
    model,
    message: { role: 'assistant', content: 'hi' },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 5,
    eval_count: 2,
  },
};

onOneDatabase('rules for the requests of a channel', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const other = upstreamForSuite();
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;

  beforeAll(async () => {
    await hub().root.call(priceApi.create, {
      body: { model: 'ruled-*', type: 'tokens', channel_type: 1, input: 1, output: 2 },
    });
    who = await addCaller(db());
  });

  const last = (): ReceivedRequest => upstream().requests.at(-1)!;
  const json = (body = last().body) => JSON.parse(body) as Record<string, unknown>;

  /** Runs work with a channel that has these rules; it is deleted afterwards. */
  async function withChannel<T>(
    more: NonNullable<Parameters<typeof addChannel>[2]>,
    work: (id: number) => Promise<T>,
    reply = replies[more.type ?? 8],
  ): Promise<T> {
    raw().reply = (response) => sendJson(response, reply);
    const { url } = reply ? raw() : upstream();
    const id = await addChannel(hub(), url, { models: 'ruled-*,ruled-model', ...more });
    try {
      return await work(id);
    } finally {
      await hub().root.call(channelApi.remove, { params: { id } });
      expect(hub().server.deps.book.openCalls).toBe(0);
    }
  }

  test.each(Object.entries(cases))('%s', async (_, { path, body, type = 8, rules, sent, without = [] }) => {
    const given = replies[path ?? ''] ?? replies[type];
    const work = async () => {
      const reply = await post(hub(), who.key, body, path);
      expect(reply.status, reply.text).toBe(200);
      const received = json(given ? raw().requests.at(-1)!.body.toString() : last().body);
      expect(received).toMatchObject(sent);
      for (const name of without) expect(received).not.toHaveProperty(name);
    };
    await withChannel({ type, request_rules: rules }, work, given);
  });

  test('streams are counted and end as without rules', async () => {
    await withChannel({ request_rules: [set('temperature', 0)] }, async () => {
      const before = (await rowsOf(db(), who)).length;
      const reply = await post(hub(), who.key, { ...chat, stream: true });
      expect(reply.text).toMatch(/\[DONE\]\s*$/);
      expect(reply.text).not.toContain('"usage":{');
      expect(json()).toMatchObject({ temperature: 0, stream: true, stream_options: { include_usage: true } });
      expect((await rowsOf(db(), who)).slice(before)).toMatchObject([{ metadata: { usage_source: 'upstream' } }]);
    });
  });

  test('a form gets text fields, and its files stay as they are', async () => {
    const rules: Rules = [
      set('size', '256x256'),
      set('n', 2),
      { action: 'delete', field: 'user' },
      { action: 'default', field: 'prompt', value: 'not used' },
      set('image', 'not a file'),
      { ...set('output_format', 'webp'), when: [{ field: 'n', test: 'is', value: 2 }] },
    ];
    const form = new FormData();
    for (const [name, value] of Object.entries({ model, prompt: 'a cat', size: '1024x1024', user: 'u-1' }))
      form.set(name, value);
    const file = Buffer.alloc(3000, 7);
    form.set('image', new File([file], 'cat.png', { type: 'image/png' }));
    await withChannel({ type: 1, request_rules: rules }, async () => {
      const reply = await fetch(`${hub().url}/v1/images/edits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${who.key}` },
        body: form,
      });
      expect(reply.status, await reply.text()).toBe(200);
      const received = await new Response(new Uint8Array(last().raw), {
        headers: { 'content-type': last().headers['content-type']! },
      }).formData();
      const texts = [...received].filter(([, value]) => typeof value === 'string');
      expect(Object.fromEntries(texts)).toEqual({
        model,
        prompt: 'a cat',
        size: '256x256',
        n: '2',
        output_format: 'webp',
      });
      expect(Buffer.from(await (received.get('image') as File).arrayBuffer())).toEqual(file);
      const [row] = (await rowsOf(db(), who)).slice(-1);
      expect(row!.metadata).toMatchObject({ outcome: 'answered' });
    });
  });

  test('headers are set, filled, renamed and removed, and the key stays', async () => {
    const request_rules: Rules = [
      { ...set('X-Title', 'mine'), target: 'header' },
      { action: 'default', target: 'header', field: 'x-team', value: 'not used' },
      { action: 'rename', target: 'header', field: 'x-old', to: 'x-new' },
      { action: 'delete', target: 'header', field: 'x-gone' },
      { ...set('x-never', 'a'), target: 'header', when: [{ field: 'seed', test: 'present' }] },
      { ...set('x-once', 'a'), target: 'header', models: ['ruled-model'], when: [{ field: 'top_k', test: 'present' }] },
      set('top_k', 1),
    ];
    const model_headers = '{"x-team":"blue","X-Old":"1","x-gone":"1"}';
    await withChannel({ request_rules, model_headers }, async () => {
      expect((await post(hub(), who.key, chat)).status).toBe(200);
      expect(last().headers).toMatchObject({
        'x-title': 'mine',
        'x-team': 'blue',
        'x-new': '1',
        'x-once': 'a',
        authorization: 'Bearer sk-upstream-key-0001',
      });
      for (const name of ['x-old', 'x-gone', 'x-never']) expect(last().headers).not.toHaveProperty(name);
      await post(hub(), who.key, { ...chat, model: 'ruled-other' });
      expect(last().headers).not.toHaveProperty('x-once');
    });
  });

  describe('bytes', () => {
    const odd = `{ "model":"${model}" , "messages": [{"role":"user","content":"hi"}],"seed":12345678901234567890, "x":1.0 }`;

    test('pass unchanged where no rule applies', async () => {
      await withChannel({ request_rules: [{ ...set('a', 1), models: ['another'] }, { action: 'delete', field: 'b' }] }, async () => {
        await post(hub(), who.key, odd);
        expect(last().body).toBe(odd);
      }); // prettier-ignore
    });

    test('of members that no rule changes stay, numbers of any length included', async () => {
      await withChannel({ request_rules: [set('x', 2), set('y', 'z')] }, async () => {
        await post(hub(), who.key, odd);
        expect(last().body).toBe(odd.replace('1.0 }', '2 ,"y":"z"}'));
      });
    });

    test('of files and batches pass through a channel with rules', async () => {
      const { key } = await addToken(hub());
      await withChannel({ request_rules: [set('purpose', 'x')] }, async (id) => {
        const body = '{"input_file_id":"f","endpoint":"/v1/chat/completions","completion_window":"24h"}';
        await post(hub(), `${key}#${id}`, body, '/v1/vector_stores');
        expect(last().body).toBe(body);
      });
    });
  });

  describe('price and request agree:', () => {
    const credits = (rules: Rules, more: Partial<Parameters<typeof addChannel>[2]> = {}) => ({
      request_rules: rules,
      ...more,
    });
    /** Most credits of an answer of 5000 tokens are 10,000. */
    const limits: [string, string | undefined, object, Rules, number?][] = [
      ['max_tokens of a chat', undefined, { ...chat, max_tokens: 10 }, [set('max_tokens', 5000)]],
      ['choices of a chat', undefined, { ...chat, max_tokens: 100 }, [set('n', 50)]],
      ['a limit that is deleted', undefined, { ...chat, max_tokens: 10 }, [{ action: 'delete', field: 'max_tokens' }]],
      ['a limit before the conversion', undefined, { ...chat, max_tokens: 10 }, [{ ...set('max_tokens', 5000), before_conversion: true }], 14],
      ['Responses', '/v1/responses', { model, input: 'a', max_output_tokens: 20 }, [set('max_output_tokens', 5000)], 1],
      ['Messages', '/v1/messages', { model, messages, max_tokens: 20 }, [set('max_tokens', 5000)], 14],
      ['Messages that become a chat', '/v1/messages', { model, messages, max_tokens: 20 }, [set('max_tokens', 5000)]],
      ['Gemini', gemini, { contents: [{ role: 'user', parts: [{ text: 'a' }] }], generationConfig: { maxOutputTokens: 20 } }, [set('generationConfig.maxOutputTokens', 5000)], 25],
      ['a format of its own', undefined, { ...chat, max_tokens: 10 }, [set('options.num_predict', 5000)], 39],
      ['a long prompt', undefined, { ...chat, max_tokens: 10 }, [set('messages.0.content', 'many words '.repeat(700))]],
    ]; // prettier-ignore
    test.each(limits)('%s is reserved as the rules leave it', async (_, path, body, rules, type = 8) => {
      const poor = await addCaller(db(), { quota: 900 });
      await withChannel(credits([], { type }), async () => {
        const reply = await post(hub(), poor.key, body, path);
        expect(reply.status, reply.text).toBe(200);
      });
      const before = upstream().requests.total + raw().requests.length;
      await withChannel(credits(rules, { type }), async () => {
        expect((await post(hub(), poor.key, body, path)).status).toBe(402);
      });
      expect(upstream().requests.total + raw().requests.length).toBe(before);
      await expectBooksBalance(db());
    });

    describe('a tier', () => {
      const priced = 'ruled-tiers';
      beforeAll(async () => {
        const rules = [{ effect: 'multiply' as const, input: 3, output: 3, modes: ['priority' as const] }];
        await hub().root.call(priceApi.create, {
          body: { model: priced, type: 'tokens', channel_type: 1, input: 1, output: 2, rules },
        });
      });
      const charged = async (rules: Rules, body: object, path?: string) => {
        const before = (await rowsOf(db(), who)).length;
        const work = async () => {
          const reply = await post(hub(), who.key, { ...body, model: priced }, path);
          expect(reply.status, reply.text).toBe(200);
        };
        // The reply contains no tier.
        await withChannel({ request_rules: rules }, work, replies['/v1/chat/completions']);
        const [row] = (await rowsOf(db(), who)).slice(before);
        await expectBooksBalance(db());
        return { quota: row!.quota, reserved: Number((row!.metadata as { reserved?: number }).reserved) };
      };
      const sent = () => json(raw().requests.at(-1)!.body.toString());
      const tier = [set('service_tier', 'priority')];
      const calls: [string, Rules, object, string?][] = [
        ['in the format of the provider', tier, chat],
        ['before the conversion', [{ ...tier[0]!, before_conversion: true }], chat],
        ['of a converted chat', tier, { messages, max_tokens: 100 }, '/v1/messages'],
      ];
      test.each(calls)('that a rule sets is charged and reserved, %s', async (_, rules, body, path) => {
        const plain = await charged([], body, path);
        const dear = await charged(rules, body, path);
        expect(sent()).toMatchObject({ service_tier: 'priority' });
        expect(dear).toEqual({ quota: plain.quota * 3, reserved: plain.reserved * 3 });
      });

      test('that a rule deletes is neither sent nor charged', async () => {
        const asked = { ...chat, service_tier: 'priority' };
        const plain = await charged([], chat);
        const without = await charged([{ action: 'delete', field: 'service_tier' }], asked);
        expect(sent()).not.toHaveProperty('service_tier');
        expect(without).toEqual(plain);
      });

      test('without a price is removed, and named, where a rule sets it before the conversion', async () => {
        await withChannel({ request_rules: [{ ...tier[0]!, before_conversion: true }] }, async () => {
          const { status, headers } = await post(hub(), who.key, chat);
          expect([status, headers.get('x-relay-dropped')]).toEqual([200, 'service_tier']);
          expect(json()).not.toHaveProperty('service_tier');
        });
      });

      test('without a price is sent where the last word of the operator sets it', async () => {
        await withChannel({ request_rules: tier }, async () => {
          expect((await post(hub(), who.key, chat)).status).toBe(200);
          expect(json()).toMatchObject({ service_tier: 'priority' });
        });
      });

      test('and a tool without a price are refused unless a rule removes them before the conversion', async () => {
        const asked = { ...chat, web_search_options: {} };
        const without = { action: 'delete', field: 'web_search_options' } as const;
        await withChannel({ request_rules: [set('top_k', 1)] }, async () => {
          expect(errorOf(await post(hub(), who.key, asked))).toMatchObject({ code: 'option_not_priced' });
        });
        await withChannel({ request_rules: [{ ...without, before_conversion: true }] }, async () => {
          expect((await post(hub(), who.key, asked)).status).toBe(200);
        });
      });
    });

    test('a rule that makes the request invalid blames the operator, and another channel answers', async () => {
      const rules = credits([{ ...set('messages', 'text'), before_conversion: true }]);
      await withChannel(rules, async () => {
        const refused = await post(hub(), who.key, chat);
        expect(refused.status).toBe(500);
        expect(errorOf(refused)).toMatchObject({ code: 'invalid_request_rule', message: expect.stringContaining("'messages'") });
        await withChannel({ priority: 0 }, async () => {
          expect((await post(hub(), who.key, chat)).status).toBe(200);
        });
      }); // prettier-ignore
    });
  });

  test('another channel applies its own rules to what the caller sent', async () => {
    const first: Rules = [set('temperature', 0.1), { ...set('top_p', 0.1), before_conversion: true }, set('n', 2)];
    const more = { models: model, priority: 9, request_rules: first };
    const failing = await addChannel(hub(), other().url, more);
    try {
      await withChannel({ request_rules: [{ action: 'default', field: 'top_p', value: 0.9 }] }, async () => {
        other().next({ status: 500 });
        expect((await post(hub(), who.key, { ...chat, temperature: 1 })).status).toBe(200);
        expect(json(other().requests.at(-1)!.body)).toMatchObject({ temperature: 0.1, top_p: 0.1, n: 2 });
        expect(json()).toMatchObject({ temperature: 1, top_p: 0.9 });
        expect(json()).not.toHaveProperty('n');
      });
    } finally {
      await hub().root.call(channelApi.remove, { params: { id: failing } });
    }
  });

  test('a test of the channel sends what a call would', async () => {
    await withChannel({ request_rules: [set('enable_thinking', false)], test_model: model }, async (id) => {
      await hub().root.call(channelApi.test, { params: { id }, query: { model } });
      expect(json()).toMatchObject({ model, enable_thinking: false });
    });
  });
});
