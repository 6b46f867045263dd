import { describe, expect, test } from 'vitest';
import { behaviourOfModel, BehaviourError, faults, readBehaviour } from './behaviour.ts';
import { chatRequest, upstreamForTest } from './testing.ts';

describe('a behaviour is read', () => {
  test('from JSON and from pairs', () => {
    expect(readBehaviour('{"chunks":50,"usage":{"prompt_tokens":-1}}')).toEqual({
      chunks: 50,
      usage: { prompt_tokens: -1 },
    });
    expect(readBehaviour('chunks=50; chunkMs=2.5;fault=drip;text=a=b')).toEqual({
      chunks: 50,
      chunkMs: 2.5,
      fault: 'drip',
      text: 'a=b',
    });
    expect(readBehaviour('')).toEqual({});
  });

  test('from a model’s name', () => {
    expect(behaviourOfModel('sim:{"chunks":50}')).toEqual({ chunks: 50 });
    expect(behaviourOfModel('sim-cut-mid-chunk')).toEqual({ fault: 'cutMidChunk' });
    expect(behaviourOfModel('gpt-4o')).toBeUndefined();
  });

  test.each(['{', '{"chunk":1}', 'chunks=many', 'fault=none', 'constructor=1', '{"headers":{"a":1}}'])(
    'but not from %s',
    (text) => {
      expect(() => readBehaviour(text)).toThrow(BehaviourError);
    },
  );
});

test('a request’s header wins over its model, which wins over the queue and the default', async () => {
  const upstream = await upstreamForTest({ behaviour: { status: 500 } });
  const statusOf = async (model: string, header?: string) => {
    const headers: Record<string, string> = header ? { 'x-sim': header } : {};
    return (await fetch(`${upstream.url}/v1/chat/completions`, chatRequest({ model }, headers))).status;
  };
  expect(await statusOf('gpt-4o')).toBe(500);
  expect(await statusOf('sim-busy')).toBe(429);
  expect(await statusOf('sim-busy', '{"status":503}')).toBe(503);
  upstream.next({ status: 418 }, {});
  expect([await statusOf('gpt-4o'), await statusOf('gpt-4o'), await statusOf('gpt-4o')]).toEqual([418, 200, 500]);
  upstream.behaviour = (request) => (request.body.includes('"gpt-5"') ? { status: 401 } : {});
  expect([await statusOf('gpt-5'), await statusOf('gpt-4o')]).toEqual([401, 200]);
  expect([await statusOf('sim-typo'), await statusOf('gpt-4o', 'chunk=1')]).toEqual([400, 400]);
});

test('an error is sent as configured, with its headers', async () => {
  const upstream = await upstreamForTest();
  const error = { error: { message: 'Slow down', type: 'tokens', param: null, code: 'rate_limit_exceeded' } };
  upstream.next({ status: 429, error, headers: { 'retry-after': '7' } });
  const reply = await fetch(`${upstream.url}/v1/embeddings`, chatRequest({ input: 'x' }));
  expect([reply.status, reply.headers.get('retry-after'), await reply.json()]).toEqual([429, '7', error]);
});

test('text and usage are what the behaviour says', async () => {
  const upstream = await upstreamForTest({ behaviour: { chunks: 3, chunkBytes: 10, usage: { total_tokens: -7 } } });
  const reply = await fetch(`${upstream.url}/v1/chat/completions`, chatRequest({}));
  const body = (await reply.json()) as { choices: { message: { content: string } }[]; usage: object };
  expect(body.choices[0]?.message.content).toHaveLength(30);
  expect(body.usage).toEqual({ total_tokens: -7 });
});

test.each([
  ['none', []],
  ['last', []],
  ['always', [10]],
  ['twice', [10, 10]],
  ['finishChunk', [10]],
  ['eachChunk', [7, 8, 9, 10, 10]],
] as const)('usage unasked: %s', async (usage, totals) => {
  const upstream = await upstreamForTest({ behaviour: { usage, chunks: 3 } });
  const request = chatRequest({
    stream: true,
    messages: [{ role: 'user', content: 'one two three four five six seven' }],
  });
  const text = await (await fetch(`${upstream.url}/v1/chat/completions`, request)).text();
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'));
  const reported = events.map(
    (event) => (JSON.parse(event.slice(6)) as { usage?: { total_tokens: number } }).usage?.total_tokens,
  );
  expect(reported.filter((total) => total !== undefined)).toEqual(totals);
});

test('time passes as told', async () => {
  const upstream = await upstreamForTest({ behaviour: { delayMs: 60, firstTokenMs: 60, chunkMs: 10, chunks: 8 } });
  const start = performance.now();
  const reply = await fetch(`${upstream.url}/v1/chat/completions`, chatRequest({ stream: true }));
  expect(performance.now() - start).toBeGreaterThan(55);
  await reply.text();
  expect(performance.now() - start).toBeGreaterThan(60 + 60 + 10 * 10 - 5);
  // The headers do not wait for the first token.
  upstream.behaviour = { firstTokenMs: 3_600_000 };
  const early = await fetch(`${upstream.url}/v1/chat/completions`, chatRequest({ stream: true }));
  expect(early.status).toBe(200);
  await early.body?.cancel();
});

test('every fault has its own model', () => {
  const named = faults.map(
    (fault) => behaviourOfModel(`sim-${fault.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)?.fault,
  );
  expect(named).toEqual([...faults]);
});
