import { channelApi, channelStatus, priceApi, routeApi } from '@relay-hub/contract';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { errorOf, post } from '#testing/relay-calls.ts';

type Json = Record<string, unknown>;

/** A reply in the dialect of the requested address. */
function replyTo(url: string): Json {
  if (url.includes('/messages'))
    return {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 5 },
    };
  if (url.includes(':generateContent'))
    return {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    };
  if (url.endsWith('/responses'))
    return {
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] }],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    };
  return {
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

const messages = [{ role: 'user', content: 'hello' }];
const openAi = (model: string, more: Json = {}) => ({
  path: '/v1/chat/completions',
  body: { model, messages, ...more },
});
const responses = (model: string, more: Json = {}) => ({
  path: '/v1/responses',
  body: { model, input: 'hi', ...more },
});
const anthropic = (model: string, more: Json = {}) => ({
  path: '/v1/messages',
  body: { model, max_tokens: 10_000, messages, ...more },
});
const gemini = (model: string, more: Json = {}) => ({
  path: `/gemini/v1beta/models/${encodeURIComponent(model)}:generateContent`,
  body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], ...more },
});

onOneDatabase('the suffix of a model’s name', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  let who: TestCaller;

  beforeAll(async () => {
    upstream().reply = (response) => sendJson(response, replyTo(upstream().requests.at(-1)!.url));
    const add = (type: number, models: string, more = {}) =>
      addChannel(hub(), upstream().url, { type, models, ...more });
    await add(1, 'o3,gpt-4o-mini,gpt-5,text-embedding-3-small,gpt-realtime');
    await add(14, 'claude-3-7-sonnet-latest,claude-opus-4-7');
    await add(25, 'gemini-2.5-flash,gemini-3-pro-preview', { key: 'a-google-key' });
    await add(17, 'qwen-plus');
    await add(8, 'alias,priced-as-asked,elsewhere', {
      model_mapping: '{"alias":"o3#low","priced-as-asked":"+o3#high","elsewhere":"far#away"}',
    });
    for (const model of ['priced-as-asked', 'far#away'])
      await hub().root.call(priceApi.create, {
        body: { model, type: 'tokens', channel_type: 1, input: 3, output: 3 },
      });
  });
  beforeEach(async () => void (who = await addCaller(hub().server.deps.db)));

  async function ask({ path, body }: { path: string; body: Json }) {
    const { length } = upstream().requests;
    const answer = await post(hub(), who.key, body, path);
    const sent = upstream().requests.slice(length);
    return { answer, url: sent[0]?.url, sent: sent[0] && (JSON.parse(sent[0].body.toString()) as Json) };
  }

  const thinkingOf = (sent: Json | undefined) => (sent?.['generationConfig'] as Json | undefined)?.['thinkingConfig'];

  test('sets the effort in the same dialect and changes nothing else', async () => {
    const unknown = { unknown_field: 1e20, temperature: 1 };
    const chat = await ask(openAi('gpt-5#high', { reasoning_effort: 'low', max_completion_tokens: 9, ...unknown }));
    expect(chat.answer.status, chat.answer.text).toBe(200);
    expect(chat.sent).toEqual({
      model: 'gpt-5',
      messages,
      reasoning_effort: 'high',
      max_completion_tokens: 9,
      ...unknown,
    });
    const answer = await ask(responses('gpt-5#low', { reasoning: { summary: 'auto' }, ...unknown }));
    expect(answer.sent).toEqual({
      model: 'gpt-5',
      input: 'hi',
      reasoning: { summary: 'auto', effort: 'low' },
      ...unknown,
    });
    const message = await ask(anthropic('claude-3-7-sonnet-latest#thinking', unknown));
    expect(message.sent).toEqual({
      model: 'claude-3-7-sonnet-latest',
      max_tokens: 10_000,
      messages,
      thinking: { type: 'enabled', budget_tokens: 8000 },
      unknown_field: 1e20,
    });
    const format = { type: 'json_schema', schema: { type: 'object' } };
    expect((await ask(anthropic('claude-opus-4-7#low', { output_config: { format, effort: 'max' } }))).sent).toEqual({
      model: 'claude-opus-4-7',
      max_tokens: 10_000,
      messages,
      thinking: { type: 'adaptive' },
      output_config: { format, effort: 'low' },
    });
    const generated = await ask(
      gemini('gemini-2.5-flash#medium', {
        generation_config: { topK: 3, thinking_config: { includeThoughts: true, thinkingBudget: 5 } },
      }),
    );
    expect(generated.url).toBe('/v1beta/models/gemini-2.5-flash:generateContent');
    expect(generated.sent?.['generation_config']).toEqual({
      topK: 3,
      thinking_config: { includeThoughts: true, thinkingBudget: 8192 },
    });
  });

  test('sets the effort in other dialects and vendors’ own formats', async () => {
    const claude = await ask(openAi('claude-3-7-sonnet-latest#low', { max_tokens: 10_000, temperature: 0.5 }));
    expect(claude.sent).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 2000 } });
    expect(claude.sent).not.toHaveProperty('temperature');
    const google = await ask(anthropic('gemini-3-pro-preview#high'));
    expect(thinkingOf(google.sent)).toEqual({ thinkingLevel: 'HIGH' });
    const shown = await ask(openAi('gemini-2.5-flash#thinking'));
    expect(thinkingOf(shown.sent)).toEqual({ thinkingBudget: 24_576, includeThoughts: true });
    const off = await ask(openAi('gemini-2.5-flash#none'));
    expect(thinkingOf(off.sent)).toEqual({ thinkingBudget: 0, includeThoughts: false });
    const open = await ask(gemini('o3#high'));
    expect(open.sent).toMatchObject({ model: 'o3', reasoning_effort: 'high' });
    expect((await ask(openAi('qwen-plus#thinking'))).sent).toMatchObject({ model: 'qwen-plus', enable_thinking: true });
    expect((await ask(openAi('qwen-plus#none'))).sent).toMatchObject({ enable_thinking: false });
    // An unknown model name: the effort is sent anyway and the vendor decides.
    expect((await ask(openAi('gpt-4o-mini#low'))).sent).toMatchObject({ reasoning_effort: 'low' });
    expect((await ask(anthropic('gpt-4o-mini#low'))).sent).toMatchObject({ reasoning_effort: 'low' });
  });

  test('#thinking leaves what a request says itself', async () => {
    expect((await ask(openAi('gpt-5#thinking', { reasoning_effort: 'low' }))).sent).toMatchObject({
      reasoning_effort: 'low',
    });
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    const own = await ask(anthropic('claude-3-7-sonnet-latest#thinking', { thinking, temperature: 1 }));
    expect(own.sent).toMatchObject({ thinking, temperature: 1 });
    const config = { generationConfig: { thinkingConfig: { thinkingBudget: 5 } } };
    expect((await ask(gemini('gemini-2.5-flash#thinking', config))).sent).toMatchObject(config);
    const converted = await ask(anthropic('o3#thinking', { thinking: { type: 'disabled' } }));
    expect(converted.sent).toMatchObject({ reasoning_effort: 'none' });
  });

  test('routes and bills by the name before it, and the row has the requested name', async () => {
    await ask(openAi('o3#high'));
    const alias = await ask(openAi('alias#high'));
    // The operator's setting wins.
    expect(alias.sent).toMatchObject({ model: 'o3', reasoning_effort: 'low' });
    const plus = await ask(openAi('priced-as-asked'));
    expect(plus.sent).toMatchObject({ model: 'o3', reasoning_effort: 'high' });
    // Unknown after a `#`, so it is part of the upstream's name.
    expect((await ask(openAi('elsewhere'))).sent).toEqual({ model: 'far#away', messages });
    const rows = await rowsOf(hub().server.deps.db, who);
    expect(rows.map(({ model_name, quota, metadata }) => ({ model_name, quota, ...metadata }))).toMatchObject([
      // Ten tokens at 1 and five at 4; the same at 3.
      { model_name: 'o3', quota: 30, requested_model: 'o3#high' },
      { model_name: 'o3', quota: 30, requested_model: 'alias#high' },
      { model_name: 'priced-as-asked', quota: 45, upstream_model: 'o3' },
      { model_name: 'far#away', requested_model: 'elsewhere' },
    ]);
    await expectBooksBalance(hub().server.deps.db);
  });

  test('is explained, and does not get in the way of counting', async () => {
    const explained = await hub().root.call(routeApi.explain, { body: { model: 'alias#high' } });
    expect(explained.candidates).toMatchObject([{ upstream_model: 'o3', billed_model: 'o3', skipped: '' }]);
    expect(explained.refused).toBe('');
    const unknown = await hub().root.call(routeApi.explain, { body: { model: 'o3#search' } });
    expect(unknown.refused).toMatch(/web search/);
    const counted = await post(hub(), who.key, { model: 'o3#high', messages }, '/v1/messages/count_tokens');
    expect(JSON.parse(counted.text)).toEqual({ input_tokens: expect.any(Number) });
  });

  test('a name that a channel lists with its # is a name like any other', async () => {
    const listed = 'open#high,open#v2,turned#low';
    const id = await addChannel(hub(), upstream().url, {
      type: 8,
      models: listed,
      model_mapping: '{"turned#low":"o3"}',
    });
    await addChannel(hub(), upstream().url, { type: 8, models: 'open,open-*' });
    for (const [model, input] of [
      ['open', 1],
      ['open#high', 3],
      ['open#v2', 5],
      ['open-1', 7],
      ['open-1#x', 5],
    ] as const)
      await hub().root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 1, input, output: 0 } });
    for (const model of ['open#high', 'open#v2', 'turned#low']) await ask(openAi(model));
    expect(
      upstream()
        .requests.slice(-3)
        .map(({ body }) => JSON.parse(body.toString()) as Json),
    ).toEqual([
      { model: 'open#high', messages },
      { model: 'open#v2', messages },
      { model: 'o3', messages },
    ]);
    // Unlisted names are steered as usual, wildcard or not.
    for (const model of ['open#low', 'open-1#low'])
      expect((await ask(openAi(model))).sent).toMatchObject({ model: model.split('#')[0], reasoning_effort: 'low' });
    const rows = await rowsOf(hub().server.deps.db, who);
    expect(rows.map(({ model_name, quota }) => [model_name, quota])).toMatchObject([
      ['open#high', 30],
      ['open#v2', 50],
      ['o3', 30],
      ['open', 10],
      ['open-1', 70],
    ]);
    const counted = await post(hub(), who.key, { model: 'open#v2', messages }, '/v1/messages/count_tokens');
    expect(counted.status).toBe(200);
    const explained = await hub().root.call(routeApi.explain, { body: { model: 'open#high' } });
    expect(explained).toMatchObject({ refused: '' });
    expect(explained.candidates.filter(({ skipped }) => skipped === '')).toMatchObject([
      { channel_id: id, upstream_model: 'open#high' },
    ]);
    const names = (await post(hub(), who.key, undefined, '/v1/models', { method: 'GET' })).text;
    for (const model of listed.split(',')) expect(names).toContain(`"${model}"`);
    // It has a price, but calling it would steer.
    expect(names).not.toContain('open-1#x');

    // Disabled, it does not fall back to another one.
    await hub().root.call(channelApi.update, { body: { id, status: channelStatus.disabled } });
    expect((await ask(openAi('open#high'))).answer.status).toBe(503);
    await hub().root.call(channelApi.remove, { params: { id } });
    expect((await ask(openAi('open#high'))).sent).toMatchObject({ model: 'open', reasoning_effort: 'high' });
  });

  test.each([
    ['o3#search', /no web search/],
    ['o3#quickly', /Unknown suffix '#quickly'/],
    ['o3#', /Unknown suffix '#'/],
    ['#high', /name of a model/],
  ])('a clear refusal of what is not known: %s', async (model, words) => {
    const { answer, sent } = await ask(openAi(model));
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ param: 'model', message: expect.stringMatching(words) });
    expect(sent).toBeUndefined();
  });

  test('and of what cannot reason', async () => {
    const { answer } = await ask({ path: '/v1/embeddings', body: { model: 'text-embedding-3-small#low', input: 'a' } });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toMatch(/for chat models only/);
  });
});
