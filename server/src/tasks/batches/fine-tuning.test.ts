import { creditsFor, noUsage, priceApi, ratesOf } from '@relay-hub/contract';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Json, objectOr, parseJson } from '#json.ts';
import { estimateTokens } from '#quota/estimate.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { clientOf, post } from '#testing/relay-calls.ts';
import { pollDueTasks } from '../poll/poll-tasks.ts';

const MODEL = 'gpt-4.1-mini';
const BALANCE = 10_000_000;
/** $5 per million trained tokens. */
const price = { type: 'tokens', input: 2.5, output: 0, extra_ratios: {} } as const;
const line = JSON.stringify({
  messages: [
    { role: 'user', content: 'Say yes.' },
    { role: 'assistant', content: 'Yes.' },
  ],
});
const EXAMPLES = 10;

onOneDatabase('fine-tuning jobs of users', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const deps = () => hub().server.deps;
  const db = () => deps().db;
  const files = new Map<string, { content: string; auth: string }>();
  const jobs = new Map<string, Json>();
  let who: TestCaller;
  let other: TestCaller;
  let losesAnswers = false;

  beforeAll(async () => {
    const { key } = await addCaller(db());
    await addChannel(hub(), raw().url, { type: 1, models: MODEL });
    expect((await post(hub(), key, { model: MODEL, training_file: 'file-1' }, '/v1/fine_tuning/jobs')).status).toBe(
      404,
    );
    await expect(clientOf(hub(), key).fineTuning.jobs.list()).rejects.toMatchObject({ status: 404 });
    await hub().root.call(priceApi.create, { body: { model: `fine_tuning/${MODEL}`, channel_type: 1, ...price } });
  });

  beforeEach(async () => {
    who = await addCaller(db(), { quota: BALANCE });
    other = await addCaller(db(), { quota: BALANCE });
    raw().requests.length = 0;
    losesAnswers = false;
    await db().updateTable('channels').set({ deleted_time: 1 }).where('deleted_time', 'is', null).execute();
    await addChannel(hub(), raw().url, { type: 1, key: 'sk-key-a1-000000\nsk-key-a2-000000', models: MODEL });
    raw().reply = (response, body) => {
      const { url, headers } = raw().requests.at(-1)!;
      const auth = String(headers.authorization);
      const [path = ''] = url.split('?');
      const text = body.toString();
      if (path === '/v1/files') {
        const id = `file-${files.size + 1}`;
        const content = /filename="[^"]*"[^]*?\r\n\r\n([^]*?)\r\n--/.exec(text)?.[1] ?? '';
        files.set(id, { content, auth });
        return sendJson(response, { id, object: 'file', bytes: content.length, purpose: 'fine-tune' });
      }
      const file = files.get(/^\/v1\/files\/([^/]+)\/content$/.exec(path)?.[1] ?? '');
      if (file) return file.auth === auth ? void response.end(file.content) : sendJson(response, {}, 404);
      if (path === '/v1/fine_tuning/jobs' && text === '')
        return sendJson(response, { object: 'list', data: [...jobs.values()].filter((job) => job['auth'] === auth) });
      if (path === '/v1/fine_tuning/jobs') {
        const id = `ftjob-up${jobs.size + 1}`;
        const job = {
          ...objectOr(parseJson(text)),
          id,
          object: 'fine_tuning.job',
          organization_id: 'org-secret',
          auth,
        };
        jobs.set(id, { ...job, status: 'validating_files', trained_tokens: null, result_files: [] });
        return losesAnswers ? void response.destroy() : sendJson(response, jobs.get(id));
      }
      const [, id = '', action] = /^\/v1\/fine_tuning\/jobs\/([^/]+)(\/\w+)?$/.exec(path) ?? [];
      const job = jobs.get(id);
      if (!job || job['auth'] !== auth) return sendJson(response, { error: { message: 'No such job' } }, 404);
      if (action === '/events')
        return sendJson(response, { object: 'list', data: [{ id: 'ftevent-1', message: 'x' }] });
      if (action === '/cancel') job['status'] = 'cancelled';
      return sendJson(response, job);
    };
  });

  afterEach(async () => {
    await db().updateTable('tasks').set({ deadline: 1, next_poll_at: 1 }).where('next_poll_at', '>', 0).execute();
    await pollDueTasks(deps());
    await expectBooksBalance(db());
  });

  const client = () => clientOf(hub(), who.key);
  const upload = async (from = client()) =>
    (
      await from.files.create({
        file: await toFile(Buffer.from(Array.from({ length: EXAMPLES }, () => line).join('\n')), 'a.jsonl'),
        purpose: 'fine-tune',
      })
    ).id;
  const spent = async () => BALANCE - (await userOf(db(), who)).balance;
  const costOf = (tokens: number) => creditsFor(ratesOf(price, 1), { ...noUsage, input: tokens });
  const reservedFor = (epochs: number) => costOf(estimateTokens(line) * EXAMPLES * epochs);
  const upstreamOf = async (id: string): Promise<Json> => {
    await caughtUp(db());
    const { upstream_id } = await db()
      .selectFrom('tasks')
      .where('task_id', '=', id.replace('ftjob-', 'batch_'))
      .select('upstream_id')
      .executeTakeFirstOrThrow();
    return jobs.get(upstream_id)!;
  };
  const poll = async () => {
    await db().updateTable('tasks').set({ next_poll_at: 1 }).where('next_poll_at', '>', 0).execute();
    await db().deleteFrom('task_paces').execute();
    await Promise.all([pollDueTasks(deps()), pollDueTasks({ ...deps(), nodeId: 'another node' })]);
  };
  const statusOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 200,
      (error: unknown) => (error instanceof OpenAI.APIError ? error.status : error),
    );

  test('are reserved by examples and epochs, and charged by the tokens that were trained', async () => {
    const training_file = await upload();
    const job = await client().fineTuning.jobs.create({ model: MODEL, training_file, metadata: { job: 'nightly' } });
    expect(job).toMatchObject({ object: 'fine_tuning.job', status: 'validating_files', training_file, model: MODEL });
    expect(job.id).toMatch(/^ftjob-[0-9a-f]{32}$/);
    // OpenAI's choice for ten examples is stated.
    const sent = await upstreamOf(job.id);
    expect(sent).toMatchObject({ hyperparameters: { n_epochs: 10 }, auth: files.get(training_file)!.auth });
    expect(await spent()).toBe(reservedFor(10));
    const theirs = clientOf(hub(), other.key);
    expect((await theirs.fineTuning.jobs.list()).data).toEqual([]);
    for (const refused of [
      () => theirs.fineTuning.jobs.retrieve(job.id),
      () => theirs.fineTuning.jobs.cancel(job.id),
      () => theirs.fineTuning.jobs.listEvents(job.id),
      () => theirs.fineTuning.jobs.create({ model: MODEL, training_file }),
      () => client().fineTuning.jobs.retrieve(String(sent['id'])),
    ])
      expect(await statusOf(refused())).toBe(404);
    expect((await client().fineTuning.jobs.listEvents(job.id)).data).toMatchObject([{ id: 'ftevent-1' }]);

    Object.assign(sent, { status: 'running' });
    await poll();
    expect(await client().fineTuning.jobs.retrieve(job.id)).toMatchObject({ status: 'running', finished_at: null });
    files.set('file-result', { content: 'step,loss', auth: String(sent['auth']) });
    Object.assign(sent, {
      status: 'succeeded',
      trained_tokens: 120,
      fine_tuned_model: 'ft:gpt',
      result_files: ['file-result'],
    });
    await poll();
    const ended = await client().fineTuning.jobs.retrieve(job.id);
    expect(ended).toMatchObject({
      id: job.id,
      status: 'succeeded',
      fine_tuned_model: 'ft:gpt',
      organization_id: '',
      metadata: { job: 'nightly' },
      result_files: ['file-result'],
    });
    expect(await spent()).toBe(costOf(120));
    expect(await (await client().files.content('file-result')).text()).toBe('step,loss');
    expect((await rowsOf(db(), who)).filter(({ quota }) => quota > 0)).toMatchObject([
      { content: expect.stringMatching(/^Fine-tuning job: 1 answered.*120 input/) as string },
    ]);
    expect((await client().fineTuning.jobs.list()).data).toMatchObject([{ id: job.id }]);
    expect((await client().batches.list()).data).toEqual([]);
  });

  test('that fail or are cancelled are returned, and a lost answer is found', async () => {
    const training_file = await upload();
    const failing = await client().fineTuning.jobs.create({ model: MODEL, training_file });
    Object.assign(await upstreamOf(failing.id), { status: 'failed', error: { message: 'bad file' } });
    await poll();
    expect(await client().fineTuning.jobs.retrieve(failing.id)).toMatchObject({
      status: 'failed',
      error: { message: 'bad file' },
    });
    expect(await spent()).toBe(0);

    losesAnswers = true;
    const method = { type: 'dpo', dpo: { hyperparameters: { beta: 0.1, n_epochs: 2 } } } as const;
    const job = await client().fineTuning.jobs.create({ model: MODEL, training_file, method });
    losesAnswers = false;
    expect(await spent()).toBe(reservedFor(2));
    await poll();
    const found = await upstreamOf(job.id);
    expect(found).toMatchObject({ method: { type: 'dpo', dpo: { hyperparameters: { beta: 0.1, n_epochs: 2 } } } });
    await client().fineTuning.jobs.cancel(job.id);
    await poll();
    expect(await client().fineTuning.jobs.retrieve(job.id)).toMatchObject({ status: 'cancelled' });
    expect(await spent()).toBe(0);
  });

  test('are refused without a price, a valid request or the credits, and nothing is sent', async () => {
    const training_file = await upload();
    const sent = raw().requests.length;
    const valid = { model: MODEL, training_file };
    for (const [body, status] of [
      [{ ...valid, model: 'gpt-4o' }, 404],
      [{ ...valid, method: { type: 'reinforcement' } }, 400],
      [{ ...valid, hyperparameters: { n_epochs: 0 } }, 400],
      [{ ...valid, integrations: [{ type: 'wandb' }] }, 400],
      [{ ...valid, validation_file: 'file-unknown' }, 404],
    ] as const)
      expect([body, (await post(hub(), who.key, body, '/v1/fine_tuning/jobs')).status]).toEqual([body, status]);
    expect(raw().requests).toHaveLength(sent);
    const poor = await addCaller(db(), { quota: reservedFor(10) - 1 });
    const theirs = await upload(clientOf(hub(), poor.key));
    const answer = await post(hub(), poor.key, { ...valid, training_file: theirs }, '/v1/fine_tuning/jobs');
    expect(answer.status).toBe(402);
    expect([...jobs.values()].filter((job) => job['training_file'] === theirs)).toEqual([]);
  });
});
