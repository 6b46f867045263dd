import { channelApi, priceApi } from '@relay-hub/contract';
import type OpenAI from 'openai';
import { beforeAll, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, tokenOf, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { clientOf, hello, post } from '#testing/relay-calls.ts';

const usage = {
  prompt_tokens: 1000,
  completion_tokens: 500,
  total_tokens: 1500,
  prompt_tokens_details: { cached_tokens: 400 },
};
/** gpt-4o: 600 × 1.25 + 400 × 0.625 + 500 × 5. */
const COST = 3500;

const chunk = (more: string) => `data: {"id":"x","choices":[${more}]}\n\n`;
const usageEvent = 'data: {"id":"x","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\n';
const recorded = [
  ': hi\n\n',
  chunk('{"delta":{"content":"Grüße 世界"},"unknown":1e400}'),
  chunk('{"delta":{},"finish_reason":"stop"}'),
  usageEvent,
  'data: [DONE]\n\n',
];

onOneDatabase('relay', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const raw = rawUpstreamForSuite();
  let channelId = 0;
  const db = () => hub().server.deps.db;

  beforeAll(async () => {
    channelId = await addChannel(hub(), upstream().url);
    await addChannel(hub(), raw().url, {
      name: 'raw',
      models: 'raw-model,mapped,mapped-plus',
      model_mapping: '{"mapped":"gpt-4o-mini","mapped-plus":"+gpt-4o-mini"}',
      model_headers: '{"x-team":"blue"}',
    });
    for (const model of ['raw-model', 'mapped-plus'])
      await hub().root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 1, input: 2, output: 4 } });
  });

  test('a call moves every counter by what its row explains', async () => {
    const who = await addCaller(db(), { quota: 100_000, remain: 50_000 });
    const before = await hub().root.call(channelApi.get, { params: { id: channelId } });
    upstream().next({ usage });
    const reply = await clientOf(hub(), who.key).chat.completions.create(hello);
    expect(reply.choices[0]?.message.content).toMatch(/Hello/);
    expect(reply.usage).toEqual(usage);

    expect(await userOf(db(), who)).toEqual({ balance: 100_000 - COST, used_quota: COST, request_count: 1 });
    expect(await tokenOf(db(), who)).toEqual({ remain_quota: 50_000 - COST, used_quota: COST });
    const after = await hub().root.call(channelApi.get, { params: { id: channelId } });
    expect(after.used_quota - before.used_quota).toBe(COST);
    const [row] = await rowsOf(db(), who);
    expect(row).toMatchObject({
      model_name: 'gpt-4o',
      quota: COST,
      prompt_tokens: 1000,
      completion_tokens: 500,
      cached_tokens: 400,
      channel_id: channelId,
      is_stream: false,
      failed: false,
      source_ip: '127.0.0.1',
      metadata: {
        outcome: 'answered',
        usage_source: 'upstream',
        group_name: 'default',
        group_ratio: 1,
        price_type: 'tokens',
        input_ratio: 1.25,
        output_ratio: 5,
        cached_tokens: 400,
        cached_tokens_ratio: 0.5,
        finish_reason: 'stop',
        endpoint: '/v1/chat/completions',
        attempts: [{ channel_id: channelId, status: 200, result: 'ok' }],
      },
    });
    const entries = await db()
      .selectFrom('ledger')
      .where('user_id', '=', who.userId)
      .where('kind', '=', 'settle')
      .selectAll()
      .execute();
    expect(entries).toMatchObject([
      {
        token_id: who.tokenId,
        credits: -COST,
        balance_after: 100_000 - COST,
        reference: `call:${row!.request_id}`,
        actor_id: who.userId,
      },
    ]);
    await expectBooksBalance(db());
  });

  test('a stream arrives piece by piece, and is charged by the usage that the caller did not ask for', async () => {
    const who = await addCaller(db());
    upstream().next({ usage });
    const chunks = [];
    for await (const one of await clientOf(hub(), who.key).chat.completions.create({ ...hello, stream: true }))
      chunks.push(one);
    expect(chunks.map((one) => one.choices[0]?.delta.content ?? '').join('')).toBe('Hello! How can I help you today?');
    expect(chunks.filter((one) => one.usage)).toEqual([]);
    expect(await rowsOf(db(), who)).toMatchObject([
      {
        quota: COST,
        is_stream: true,
        metadata: { usage_source: 'upstream', finish_reason: 'stop', first_response: expect.any(Number) },
      },
    ]);
    await expectBooksBalance(db());
  });

  test('the closing usage event arrives where it was asked for', async () => {
    const who = await addCaller(db());
    const stream = await clientOf(hub(), who.key).chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    });
    const told = [];
    for await (const one of stream) if (one.usage) told.push(one);
    const [row] = await rowsOf(db(), who);
    expect(told).toMatchObject([
      { choices: [], usage: { prompt_tokens: row!.prompt_tokens, completion_tokens: row!.completion_tokens } },
    ]);
  });

  test.each([false, true])('a stream’s bytes are the upstream’s own (usage asked for: %s)', async (asked) => {
    const who = await addCaller(db());
    raw().reply = (response) => sendStream(response, recorded);
    const answer = await post(hub(), who.key, {
      ...hello,
      model: 'raw-model',
      stream: true,
      ...(asked && { stream_options: { include_usage: true } }),
    });
    expect(answer.text).toBe(recorded.filter((event) => asked || event !== usageEvent).join(''));
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    // 7 × 2 + 3 × 4
    expect(await rowsOf(db(), who)).toMatchObject([{ request_id: answer.requestId, quota: 26 }]);
  });

  test('a request’s bytes reach the upstream as they were sent, and an answer’s bytes the caller', async () => {
    const who = await addCaller(db());
    const body =
      '{ "model":"raw-model",\n\t"seed":9007199254740993, "x_vendor":{"a":[1.0,1e400]},"messages":[{"role":"user","content":"Gr\\u00fc\\u00dfe","n":null}] }\n';
    const reply =
      '{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1},"big":9007199254740993, "x":1.0}\n';
    raw().reply = (response) => sendJson(response, reply);
    const answer = await post(hub(), who.key, body);
    expect(raw().requests.at(-1)!.body.toString()).toBe(body);
    expect(answer.text).toBe(reply);
  });

  test('a stream’s request gains the wish for usage, and nothing else', async () => {
    const who = await addCaller(db());
    raw().reply = (response) => sendStream(response, recorded);
    const messages = '"messages":[{"role":"user","content":"x"}]';
    await post(hub(), who.key, `{"model":"raw-model", "stream":true, "constructor":1, ${messages}}`);
    expect(raw().requests.at(-1)!.body.toString()).toBe(
      `{"model":"raw-model", "stream":true, "constructor":1, ${messages},"stream_options":{"include_usage":true}}`,
    );
    await post(
      hub(),
      who.key,
      `{"stream_options":{"include_usage":false,"x":1},"model":"raw-model","stream":true,${messages}}`,
    );
    expect(raw().requests.at(-1)!.body.toString()).toBe(
      `{"stream_options":{"include_usage":true},"model":"raw-model","stream":true,${messages}}`,
    );
  });

  test('the upstream sees the channel’s key and headers, and nothing of the caller’s', async () => {
    const who = await addCaller(db());
    raw().reply = (response) =>
      sendJson(response, { choices: [], usage: { prompt_tokens: 1, completion_tokens: 0 } }, 200, {
        'set-cookie': 'a=b',
        'x-secret': '1',
      });
    const answer = await post(hub(), who.key, { ...hello, model: 'raw-model' }, undefined, {
      headers: { cookie: 'session=1', 'x-mine': '1', 'openai-organization': 'org-mine' },
    });
    const { headers, url } = raw().requests.at(-1)!;
    expect(url).toBe('/v1/chat/completions');
    expect(headers).toMatchObject({
      authorization: 'Bearer sk-upstream-key-0001',
      'x-team': 'blue',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
    });
    for (const name of ['cookie', 'x-mine', 'openai-organization', 'x-forwarded-for'])
      expect(headers).not.toHaveProperty(name);
    for (const name of ['set-cookie', 'x-secret']) expect(answer.headers.has(name)).toBe(false);
  });

  test.each([
    // As its target: 10 × 0.075 + 10 × 0.3. As it was asked for: 10 × 2 + 10 × 4.
    ['mapped', 'gpt-4o-mini', 4, { requested_model: 'mapped' }],
    ['mapped-plus', 'mapped-plus', 60, { upstream_model: 'gpt-4o-mini' }],
  ])('%s is sent as gpt-4o-mini and billed as %s', async (model, billed, quota, named) => {
    const who = await addCaller(db());
    raw().reply = (response) =>
      sendJson(response, {
        choices: [{ message: { content: 'ok' } }],
        usage: { prompt_tokens: 10, completion_tokens: 10 },
      });
    expect((await post(hub(), who.key, { ...hello, model })).status).toBe(200);
    expect(JSON.parse(raw().requests.at(-1)!.body.toString())).toEqual({ ...hello, model: 'gpt-4o-mini' });
    const [row] = await rowsOf(db(), who);
    expect(row).toMatchObject({ model_name: billed, quota, metadata: named });
    expect(
      Object.keys(row!.metadata!).filter((name) => name === 'requested_model' || name === 'upstream_model'),
    ).toEqual(Object.keys(named));
  });

  test.each([
    ['a text', { input: 'hello world' }],
    ['texts', { input: ['hello', 'world'] }],
    ['tokens', { input: [1, 2, 3] }],
    ['lists of tokens', { input: [[1, 2], [3]] }],
    ['numbers for an answer', { input: 'hello', encoding_format: 'float' }],
    ['base64 for an answer', { input: 'hello', encoding_format: 'base64' }],
  ] as [string, Omit<OpenAI.EmbeddingCreateParams, 'model'>][])('embeddings of %s', async (_, input) => {
    const who = await addCaller(db());
    const { data, usage: told } = await clientOf(hub(), who.key).embeddings.create({
      model: 'text-embedding-3-small',
      dimensions: 8,
      ...input,
    });
    expect(data[0]?.embedding).toHaveLength(input.encoding_format === 'base64' ? 44 : 8);
    const request = upstream().requests.at(-1)!;
    expect(request.path).toBe('/v1/embeddings');
    expect(JSON.parse(request.body)).toMatchObject({ model: 'text-embedding-3-small', ...input });
    expect(await rowsOf(db(), who)).toMatchObject([
      { prompt_tokens: told.prompt_tokens, completion_tokens: 0, quota: 1, metadata: { endpoint: '/v1/embeddings' } },
    ]);
    await expectBooksBalance(db());
  });

  test('the model list holds what the group can ask for, and one model is there or 404', async () => {
    const client = clientOf(hub(), (await addCaller(db())).key);
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual([
      'gpt-4o',
      'gpt-4o-mini',
      'mapped',
      'mapped-plus',
      'raw-model',
      'text-embedding-3-small',
    ]);
    expect(data[0]).toEqual({ id: 'gpt-4o', object: 'model', created: 1_677_649_963, owned_by: 'OpenAI' });
    expect(await client.models.retrieve('gpt-4o')).toEqual(data[0]);
    await expect(client.models.retrieve('gpt-9')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      message: expect.stringContaining('gpt-9'),
    });
    const other = clientOf(hub(), (await addCaller(db(), { group: 'vip' })).key);
    expect((await other.models.list()).data).toEqual([]);
    await expect(other.models.retrieve('gpt-4o')).rejects.toMatchObject({ status: 404 });
  });

  test('a price by call is charged as such, whatever the tokens', async () => {
    await hub().root.call(priceApi.create, {
      body: { model: 'per-call', type: 'times', channel_type: 1, input: 0.5, output: 0 },
    });
    await addChannel(hub(), upstream().url, { models: 'per-call' });
    for (const told of [usage, { prompt_tokens: 0, completion_tokens: 0 }, 'none' as const]) {
      const who = await addCaller(db(), { quota: 500 });
      upstream().next({ usage: told });
      await clientOf(hub(), who.key).chat.completions.create({ ...hello, model: 'per-call' });
      expect(await userOf(db(), who)).toMatchObject({ balance: 0, used_quota: 500 });
    }
    await expectBooksBalance(db());
  });

  test('every answer tells the id of its call, and the row has it', async () => {
    const who = await addCaller(db());
    const ids = [];
    for (const body of [hello, { ...hello, stream: true }]) {
      const answer = await post(hub(), who.key, body);
      expect(answer.status).toBe(200);
      ids.push(answer.requestId);
    }
    expect((await rowsOf(db(), who)).map((row) => row.request_id)).toEqual(ids);
    expect((await post(hub(), who.key, '', '/v1/models', { method: 'GET' })).requestId).toMatch(/^\d{23}\w{8}$/);
  });

  test('a slash at the end and a query change nothing', async () => {
    const { key } = await addCaller(db());
    for (const path of ['/v1/chat/completions/', '/v1/chat/completions?a=1', '/v1/chat/completions/?a=1'])
      expect((await post(hub(), key, hello, path)).status).toBe(200);
    for (const path of ['/v1/models/', '/v1/models?limit=1', '/v1/models/gpt-4o/'])
      expect((await post(hub(), key, '', path, { method: 'GET' })).status).toBe(200);
  });

  test.each(['Bearer KEY', 'bearer KEY', 'BEARER   KEY', 'KEY', 'Bearer BARE', 'BARE'])(
    'the key is taken from "%s"',
    async (form) => {
      const { key } = await addCaller(db());
      const authorization = form.replace('KEY', key).replace('BARE', key.slice(3));
      expect((await post(hub(), undefined, hello, undefined, { headers: { authorization } })).status).toBe(200);
    },
  );

  // Clients configured for two kinds of keys send the other header empty.
  test.each([
    ['/v1/messages', 'x-api-key'],
    ['/gemini/v1beta/models/gpt-4o:generateContent', 'x-goog-api-key'],
    ['/gemini/v1beta/models/gpt-4o:generateContent?key=', 'x-goog-api-key'],
  ])('an empty header hides no key: %s', async (path, name) => {
    const { key } = await addCaller(db());
    const body = { ...hello, max_tokens: 10, contents: [{ parts: [{ text: 'Hello' }] }] };
    for (const empty of ['', ' ']) {
      const headers = { [name]: empty, authorization: `Bearer ${key}` };
      expect((await post(hub(), undefined, body, path, { headers })).status).toBe(200);
    }
  });

  test('a browser of another site may call', async () => {
    const preflight = await fetch(`${hub().url}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://chat.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    // Browsers may read the headers of a refusal, such as Retry-After.
    const refused = await post(hub(), undefined, hello);
    expect(refused.headers.get('access-control-expose-headers')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    // The wildcard does not cover this header.
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization/i);
    expect((await post(hub(), 'sk-wrong', hello)).headers.get('access-control-allow-origin')).toBe('*');
  });
});
