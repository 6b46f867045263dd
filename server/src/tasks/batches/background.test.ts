import { creditsFor, noUsage, optionApi, ratesOf } from '@relay-hub/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Json, objectOr, parseJson } from '#json.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { clientOf, post } from '#testing/relay-calls.ts';
import { pollDueTasks } from '../poll/poll-tasks.ts';

const MODEL = 'gpt-4o-mini';
const terms = { type: 'tokens', input: 0.075, output: 0.3, extra_ratios: { cached_tokens_ratio: 0.5 } } as const;
const BALANCE = 1_000_000;

onOneDatabase('responses in the background', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const deps = () => hub().server.deps;
  const db = () => deps().db;
  const responses = new Map<string, Json>();
  let who: TestCaller;

  beforeEach(async () => {
    who = await addCaller(db(), { quota: BALANCE });
    await db().updateTable('channels').set({ deleted_time: 1 }).where('deleted_time', 'is', null).execute();
    await addChannel(hub(), raw().url, { type: 1, models: MODEL });
    raw().reply = (response, body) => {
      const { url } = raw().requests.at(-1)!;
      const [, id, action] = /^\/v1\/responses\/([^/?]+)(?:\/(\w+))?/.exec(url) ?? [];
      if (id === undefined) {
        const { model } = objectOr(parseJson(body.toString()));
        const made = {
          id: `resp_${responses.size + 1}x`,
          object: 'response',
          status: 'queued',
          model,
          output: [],
          usage: null,
        };
        responses.set(made.id, made);
        return sendJson(response, made);
      }
      const found = responses.get(id);
      if (!found) return sendJson(response, { error: { message: 'not found' } }, 404);
      if (action === 'cancel') found['status'] = 'cancelled';
      return sendJson(response, found);
    };
  });
  afterEach(async () => {
    await db().updateTable('tasks').set({ deadline: 1, next_poll_at: 1 }).where('next_poll_at', '>', 0).execute();
    await pollDueTasks(deps());
    await expectBooksBalance(db());
  });

  const start = () =>
    clientOf(hub(), who.key).responses.create({
      model: MODEL,
      input: 'hello',
      background: true,
      max_output_tokens: 1000,
    });
  const poll = async () => {
    await caughtUp(db());
    await db().updateTable('tasks').set({ next_poll_at: 1 }).where('next_poll_at', '>', 0).execute();
    await db().deleteFrom('task_paces').execute();
    await pollDueTasks(deps());
  };
  const spent = async () => BALANCE - (await userOf(db(), who)).balance;
  const cost = (input: number, output: number) => creditsFor(ratesOf(terms, 1), { ...noUsage, input, output });

  test('are charged with their reservation first, and with what they used when they end', async () => {
    const { id, status } = await start();
    expect(status).toBe('queued');
    const [row] = await rowsOf(db(), who);
    expect(row).toMatchObject({ completion_tokens: 1000, content: 'Response in the background' });
    expect(await spent()).toBe(cost(row!.prompt_tokens, 1000));
    responses.get(id)!['status'] = 'in_progress';
    await poll();
    expect(await spent()).toBe(cost(row!.prompt_tokens, 1000));
    Object.assign(responses.get(id)!, {
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'secret text' }] }],
      usage: { input_tokens: 11, output_tokens: 70, total_tokens: 81 },
    });
    await poll();
    expect(await spent()).toBe(cost(11, 70));
    expect((await rowsOf(db(), who))[0]!.content).toContain('11 input and 70 output tokens');
    const tasks = JSON.stringify(await db().selectFrom('tasks').selectAll().execute());
    expect(tasks).not.toContain('secret text');
    expect(await clientOf(hub(), who.key).responses.retrieve(id)).toMatchObject({ status: 'completed' });
  });

  test('cost nothing if they fail, their output if they are cancelled, and their reservation if they are deleted', async () => {
    const failed = await start();
    Object.assign(responses.get(failed.id)!, { status: 'failed', error: { message: 'overloaded' } });
    await poll();
    expect(await spent()).toBe(0);

    const cancelled = await start();
    responses.get(cancelled.id)!['output'] = [{ text: 'x'.repeat(400) }];
    await clientOf(hub(), who.key).responses.cancel(cancelled.id);
    await poll();
    const afterCancel = await spent();
    expect(afterCancel).toBeGreaterThan(cost(0, 100));
    expect(afterCancel).toBeLessThan(cost(100, 200));

    const deleted = await start();
    const reserved = await spent();
    responses.delete(deleted.id);
    for (let n = 0; n < 6; n++) await poll();
    expect(await spent()).toBe(reserved);
    expect(reserved).toBeGreaterThan(afterCancel);
  });

  test('are made here where the provider keeps none, if the token keeps responses', async () => {
    await addChannel(hub(), raw().url, { type: 8, models: 'gpt-4o' });
    let release = (): void => {};
    let fails = false;
    raw().reply = async (response) => {
      const { url } = raw().requests.at(-1)!;
      if (url === '/v1/responses') return sendJson(response, { error: { message: 'not found' } }, 404);
      await new Promise<void>((resolve) => (release = resolve));
      if (fails) return sendJson(response, { error: { message: 'refused' } }, 400);
      return sendJson(response, {
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'the answer' } }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      });
    };
    // The first call shows that the upstream has chats only.
    const learn = post(hub(), who.key, { model: 'gpt-4o', input: 'x' }, '/v1/responses');
    await expect
      .poll(() => raw().requests.at(-1)?.url, { message: 'last request at the upstream' })
      .toBe('/v1/chat/completions');
    release();
    await learn;

    const { key } = await addToken(hub(), { response_store_hours: 24 });
    const client = clientOf(hub(), key);
    const queued = await client.responses.create({ model: 'gpt-4o', input: 'hello', background: true });
    expect(queued).toMatchObject({ status: 'in_progress', background: true, output: [] });
    expect(await client.responses.retrieve(queued.id)).toMatchObject({ status: 'in_progress' });
    await expect
      .poll(() => raw().requests.at(-1)?.body.toString(), { message: 'last request at the upstream' })
      .toContain('hello');
    release();
    await expect
      .poll(async () => (await client.responses.retrieve(queued.id)).status, { message: 'status of the queued one' })
      .toBe('completed');
    const ended = await client.responses.retrieve(queued.id);
    expect(ended).toMatchObject({ id: queued.id, background: true, output_text: 'the answer' });
    const row = () =>
      db().selectFrom('logs').where('request_id', '=', queued.id.slice('resp_'.length)).selectAll().executeTakeFirst();
    await expect.poll(row).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, failed: false });

    fails = true;
    const failing = await client.responses.create({ model: 'gpt-4o', input: 'again', background: true });
    await expect
      .poll(() => raw().requests.at(-1)?.body.toString(), { message: 'last request at the upstream' })
      .toContain('again');
    release();
    await expect
      .poll(async () => (await client.responses.retrieve(failing.id)).status, { message: 'status of the failing one' })
      .toBe('failed');
    expect((await client.responses.retrieve(failing.id)).error?.message).toContain('refused');
    await expect.poll(() => deps().book.openCalls, { message: 'open calls' }).toBe(0);
  });

  test('need a store, of their provider or here', async () => {
    await hub().root.call(optionApi.set, { body: { key: 'ResponseStoreHours', value: '0' } });
    const unstored = await post(
      hub(),
      who.key,
      { model: MODEL, input: 'x', background: true, store: false },
      '/v1/responses',
    );
    expect([unstored.status, unstored.text]).toEqual([400, expect.stringContaining('store')]);
    await addChannel(hub(), raw().url, { type: 28, models: 'mistral-small-latest' });
    const converted = await post(
      hub(),
      who.key,
      { model: 'mistral-small-latest', input: 'x', background: true },
      '/v1/responses',
    );
    expect(converted.status).toBe(400);
  });
});
