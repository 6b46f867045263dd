import { priceApi } from '@relay-hub/contract';
import type OpenAI from 'openai';
import { beforeAll, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';
import { soundOf } from '#upstream-simulator/media.ts';

const sound = Buffer.concat(soundOf({}));
const documents = ['short', 'a much longer document'];

/** Prices by model: what a token, or a call, costs. */
const prices = [
  ['gpt-instruct', 'tokens', 1, 2],
  ['modded', 'tokens', 3, 0],
  ['pictures', 'times', 5, 0],
  ['gpt-image-test', 'tokens', 1, 4],
  ['tts', 'tokens', 2, 0],
  ['tts-*', 'tokens', 2, 3],
  ['rank', 'tokens', 1, 0],
  ['rank-times', 'times', 1, 0],
  ['embed', 'tokens', 1, 0],
] as const;

onOneDatabase('operations other than chat', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;

  beforeAll(async () => {
    for (const [model, type, input, output] of prices)
      await hub().root.call(priceApi.create, { body: { model, type, channel_type: 1, input, output } });
    const open = 'gpt-instruct,modded,omni-moderation-latest,dall-e-3,gpt-image-test,pictures,tts,tts-events';
    await addChannel(hub(), upstream().url, { type: 1, name: 'open', models: open });
    await addChannel(hub(), upstream().url, { type: 47, name: 'jina', models: 'rank' });
    await addChannel(hub(), upstream().url, { type: 36, name: 'cohere', models: 'rank-times,embed' });
    await addChannel(hub(), upstream().url, { type: 27, name: 'minimax', models: 'tts-minimax' });
    await addChannel(hub(), upstream().url, { type: 24, name: 'azure', models: 'tts-azure', other: '' });
    who = await addCaller(db());
  });

  const client = () => clientOf(hub(), who.key);
  const lastSent = () => upstream().requests.at(-1)!;

  /** The row of a call, after which all accounts add up. */
  async function charged(call: () => Promise<unknown>) {
    const before = await userOf(db(), who);
    const rows = (await rowsOf(db(), who)).length;
    await call();
    const [row, ...more] = (await rowsOf(db(), who)).slice(rows);
    expect(more).toEqual([]);
    expect((await userOf(db(), who)).balance).toBe(before.balance - row!.quota);
    await expectBooksBalance(db());
    expect(hub().server.deps.book.openCalls).toBe(0);
    return row!;
  }

  test('completions, whole and as a stream', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
    const asked = { model: 'gpt-instruct', prompt: 'Once upon a time' };
    upstream().next({ usage }, { usage }, { usage: 'none' });
    const whole = await charged(async () => {
      const reply = await client().completions.create(asked);
      expect(reply.choices[0]?.text).toBe('Hello! How can I help you today?');
    });
    expect(whole).toMatchObject({ quota: 50, metadata: { usage_source: 'upstream', finish_reason: 'stop' } });
    for (const source of ['upstream', 'estimate']) {
      const row = await charged(async () => {
        const pieces: OpenAI.Completion[] = [];
        for await (const piece of await client().completions.create({ ...asked, stream: true })) pieces.push(piece);
        expect(pieces.map(({ choices }) => choices[0]?.text).join('')).toBe('Hello! How can I help you today?');
      });
      expect(row).toMatchObject({ is_stream: true, metadata: { usage_source: source, finish_reason: 'stop' } });
      expect(row.completion_tokens).toBe(source === 'upstream' ? 20 : 9);
    }
    expect(JSON.parse(lastSent().body)).toEqual({ ...asked, stream: true, stream_options: { include_usage: true } });
  });

  test('moderations: the model has a default, and missing usage is estimated', async () => {
    const free = await charged(async () => {
      const reply = await client().moderations.create({ input: ['one', 'two'] });
      expect(reply.results.map(({ flagged }) => flagged)).toEqual([false, false]);
    });
    expect(free).toMatchObject({ quota: 0, model_name: 'omni-moderation-latest' });
    expect(JSON.parse(lastSent().body)).toEqual({ input: ['one', 'two'], model: 'omni-moderation-latest' });
    const input = [{ type: 'text' as const, text: 'Is that all right?' }];
    const row = await charged(() => client().moderations.create({ model: 'modded', input }));
    expect(row).toMatchObject({ quota: 15, prompt_tokens: 5, metadata: { usage_source: 'estimate', reserved: 15 } });
  });

  test('images are charged by kind, by count, or by reported tokens', async () => {
    const made = await charged(async () => {
      const reply = await client().images.generate({ model: 'dall-e-3', prompt: 'a cat', size: '1024x1792' });
      expect(reply.data).toHaveLength(1);
    });
    expect(made).toMatchObject({ quota: 40_000, prompt_tokens: 2000, metadata: { reserved: 40_000, units: 1 } });
    const each = await charged(() => client().images.generate({ model: 'pictures', prompt: 'cats', n: 3 }));
    expect(each).toMatchObject({ quota: 15_000, metadata: { reserved: 15_000, units: 3, usage_source: 'estimate' } });
    upstream().next({ chunkBytes: 200_000 });
    const long = await charged(() => client().images.generate({ model: 'pictures', prompt: 'cats', n: 2 }));
    expect(long).toMatchObject({ quota: 10_000, metadata: { units: 2 } });
    const told = await charged(() => client().images.generate({ model: 'gpt-image-test', prompt: 'a cat', n: 2 }));
    expect(told).toMatchObject({
      quota: 2 + 2112 * 4,
      metadata: { usage_source: 'upstream', output_image_tokens: 2112, units: 2 },
    });
  });

  test('images as events, charged by the last of them', async () => {
    const row = await charged(async () => {
      const stream = await client().images.generate({ model: 'gpt-image-test', prompt: 'a cat', stream: true });
      const types: string[] = [];
      for await (const event of stream) types.push(event.type);
      expect(types).toEqual(['image_generation.partial_image', 'image_generation.completed']);
    });
    expect(row).toMatchObject({
      quota: 2 + 1056 * 4,
      is_stream: true,
      metadata: { usage_source: 'upstream', units: 1 },
    });
    upstream().next({ fault: 'cutMidChunk', faultAt: 3 });
    const broken = await charged(async () => {
      const stream = await client().images.generate({ model: 'gpt-image-test', prompt: 'a cat', stream: true });
      const read = async () => {
        for await (const event of stream) expect(event.type).toBe('image_generation.partial_image');
      };
      await expect(read()).rejects.toThrow();
    });
    expect(broken).toMatchObject({ failed: true });
  });

  test.each(['tts', 'tts-minimax', 'tts-azure'])(
    'speech of %s is the upstream’s, and costs its characters',
    async (model) => {
      const row = await charged(async () => {
        const reply = await client().audio.speech.create({ model, voice: 'alloy', input: 'Grüße 世界 👋' });
        expect(reply.headers.get('content-type')).toBe('audio/mpeg');
        expect(Buffer.from(await reply.arrayBuffer()).equals(sound)).toBe(true);
      });
      expect(row).toMatchObject({ quota: 20, prompt_tokens: 10, is_stream: false, metadata: { reserved: 20 } });
      expect(row.metadata?.usage_source).toBe(model === 'tts-minimax' ? 'upstream' : 'estimate');
    },
  );

  test('speech as events', async () => {
    const row = await charged(async () => {
      const asked = { model: 'tts-events', voice: 'alloy', input: 'one two', stream_format: 'sse' as const };
      expect(await (await client().audio.speech.create(asked)).text()).toContain('"type":"speech.audio.done"');
    });
    expect(row).toMatchObject({
      quota: 2 * 2 + 60 * 3,
      metadata: { output_audio_tokens: 60, usage_source: 'upstream' },
    });
  });

  test('audio passes through and is charged before its last byte; a broken one does not look complete', async () => {
    upstream().next({ chunks: 4, chunkMs: 150 });
    const rows = (await rowsOf(db(), who)).length;
    const reply = await client().audio.speech.create({ model: 'tts', voice: 'alloy', input: 'slow' });
    let first = '';
    let size = 0;
    for await (const piece of reply.body as unknown as AsyncIterable<Uint8Array>) {
      first ||= upstream().requests.at(-1)!.outcome;
      size += piece.length;
    }
    expect(size).toBe(sound.length);
    expect(first, 'of the upstream, at the first piece').toBe('open');
    expect(await rowsOf(db(), who)).toHaveLength(rows + 1);

    upstream().next({ fault: 'cutMidChunk', faultAt: 3 });
    const broken = await charged(async () => {
      const cut = await client().audio.speech.create({ model: 'tts', voice: 'alloy', input: 'broken' });
      await expect(cut.arrayBuffer()).rejects.toThrow();
    });
    expect(broken).toMatchObject({ failed: true, metadata: { outcome: 'broken' } });
    for (const fault of ['errorBody200', 'html'] as const) {
      upstream().next({ fault, status: 200 });
      const asked = { model: 'tts', voice: 'alloy', input: 'nothing' };
      const row = await charged(() => expect(client().audio.speech.create(asked)).rejects.toThrow());
      expect(row).toMatchObject({ quota: 0, failed: true });
      hub().server.deps.live.health.forget(row.channel_id);
    }
  });

  test('rerank in the common form, as it is and by Cohere’s, and embeddings by Cohere’s', async () => {
    const asked = { query: 'Which?', documents, top_n: 2 };
    const row = await charged(async () => {
      const { text } = await post(hub(), who.key, { ...asked, model: 'rank' }, '/v1/rerank');
      expect(JSON.parse(text)).toMatchObject({
        results: [{ index: 1, document: { text: documents[1] } }, { index: 0 }],
      });
    });
    expect(row).toMatchObject({ quota: 6, metadata: { usage_source: 'upstream', endpoint: '/v1/rerank' } });
    const searched = await charged(async () => {
      const { text } = await post(hub(), who.key, { ...asked, model: 'rank-times' }, '/v1/rerank');
      expect(JSON.parse(text)).toMatchObject({
        model: 'rank-times',
        results: [{ index: 1, document: { text: documents[1] } }, { index: 0 }],
      });
    });
    expect(searched).toMatchObject({ quota: 1000, metadata: { units: 1 } });
    expect(lastSent().path).toBe('/v2/rerank');
    const embedded = await charged(async () => {
      const reply = await client().embeddings.create({ model: 'embed', input: documents, encoding_format: 'float' });
      expect(reply.data[0]?.embedding).toEqual([5, 0.5, -0.5]);
    });
    expect(embedded).toMatchObject({ quota: 5, prompt_tokens: 5 });
  });

  test.each([
    ['/v1/completions', { model: 'gpt-instruct' }, 'prompt'],
    ['/v1/completions', { prompt: 'x' }, 'model'],
    ['/v1/moderations', { model: 'modded', input: [] }, 'input'],
    ['/v1/images/generations', { model: 'dall-e-3', prompt: '' }, 'prompt'],
    ['/v1/images/generations', { model: 'dall-e-3', prompt: 'x', n: -1 }, 'n'],
    ['/v1/audio/speech', { model: 'tts', voice: 'alloy' }, 'input'],
    ['/v1/rerank', { model: 'rank', query: 'x' }, 'documents'],
    ['/v1/rerank', { model: 'rank', documents }, 'query'],
    ['/v1/audio/speech', { model: 'tts-azure', input: 'x' }, 'voice'],
  ])('%s refuses %j and names the field', async (path, body, field) => {
    const rows = (await rowsOf(db(), who)).length;
    const sent = upstream().requests.total;
    const answer = await post(hub(), who.key, body, path);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ type: 'invalid_request_error', param: field });
    expect(upstream().requests.total).toBe(sent);
    expect(await rowsOf(db(), who)).toHaveLength(rows);
  });

  test('a provider that has no such thing is not asked', async () => {
    const answer = await post(hub(), who.key, { model: 'embed', prompt: 'x' }, '/v1/images/generations');
    expect(answer.status).toBe(400);
    expect(errorOf(answer).code).toBe('unsupported_operation');
  });
});
