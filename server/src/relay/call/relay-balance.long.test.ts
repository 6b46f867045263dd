import { priceApi, userGroupApi } from '@relay-hub/contract';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import { checkBooks } from '#features/books/check-books.ts';
import { Journal, journalFolder, readJournal, removeJournal } from '#quota/journal.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, tokenOf, userOf } from '#testing/callers.ts';
import { type EmptyDatabase, newPostgres, onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, liftRates, upstreamForSuite } from '#testing/hub.ts';
import { setOptions } from '#testing/mailbox.ts';
import { startProcess } from '#testing/process.ts';
import { clientOf, errorOf, hello, post } from '#testing/relay-calls.ts';

/** The prompt is estimated at 9 tokens (3, and 4 and 2 for a message of one word): 9 × 1.25, 100 × 5 for the answer. */
const RESERVED = 12 + 500;
const short = { ...hello, max_tokens: 100 };

/** 200 calls at once, spread over hubs: how many were answered with each status and code. */
async function rush(hubs: { url: string }[], { key }: TestCaller): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  const calls = Array.from({ length: 200 }, (_, i) => post(hubs[i % hubs.length]!, key, short));
  for (const answer of await Promise.all(calls)) {
    const name = answer.status === 200 ? '200' : `${answer.status} ${errorOf(answer).code}`;
    counted[name] = (counted[name] ?? 0) + 1;
  }
  return counted;
}

