import { creditsFor, noUsage, ratesOf } from '@relay-hub/contract';
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Json, objectOr, parseJson } from '#json.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, type TestCaller, userOf } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { pollDueTasks } from '../poll/poll-tasks.ts';

const MODEL = 'claude-sonnet-4-5';
const BALANCE = 10_000_000;

onOneDatabase('message batches of users', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const deps = () => hub().server.deps;
  const db = () => deps().db;
  const batches = new Map<string, Json>();
  let lines: readonly unknown[] = [];
  let who: TestCaller;

  beforeEach(async () => {
    who = await addCaller(db(), { quota: BALANCE });
    raw().requests.length = 0;
    await db().updateTable('channels').set({ deleted_time: 1 }).where('deleted_time', 'is', null).execute();
    // The preferred channel converts chats, and has no batches.
    await addChannel(hub(), raw().url, { type: 8, name: 'converts', priority: 5, models: MODEL });
    await addChannel(hub(), raw().url, { type: 14, models: MODEL });
    raw().reply = (response, body) => {
      const [, id, action] =
        /^\/v1\/messages\/batches(?:\/([^/?]+)(?:\/(\w+))?)?/.exec(raw().requests.at(-1)!.url) ?? [];
      if (id === undefined) {
        const { requests } = objectOr(parseJson(body.toString()));
        const made = {
          id: `msgbatch_${batches.size + 1}`,
          type: 'message_batch',
          processing_status: 'in_progress',
          requests,
        };
        batches.set(made.id, made);
        return sendJson(response, made);
      }
      const batch = batches.get(id);
      if (!batch)
        return sendJson(response, { type: 'error', error: { type: 'not_found_error', message: 'none' } }, 404);
      if (action === 'results') {
        response.writeHead(200, { 'content-type': 'application/x-jsonl' });
        return void response.end(lines.map((line) => JSON.stringify(line)).join('\n'));
      }
      if (action === 'cancel') batch['processing_status'] = 'canceling';
      return sendJson(response, batch);
    };
  });
  afterEach(() => expectBooksBalance(db()));

  const clientOf = ({ key }: TestCaller, base = '') =>
    new Anthropic({ apiKey: key, baseURL: hub().url + base, maxRetries: 0 });
  const ask = (custom_id: string, model = MODEL) => ({
    custom_id,
    params: { model, max_tokens: 500, messages: [{ role: 'user' as const, content: 'hello' }] },
  });
  const poll = async () => {
    await caughtUp(db());
    await db().updateTable('tasks').set({ next_poll_at: 1 }).where('next_poll_at', '>', 0).execute();
    await db().deleteFrom('task_paces').execute();
    await pollDueTasks(deps());
  };
  const spent = async () => BALANCE - (await userOf(db(), who)).balance;

  test('run at a channel that has them, and are charged for their results', async () => {
    const client = clientOf(who, '/claude');
    const batch = await client.messages.batches.create({ requests: [ask('a'), ask('b')] });
    expect(batch).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', results_url: null });
    expect(batch.request_counts.processing).toBe(2);
    const reserved = await spent();
    expect(reserved).toBeGreaterThan(0);
    await expect(client.messages.batches.results(batch.id)).rejects.toThrow('results');
    await poll();
    expect(await client.messages.batches.cancel(batch.id)).toMatchObject({ processing_status: 'canceling' });

    lines = [
      {
        custom_id: 'a',
        result: {
          type: 'succeeded',
          message: { usage: { input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 80 } },
        },
      },
      { custom_id: 'b', result: { type: 'canceled' } },
    ];
    const counts = { processing: 0, succeeded: 1, errored: 0, canceled: 1, expired: 0 };
    Object.assign([...batches.values()].at(-1)!, { processing_status: 'ended', request_counts: counts });
    await poll();
    const ended = await client.messages.batches.retrieve(batch.id);
    expect(ended).toMatchObject({ processing_status: 'ended', request_counts: counts });
    const price = deps().live.prices.find(MODEL)!;
    const half = { ...price, input: price.input / 2, output: price.output / 2 };
    const cost = creditsFor(ratesOf(half, 1), { ...noUsage, input: 20, cacheRead: 100, output: 80 });
    expect(await spent()).toBe(cost);
    expect(cost).toBeLessThan(reserved);
    const found: string[] = [];
    for await (const { custom_id, result } of await client.messages.batches.results(batch.id))
      found.push(`${custom_id} ${result.type}`);
    expect(found).toEqual(['a succeeded', 'b canceled']);

    const other = clientOf(await addCaller(db()));
    for (const refused of [
      () => other.messages.batches.retrieve(batch.id),
      () => other.messages.batches.cancel(batch.id),
      () => other.messages.batches.delete(batch.id),
    ])
      await expect(refused()).rejects.toMatchObject({ status: 404, error: { error: { type: 'not_found_error' } } });
    expect((await other.messages.batches.list()).data).toEqual([]);
    expect((await client.messages.batches.list()).data).toMatchObject([{ id: batch.id }]);
    expect(await client.messages.batches.delete(batch.id)).toMatchObject({ type: 'message_batch_deleted' });
    expect((await client.messages.batches.list()).data).toEqual([]);
  });

  test('are refused with the request that cannot run', async () => {
    const { batches: api } = clientOf(who).messages;
    const create = (requests: Parameters<typeof api.create>[0]['requests']) =>
      clientOf(who).messages.batches.create({ requests });
    await expect(create([ask('a'), ask('b', 'claude-other')])).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('requests.1'),
    });
    await expect(create([ask('a'), ask('a')])).rejects.toMatchObject({ status: 400 });
    await expect(create([ask('a', 'claude-unknown')])).rejects.toMatchObject({ status: 404 });
    await expect(create([])).rejects.toMatchObject({ status: 400 });
    const fast = { ...ask('a'), params: { ...ask('a').params, speed: 'fast' as const } };
    await expect(create([fast])).rejects.toMatchObject({ status: 400, message: expect.stringContaining("'speed'") });
    const poor = clientOf(await addCaller(db(), { quota: 10 })).messages.batches;
    await expect(poor.create({ requests: [ask('a')] })).rejects.toMatchObject({ status: 402 });
    expect(raw().requests).toEqual([]);
  });
});
