import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { optionApi, priceApi, userGroupApi } from '@relay-hub/contract';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { clientOf, post } from '#testing/relay-calls.ts';

onOneDatabase('models', (make) => {
  const hub = hubForSuite(make);
  let who: TestCaller;

  beforeAll(async () => {
    await addChannel(hub(), 'http://127.0.0.1:9', { models: 'gpt-4o,text-embedding-3-small,org/model' });
    const price = { type: 'tokens' as const, channel_type: 1, input: 1, output: 1 };
    await hub().root.call(priceApi.create, { body: { model: 'org/model', ...price } });
    const mapping = { alias: 'not-priced', named: 'gpt-4o#high', kept: '+not-priced' };
    await addChannel(hub(), 'http://127.0.0.1:9', {
      models: 'not-priced,wild-*,alias,named,kept',
      model_mapping: JSON.stringify(mapping),
    });
  });
  beforeEach(async () => void (who = await addCaller(hub().server.deps.db)));

  test('are listed and shown to OpenAI’s client', async () => {
    const client = clientOf(hub(), who.key);
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(['gpt-4o', 'named', 'org/model', 'text-embedding-3-small']);
    for (const { id } of data) expect((await client.models.retrieve(id)).id).toBe(id);
    await expect(client.models.retrieve('gpt-9')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  test.each(['', '/claude'])('and to Anthropic’s at %j, who looks where OpenAI’s does', async (base) => {
    const client = new Anthropic({ apiKey: who.key, baseURL: hub().url + base, maxRetries: 0 });
    const { data } = await client.models.list();
    expect(data.map(({ type, id }) => [type, id])[0]).toEqual(['model', 'gpt-4o']);
    expect(await client.models.retrieve('gpt-4o')).toMatchObject({
      type: 'model',
      id: 'gpt-4o',
      display_name: 'gpt-4o',
    });
    await expect(client.models.retrieve('gpt-9')).rejects.toMatchObject({
      status: 404,
      error: { type: 'error', error: { type: 'not_found_error' } },
    });
    const stranger = new Anthropic({ apiKey: 'sk-wrong', baseURL: hub().url + base, maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({
      status: 401,
      error: { type: 'error', error: { type: 'authentication_error' } },
    });
  });

  test('and to Google’s, with what each is for', async () => {
    const client = new GoogleGenAI({ apiKey: who.key, httpOptions: { baseUrl: `${hub().url}/gemini` } });
    const listed = [];
    for await (const one of await client.models.list({ config: { queryBase: true } })) listed.push(one);
    expect(listed.map(({ name }) => name)).toEqual([
      'models/gpt-4o',
      'models/named',
      'models/org/model',
      'models/text-embedding-3-small',
    ]);
    for (const one of listed) expect(await client.models.get({ model: one.name! })).toMatchObject({ name: one.name });
    expect(listed[0]!.supportedActions).toContain('generateContent');
    expect(listed[3]!.supportedActions).toEqual(['embedContent', 'batchEmbedContents']);
    await expect(client.models.get({ model: 'gpt-9' })).rejects.toMatchObject({ status: 404 });
  });

  test('without a price are offered nowhere, and told to administrators', async () => {
    const unpriced = ['not-priced', 'alias', 'kept', 'wild-*'];
    const get = (path: string) => post(hub(), who.key, undefined, path, { method: 'GET' });
    for (const path of ['/v1/models', '/claude/v1/models', '/gemini/v1beta/models']) {
      const { text } = await get(path);
      for (const model of unpriced) expect(text).not.toContain(model);
      expect((await get(`${path}/not-priced`)).status).toBe(404);
      expect((await get(`${path}/named`)).status).toBe(200);
    }
    const { root } = hub();
    const available = await root.call(priceApi.available);
    expect(Object.keys(available).toSorted()).toEqual(['gpt-4o', 'named', 'org/model', 'text-embedding-3-small']);
    expect(available['named']?.price).toMatchObject({ model: 'gpt-4o' });
    expect(await root.call(priceApi.unpriced)).toEqual([
      { model: 'kept', channels: 1, refused: true },
      { model: 'not-priced', channels: 1, refused: true },
      { model: 'wild-*', channels: 1, refused: true },
    ]);
  });

  test('are all offered where a default price covers them', async () => {
    const { root } = hub();
    const price = { type: 'tokens' as const, channel_type: 1, input: 1, output: 1 };
    await root.call(priceApi.create, { body: { model: 'wild-1', ...price } });
    expect((await clientOf(hub(), who.key).models.list()).data.map(({ id }) => id)).toContain('wild-1');
    await root.call(optionApi.set, { body: { key: 'DefaultPrice', value: '{"input":1,"output":2}' } });
    const names = (await clientOf(hub(), who.key).models.list()).data.map(({ id }) => id);
    expect(names).toEqual(expect.arrayContaining(['not-priced', 'alias', 'kept']));
    expect((await root.call(priceApi.available))['not-priced']?.price).toMatchObject({ model: 'not-priced' });
    expect((await root.call(priceApi.unpriced)).every(({ refused }) => !refused)).toBe(true);
  });

  test('a call to a model of Google’s has to say what is to be done', async () => {
    for (const path of ['gpt-4o', 'gpt-4o:generateContent:countTokens', ':generateContent']) {
      const { status, text } = await post(hub(), who.key, {}, `/gemini/v1beta/models/${path}`);
      expect([status, JSON.parse(text)]).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT' } }]);
    }
    const { status, headers } = await post(hub(), who.key, {}, '/gemini/v1beta/models/gpt-4o', { method: 'PUT' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test('come with chats first to the clients of Anthropic and Google, who only chat', async () => {
    const media = ['a-embedding', 'dall-e-9', 'imagen-9', 'tts-9', 'whisper-9'];
    await hub().root.call(userGroupApi.create, { body: { symbol: 'chatting', name: 'chatting', public: true } });
    await addChannel(hub(), 'http://127.0.0.1:9', { models: [...media, 'z-chat'].join(','), group: 'chatting' });
    for (const model of [...media, 'z-chat'])
      await hub().root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 1, input: 1, output: 1 } });
    const { key } = await addCaller(hub().server.deps.db, { tokenGroup: 'chatting' });
    const list = async (path: string) => JSON.parse((await post(hub(), key, '', path, { method: 'GET' })).text);
    const anthropic = await list('/claude/v1/models');
    expect(anthropic.data.map(({ id }: { id: string }) => id)).toEqual(['z-chat', ...media]);
    expect([anthropic.first_id, anthropic.last_id]).toEqual(['z-chat', 'whisper-9']);
    const google = await list('/gemini/v1beta/models');
    expect(google.models.map(({ name }: { name: string }) => name)).toEqual(
      ['z-chat', ...media].map((name) => `models/${name}`),
    );
    const openAi = await list('/v1/models');
    expect(openAi.data.map(({ id }: { id: string }) => id)).toEqual([...media, 'z-chat']);
  });
});