onOneDatabase('relay balance', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const db = () => hub().server.deps.db;

  beforeAll(async () => {
    await hub().root.call(userGroupApi.create, {
      body: { symbol: 'gratis', name: 'gratis', ratio: 0, keep_zero: true, public: true },
    });
    await addChannel(hub(), upstream().url, { group: 'default,gratis' });
    await liftRates(hub().root);
  });

  test.each<[string, { quota?: number; remain?: number }, string]>([
    ['user', { quota: RESERVED }, '402 insufficient_quota'],
    ['token', { remain: RESERVED }, '402 insufficient_quota'],
    ['user and token', { quota: RESERVED, remain: RESERVED }, '402 insufficient_quota'],
  ])('of 200 calls at once on what covers one, one is admitted (%s)', async (_, credits, refused) => {
    const who = await addCaller(db(), credits);
    const before = upstream().requests.total;
    upstream().next({ delayMs: 100 });
    expect(await rush([hub()], who)).toEqual({ '200': 1, [refused]: 199 });
    expect(upstream().requests.total - before).toBe(1);
    const rows = await rowsOf(db(), who);
    expect(rows).toMatchObject([{ metadata: { reserved: RESERVED, outcome: 'answered' } }]);
    const cost = rows[0]!.quota;
    if (credits.quota)
      expect(await userOf(db(), who)).toEqual({ balance: RESERVED - cost, used_quota: cost, request_count: 1 });
    if (credits.remain) expect(await tokenOf(db(), who)).toEqual({ remain_quota: RESERVED - cost, used_quota: cost });
    await expectBooksBalance(db());
  });

  test('one credit less than the reservation is too little, for the user and for the token', async () => {
    const before = upstream().requests.total;
    for (const [credits, code, says] of [
      [{ quota: RESERVED - 1 }, 'insufficient_quota', /balance/],
      [{ quota: 0 }, 'insufficient_quota', /balance/],
      [{ remain: RESERVED - 1 }, 'insufficient_quota', /API key/],
      [{ remain: 0 }, 'insufficient_quota', /API key/],
    ] as const) {
      const who = await addCaller(db(), credits);
      const answer = await post(hub(), who.key, { ...short, stream: true });
      expect(answer.status).toBe(402);
      expect(errorOf(answer)).toMatchObject({ type: 'insufficient_quota', code, message: expect.stringMatching(says) });
      await expect(clientOf(hub(), who.key).chat.completions.create(short)).rejects.toMatchObject({
        status: 402,
        code,
      });
      expect(await rowsOf(db(), who)).toEqual([]);
    }
    expect(upstream().requests.total).toBe(before);
  });

  test('the refusal says how much is missing and where to top up', async () => {
    const messageFor = async (credits: { quota?: number; remain?: number }, body: object = short) => {
      const answer = await post(hub(), (await addCaller(db(), credits)).key, body);
      expect(answer.status).toBe(402);
      return errorOf(answer).message.replace(/ \(request id: .*\)$/, '');
    };
    expect(await messageFor({ quota: 10 })).toBe(
      'Insufficient balance: this call needs up to $0.001024 and $0.00002 is available. Top up and try again.',
    );
    // 256 tokens of 16,384
    expect(await messageFor({ quota: 10 }, hello)).toBe(
      'Insufficient balance: this call needs at least $0.002584 ($0.163864 for the longest answer) and $0.00002 is available. Top up and try again.',
    );
    await setOptions(hub().root, { ServerAddress: 'https://hub.example' });
    expect(await messageFor({ quota: 10 })).toBe(
      'Insufficient balance: this call needs up to $0.001024 and $0.00002 is available. Top up at https://hub.example/panel/topup',
    );
    await setOptions(hub().root, { DisplayInCurrencyEnabled: 'false' });
    expect(await messageFor({ remain: 10 })).toBe(
      'The quota of this API key is insufficient: this call needs up to 512 credits and 10 are available. Raise it at https://hub.example/panel/token',
    );
    await setOptions(hub().root, { ServerAddress: '', DisplayInCurrencyEnabled: 'true' });
  });

  test('a limit of the answer is reserved for, for each choice', async () => {
    const who = await addCaller(db());
    await post(hub(), who.key, { ...hello, max_tokens: 100, n: 3 });
    await post(hub(), who.key, { ...hello, max_completion_tokens: 10, max_tokens: 999 });
    // 9 × 1.25 + 300 × 5, and 9 × 1.25 + 10 × 5, rounded up
    expect((await rowsOf(db(), who)).map((row) => row.metadata?.reserved)).toEqual([1512, 62]);
  });

  test('a cost above the balance takes it to zero and records the shortfall', async () => {
    const who = await addCaller(db(), { quota: 1000 });
    upstream().next({ usage: { prompt_tokens: 1000, completion_tokens: 100 } });
    expect((await post(hub(), who.key, short)).status).toBe(200);
    expect(await userOf(db(), who)).toEqual({ balance: 0, used_quota: 1000, request_count: 1 });
    // 1000 × 1.25 + 100 × 5
    const rows = await rowsOf(db(), who);
    expect(rows).toMatchObject([{ quota: 1000, metadata: { shortfall: 1750 - 1000 } }]);
    const { deps } = hub().server;
    const report = await checkBooks(deps.storage, journalFolder(deps.config.dataDir));
    expect(report).toMatchObject({ balanced: true, shortfall: 750, shortfall_calls: 1 });
    expect(report.shortfalls).toMatchObject([
      { log_id: rows[0]!.id, user_id: who.userId, model: 'gpt-4o', charged: 1000, uncollected: 750, cause: 'usage' },
    ]);
    expect((await post(hub(), who.key, short)).status).toBe(402);
    await expectBooksBalance(db());
  });

  test('calls that begin or end while the books are checked are no difference; an open call without a lease is', async () => {
    const { deps } = hub().server;
    const folder = journalFolder(deps.config.dataDir);
    const { userId } = await addCaller(db(), { quota: 50_000 });
    // Without a sign of life, the heartbeat of the hub would close the calls of this process.
    const alive = { id: 'other', host: 'elsewhere', pid: 1, started_time: 0, seen_time: 0 };
    await db().insertInto('nodes').values(alive).execute();
    const intent = { requestId: 'r', userId, tokenId: 0, reserved: 500, priceVersion: 1, model: 'gpt-4o' };
    /** Does what a process does for a call, in its order; `during`: after the snapshot of the books is fixed. */
    const check = async (before: (journal: Journal) => Promise<void>, during: (journal: Journal) => Promise<void>) => {
      const journal = new Journal(folder, 'other');
      await before(journal);
      const report = await checkBooks(
        {
          patient: deps.storage.patient,
          snapshot: (read) =>
            deps.storage.snapshot(async (snapshot) => {
              await snapshot.selectFrom('users').select('id').limit(1).execute();
              await during(journal);
              return read(snapshot);
            }),
        },
        folder,
      );
      await end(journal);
      return report.checks.find(({ check: name }) => name === 'journals');
    };
    const begin = async (journal: Journal) => {
      await db().insertInto('leases').values({ user_id: userId, token_id: 0, node: 'other', credits: 500 }).execute();
      journal.open(intent);
      journal.write();
    };
    const end = async (journal: Journal) => {
      journal.close();
      await db().deleteFrom('leases').where('node', '=', 'other').execute();
      removeJournal(readJournal(folder, 'other').files);
    };
    const nothing = async () => {};
    expect(await check(nothing, begin)).toMatchObject({ differences: [] });
    expect(await check(begin, end)).toMatchObject({ differences: [] });
    expect(await check(begin, nothing)).toMatchObject({ compared: 1, differences: [] });
    const unleased = async (journal: Journal) => {
      await begin(journal);
      await db().deleteFrom('leases').where('node', '=', 'other').execute();
    };
    expect(await check(unleased, nothing)).toMatchObject({
      differences: [{ of: 'node other', expected: 'at least 500 leased', found: '0' }],
    });
    await db().deleteFrom('nodes').where('id', '=', 'other').execute();
  });

  test('a key whose quota just covers the reservation makes no call cheaper', async () => {
    const who = await addCaller(db(), { quota: 50_000, remain: RESERVED });
    upstream().next({ usage: { prompt_tokens: 1000, completion_tokens: 100 } });
    expect((await post(hub(), who.key, short)).status).toBe(200);
    expect(await userOf(db(), who)).toEqual({ balance: 50_000 - 1750, used_quota: 1750, request_count: 1 });
    expect(await tokenOf(db(), who)).toEqual({ remain_quota: 0, used_quota: 1750 });
    const [row] = await rowsOf(db(), who);
    expect(row?.quota).toBe(1750);
    expect(row?.metadata).not.toHaveProperty('shortfall');
    expect((await post(hub(), who.key, short)).status).toBe(402);
    await expectBooksBalance(db());
  });

  test('a key that is given all of the credits while its call is under way pays as any other', async () => {
    const who = await addCaller(db(), { quota: 50_000, remain: RESERVED });
    upstream().next({ delayMs: 100, usage: { prompt_tokens: 1000, completion_tokens: 100 } });
    const before = upstream().requests.total;
    const answer = post(hub(), who.key, short);
    await upstream().requests.waitFor(() => upstream().requests.total > before);
    await db().updateTable('tokens').set({ unlimited_quota: true }).where('id', '=', who.tokenId).execute();
    expect((await answer).status).toBe(200);
    expect(await userOf(db(), who)).toMatchObject({ used_quota: 1750 });
    expect(await tokenOf(db(), who)).toEqual({ remain_quota: RESERVED, used_quota: 1750 });
    await expectBooksBalance(db());
  });

  test('many calls that cost more than they reserved never take a balance below zero', async () => {
    const who = await addCaller(db(), { quota: RESERVED * 20, remain: RESERVED * 10 });
    upstream().behaviour = { usage: { prompt_tokens: 1000, completion_tokens: 100 } };
    const counted = await rush([hub()], who);
    upstream().behaviour = {};
    expect(counted['200']).toBeGreaterThan(0);
    expect(counted['200']).toBeLessThanOrEqual(10);
    const { balance, used_quota } = await userOf(db(), who);
    expect(balance + used_quota).toBe(RESERVED * 20);
    expect(used_quota).toBe(Math.min(RESERVED * 20, counted['200']! * 1750));
    expect(await tokenOf(db(), who)).toEqual({ remain_quota: 0, used_quota });
    await expectBooksBalance(db());
  });

  test('in a group with ratio 0 a call needs and costs nothing', async () => {
    const who = await addCaller(db(), { quota: 0, remain: 0, tokenGroup: 'gratis' });
    for (const body of [hello, { ...hello, stream: true }]) expect((await post(hub(), who.key, body)).status).toBe(200);
    expect(await userOf(db(), who)).toEqual({ balance: 0, used_quota: 0, request_count: 2 });
    expect(await rowsOf(db(), who)).toMatchObject([
      { quota: 0, metadata: { group_ratio: 0, reserved: 0, outcome: 'answered' } },
      { quota: 0 },
    ]);
    await expectBooksBalance(db());
  });

  test('a price of 0 is free, and zero usage at a price above it costs one credit', async () => {
    await hub().root.call(priceApi.create, {
      body: { model: 'free-model', type: 'tokens', channel_type: 1, input: 0, output: 0 },
    });
    await addChannel(hub(), upstream().url, { models: 'free-model' });
    const who = await addCaller(db());
    await post(hub(), who.key, { ...hello, model: 'free-model' });
    upstream().next({ text: '', usage: { prompt_tokens: 0, completion_tokens: 0 } });
    await post(hub(), who.key, hello);
    expect(await rowsOf(db(), who)).toMatchObject([{ quota: 0 }, { quota: 1, metadata: { usage_source: 'upstream' } }]);
  });

  test('a token that is deleted during its stream still pays', async () => {
    const who = await addCaller(db(), { remain: 100_000 });
    upstream().next({ chunks: 5, chunkMs: 30 });
    const stream = await clientOf(hub(), who.key).chat.completions.create({ ...hello, stream: true });
    let pieces = 0;
    for await (const _ of stream) {
      if (pieces++ > 0) continue;
      await db().updateTable('tokens').set({ deleted_time: 1 }).where('id', '=', who.tokenId).execute();
      await hub().server.deps.live.changed('callers');
    }
    const [row] = await rowsOf(db(), who);
    expect(row).toMatchObject({ token_id: who.tokenId, metadata: { outcome: 'answered' } });
    expect(row!.quota).toBeGreaterThan(0);
    expect(await tokenOf(db(), who)).toEqual({ remain_quota: 100_000 - row!.quota, used_quota: row!.quota });
    expect((await post(hub(), who.key, hello)).status).toBe(401);
    await expectBooksBalance(db());
  });
});

