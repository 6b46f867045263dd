import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { clientOf, post } from '#testing/relay-calls.ts';

onEveryDatabase('models', (make) => {
  const hub = hubForSuite(make);
  let who: TestCaller;

  beforeAll(async () => {
    await addChannel(hub(), 'http://127.0.0.1:9', { models: 'gpt-4o,text-embedding-3-small,org/model' });
  });
  beforeEach(async () => void (who = await addCaller(hub().server.deps.db)));

  test('are listed and shown to OpenAI’s client', async () => {
    const client = clientOf(hub(), who.key);
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(['gpt-4o', 'org/model', 'text-embedding-3-small']);
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
      'models/org/model',
      'models/text-embedding-3-small',
    ]);
    for (const one of listed) expect(await client.models.get({ model: one.name! })).toMatchObject({ name: one.name });
    expect(listed[0]!.supportedActions).toContain('generateContent');
    expect(listed[2]!.supportedActions).toEqual(['embedContent', 'batchEmbedContents']);
    await expect(client.models.get({ model: 'gpt-9' })).rejects.toMatchObject({ status: 404 });
  });

  test('a call to a model of Google’s has to say what is to be done', async () => {
    for (const path of ['gpt-4o', 'gpt-4o:generateContent:countTokens', ':generateContent']) {
      const { status, text } = await post(hub(), who.key, {}, `/gemini/v1beta/models/${path}`);
      expect([status, JSON.parse(text)]).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT' } }]);
    }
    const { status, headers } = await post(hub(), who.key, {}, '/gemini/v1beta/models/gpt-4o', { method: 'PUT' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});
