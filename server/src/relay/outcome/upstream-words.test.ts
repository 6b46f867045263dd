import { channelApi } from '@relay-hub/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SseEvents } from '#chat/sse-events.ts';
import type { Json } from '#json.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';

const OPEN_AI = 8;
const MOONSHOT = 29;
const MINIMAX = 27;

onOneDatabase('an upstream’s own words for an error', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let id = 0;

  const add = async (type: number) => {
    id = await addChannel(hub(), upstream().url, { type, models: 'gpt-4o', key: 'sk-upstream-key-0001' });
  };
  const answerWith = (json: unknown, status: number, headers: Record<string, string> = {}) => {
    upstream().reply = (response) => sendJson(response, json, status, headers);
  };

  beforeEach(async () => {
    who = await addCaller(db());
  });
  afterEach(async () => {
    await hub().root.call(channelApi.remove, { params: { id } });
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  test('reach the caller with type, code and param, and without keys', async () => {
    await add(OPEN_AI);
    const message = 'no such thing as sk-upstream-key-0001';
    answerWith(
      { error: { message, type: 'invalid_request_error', code: 'bad_thing', param: 'sk-upstream-key-0001' } },
      422,
    );
    const answer = await post(hub(), who.key, hello);
    expect(answer.status).toBe(422);
    expect(errorOf(answer)).toMatchObject({ type: 'invalid_request_error', code: 'bad_thing', param: '••••' });
    expect(answer.text).not.toContain('upstream-key');
  });

  test.each([
    ['true', 'true'],
    ['false', 'false'],
    ['http://10.0.0.5', null],
  ])('the vendor’s hint to try again, %s, reaches the caller as %s', async (hint, told) => {
    await add(OPEN_AI);
    answerWith({ error: { message: 'no' } }, 409, { 'x-should-retry': hint });
    expect((await post(hub(), who.key, hello)).headers.get('x-should-retry')).toBe(told);
  });

  const responses = ['created', 'in_progress'].map((name, at) => ({
    type: `response.${name}`,
    sequence_number: at,
    response: { id: 'resp_1', object: 'response', status: 'in_progress', model: 'gpt-4o', output: [] },
  }));
  const delta = { type: 'response.output_text.delta', sequence_number: 2, output_index: 0, delta: 'Hello' };
  const failed = (code: string, at: number) => ({
    type: 'response.failed',
    sequence_number: at,
    response: {
      id: 'resp_1',
      status: 'failed',
      error: { code, message: 'Please try again in 1.5s, sk-upstream-key-0001' },
    },
  });

  test.each([
    ['context_length_exceeded', [failed('context_length_exceeded', 2)], 'context_length_exceeded'],
    ['rate_limit_exceeded, later', [delta, failed('rate_limit_exceeded', 3)], 'rate_limit_exceeded'],
    ['the operator’s quota', [delta, failed('insufficient_quota', 3)], 'server_error'],
    ['a cut', [delta], 'server_error'],
  ])('a stream of Responses that fails for %s ends with response.failed', async (_, last, code) => {
    await add(OPEN_AI);
    const sent = [...responses, ...last];
    upstream().reply = (response) =>
      sendStream(
        response,
        sent.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
        'cut',
      );
    const answer = await post(hub(), who.key, { model: 'gpt-4o', input: 'hi', stream: true }, '/v1/responses');
    expect(answer.status).toBe(200);
    const events = new SseEvents().push(Buffer.from(answer.text)).map(({ data }) => JSON.parse(data) as Json);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((__, at) => at));
    const passed = sent.filter(({ type }) => type !== 'response.failed').map(({ type }) => type);
    expect(events.map(({ type }) => type)).toEqual([...passed, 'error', 'response.failed']);
    expect(events.at(-1)).toMatchObject({ response: { id: 'resp_1', status: 'failed', error: { code } } });
    expect(answer.text).not.toContain('upstream-key');
    const isLimit = code === 'rate_limit_exceeded' || code === 'context_length_exceeded';
    if (isLimit) expect(answer.text).toContain('Please try again in 1.5s');
  });

  test.each<[string, unknown, number, Record<string, string>, number]>([
    ['milliseconds in a header', { error: { message: 'slow down' } }, 429, { 'retry-after-ms': '7000' }, 7],
    [
      'Google’s duration',
      { error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '12s' }] } },
      429,
      {},
      12,
    ],
    ['the usual header', { error: { message: 'slow down' } }, 503, { 'retry-after': '9' }, 9],
  ])('the wait in %s is kept, and told to the caller', async (_, json, status, headers, seconds) => {
    await add(OPEN_AI);
    answerWith(json, status, headers);
    const beforeMs = Date.now();
    const first = await post(hub(), who.key, hello);
    expect(first.status).toBe(status);
    expect(first.headers.get('retry-after')).toBe(String(seconds));
    const { health } = hub().server.deps.live;
    const { health: state, until } = health.of(id, 'gpt-4o', Date.now());
    expect(state).toBe('closed');
    expect(until).toBeGreaterThanOrEqual(beforeMs + seconds * 1000);
    expect(until).toBeLessThanOrEqual(Date.now() + seconds * 1000);
    health.forget(id);
  });

  test('a vendor’s code that is more precise than the status decides the error', async () => {
    await add(MOONSHOT);
    answerWith({ error: { message: 'suspended', type: 'exceeded_current_quota_error' } }, 429);
    const answer = await post(hub(), who.key, hello);
    expect(answer.status).toBe(502);
    expect(errorOf(answer).code).toBe('upstream_rejected');
    hub().server.deps.live.health.forget(id);
  });

  test('an error in a vendor’s own shape with status 200 is none of the answers', async () => {
    await add(MINIMAX);
    answerWith({ choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }, 200);
    const answer = await post(hub(), who.key, hello);
    expect(answer.status).toBe(502);
    expect(errorOf(answer).code).toBe('upstream_rejected');
    const [row] = await rowsOf(db(), who);
    expect(row).toMatchObject({ quota: 0, failed: true });
    expect(row?.metadata?.attempts).toMatchObject([
      { status: 200, result: 'error_in_reply', message: 'insufficient balance' },
    ]);
    hub().server.deps.live.health.forget(id);
  });

  test('a caller’s mistake reported with status 200 is not retried', async () => {
    await add(OPEN_AI);
    answerWith({ error: { message: 'too long', code: 400 } }, 200);
    const answer = await post(hub(), who.key, hello);
    expect(answer.status).toBe(400);
    expect((await rowsOf(db(), who))[0]?.metadata?.attempts).toMatchObject([{ next: 'not_retryable' }]);
  });

  test.each([
    [1, 'all'],
    [2, 'texts'],
    [3, 'nothing'],
  ])('a channel that counts %i before a call reserves for %s', async (pre_cost, what) => {
    id = await addChannel(hub(), upstream().url, { models: 'gpt-4o', pre_cost });
    upstream().reply = (response) =>
      sendJson(response, {
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
      });
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
    const content = [{ type: 'text', text: 'what is this' }, ...Array.from({ length: 5 }, () => image)];
    const body = { model: 'gpt-4o', max_tokens: 1, messages: [{ role: 'user', content }] };
    const poor = await addCaller(db(), { quota: { all: 4000, texts: 100, nothing: 6 }[what]! });
    const answer = await post(hub(), poor.key, body);
    expect(answer.status, answer.text).toBe(what === 'all' ? 402 : 200);
  });
});
