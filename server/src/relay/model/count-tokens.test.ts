import { priceApi, userGroupApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';

const messages = [{ role: 'user', content: 'How many tokens are in here?' }];
const contents = [{ role: 'user', parts: [{ text: 'How many tokens are in here?' }] }];
const near = (tokens: number) => tokens > 5 && tokens < 20;

onOneDatabase('counting the tokens of a prompt', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  let who: TestCaller;

  beforeAll(async () => {
    const add = (type: number, models: string, more: object = {}) =>
      addChannel(hub(), upstream().url, { type, models, key: 'sk-of-the-vendor', ...more });
    await add(14, 'c-claude,c-mapped', { model_mapping: '{"c-mapped":"claude-haiku-4-5#high"}' });
    await add(25, 'c-gemini,c-gemini-mapped', { model_mapping: '{"c-gemini-mapped":"gemini-2.5-flash"}' });
    await add(8, 'c-open');
    for (const model of ['c-*', 'claude-*'])
      await hub().root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 1, input: 1, output: 1 } });
  });
  beforeEach(async () => void (who = await addCaller(hub().server.deps.db)));
  afterEach(async () => {
    upstream().requests.length = 0;
    // Nothing is charged, and no row is written.
    expect(await rowsOf(hub().server.deps.db, who)).toEqual([]);
    expect(hub().server.deps.book.openCalls).toBe(0);
  });

  const count = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await post(hub(), who.key, body, path, { headers });
    return { ...answer, json: JSON.parse(answer.text) as Record<string, unknown> };
  };
  const anthropic = (model: string, more: object = {}, headers?: Record<string, string>) =>
    count('/v1/messages/count_tokens', { model, messages, ...more }, headers);
  const gemini = (model: string, body: object = { contents }) =>
    count(`/gemini/v1beta/models/${model}:countTokens`, body);

  test('is the vendor’s own matter, where it counts in the caller’s dialect', async () => {
    upstream().reply = (response) => sendJson(response, { input_tokens: 4711 });
    const tools = [{ name: 'f', input_schema: { type: 'object' }, unknown: 1e20 }];
    const own = await anthropic('c-claude', { tools }, { 'anthropic-beta': 'some-beta' });
    expect([own.status, own.json]).toEqual([200, { input_tokens: 4711 }]);
    const [sent] = upstream().requests;
    expect(sent).toMatchObject({
      url: '/v1/messages/count_tokens',
      headers: { 'x-api-key': 'sk-of-the-vendor', 'anthropic-beta': 'some-beta' },
    });
    expect(JSON.parse(sent!.body.toString())).toEqual({ model: 'c-claude', messages, tools });

    expect((await anthropic('c-mapped#thinking')).json).toEqual({ input_tokens: 4711 });
    expect(JSON.parse(upstream().requests.at(-1)!.body.toString())).toEqual({ model: 'claude-haiku-4-5', messages });

    upstream().reply = (response) => sendJson(response, { totalTokens: 815 });
    expect((await gemini('c-gemini-mapped')).json).toEqual({ totalTokens: 815 });
    expect(upstream().requests.at(-1)).toMatchObject({
      url: '/v1beta/models/gemini-2.5-flash:countTokens',
      headers: { 'x-goog-api-key': 'sk-of-the-vendor' },
    });
  });

  test.each<[what: string, reply: Parameters<typeof sendJson>[1], status: number]>([
    ['refuses', { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } }, 429],
    ['answers with something else', { tokens: 5 }, 200],
    ['answers with nonsense', { input_tokens: -1 }, 200],
    ['answers with no JSON', '<html>', 200],
  ])('is done here where the vendor %s', async (_, reply, status) => {
    upstream().reply = (response) => sendJson(response, reply, status);
    const { json } = await anthropic('c-claude');
    expect(upstream().requests).toHaveLength(1);
    expect(json['input_tokens']).toSatisfy(near);
  });

  test('is done locally when no vendor counts in the caller’s dialect, without any upstream request', async () => {
    expect((await anthropic('c-open')).json['input_tokens']).toSatisfy(near);
    expect((await anthropic('c-gemini')).json['input_tokens']).toSatisfy(near);
    expect((await gemini('c-claude')).json['totalTokens']).toSatisfy(near);
    const whole = { generateContentRequest: { model: 'models/c-gemini-mapped', contents } };
    expect((await gemini('c-gemini-mapped', whole)).json['totalTokens']).toSatisfy(near);
    expect(upstream().requests).toEqual([]);
  });

  test('is a call of the caller’s rate', async () => {
    upstream().reply = (response) => sendJson(response, { input_tokens: 1 });
    const body = { symbol: 'slow', name: 'slow', ratio: 1, api_rate: 2, public: false };
    await hub().root.call(userGroupApi.create, { body });
    who = await addCaller(hub().server.deps.db, { group: 'slow', tokenGroup: 'default' });
    const answers = [await anthropic('c-claude'), await anthropic('c-claude'), await anthropic('c-claude')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining-requests'))).toEqual(['1', '0', '0']);
    expect(upstream().requests).toHaveLength(2);
  });
});
