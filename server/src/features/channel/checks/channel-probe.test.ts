import { channelApi, channelKeyApi, userApi, logApi } from '@relay-hub/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';

const KEY = 'plainwordkey-without-a-known-shape';

const openAiChunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});
const anthropicEvents = [
  { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi there!' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];
const geminiChunk = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi there!' }] }, finishReason: 'STOP' }],
};

onEveryDatabase('asking an upstream', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const raw = rawUpstreamForSuite();
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
      const id = await addChannel(hub(), upstream().url, { test_model: model, models: model });
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
      const id = await addChannel(hub(), upstream().url, { type, test_model: model, models: model });
      await run(id);
      expect(JSON.parse(upstream().requests.at(-1)!.body)).toEqual({ model, input: 'Hi.', ...sent });
    });

    test('speech is asked for again without a voice where the upstream has others', async () => {
      const id = await addChannel(hub(), upstream().url, { test_model: 'tts-1', models: 'tts-1' });
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
      const id = await addChannel(hub(), upstream().url, { test_model: model, models: model });
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

    test('a test model must be set first where the models are patterns only', async () => {
      const id = await addChannel(hub(), upstream().url, { models: 'gpt-*' });
      expect(await run(id)).toMatchObject({
        status: 400,
        body: { code: 'channel.test_model_needed', field: 'test_model' },
      });
      expect(upstream().requests.total).toBe(0);
    });

    test('a model that passes becomes the test model if there is none; another chosen one stays', async () => {
      const id = await addChannel(hub(), upstream().url);
      expect((await run(id, 'dall-e-3')).status).toBe(200);
      expect((await run(id, 'not-offered')).status).toBe(200);
      expect(await read(id)).toMatchObject({ test_model: '' });
      expect((await run(id, 'gpt-4o-mini')).status).toBe(200);
      expect((await run(id, 'gpt-4o')).status).toBe(200);
      expect(await read(id)).toMatchObject({ test_model: 'gpt-4o-mini' });
      await hub().root.call(channelApi.update, { body: { id, models: 'gpt-4o' } });
      expect((await run(id)).body).toMatchObject({ data: { model: 'gpt-4o' } });
      expect(await read(id)).toMatchObject({ test_model: 'gpt-4o' });
    });

    test.each<[type: number, model: string, path: string, stream: object[]]>([
      [8, 'gpt-4o', '/v1/chat/completions', [openAiChunk({ content: 'Hi there!' }), openAiChunk({}, 'stop')]],
      [14, 'claude-haiku-4-5', '/v1/messages', anthropicEvents],
      [25, 'gemini-2.5-flash', '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse', [geminiChunk]],
    ])(
      'an upstream of type %i that only streams passes, also with a test of one key',
      async (type, model, path, events) => {
        const id = await addChannel(hub(), raw().url, { type, models: model });
        raw().reply = (response, body) => {
          const isStream = path.includes('stream') || body.includes('"stream":true');
          if (!isStream || raw().requests.at(-1)!.url !== path)
            return sendJson(response, { error: { message: 'Stream must be set to true' } }, 400);
          const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
          return sendStream(response, type === 8 ? [...lines, 'data: [DONE]\n\n'] : lines);
        };
        expect(await run(id)).toMatchObject({ status: 200, body: { data: { model, answer: 'Hi there!' } } });
        const [key] = await hub().root.call(channelKeyApi.list, { params: { id } });
        const ofKey = { params: { id, key: key!.id }, query: { model: '' } };
        expect(await hub().root.call(channelKeyApi.test, ofKey)).toMatchObject({ answer: 'Hi there!' });
        // A refusal for another reason is not asked for again.
        raw().reply = (response) => sendJson(response, { error: { message: 'no' } }, 400);
        const { length } = raw().requests;
        expect((await run(id)).status).toBe(502);
        expect(raw().requests).toHaveLength(length + 1);
      },
    );

    test('a 404 shows the whole address that was asked, without the key', async () => {
      const id = await addChannel(hub(), `${upstream().url}/proxy`, { key: KEY });
      const { body } = await run(id);
      const asked = `(POST ${upstream().url}/proxy/v1/chat/completions)`;
      expect(body.message).toMatch(/: 404 /);
      for (const text of [body.message, (await read(id)).last_error]) expect(text.endsWith(asked), text).toBe(true);
    });

    test.each<[why: string, key: string, sent: string]>([
      ['a header', 'Bearer sk-pasted', 'sk-pasted'],
      ['a whole header', 'Authorization: bearer sk-pasted', 'sk-pasted'],
      ['quotes', '"sk-pasted"', 'sk-pasted'],
      ['an entry of a list', "'sk-pasted',", 'sk-pasted'],
      ['typographic quotes', '“sk-pasted”', 'sk-pasted'],
      ['a header in quotes', '"Bearer sk-pasted"', 'sk-pasted'],
      ['invisible characters', '\u200bsk-\u2060pasted\ufeff\u00a0', 'sk-pasted'],
      ['a line break of Windows', 'sk-pasted\r\n', 'sk-pasted'],
      ['quotes inside', 'sk-"quo"ted', 'sk-"quo"ted'],
    ])('a key pasted with %s is sent as it is meant', async (_, key, sent) => {
      const id = await addChannel(hub(), upstream().url, { key });
      expect((await run(id)).status).toBe(200);
      expect(upstream().requests.at(-1)!.headers.authorization).toBe(`Bearer ${sent}`);
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
