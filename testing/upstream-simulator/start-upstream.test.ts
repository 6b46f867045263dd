import OpenAI, { APIError } from 'openai';
import { describe, expect, test } from 'vitest';
import { chatRequest, collect, upstreamForTest } from './testing.ts';

const messages = [{ role: 'user' as const, content: 'Say hello to the world' }];

function clientOf(upstream: { url: string }, apiKey = 'sk-test') {
  return new OpenAI({ apiKey, baseURL: `${upstream.url}/v1`, maxRetries: 0 });
}

describe('to the official client', () => {
  test('a completion looks like OpenAI’s', async () => {
    const upstream = await upstreamForTest();
    const reply = await clientOf(upstream).chat.completions.create({ model: 'gpt-4o', messages });
    expect(reply).toMatchObject({
      object: 'chat.completion',
      model: 'gpt-4o',
      service_tier: 'default',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello! How can I help you today?' },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 5,
        completion_tokens: 7,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      },
    });
    expect(reply.id).toMatch(/^chatcmpl-\w{20,}$/);
    expect(upstream.requests.at(-1)).toMatchObject({ method: 'POST', path: '/v1/chat/completions', status: 200 });
  });

  test.each([true, false])('a stream carries usage in a chunk of its own when asked: %s', async (asked) => {
    const upstream = await upstreamForTest();
    const stream = await clientOf(upstream).chat.completions.create({
      model: 'gpt-4o',
      messages,
      stream: true,
      ...(asked && { stream_options: { include_usage: true } }),
    });
    const chunks = await collect(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
      'Hello! How can I help you today?',
    );
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.filter((chunk) => chunk.choices[0]?.finish_reason === 'stop')).toHaveLength(1);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    const withUsage = chunks.filter((chunk) => chunk.usage);
    expect(withUsage.map((chunk) => chunk.choices)).toEqual(asked ? [[]] : []);
    expect(chunks.at(-1)?.usage?.total_tokens).toBe(asked ? 12 : undefined);
  });

  test('embeddings arrive the same as numbers and as base64', async () => {
    const client = clientOf(await upstreamForTest());
    const asked = { model: 'text-embedding-3-small', input: ['one text', 'another'], dimensions: 8 };
    const packed = await client.embeddings.create(asked);
    const plain = await client.embeddings.create({ ...asked, encoding_format: 'float' });
    expect(packed.data.map((item) => [...item.embedding])).toEqual(plain.data.map((item) => item.embedding));
    expect(plain.data.map((item) => item.index)).toEqual([0, 1]);
    expect(plain.data[0]?.embedding).toHaveLength(8);
    expect(plain.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
  });

  test('models are listed, and an unknown one is not found', async () => {
    const client = clientOf(await upstreamForTest({ models: ['gpt-4o', 'org/name'] }));
    expect((await collect(client.models.list())).map((model) => model.id)).toEqual(['gpt-4o', 'org/name']);
    expect(await client.models.retrieve('org/name')).toMatchObject({ id: 'org/name', object: 'model' });
    await expect(client.models.retrieve('gpt-0')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  test('a wrong key is refused in OpenAI’s words', async () => {
    const upstream = await upstreamForTest({ apiKey: ['sk-right', 'sk-also-right'] });
    const ask = (key: string) => clientOf(upstream, key).chat.completions.create({ model: 'gpt-4o', messages });
    await expect(ask('sk-wrong-and-long')).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      type: 'invalid_request_error',
    });
    await expect(ask('sk-also-right')).resolves.toBeDefined();
  });

  test('an error in the stream reaches the caller as an error', async () => {
    const stream = await clientOf(await upstreamForTest()).chat.completions.create({
      model: 'sim-error-in-stream',
      messages,
      stream: true,
    });
    await expect(collect(stream)).rejects.toBeInstanceOf(APIError);
  });
});

test('requests that OpenAI refuses are refused', async () => {
  const upstream = await upstreamForTest();
  const url = `${upstream.url}/v1/chat/completions`;
  const codeOf = async (path: string, init: RequestInit) => {
    const reply = await fetch(upstream.url + path, init);
    const { error } = (await reply.json()) as { error: { code: string | null; param: string | null } };
    return [reply.status, error.code, error.param];
  };
  expect(await codeOf('/v1/nothing', chatRequest({}))).toEqual([404, null, null]);
  expect(await codeOf('/v1/chat/completions', chatRequest({ messages: undefined }))).toEqual([
    400,
    'missing_required_parameter',
    'messages',
  ]);
  expect(await codeOf('/v1/chat/completions', chatRequest({ stream_options: {} }))).toEqual([
    400,
    null,
    'stream_options',
  ]);
  expect(await codeOf('/v1/chat/completions', { ...chatRequest({}), body: '{' })).toEqual([400, null, null]);
  expect(await codeOf('/v1/chat/completions', { headers: { authorization: 'Bearer x' } })).toEqual([405, null, null]);
  expect((await fetch(url, { ...chatRequest({}), headers: {} })).status).toBe(401);
});

test('what came is remembered, up to a limit, and can be waited for', async () => {
  const upstream = await upstreamForTest({ keepRequests: 2 });
  const coming = upstream.requests.waitFor((request) => request.body.includes('third'));
  for (const user of ['first', 'second', 'third']) {
    await fetch(`${upstream.url}/v1/chat/completions?x=1`, chatRequest({ user }, { 'x-mine': user }));
  }
  const request = await coming;
  expect(request.headers['x-mine']).toBe('third');
  expect(request.path).toBe('/v1/chat/completions?x=1');
  expect([upstream.requests.total, upstream.requests.length]).toEqual([3, 2]);
  expect([...upstream.requests].map((kept) => kept.headers['x-mine'])).toEqual(['second', 'third']);
  await expect(upstream.requests.waitFor(() => false, 20)).rejects.toThrow('no such request');
});

test('a caller who leaves is noticed', async () => {
  const upstream = await upstreamForTest({ behaviour: { chunks: 1000, chunkMs: 5 } });
  const leave = new AbortController();
  const reply = await fetch(`${upstream.url}/v1/chat/completions`, {
    ...chatRequest({ stream: true }),
    signal: leave.signal,
  });
  await reply.body!.getReader().read();
  leave.abort();
  expect(await upstream.requests.waitFor((request) => request.clientClosed)).toMatchObject({
    outcome: 'client_closed',
    status: 200,
  });
  await upstream.close();
  await expect.poll(() => upstream.connections.open, { message: 'open connections' }).toBe(0);
});
