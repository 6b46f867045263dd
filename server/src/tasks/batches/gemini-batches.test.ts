import { creditsFor, noUsage, ratesOf } from '@relay-hub/contract';
import { ApiError, GoogleGenAI } from '@google/genai';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Json, objectOr, parseJson } from '#json.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';
import { pollDueTasks } from '../poll/poll-tasks.ts';

const MODEL = 'gemini-2.5-flash';
const EMBEDDING = 'gemini-embedding-001';
const BALANCE = 10_000_000;

describe('batches at Google of users', () => {
  const hub = hubForSuite(newSqlite);
  const raw = rawUpstreamForSuite();
  const deps = () => hub().server.deps;
  const db = () => deps().db;
  const batches = new Map<string, { name: string; metadata: Json; done?: boolean; error?: Json }>();
  /** Contents by name. */
  const files = new Map<string, string>();
  let who: TestCaller;
  let losesAnswers = false;

  beforeEach(async () => {
    who = await addCaller(db(), { quota: BALANCE });
    raw().requests.length = 0;
    batches.clear();
    losesAnswers = false;
    await db().updateTable('channels').set({ deleted_time: 1 }).where('deleted_time', 'is', null).execute();
    // The preferred channel converts chats, and has no batches.
    await addChannel(hub(), raw().url, { type: 8, name: 'converts', priority: 5, models: MODEL });
    await addChannel(hub(), raw().url, { type: 25, models: `${MODEL},${EMBEDDING}` });
    raw().reply = (response, body) => {
      const { url } = raw().requests.at(-1)!;
      const [path = ''] = url.split('?');
      if (path.startsWith('/upload/') && !url.includes('upload_id'))
        return void response
          .writeHead(200, {
            'x-goog-upload-url': `${raw().url}${path}?upload_id=up-1`,
            'x-goog-upload-status': 'active',
          })
          .end();
      if (path.startsWith('/upload/')) {
        const file = { name: `files/in-${files.size}`, state: 'ACTIVE' };
        files.set(file.name, body.toString());
        return sendJson(response, { file }, 200, { 'x-goog-upload-status': 'final' });
      }
      const download = files.get(/^\/v1beta\/(files\/[\w-]+):download$/.exec(path)?.[1] ?? '');
      if (download !== undefined) return void response.end(download);
      const json = objectOr(parseJson(body.toString()));
      const [, model, kind] = /^\/v1beta\/models\/([^:]+):(\w+)$/.exec(url) ?? [];
      if (kind !== undefined) {
        const { inputConfig, ...batch } = objectOr(json['batch']);
        const { requests } = objectOr(objectOr(inputConfig)['requests']);
        const batchStats = { requestCount: String(Array.isArray(requests) ? requests.length : 2) };
        const name = `batches/up-${Math.random().toString(36).slice(2)}`;
        const metadata = { ...batch, model: `models/${model}`, state: 'BATCH_STATE_PENDING', batchStats };
        batches.set(name, { name, metadata });
        return losesAnswers ? void response.destroy() : sendJson(response, batches.get(name));
      }
      if (url.startsWith('/v1beta/batches?')) return sendJson(response, { operations: [...batches.values()] });
      const [, name, cancels] = /^\/v1beta\/(batches\/[\w-]+)(:cancel)?$/.exec(url) ?? [];
      const batch = batches.get(name ?? '');
      if (!batch) return sendJson(response, { error: { code: 404, status: 'NOT_FOUND', message: 'none' } }, 404);
      sendJson(response, cancels === undefined ? batch : {});
    };
  });

  afterEach(async () => {
    await db().updateTable('tasks').set({ deadline: 1, next_poll_at: 1 }).where('next_poll_at', '>', 0).execute();
    await pollDueTasks(deps());
    await expectBooksBalance(db());
  });

  const client = (key = who.key) => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${hub().url}/gemini` } });
  const ask = (key: string, more: Json = {}) => ({
    contents: [{ role: 'user', parts: [{ text: `hello ${key}` }] }],
    metadata: { key },
    config: { maxOutputTokens: 500, ...more },
  });
  const order = (count: number, from = client()) =>
    from.batches.create({
      model: MODEL,
      src: Array.from({ length: count }, (_, n) => ask(`r${n}`)),
      config: { displayName: 'nightly' },
    });
  const poll = async () => {
    await caughtUp(db());
    await db().updateTable('tasks').set({ next_poll_at: 1 }).where('next_poll_at', '>', 0).execute();
    await db().deleteFrom('task_paces').execute();
    await pollDueTasks(deps());
  };
  const end = (state: string, output?: Json) => {
    const batch = [...batches.values()].at(-1)!;
    Object.assign(batch.metadata, { state, ...(output && { output }) });
    batch.done = true;
  };
  const spent = async () => BALANCE - (await userOf(db(), who)).balance;
  const statusOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 200,
      (error: unknown) => (error instanceof ApiError ? error.status : error),
    );
  const costOf = (model: string, usage: Json) => {
    const price = deps().live.prices.find(model)!;
    const half = { ...price, input: price.input / 2, output: price.output / 2 };
    return creditsFor(ratesOf(half, 1), { ...noUsage, ...usage });
  };
  const answer = (text: string, usageMetadata?: Json) => ({
    response: {
      candidates: [{ content: { role: 'model', parts: [{ text }] } }],
      ...(usageMetadata && { usageMetadata }),
    },
    metadata: { key: text },
  });

  test('are reserved by request, and are charged for what they answered', async () => {
    const batch = await order(3);
    expect(batch).toMatchObject({ state: 'JOB_STATE_PENDING', displayName: 'nightly', model: `models/${MODEL}` });
    expect(batch.name).toMatch(/^batches\/batch_[0-9a-f]{32}$/);
    const [row] = await rowsOf(db(), who);
    expect(await spent()).toBe(costOf(MODEL, { input: row!.prompt_tokens, output: 1500 }));
    const name = batch.name!;
    end('BATCH_STATE_RUNNING');
    await poll();
    expect(await client().batches.get({ name })).toMatchObject({ name, state: 'JOB_STATE_RUNNING' });

    const used = { promptTokenCount: 20, candidatesTokenCount: 80, thoughtsTokenCount: 40 };
    const inlinedResponses = [answer('a', used), answer('b'.repeat(400)), { error: { code: 3, message: 'bad' } }];
    end('BATCH_STATE_SUCCEEDED', { inlinedResponses: { inlinedResponses } });
    await poll();
    const ended = await client().batches.get({ name });
    expect(ended).toMatchObject({ name, state: 'JOB_STATE_SUCCEEDED', displayName: 'nightly' });
    expect(
      ended.dest!.inlinedResponses!.map(({ response }) => response?.candidates?.[0]?.content?.parts?.[0]?.text),
    ).toEqual(['a', 'b'.repeat(400), undefined]);
    const input = 20 + Math.ceil(row!.prompt_tokens / 3);
    const output = 80 + Math.ceil(JSON.stringify(inlinedResponses[1]).length / 4);
    const cost = costOf(MODEL, { input, output, reasoning: 40 });
    expect(await spent()).toBe(cost);
    expect((await rowsOf(db(), who))[0]).toMatchObject({
      metadata: { endpoint: '/gemini/batches', batch: { answered: 2, refused: 1, credits: cost } },
    });
    const stored = await db().selectFrom('tasks').where('task_id', '=', name.slice(8)).select('data').execute();
    expect(JSON.stringify(stored)).not.toContain('bbbb');

    const theirs = client((await addCaller(db())).key);
    for (const steal of [
      () => theirs.batches.get({ name }),
      () => theirs.batches.cancel({ name }),
      () => theirs.batches.delete({ name }),
      () => client().batches.get({ name: [...batches.keys()].at(-1)! }),
    ])
      expect(await statusOf(steal())).toBe(404);
    expect((await theirs.batches.list()).page).toEqual([]);
    expect((await client().batches.list()).page).toMatchObject([{ name }]);
    await client().batches.delete({ name });
    expect(await statusOf(client().batches.get({ name }))).toBe(404);
  });

  test('that are cancelled, fail, or lose their answer end with the right charge', async () => {
    const { name = '' } = await order(2);
    await client().batches.cancel({ name });
    expect(raw().requests.at(-1)!.url).toMatch(/:cancel$/);
    const used = { promptTokenCount: 10, candidatesTokenCount: 5 };
    end('BATCH_STATE_CANCELLED', { inlinedResponses: { inlinedResponses: [answer('a', used)] } });
    await poll();
    expect(await client().batches.get({ name })).toMatchObject({ state: 'JOB_STATE_CANCELLED' });
    const cost = costOf(MODEL, { input: 10, output: 5 });
    expect(await spent()).toBe(cost);

    const failed = await order(1);
    end('BATCH_STATE_FAILED');
    [...batches.values()].at(-1)!.error = { code: 13, message: 'Out of luck.' };
    await poll();
    expect(await client().batches.get({ name: failed.name! })).toMatchObject({ state: 'JOB_STATE_FAILED' });
    expect(await spent()).toBe(cost);

    losesAnswers = true;
    const lost = await order(1);
    await poll();
    end('BATCH_STATE_SUCCEEDED', { inlinedResponses: { inlinedResponses: [answer('c', used)] } });
    await poll();
    expect(await client().batches.get({ name: lost.name! })).toMatchObject({
      state: 'JOB_STATE_SUCCEEDED',
      displayName: 'nightly',
    });
    expect(await spent()).toBe(2 * cost);
    const listed: (string | undefined)[] = [];
    for await (const one of await client().batches.list({ config: { pageSize: 2 } })) listed.push(one.name);
    expect(listed).toEqual([lost.name, failed.name, name]);
  });

  const line = (key: string, more: Json = {}) =>
    JSON.stringify({
      key,
      request: {
        contents: [{ role: 'user', parts: [{ text: `hello ${key}` }] }],
        generationConfig: { maxOutputTokens: 500 },
        ...more,
      },
    });
  const uploadLines = (lines: readonly string[], from = client()) =>
    from.files.upload({ file: new Blob([lines.join('\n')]), config: { mimeType: 'jsonl' } });
  const orderFile = (fileName: string, from = client()) =>
    from.batches.create({ model: MODEL, src: { fileName }, config: { displayName: 'nightly' } });

  test('with an input file are reserved by what was uploaded, and charged from the result file', async () => {
    const { name: fileName = '' } = await uploadLines([line('a'), line('b', { model: `models/${MODEL}` })]);
    expect(files.get(fileName)).toContain('hello b');
    const { name = '' } = await orderFile(fileName);
    expect(raw().requests.at(-1)!.body.toString()).toContain(`"fileName":"${fileName}"`);
    const row = (await rowsOf(db(), who)).find(({ quota }) => quota > 0)!;
    expect(row.prompt_tokens).toBeGreaterThan(3);
    expect(await spent()).toBe(costOf(MODEL, { input: row.prompt_tokens, output: 1000 }));
    const used = { promptTokenCount: 20, candidatesTokenCount: 80 };
    const results = [
      { key: 'a', ...answer('yes', used) },
      { key: 'b', error: { code: 3, message: 'bad' } },
    ];
    files.set('files/out-1', results.map((one) => JSON.stringify(one)).join('\n'));
    end('BATCH_STATE_SUCCEEDED', { responsesFile: 'files/out-1' });
    await poll();
    const ended = await client().batches.get({ name });
    expect(ended).toMatchObject({ state: 'JOB_STATE_SUCCEEDED', dest: { fileName: 'files/out-1' } });
    expect(await spent()).toBe(costOf(MODEL, { input: 20, output: 80 }));
    const fetched = (key: string) =>
      fetch(`${hub().url}/gemini/v1beta/files/out-1:download?alt=media`, { headers: { 'x-goog-api-key': key } });
    expect(await (await fetched(who.key)).text()).toContain('yes');
    const other = await addCaller(db(), { quota: BALANCE });
    expect((await fetched(other.key)).status).toBe(404);
    expect(await statusOf(orderFile(fileName, client(other.key)))).toBe(404);
  });

  test('refuse an input file that could not be counted, or is for another model', async () => {
    const named = { contents: [{ parts: [{ fileData: { fileUri: 'files/foreign' } }] }] };
    for (const lines of [
      ['{"a":1}'],
      [line('a'), line('a')],
      [line('a'), '{'],
      [line('a', named)],
      [line('a', { model: 'models/other' })],
      ['hello'],
      [line('a'), line('b', { serviceTier: 'priority' })],
    ]) {
      const { name = '' } = await uploadLines(lines);
      expect([lines, await statusOf(orderFile(name))]).toEqual([lines, 400]);
    }
    const poor = await addCaller(db(), { quota: 1 });
    const { name = '' } = await uploadLines([line('a')], client(poor.key));
    expect(await statusOf(orderFile(name, client(poor.key)))).toBe(402);
    expect(batches.size).toBe(0);
  });

  test('of embeddings are charged by the tokens of their answers', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const batch = await client().batches.createEmbeddings({
      model: EMBEDDING,
      src: { inlinedRequests: { contents: ['one', 'two'] } },
    });
    const inlinedResponses = [3, 4].map((tokenCount) => ({
      response: { embedding: { values: [0.5] }, tokenCount: String(tokenCount) },
    }));
    end('BATCH_STATE_SUCCEEDED', { inlinedEmbedContentResponses: { inlinedResponses } });
    await poll();
    const { dest } = await client().batches.get({ name: batch.name! });
    expect(dest!.inlinedEmbedContentResponses).toHaveLength(2);
    expect(await spent()).toBe(costOf(EMBEDDING, { input: 7 }));
  });

  test('are refused with the request that cannot run, and nothing is sent', async () => {
    const create = (batch: Json, key = who.key, model = MODEL) =>
      post(hub(), key, { batch }, `/gemini/v1beta/models/${model}:batchGenerateContent`);
    const requests = (...items: unknown[]) => ({ displayName: 'a', inputConfig: { requests: { requests: items } } });
    const one = { request: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }, metadata: { key: 'a' } };
    const foreign = { request: { ...one.request, cachedContent: 'cachedContents/foreign' } };
    const cases: [body: Json, status: number, text: RegExp][] = [
      [{ inputConfig: { fileName: 'files/foreign' } }, 404, /files\/foreign/],
      [{ inputConfig: { fileName: '../a' } }, 400, /files\/ID/],
      [requests(), 400, /1 to 50000/],
      [requests(one, one), 400, /requests\.1.*twice/],
      [requests(one, { request: {} }), 400, /requests\.1/],
      [requests({ request: { ...one.request, model: 'models/other' } }), 400, /requests\.0/],
      [requests(foreign), 404, /cachedContents\/foreign/],
      [{ ...requests(one), webhookConfig: {} }, 400, /webhookConfig/],
      [requests({ request: { ...one.request, tools: [{ googleSearch: {} }] } }), 400, /requests\.0.*tools\[0\]/],
    ];
    for (const [body, status, text] of cases) {
      const answered = await create(body);
      expect([answered.status, answered.text]).toEqual([status, expect.stringMatching(text)]);
    }
    expect((await create(requests(one), who.key, 'gemini-unknown')).status).toBe(404);
    const poor = await addCaller(db(), { quota: 1 });
    expect((await create(requests(one), poor.key)).status).toBe(402);
    expect(raw().requests).toEqual([]);
    expect(await spent()).toBe(0);
  });
});