describe.skipIf(inject('postgresUrl') === '')('balance over two server processes', () => {
  const upstream = upstreamForSuite();

  test('of 200 calls at once one is admitted, for the user and for the token', async () => {
    const database: EmptyDatabase = await newPostgres();
    let storage: Storage | undefined;
    const first = await startProcess(database);
    const second = await startProcess(database);
    try {
      storage = openStorage(database);
      await addChannel(first, upstream().url);
      await liftRates(first.root);
      const models = async () =>
        (await post(second, (await addCaller(storage!.db)).key, '', '/v1/models', { method: 'GET' })).text;
      await expect.poll(models, { message: 'models on offer' }).toContain('gpt-4o');
      for (const [credits, refused] of [
        [{ quota: RESERVED }, '402 insufficient_quota'],
        [{ remain: RESERVED }, '402 insufficient_quota'],
      ] as const) {
        const who = await addCaller(storage.db, credits);
        const before = upstream().requests.total;
        upstream().next({ delayMs: 200 });
        expect(await rush([first, second], who)).toEqual({ '200': 1, [refused]: 199 });
        expect(upstream().requests.total - before).toBe(1);
      }
      await expectBooksBalance(storage.db);
    } finally {
      await Promise.all([first.kill(), second.kill()]);
      await storage?.close();
      await database.remove();
    }
  });
});
