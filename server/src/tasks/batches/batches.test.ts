import { creditsFor, noUsage, priceApi, ratesOf, virtualModelApi } from '@relay-hub/contract';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { objectOr, parseJson, type Json } from '#json.ts';
import { checkBooks } from '#features/books/check-books.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, tokenOf, userOf } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { clientOf, post } from '#testing/relay-calls.ts';
import { pollDueTasks } from '../poll/poll-tasks.ts';

const MODEL = 'gpt-4o-mini';
const half = { type: 'tokens', input: 0.0375, output: 0.15, extra_ratios: { cached_tokens_ratio: 0.5 } } as const;
const BALANCE = 1_000_000;

interface Batch extends Json {
  id: string;
  auth: string;
}

onOneDatabase('batches of users', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const deps = () => hub().server.deps;
  const db = () => deps().db;
  /** Files and batches at the provider. */
  const files = new Map<string, { content: string; auth: string }>();
  const batches = new Map<string, Batch>();
  let who: TestCaller;
  let other: TestCaller;
  let losesAnswers = false;

  beforeEach(async () => {
    who = await addCaller(db(), { quota: BALANCE, remain: 500_000 });
    other = await addCaller(db());
    raw().requests.length = 0;
    losesAnswers = false;
    await db().updateTable('channels').set({ deleted_time: 1 }).where('deleted_time', 'is', null).execute();
    await addChannel(hub(), raw().url, {
      type: 1,
      key: 'sk-key-a1-000000\nsk-key-a2-000000',
      models: `${MODEL},unpriced-model,renamed,text-embedding-3-small`,
      model_mapping: JSON.stringify({ renamed: MODEL }),
    });
    raw().reply = (response, body) => {
      const { url, headers } = raw().requests.at(-1)!;
      const auth = String(headers.authorization);
      const [path = ''] = url.split('?');
      const text = body.toString();
      if (path === '/v1/files') {
        const id = `file-${files.size + 1}`;
        const content = /filename="[^"]*"[^]*?\r\n\r\n([^]*?)\r\n--/.exec(text)?.[1] ?? '';
        files.set(id, { content, auth });
        return sendJson(response, { id, object: 'file', bytes: content.length, filename: 'a', purpose: 'batch' });
      }
      const [, fileId] = /^\/v1\/files\/([^/]+)\/content$/.exec(path) ?? [];
      const file = fileId === undefined ? undefined : files.get(fileId);
      if (file) return file.auth === auth ? void response.end(file.content) : sendJson(response, {}, 404);
      if (path === '/v1/batches' && text === '')
        return sendJson(response, { object: 'list', data: [...batches.values()].filter((one) => one.auth === auth) });
      if (path === '/v1/batches') {
        const batch = { ...(parseJson(text) as Json), id: `batch_up${batches.size + 1}`, object: 'batch', auth };
        batches.set(batch.id, { ...batch, status: 'validating' });
        return losesAnswers ? void response.destroy() : sendJson(response, batches.get(batch.id));
      }
      const batch = batches.get(/^\/v1\/batches\/([^/]+)/.exec(path)?.[1] ?? '');
      if (!batch || batch.auth !== auth) return sendJson(response, { error: { message: 'No such batch' } }, 404);
      if (path.endsWith('/cancel')) batch['status'] = 'cancelling';
      return sendJson(response, batch);
    };
  });

  afterEach(async () => {
    await db().updateTable('tasks').set({ deadline: 1, next_poll_at: 1 }).where('next_poll_at', '>', 0).execute();
    await pollDueTasks(deps());
    await expectBooksBalance(db());
    const { checks } = await checkBooks(deps().storage, '');
    expect(checks.filter(({ differing }) => differing > 0)).toEqual([]);
  });

  const client = () => clientOf(hub(), who.key);
  const ask = (id: string, more: Json = {}) => ({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: MODEL, messages: [{ role: 'user', content: 'hello' }], max_tokens: 1000, ...more },
  });
  const upload = async (lines: readonly unknown[], from = client()) => {
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    return (await from.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' })).id;
  };
  const order = (input_file_id: string, from = client()) =>
    from.batches.create({
      input_file_id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
      metadata: { job: 'nightly' },
    });
  const upstreamOf = async (id: string) => {
    await caughtUp(db());
    const { upstream_id } = await db()
      .selectFrom('tasks')
      .where('task_id', '=', id)
      .select('upstream_id')
      .executeTakeFirstOrThrow();
    return batches.get(upstream_id)!;
  };
  const usage = (prompt: number, completion: number, cached = 0) => ({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  });
  const answered = (id: string, used: Json) => ({
    custom_id: id,
    response: { status_code: 200, body: { object: 'chat.completion', usage: used } },
    error: null,
  });
  /** Ends a batch at the provider. */
  const end = async (id: string, status: string, output: readonly unknown[], errors: readonly unknown[] = []) => {
    const batch = await upstreamOf(id);
    for (const [field, lines] of [['output_file_id', output] as const, ['error_file_id', errors] as const])
      if (lines.length > 0) {
        batch[field] = `file-${files.size + 1}`;
        files.set(`file-${files.size + 1}`, {
          content: lines.map((line) => JSON.stringify(line)).join('\n'),
          auth: batch.auth,
        });
      }
    batch['status'] = status;
    batch['request_counts'] = { total: output.length + errors.length, completed: output.length, failed: errors.length };
  };
  const poll = async () => {
    await db().updateTable('tasks').set({ next_poll_at: 1 }).where('next_poll_at', '>', 0).execute();
    await db().deleteFrom('task_paces').execute();
    await Promise.all([pollDueTasks(deps()), pollDueTasks({ ...deps(), nodeId: 'another node' })]);
  };
  // A round of the hub may be polling the batch at that moment.
  const polled = async (id: string, state: object) => {
    await expect.poll(() => client().batches.retrieve(id), { message: `the batch ${id}` }).toMatchObject(state);
  };
  const batchRows = async () =>
    (await rowsOf(db(), who)).filter(({ metadata }) => metadata?.endpoint === '/v1/batches' && metadata.task_id);
  const spent = async () => BALANCE - (await userOf(db(), who)).balance;
  const codeOf = async (work: Promise<unknown>): Promise<unknown> => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return error instanceof OpenAI.APIError ? [error.status, error.code, error.message] : error;
  };

  test('are reserved line by line, run where their file is, and are charged for what they delivered', async () => {
    const batch = await order(await upload([ask('a'), ask('b'), ask('c', { max_tokens: undefined })]));
    expect(batch).toMatchObject({ object: 'batch', status: 'validating', metadata: { job: 'nightly' } });
    expect(batch.id).toMatch(/^batch_[0-9a-f]{32}$/);
    const sent = await upstreamOf(batch.id);
    expect(files.get(batch.input_file_id)!.auth).toBe(sent.auth);
    const [row] = await batchRows();
    const reserved = { ...noUsage, input: row!.prompt_tokens, output: 1000 + 1000 + 4096 };
    expect(row!.prompt_tokens).toBeGreaterThan(10);
    expect(await spent()).toBe(creditsFor(ratesOf(half, 1), reserved));

    expect((await client().batches.list()).data).toMatchObject([{ id: batch.id }]);
    expect((await clientOf(hub(), other.key).batches.list()).data).toEqual([]);
    for (const foreign of [
      () => clientOf(hub(), other.key).batches.retrieve(batch.id),
      () => clientOf(hub(), other.key).batches.cancel(batch.id),
      () => client().batches.retrieve(sent.id),
    ])
      expect(await codeOf(foreign())).toMatchObject({ 0: 404, 1: 'batch_not_found' });

    await end(
      batch.id,
      'completed',
      [answered('a', usage(20, 300, 10)), answered('b', usage(30, 5))],
      [{ custom_id: 'c', response: { status_code: 400, body: {} }, error: { message: 'bad' } }],
    );
    await poll();
    const ended = await client().batches.retrieve(batch.id);
    expect(ended).toMatchObject({ status: 'completed', request_counts: { completed: 2, failed: 1 } });
    const cost = creditsFor(ratesOf(half, 1), { ...noUsage, input: 40, cached: 10, output: 305 });
    expect(await spent()).toBe(cost);
    expect(await tokenOf(db(), who)).toEqual({ remain_quota: 500_000 - cost, used_quota: cost });
    expect((await batchRows())[0]).toMatchObject({
      content: `Batch of 3 requests: 2 answered, 1 refused; 50 input and 305 output tokens, ${cost} credits`,
      metadata: { task_id: batch.id, batch: { answered: 2, refused: 1, credits: cost }, usage_source: 'estimate' },
    });
    const text = await (await client().files.content(ended.output_file_id!)).text();
    expect(text).toContain('"custom_id":"a"');
    expect((await client().files.list({ purpose: 'batch_output' })).data).toHaveLength(2);
    expect(await codeOf(clientOf(hub(), other.key).files.content(ended.output_file_id!))).toMatchObject({ 0: 404 });
    expect(await codeOf(client().batches.cancel(batch.id))).toMatchObject({ 0: 400 });
  });

  test('are refused with the line that cannot run, and nothing is sent', async () => {
    await hub().root.call(virtualModelApi.create, {
      body: { name: 'virtual-name', steps: [{ models: [{ model: 'gpt-4o' }] }] },
    });
    const foreign = await upload([ask('a')], clientOf(hub(), other.key));
    const asking = (id: string) =>
      ask(id, { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: foreign } }] }] });
    const cases: [lines: readonly unknown[], status: number, text: RegExp][] = [
      [[ask('a'), '{'], 400, /Line 2 .*JSON/],
      [[ask('a'), ask('a')], 400, /Line 2 .*twice/],
      [[ask('a', { stream: true })], 400, /Line 1 .*stream/],
      [[ask('a'), ask('b', { model: 'unpriced-model' })], 400, /Line 2 .*one model/],
      [[ask('a', { model: 'unpriced-model' })], 400, /Line 1 .*no price/],
      [[ask('a', { model: 'gpt-unknown' })], 404, /Line 1 .*gpt-unknown/],
      [[ask('a', { model: 'renamed' })], 400, /Line 1 .*batches/],
      [[ask('a', { model: 'virtual-name' })], 400, /Line 1 .*virtual model/],
      [[ask('a'), { ...ask('b'), url: '/v1/embeddings' }], 400, /Line 2 .*url/],
      [[ask('a'), asking('b')], 404, /Line 2 .*No such File/],
      [[ask('a', { max_tokens: 900_000_000 })], 402, /nsufficient balance|quota of this API key/],
      [[], 400, /no requests/],
    ];
    for (const [lines, status, message] of cases)
      expect(await codeOf(order(await upload(lines)))).toEqual([
        status,
        expect.anything(),
        expect.stringMatching(message),
      ]);
    expect(await codeOf(order(foreign))).toMatchObject({ 0: 404, 1: 'file_not_found' });
    const odd = { input_file_id: await upload([ask('a')]), completion_window: '24h' };
    for (const more of [{ endpoint: '/v1/files' }, { endpoint: '/v1/chat/completions', completion_window: '1h' }])
      expect((await post(hub(), who.key, { ...odd, ...more }, '/v1/batches')).status).toBe(400);
    const limited = clientOf(hub(), (await addToken(hub(), { limits: { models: ['text-*'] } })).key);
    expect(await codeOf(order(await upload([ask('a')], limited), limited))).toMatchObject({
      0: 403,
      1: 'model_forbidden',
    });
    expect(raw().requests.filter(({ url }) => url === '/v1/batches')).toEqual([]);
    expect(await spent()).toBe(0);
  });

  test('that are cancelled, expire or fail are charged for what was delivered', async () => {
    const lines = [ask('a'), ask('b')];
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await order(await upload(lines))).id);
    const [cancelled, expired, failed] = ids as [string, string, string];
    expect(await client().batches.cancel(cancelled)).toMatchObject({ id: cancelled, status: 'cancelling' });
    await poll();
    expect(await client().batches.retrieve(cancelled)).toMatchObject({ status: 'cancelling' });
    await end(cancelled, 'cancelled', [answered('a', usage(20, 100))]);
    await end(expired, 'expired', []);
    await end(failed, 'failed', []);
    (await upstreamOf(failed))['errors'] = { data: [{ line: 1, message: 'Bad line.' }] };
    await poll();
    const cost = creditsFor(ratesOf(half, 1), { ...noUsage, input: 20, output: 100 });
    expect(await spent()).toBe(cost);
    expect(await client().batches.retrieve(cancelled)).toMatchObject({ status: 'cancelled' });
    expect(await client().batches.retrieve(expired)).toMatchObject({ status: 'expired' });
    expect(await client().batches.retrieve(failed)).toMatchObject({
      status: 'failed',
      errors: { data: [{ message: 'Line 1: Bad line.' }] },
    });
    const listed: string[] = [];
    for await (const { id } of client().batches.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(ids.toReversed());
  });

  test('wait for results that cannot be read, and pay what exceeds the reservation', async () => {
    await hub().root.call(priceApi.create, {
      body: { model: 'batch/text-embedding-3-small', type: 'tokens', channel_type: 1, input: 0.001, output: 0 },
    });
    const line = {
      ...ask('a', { model: 'text-embedding-3-small', input: 'hello', messages: undefined, max_tokens: undefined }),
      url: '/v1/embeddings',
    };
    const input_file_id = await upload([line]);
    const { id } = await client().batches.create({
      input_file_id,
      endpoint: '/v1/embeddings',
      completion_window: '24h',
    });
    expect(await spent()).toBe(1);
    await end(id, 'completed', [answered('a', { prompt_tokens: 5_000_000, total_tokens: 5_000_000 })]);
    const outputId = String((await upstreamOf(id))['output_file_id']);
    const output = files.get(outputId)!;
    files.delete(outputId);
    await poll();
    expect(await client().batches.retrieve(id)).toMatchObject({ status: 'validating', output_file_id: null });
    files.set(outputId, output);
    await poll();
    await polled(id, { status: 'completed', output_file_id: outputId });
    expect(await spent()).toBe(5000);
    expect((await batchRows()).map(({ quota }) => quota)).toEqual([1, 4999]);
  });

  test('whose answer was lost are found again by our id', async () => {
    losesAnswers = true;
    const { id } = await order(await upload([ask('a')]));
    await poll();
    expect(await client().batches.retrieve(id)).toMatchObject({ metadata: { job: 'nightly' } });
    await end(id, 'completed', [answered('a', usage(10, 10))]);
    await poll();
    await polled(id, { status: 'completed' });
    expect(objectOr((await upstreamOf(id))['metadata'])['job']).toBe('nightly');
  });
});
