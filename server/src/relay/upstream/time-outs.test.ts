import { request } from 'node:http';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { clientOf, errorOf, hello, post } from '#testing/relay-calls.ts';

const streamed = { ...hello, stream: true };

/** Ways to send no first token, requested at once: one model, and so one channel, each. */
const silentModels = ['gpt-4', 'gpt-3.5-turbo', 'gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'gpt-4.1-nano'] as const;
const silences = silentModels.map((model, i) => ({
  model,
  behaviour: ['fault=hang', 'fault=headersThenSilence', 'fault=drip;dripMs=10000'][i % 3]!,
  stream: i < 3,
}));

onOneDatabase('time-outs and callers who leave, by channel', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const other = upstreamForSuite();
  const db = () => hub().server.deps.db;
  const live = () => hub().server.deps.live;
  let who: TestCaller;
  const ids: Record<string, number> = {};

  beforeAll(async () => {
    const add = async (name: string, url: string, more: object) =>
      void (ids[name] = await addChannel(hub(), url, { name, ...more }));
    await add('hasty', upstream().url, { priority: 9, first_token_timeout: 1 });
    await add('spare', other().url, { priority: 1 });
    await add('strict', upstream().url, { models: 'gpt-4.1', total_timeout: 1, idle_timeout: 1 });
    await add('silent', upstream().url, { models: 'gpt-4-turbo', first_token_timeout: 1, idle_timeout: 1 });
    for (const { behaviour, model } of silences)
      await add(`silent ${model}`, upstream().url, {
        models: model,
        model_mapping: JSON.stringify({ [model]: `+sim:${behaviour}` }),
        first_token_timeout: 1,
        idle_timeout: 1,
      });
    await add('aborting', upstream().url, { models: 'gpt-4.1-mini', on_client_gone: 'abort' });
    await add('limited', upstream().url, {
      models: 'o3',
      on_client_gone: 'limit',
      gone_seconds: 1,
      gone_tokens: 100_000,
    });
    await add('counted', upstream().url, {
      models: 'o4-mini',
      on_client_gone: 'limit',
      gone_seconds: 60,
      gone_tokens: 20,
    });
  });
  beforeEach(async () => {
    who = await addCaller(db());
  });
  afterEach(async () => {
    for (const id of Object.values(ids)) live().health.forget(id);
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  test('a silent channel is followed by another: one stream, one charge, both in the log row', async () => {
    for (const fault of ['hang', 'headersThenSilence'] as const) {
      upstream().next({ fault });
      let text = '';
      for await (const chunk of await clientOf(hub(), who.key).chat.completions.create({ ...hello, stream: true }))
        text += chunk.choices[0]?.delta.content ?? '';
      expect(text).not.toBe('');
      live().health.forget(ids['hasty']!);
    }
    const rows = await rowsOf(db(), who);
    expect(rows).toHaveLength(2);
    for (const row of rows)
      expect(row).toMatchObject({
        failed: false,
        channel_id: ids['spare'],
        metadata: {
          outcome: 'answered',
          attempts: [
            { channel_name: 'hasty', result: 'first_token_timeout', next: 'retried' },
            { channel_name: 'spare', result: 'ok' },
          ],
        },
      });
  });

  test('a reply that exceeds the total timeout is aborted and the caller is told why', async () => {
    upstream().next({ delayMs: 5_000 });
    const answer = await post(hub(), who.key, { ...hello, model: 'gpt-4.1' });
    expect(answer.status).toBe(504);
    expect(errorOf(answer)).toMatchObject({ code: 'upstream_timeout' });
    upstream().next({ chunks: 100, chunkMs: 50 });
    const stream = await post(hub(), who.key, { ...streamed, model: 'gpt-4.1' });
    expect(stream.text).toContain('stream_broken');
    expect(stream.text).not.toContain('[DONE]');
    expect(await rowsOf(db(), who)).toMatchObject([
      { quota: 0, metadata: { attempts: [{ result: 'total_timeout', next: 'not_retryable' }] } },
      {
        failed: true,
        metadata: { outcome: 'broken', usage_source: 'estimate', attempts: [{ result: 'total_timeout' }] },
      },
    ]);
  });

  const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
  test.each([
    ['/v1/chat/completions', hello, { type: 'upstream_error', code: 'upstream_timeout' }],
    ['/v1/messages', { ...hello, max_tokens: 9 }, { type: 'timeout_error' }],
    ['/gemini/v1beta/models', { contents }, { code: 504, status: 'DEADLINE_EXCEEDED' }],
  ])('%s: a first word that is late is told alike whether or not a stream was asked for', async (path, body, error) => {
    const before = upstream().requests.total;
    const answers = await Promise.all(
      silences.map(({ model, stream }) => {
        const action = `/${model}:${stream ? 'streamGenerateContent' : 'generateContent'}`;
        return path.startsWith('/gemini')
          ? post(hub(), who.key, body, path + action)
          : post(hub(), who.key, { ...body, model, stream }, path);
      }),
    );
    for (const [i, answer] of answers.entries()) {
      expect(answer.status, silences[i]!.behaviour).toBe(504);
      expect(JSON.parse(answer.text)).toMatchObject({ error });
    }
    expect(upstream().requests.total - before).toBe(silences.length);
  });

  /** Starts a stream and leaves after the first chunk. */
  function leave(model: string): Promise<void> {
    return new Promise((resolve) => {
      const call = request(`${hub().url}/v1/chat/completions`, {
        method: 'POST',
        agent: false,
        headers: { authorization: `Bearer ${who.key}` },
      });
      call.on('error', () => {});
      call.on('close', resolve);
      call.once('response', (response) => {
        response.on('error', () => {});
        response.once('data', () => call.destroy());
      });
      call.end(JSON.stringify({ ...streamed, model }));
    });
  }

  test.each([
    ['aborted', 'gpt-4.1-mini'],
    ['read for so long', 'o3'],
    ['read until so much was said', 'o4-mini'],
  ])('a call whose caller has left is %s, and what was produced is charged', async (_, model) => {
    // Longer than any wait of this test.
    upstream().next({ chunks: 2000, chunkMs: 50, chunkBytes: 20 });
    await leave(model);
    await expect.poll(() => rowsOf(db(), who), { timeout: 20_000, message: 'rows of the caller' }).toHaveLength(1);
    const [row] = await rowsOf(db(), who);
    expect(row).toMatchObject({
      failed: false,
      metadata: { outcome: 'client_gone', usage_source: 'estimate', attempts: [{ result: 'client_gone' }] },
    });
    expect(row!.quota).toBeGreaterThan(0);
    expect(upstream().requests.at(-1)?.outcome).toBe('client_closed');
  });

  test('an upstream that sends its headers and nothing more ends with the time for the first token', async () => {
    upstream().next({ fault: 'headersThenSilence' });
    const gone = new AbortController();
    const { requests } = upstream();
    const { total } = requests;
    const call = post(hub(), who.key, { ...streamed, model: 'gpt-4-turbo' }, undefined, { signal: gone.signal });
    await requests.waitFor(() => requests.total > total);
    gone.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => rowsOf(db(), who), { timeout: 20_000, message: 'rows of the caller' }).toHaveLength(1);
    expect(await rowsOf(db(), who)).toMatchObject([
      { quota: 0, metadata: { outcome: 'failed', attempts: [{ result: 'first_token_timeout', next: 'client_gone' }] } },
    ]);
  });

  test('a reply whose caller left is charged for its prompt', async () => {
    upstream().next({ fault: 'hang' });
    const gone = new AbortController();
    const { requests } = upstream();
    const { total } = requests;
    const call = post(hub(), who.key, { ...hello, model: 'gpt-4.1-mini' }, undefined, { signal: gone.signal });
    void requests.waitFor(() => requests.total > total).then(() => gone.abort());
    await expect(call).rejects.toThrow();
    await expect.poll(() => rowsOf(db(), who), { message: 'rows of the caller' }).toHaveLength(1);
    const [row] = await rowsOf(db(), who);
    expect(row).toMatchObject({ completion_tokens: 0, failed: false, metadata: { outcome: 'client_gone' } });
    expect(row!.prompt_tokens).toBeGreaterThan(0);
    expect(row!.quota).toBeGreaterThan(0);
  });
});
