import { channelApi, userApi, logApi } from '@relay-hub/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';

const KEY = 'plainwordkey-without-a-known-shape';

onEveryDatabase('asking an upstream', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  beforeEach(() => upstream().requests.clear());

  describe('channel test', () => {
    const run = (id: number, model = '') => hub().root.try(channelApi.test, { params: { id }, query: { model } });
    const read = (id: number) => hub().root.call(channelApi.get, { params: { id } });

    test('reports duration and answer, and charges no one', async () => {
      const before = await hub().root.call(userApi.self);
      const id = await addChannel(hub(), upstream().url, { test_model: 'gpt-4o', key: KEY });
      upstream().next({ text: 'Hi there!', delayMs: 30 });
      const { status, body } = await run(id);
      expect(status).toBe(200);
      const { data } = body as { data: { ms: number } };
      expect(data).toEqual({ ms: expect.any(Number), model: 'gpt-4o', answer: 'Hi there!' });
      expect(data.ms).toBeGreaterThanOrEqual(30);
      // Where one-hub clients expect it, in seconds.
      expect(body).toMatchObject({ time: data.ms / 1000 });
      expect(await read(id)).toMatchObject({
        response_time: data.ms,
        last_error: '',
        test_time: expect.closeTo(hub().server.deps.now(), -1),
      });
      const sent = upstream().requests.at(-1)!;
      expect(sent.headers.authorization).toBe(`Bearer ${KEY}`);
      expect(JSON.parse(sent.body)).toMatchObject({ model: 'gpt-4o', max_tokens: 16 });
      expect(await hub().root.call(userApi.self)).toMatchObject({
        quota: before.quota,
        request_count: before.request_count,
      });
      expect((await hub().root.call(logApi.list)).total_count).toBe(0);
    });

    test('the model asked for wins, the mapping and headers of the channel hold', async () => {
      const id = await addChannel(hub(), upstream().url, {
        test_model: 'gpt-4o',
        models: 'gpt-4o,alias,listed#high',
        model_mapping: '{"alias":"+gpt-4o-mini","steered":"o3#low","elsewhere":"far#away"}',
        model_headers: '{"x-team":"blue"}',
      });
      // Reasoning suffixes are removed from the name; other text after # is part of it.
      for (const [model, asked] of [
        ['alias', 'gpt-4o-mini'],
        ['alias#high', 'gpt-4o-mini'],
        ['gpt-4o#low', 'gpt-4o'],
        ['listed#high', 'listed#high'],
        ['steered', 'o3'],
        ['elsewhere', 'far#away'],
      ] as const) {
        expect((await run(id, model)).status).toBe(200);
        const sent = upstream().requests.at(-1)!;
        expect(JSON.parse(sent.body)).toMatchObject({ model: asked });
        expect(sent.headers['x-team']).toBe('blue');
      }
    });

    test.each<[model: string, path: string, sent: RegExp]>([
      ['text-embedding-3-small', '/v1/embeddings', /"input":"hi"/],
      ['BAAI/bge-reranker-v2-m3', '/v1/rerank', /"documents":\["hi","no"\]/],
      ['dall-e-3', '/v1/images/generations', /"n":1/],
      ['gpt-image-1', '/v1/images/generations', /"quality":"low"/],
      ['black-forest-labs/FLUX.1-schnell', '/v1/images/generations', /"prompt":"A cute cat"/],
      ['tts-1', '/v1/audio/speech', /"voice":"alloy"/],
      ['whisper-1', '/v1/audio/transcriptions', /name="model"\r\n\r\nwhisper-1\r\n[^]*RIFF[^]*WAVEfmt /],
      ['gpt-4o-mini-transcribe', '/v1/audio/transcriptions', /name="file"; filename="silence.wav"/],
    ])('%s is asked for what it makes, at %s', async (model, path, sent) => {
      const id = await addChannel(hub(), upstream().url, { test_model: model });
      expect(await run(id)).toMatchObject({ status: 200, body: { data: { model, answer: '' } } });
      expect(upstream().requests.total).toBe(1);
      expect(upstream().requests.at(-1)?.path).toBe(path);
      expect(upstream().requests.at(-1)?.body).toMatch(sent);
    });

    test.each<[type: number, model: string, sent: object]>([
      [16, 'glm-tts', { voice: 'tongtong', response_format: 'wav' }],
      [31, 'playai-tts-arabic', { voice: 'Ahmad-PlayAI', response_format: 'wav' }],
      [31, 'canopylabs/orpheus-v1-english-tts', { voice: 'autumn', response_format: 'wav' }],
      [45, 'FunAudioLLM/CosyVoice2-0.5B', { voice: 'FunAudioLLM/CosyVoice2-0.5B:alex' }],
    ])('a provider of type %i has %s spoken in a voice that it knows', async (type, model, sent) => {
      upstream().next({ status: 200 });
      const id = await addChannel(hub(), upstream().url, { type, test_model: model });
      await run(id);
      expect(JSON.parse(upstream().requests.at(-1)!.body)).toEqual({ model, input: 'Hi.', ...sent });
    });

    test('speech is asked for again without a voice where the upstream has others', async () => {
      const id = await addChannel(hub(), upstream().url, { test_model: 'tts-1' });
      const refusal = (message: string) => ({
        error: { message, type: 'invalid_request_error', param: null, code: null },
      });
      upstream().next({ status: 400, error: refusal("Voice 'alloy' not found. Available: af_heart") });
      expect(await run(id)).toMatchObject({ status: 200, body: { data: { model: 'tts-1' } } });
      expect(upstream().requests.total).toBe(2);
      expect(JSON.parse(upstream().requests.at(-1)!.body)).toEqual({ model: 'tts-1', input: 'Hi.' });

      upstream().next({ status: 400, error: refusal('The input is too short.') });
      expect(await run(id)).toMatchObject({ status: 502 });
      upstream().next({ status: 401, error: refusal('This key may not use voices.') });
      expect(await run(id)).toMatchObject({ status: 502 });
      expect(upstream().requests.total).toBe(4);
    });

    test.each([
      ['text-embedding-3-small', 'embedding'],
      ['rerank-v3.5', 'ranking'],
      ['dall-e-3', 'picture'],
      ['tts-1', 'sound'],
      ['whisper-1', 'text'],
    ])('%s that answers with no %s has failed', async (model, wants) => {
      const id = await addChannel(hub(), upstream().url, { test_model: model });
      for (const behaviour of [{ fault: 'html', status: 200 } as const, { fault: 'errorBody200' } as const]) {
        upstream().next(behaviour);
        expect(await run(id)).toMatchObject({ status: 502, body: { code: 'channel.upstream_failed' } });
      }
      upstream().next({ fault: 'html', status: 200 });
      expect((await run(id)).body.message).toContain(`no ${wants}`);
    });

    test.each(['mj_imagine', 'chirp-v3-5', 'gpt-realtime'])('%s cannot be tested', async (model) => {
      const id = await addChannel(hub(), upstream().url);
      expect(await run(id, model)).toMatchObject({
        status: 400,
        body: { code: 'channel.test_unsupported', field: 'model' },
      });
      expect(upstream().requests.total).toBe(0);
    });

    test('neither can a model that the provider has no place for', async () => {
      const id = await addChannel(hub(), upstream().url, { type: 14 });
      for (const model of ['whisper-1', 'tts-1', 'text-embedding-3-small'])
        expect((await run(id, model)).body).toMatchObject({ code: 'channel.test_unsupported' });
      expect(upstream().requests.total).toBe(0);
    });

    test('a test model must be set first', async () => {
      const id = await addChannel(hub(), upstream().url);
      expect(await run(id)).toMatchObject({
        status: 400,
        body: { code: 'channel.test_model_needed', field: 'test_model' },
      });
      expect(upstream().requests.total).toBe(0);
    });

    test.each<[why: string, message: string]>([
      ['as it is', `Incorrect API key provided: ${KEY}. Ask org-AbCdEfGh1234 or use sk-abcdefghijklmnop.`],
      ['where the message is cut', `${'x'.repeat(285)} ${KEY}`],
    ])('an error that repeats the key %s is told without it', async (_, message) => {
      const id = await addChannel(hub(), upstream().url, { test_model: 'gpt-4o', key: KEY });
      upstream().next({ status: 401, error: { error: { message, type: 'x', code: 'y' } } });
      const { status, body } = await run(id);
      expect(status).toBe(502);
      expect(body).toMatchObject({
        success: false,
        code: 'channel.upstream_failed',
        message: expect.stringMatching(/: 401 /),
      });
      const { last_error: lastError } = await read(id);
      expect(lastError).toMatch(/^401 /);
      for (const text of [body.message, lastError]) expect(text).not.toMatch(/plainword|sk-abcdef|org-AbCd/);
    });

    test('an answer that repeats the key is masked', async () => {
      const id = await addChannel(hub(), upstream().url, { test_model: 'gpt-4o', key: KEY });
      upstream().next({ text: `you sent ${KEY}` });
      expect(JSON.stringify((await run(id)).body)).not.toContain('plainword');
    });

    test.each<[why: string, behaviour: Parameters<ReturnType<typeof upstream>['next']>[0], reason: RegExp]>([
      ['a page instead of JSON', { fault: 'html', status: 200 }, /holds no message/],
      ['a broken gateway', { fault: 'html', status: 502 }, /502 <html>/],
      ['an error with status 200', { fault: 'errorBody200' }, /200 The server had an error/],
      ['a connection that is closed', { fault: 'refuse' }, /connection/],
      ['an answer that breaks off', { fault: 'truncatedJson' }, /\w/],
    ])('%s is a failure', async (_, behaviour, reason) => {
      const id = await addChannel(hub(), upstream().url, { test_model: 'gpt-4o' });
      upstream().next(behaviour);
      expect(await run(id)).toMatchObject({
        status: 502,
        body: { code: 'channel.upstream_failed', message: expect.stringMatching(reason) },
      });
      expect((await read(id)).last_error).not.toBe('');
      expect((await run(id)).status).toBe(200);
      expect((await read(id)).last_error).toBe('');
    });

    test('an upstream that is not there', async () => {
      const id = await addChannel(hub(), 'http://127.0.0.1:9', { test_model: 'gpt-4o' });
      expect(await run(id)).toMatchObject({
        status: 502,
        body: { message: expect.stringMatching(/connection was refused/) },
      });
    });

    test('a model with the name of something else is a model', async () => {
      const id = await addChannel(hub(), upstream().url, { model_mapping: '{"a":"b"}' });
      expect((await run(id, 'toString')).status).toBe(200);
      expect(JSON.parse(upstream().requests.at(-1)!.body)).toMatchObject({ model: 'toString' });
    });

    test('a channel that is switched off can be tested', async () => {
      const id = await addChannel(hub(), upstream().url, { test_model: 'gpt-4o', status: 2 });
      expect((await run(id)).status).toBe(200);
    });
  });

  describe('the provider’s models', () => {
    const ask = (body: Record<string, unknown>) =>
      hub().root.send('POST', '/api/channel/provider_models_list', { type: 8, base_url: upstream().url, ...body });
    const lastKey = () => upstream().requests.at(-1)?.headers.authorization;

    test('are asked for with the first line of the key given', async () => {
      const answer = await ask({ key: 'sk-given\nsk-other' });
      expect(answer).toMatchObject({ status: 200, body: { data: expect.arrayContaining(['gpt-4o', 'gpt-4o-mini']) } });
      const { data } = answer.body as { data: string[] };
      expect(data).toEqual([...new Set(data)].toSorted());
      expect(lastKey()).toBe('Bearer sk-given');
    });

    test('are asked for with the stored key when none is given', async () => {
      const id = await addChannel(hub(), upstream().url, { key: 'sk-stored' });
      expect((await ask({ id })).status).toBe(200);
      expect(lastKey()).toBe('Bearer sk-stored');
      expect((await ask({ id, key: 'sk-new' })).status).toBe(200);
      expect(lastKey()).toBe('Bearer sk-new');
    });

    test('a wrong key is reported, masked', async () => {
      upstream().next({ status: 401, error: { error: { message: `Incorrect API key provided: ${KEY}` } } });
      const { status, body } = await ask({ key: KEY });
      expect(status).toBe(502);
      expect(body).toMatchObject({
        code: 'channel.upstream_failed',
        message: 'The upstream returned an error: 401 Incorrect API key provided: ••••',
      });
    });

    test.each([
      { fault: 'html', status: 200 } as const,
      { fault: 'errorBody200' } as const,
      { fault: 'truncatedJson' } as const,
    ])('%o is no list', async (behaviour) => {
      upstream().next(behaviour);
      expect(await ask({ key: 'sk-given' })).toMatchObject({ status: 502, body: { code: 'channel.upstream_failed' } });
    });

    test.each<[Record<string, unknown>, string, string]>([
      [{}, 'key', 'channel.key_needed'],
      [{ key: 'k', base_url: '' }, 'base_url', 'channel.address_needed'],
      [{ key: 'k', type: 9999 }, 'type', 'channel.type_unknown'],
      [{ key: 'k', type: undefined }, 'type', 'input.invalid'],
      [{ key: 'k', base_url: 'nowhere' }, 'base_url', 'input.invalid'],
      [{ key: 'k', model_headers: '[]' }, 'model_headers', 'input.invalid'],
    ])('%o is not enough', async (body, field, code) => {
      expect(await ask(body)).toMatchObject({ status: 400, body: { code, field } });
      expect(upstream().requests.total).toBe(0);
    });
  });
});
