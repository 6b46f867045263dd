import { channelApi } from '@relay-hub/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
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
