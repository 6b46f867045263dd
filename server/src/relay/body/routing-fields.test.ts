import { channelApi } from '@relay-hub/contract';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { withoutMembers } from './json-splice.ts';
import { dropFrom } from './routing-fields.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';

const routing = {
  api_base: 'http://127.0.0.1:4922',
  base_url: 'http://127.0.0.1:4922',
  api_key: 'x',
  extra_headers: { x: 'y' },
  extra_body: { google: { a: 1 } },
};
const NAMES = 'api_base, base_url, api_key, extra_headers, extra_body';
const reply = {
  id: '1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

test('Google’s wishes are kept for conversions when extra_body is dropped', () => {
  const json = { model: 'm', extra_body: { google: { thinking_config: {} }, other: 1 } };
  dropFrom(json, ['extra_body']);
  expect(json).toEqual({ model: 'm', google: { thinking_config: {} } });
});

test.each([
  ['{"a":1,"api_base":"x","b":2}', '{"a":1,"b":2}'],
  [
    '{ "api_base" : {"api_base":[1,"}"]} , "big":12345678901234567890 , "b":{"api_base":1} }',
    '{"big":12345678901234567890,"b":{"api_base":1}}',
  ],
  [String.raw`{"api\u005fbase":1,"a":"\"api_base\":","api_base":2}`, String.raw`{"a":"\"api_base\":"}`],
  ['{"api_base":1}', '{}'],
])('%s without a member', (json, without) => {
  expect(withoutMembers(Buffer.from(json), ['api_base']).toString()).toBe(without);
});

onOneDatabase('fields of a body that say where to send a call', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  let who: TestCaller;
  let id = 0;

  beforeAll(async () => {
    id = await addChannel(hub(), upstream().url, { models: 'gpt-4o,dall-e-2,whisper-1' });
  });
  beforeEach(async () => {
    who = await addCaller(hub().server.deps.db);
    upstream().requests.length = 0;
    upstream().reply = (response) => sendJson(response, reply);
  });
  const sent = () => upstream().requests.at(-1)!.body.toString();

  test('do not reach the upstream, and are named to the caller', async () => {
    const answer = await post(hub(), who.key, { ...routing, ...hello, store: true });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-relay-dropped')).toBe(NAMES);
    expect(JSON.parse(sent())).toEqual({ ...hello, store: true });
  });

  test.each<[string, object]>([
    ['/v1/messages', { ...hello, max_tokens: 9 }],
    ['/v1/responses', { model: 'gpt-4o', input: 'hello' }],
    ['/gemini/v1beta/models/gpt-4o:generateContent', { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }],
    ['/v1/embeddings', { model: 'gpt-4o', input: 'hello' }],
    ['/v1/images/generations', { model: 'dall-e-2', prompt: 'hello' }],
  ])('of a call to %s do not either', async (path, body) => {
    const answer = await post(hub(), who.key, { api_base: routing.api_base, ...body, api_key: 'x' }, path);
    expect(answer.headers.get('x-relay-dropped')).toBe('api_base, api_key');
    expect(upstream().requests.length).toBeGreaterThan(0);
    expect(sent()).not.toMatch(/api_base|api_key|4922/);
  });

  test('of a stream and of a refused call are named too', async () => {
    upstream().reply = (response) => sendStream(response, ['data: {"choices":[]}\n\ndata: [DONE]\n\n']);
    const stream = await post(hub(), who.key, { ...hello, stream: true, base_url: 'x' });
    expect(stream.headers.get('x-relay-dropped')).toBe('base_url');
    const refused = await post(hub(), who.key, { model: 'gpt-4o', base_url: 'x' });
    expect(refused.status).toBe(400);
    expect(refused.headers.get('x-relay-dropped')).toBe('base_url');
  });

  test('of a prompt whose tokens are counted do not either', async () => {
    const body = { ...hello, max_tokens: 9, api_base: 'x' };
    const answer = await post(hub(), who.key, body, '/v1/messages/count_tokens');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('x-relay-dropped')).toBe('api_base');
  });

  test('that name an account, another model, a reply or a price do not either, also in metadata', async () => {
    const names =
      'custom_llm_provider litellm_params litellm_metadata user_config model_list models route fallbacks headers ' +
      'mock_response organization vertex_credentials aws_region_name input_cost_per_token';
    const fields = Object.fromEntries(names.split(' ').map((name) => [name, [{ model: 'gpt-4o', api_base: 'x' }]]));
    const metadata = { team: 'a', api_base: 'x', litellm_params: 'x', organization: 'mine' };
    const body = JSON.stringify({ ...fields, ...hello, metadata, seed: 0 }).replace('"seed":0', '"seed":1.0');
    const answer = await post(hub(), who.key, body);
    const dropped = [...names.split(' '), 'metadata.api_base', 'metadata.litellm_params'];
    expect(answer.headers.get('x-relay-dropped')).toBe(dropped.join(', '));
    const { model, messages } = hello;
    const kept = JSON.stringify({ model, messages, metadata: { team: 'a', organization: 'mine' } });
    expect(sent()).toBe(kept.replace(/}$/, ',"seed":1.0}'));
  });

  test.each<[path: string, body: object, name: string]>([
    [
      '/v1/messages/batches',
      { requests: [{ custom_id: 'a', params: { ...hello, max_tokens: 1, api_base: 'x' } }] },
      'api_base',
    ],
    ['/v1/conversations', { metadata: { base_url: 'x' } }, 'metadata.base_url'],
    ['/gemini/v1beta/cachedContents', { model: 'models/gpt-4o', contents: [], litellm_params: {} }, 'litellm_params'],
    ['/v1/realtime/client_secrets', { session: { model: 'gpt-4o', api_base: 'x' } }, 'api_base'],
  ])('refuse a body of %s that is not sent as it is', async (path, body, name) => {
    const answer = await post(hub(), who.key, body, path);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`'${name}' cannot be used here`)]);
    expect(upstream().requests).toEqual([]);
  });

  test('a call without any has no such header', async () => {
    const answer = await post(hub(), who.key, { ...hello, metadata: { organization: 'mine' } });
    expect(answer.headers.has('x-relay-dropped')).toBe(false);
    expect(JSON.parse(sent())).toHaveProperty('metadata.organization', 'mine');
  });

  test('of a form do not reach it, wherever they stand', async () => {
    upstream().reply = (response) => sendJson(response, { text: 'hi', usage: { type: 'duration', seconds: 1 } });
    for (const order of [
      ['api_base', 'model', 'file', 'api_key'],
      ['file', 'api_base', 'api_key', 'model'],
    ]) {
      const form = new FormData();
      for (const name of order) {
        if (name === 'file') form.append('file', new Blob([new Uint8Array(64)], { type: 'audio/wav' }), 'a.wav');
        else form.append(name, name === 'model' ? 'whisper-1' : 'http://127.0.0.1:4922');
      }
      const answer = await fetch(`${hub().url}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${who.key}` },
        body: form,
      });
      expect(answer.status, await answer.text()).toBe(200);
      expect(answer.headers.get('x-relay-dropped')).toBe('api_base, api_key');
      const { body, headers } = upstream().requests.at(-1)!;
      const got = await new Response(new Uint8Array(body), {
        headers: { 'content-type': headers['content-type']! },
      }).formData();
      expect([...got.keys()].toSorted()).toEqual(['file', 'model']);
    }
  });

  test('reach the upstream of a channel that passes them on', async () => {
    await hub().root.call(channelApi.update, { body: { id, pass_routing_fields: true } });
    expect(await hub().root.call(channelApi.get, { params: { id } })).toMatchObject({ pass_routing_fields: true });
    const body = JSON.stringify({ ...routing, ...hello });
    const answer = await post(hub(), who.key, body);
    expect(answer.headers.has('x-relay-dropped')).toBe(false);
    expect(sent()).toBe(body);
    // Other dialects have no field for these.
    const converted = await post(hub(), who.key, { ...hello, max_tokens: 9, api_base: 'x' }, '/v1/messages');
    expect(converted.headers.get('x-relay-dropped')).toBe('api_base');
    expect(sent()).not.toContain('api_base');
    await hub().root.call(channelApi.update, { body: { id, pass_routing_fields: false } });
    await post(hub(), who.key, body);
    expect(sent()).not.toContain('api_base');
  });
});
