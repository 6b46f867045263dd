import { accountScope, PLAN_TOTAL, planScope, tokenScope } from '@relay-hub/contract';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import { callOf, NOW, settlementOf } from '#testing/book-items.ts';
import { type EmptyDatabase, newPostgres, newSqlite } from '#testing/databases.ts';
import '#testing/property-seed.ts';
import {
  type Batch,
  type BatchItem,
  type BatchResult,
  type BatchRunner,
  type CountShare,
  RELEASED,
  type SettleItem,
} from './batch-items.ts';
import { script } from './book-statements.ts';
import { PendingSums } from './pending-sums.ts';

const USERS = 3;
/** Of a batch, without `begin` and `commit`. */
const MOST_STATEMENTS = 14;
const TOKENS_OF_USER = 2;
const PERIODS = [NOW - 100, NOW] as const;
const LIMITS = ['credits:day', 'requests:day', 'calls:now'] as const;
const PLAN_LIMITS = [PLAN_TOTAL, 'requests:day', 'credits:week'] as const;

/** Items name a user and a token by position; token 0 is none. */
const whose = fc.record({ user: fc.nat(USERS - 1), token: fc.nat(TOKENS_OF_USER) });
const credits = fc.oneof(fc.nat(30), fc.nat(2_000));
const held = { starts: fc.constantFrom(...PERIODS), amount: fc.nat(20) };
const share = fc.oneof(
  fc.record({ of: fc.constantFrom('token', 'account'), name: fc.constantFrom(...LIMITS), ...held }),
  fc.record({ of: fc.constant('plan'), name: fc.constantFrom(...PLAN_LIMITS), limit: fc.nat(60), ...held }),
);
const error = fc.constantFrom('', 'HTTP 500', 'a "quoted" \\ error, {of} several\nlines');
const kinds = fc.constantFrom('server', 'request', 'rate', 'broken');

const drawn = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('grant' as const), whose, need: credits, want: credits }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('return' as const), whose, user: credits, token: credits }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('limits' as const),
      whose,
      now: fc.constantFrom(NOW - 50, NOW + 50),
      need: fc.nat(12),
      want: fc.nat(60),
      limit: fc.oneof(fc.nat(40), fc.nat(2_000)),
      starts: fc.constantFrom(...PERIODS),
      names: fc.uniqueArray(fc.constantFrom(...LIMITS), { minLength: 1 }),
      of: fc.constantFrom('token', 'account'),
      plans: fc.option(fc.record({ credits: fc.nat(30), count: fc.nat(2), beyond: fc.boolean() })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('unused' as const),
      whose,
      shares: fc.array(share, { maxLength: 2 }),
      kept: fc.option(fc.nat(3), { nil: undefined }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      whose,
      seq: fc.constantFrom('next', 'next', 'next', 'again', 'released'),
      credits,
      take: credits,
      back: credits,
      channel: fc.nat(2),
      failed: fc.boolean(),
      error,
      earlier: fc.array(fc.tuple(fc.integer({ min: 1, max: 2 }), error), { maxLength: 2 }),
      causes: fc.array(kinds, { minLength: 3, maxLength: 3 }),
      model: fc.constantFrom('gpt-4o', 'claude', '{"模型", \\}'),
      hour: fc.nat(1),
      counts: fc.option(fc.array(share, { maxLength: 4 })),
      planOnly: fc.boolean(),
      first: fc.option(fc.nat(5_000)),
    }),
  },
);
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

const batches = fc.array(
  fc.record({
    node: fc.nat(1),
    items: fc.array(drawn, { minLength: 1, maxLength: 14 }),
    closes: fc.nat(9).map((n) => n === 0),
    isRetried: fc.nat(4).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 5 },
);

describe.skipIf(inject('postgresUrl') === '')('batches on SQLite and PostgreSQL', () => {
  const databases: { database: EmptyDatabase; storage: Storage; run: BatchRunner }[] = [];
  beforeAll(async () => {
    for (const make of [newSqlite, newPostgres]) {
      const database = await make();
      const storage = openStorage(database);
      databases.push({ database, storage, run: storage.prepare(script) });
    }
  });
  afterAll(async () => {
    for (const { database, storage } of databases) {
      await storage.close();
      await database.remove();
    }
  });

  let worlds = 0;
  /** Users, tokens and channels with the same ids in both databases. */
  async function fill({ db }: Storage, world: number): Promise<void> {
    for (let user = 1; user <= USERS; user++) {
      const id = world * 100 + user;
      const name = `user-${id}`;
      await db
        .insertInto('users')
        .values({ id, username: name, password_hash: '', role: 1, status: 1, group: 'default', created_time: NOW })
        .execute();
      await db
        .updateTable('users')
        .set({ quota: [0, 900, 100_000][user - 1]! })
        .where('id', '=', id)
        .execute();
      for (let token = 1; token <= TOKENS_OF_USER; token++)
        await db
          .insertInto('tokens')
          .values({
            id: id * 10 + token,
            user_id: id,
            name,
            key_hash: `${id}-${token}`,
            key_cipher: '',
            key_hint: '',
            status: 1,
            created_time: NOW,
            expired_time: -1,
            remain_quota: token === 1 ? 0 : 700,
            unlimited_quota: token === 1,
            group: '',
            enable_cache: false,
          })
          .execute();
    }
    const bare = {
      type: 1,
      status: 1,
      base_url: '',
      other: '',
      models: '',
      group: '',
      tag: '',
      priority: 0,
      weight: 1,
    };
    for (const id of [1, 2].map((channel) => world * 10 + channel))
      await db
        .insertInto('channels')
        .values({
          ...bare,
          id,
          name: `channel-${id}`,
          model_mapping: '',
          model_headers: '',
          test_model: '',
          only_chat: false,
          pre_cost: 1,
          created_time: NOW,
          deleted_time: null,
        })
        .execute();
  }

  /** The batches of a run, with the numbers of its world. */
  function built(world: number, drafts: (typeof batches extends fc.Arbitrary<infer T> ? T : never)[number][]): Batch[] {
    const seqs = [0, 0];
    let calls = 0;
    return drafts.map(({ node, items, closes }) => ({
      node: `node-${world}-${node}`,
      lines: [],
      closes,
      items: items.map((item): BatchItem => {
        const userId = world * 100 + 1 + item.whose.user;
        const tokenId = item.whose.token === 0 ? 0 : userId * 10 + item.whose.token;
        const ids = { userId, tokenId };
        if (item.kind === 'settle') {
          const seq = item.seq === 'released' ? RELEASED : item.seq === 'next' ? ++seqs[node]! : seqs[node]!;
          return settle(item, ids, { world, seq, call: ++calls });
        }
        if (item.kind === 'grant') {
          const amount = { need: item.need, want: item.want };
          return { kind: 'grant', ...ids, user: amount, token: tokenId === 0 ? { need: 0, want: 0 } : amount };
        }
        if (item.kind === 'return') return { kind: 'return', ...ids, user: item.user, token: item.token };
        if (item.kind === 'unused')
          return {
            kind: 'return',
            ...ids,
            user: 0,
            token: 0,
            limits: item.shares.map((one) => ({
              ...sharesOf(ids)(one),
              ...(item.kept !== undefined && { kept: item.kept }),
            })),
          };
        const { need, want, limit, starts } = item;
        const window = { want, limit, starts, ends: starts + 100 };
        const amounts = item.names.map((name) => ({ scope: scopeOf(item.of, ids), name, need, ...window }));
        const plans = item.plans && {
          ...item.plans,
          periods: Array.from({ length: item.plans.count }, (_, at) =>
            PLAN_LIMITS.map((name) => ({ scope: planScope(userId * 10 + at), name, need: 1, ...window })),
          ),
        };
        const limits = { now: item.now, amounts, ...(plans && { plans }) };
        return {
          kind: 'grant',
          ...ids,
          user: { need: plans?.credits ?? 0, want },
          token: { need: 0, want: 0 },
          limits,
        };
      }),
    }));
  }

  type Ids = { userId: number; tokenId: number };
  const scopeOf = (of: string, { userId, tokenId }: Ids): string =>
    of === 'plan' ? planScope(userId * 10) : of === 'account' ? accountScope(userId) : tokenScope(tokenId);
  const sharesOf =
    (ids: Ids) =>
    ({ of, ...rest }: { of: string } & Omit<CountShare, 'scope'>): CountShare => ({ scope: scopeOf(of, ids), ...rest });

  function settle(
    item: Extract<Drawn, { kind: 'settle' }>,
    ids: { userId: number; tokenId: number },
    { world, seq, call }: { world: number; seq: number; call: number },
  ): SettleItem {
    const { requestId } = callOf(`call-${world}-${call}`, ids, 0);
    const channelId = item.channel === 0 ? 0 : world * 10 + item.channel;
    const earlier = item.earlier.map(([channel, text]): [number, string] => [world * 10 + channel, text]);
    const tried = [...earlier.map(([id]) => id), ...(channelId === 0 ? [] : [channelId])];
    const attempts = tried.map((id, i) => ({ channel_id: id, result: 'upstream_status', cause: item.causes[i] }));
    const { log, ...rest } = settlementOf(requestId, item.credits, { channelId, now: NOW + item.hour * 3600 });
    const consumption = { take: item.take, back: item.back };
    return {
      ...rest,
      ...ids,
      kind: 'settle',
      seq,
      failed: item.failed,
      user: consumption,
      token: item.whose.token === 2 ? consumption : null,
      channelError: item.failed ? item.error : '',
      ...(earlier.length > 0 && { earlierErrors: earlier }),
      ...(item.counts && { counts: item.counts.map(sharesOf(ids)) }),
      ...(item.planOnly && { planOnly: true as const }),
      log: {
        ...log,
        model: item.model,
        metadata: JSON.stringify({
          outcome: 'answered',
          attempts,
          plans: [{ id: ids.userId * 10, name: 'Pro', credits: 0 }],
          ...(item.first !== null && { first_response: item.first }),
        }),
      },
    };
  }

  /** Everything that batches write, of one world. */
  async function rowsOf({ db }: Storage, world: number): Promise<Record<string, unknown[]>> {
    const found: Record<string, unknown[]> = {};
    const ids = [world * 100, world * 100 + USERS];
    /** Without an order, in one that does not depend on the database. */
    const read = async (table: string, columns: string, where: string, order = '') => {
      const { rows } = await sql`select ${sql.raw(columns)} from ${sql.raw(table)}
        where ${sql.raw(where)} ${sql.raw(order)}`.execute(db);
      found[table] = order === '' ? rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : rows;
    };
    const ofUsers = `user_id between ${ids[0]} and ${ids[1]}`;
    const ofChannels = `channel_id between ${world * 10} and ${world * 10 + 9}`;
    const usage = 'hour, model_name, request_count, failed_count, quota, prompt_tokens, request_time, cache_input';
    await read('users', 'id, quota, held, used_quota, request_count', ofUsers.replace('user_id', 'id'));
    await read('tokens', 'id, remain_quota, held, used_quota, accessed_time', ofUsers);
    await read('leases', 'user_id, token_id, node, credits', ofUsers);
    await read('limit_counters', 'scope, name, starts, ends, used, held, token_id', ofUsers);
    await read('limit_leases', 'scope, name, node, starts, amount, spare', ofUsers);
    await read('ledger', 'user_id, token_id, credits, balance_after, reference', ofUsers, 'order by id');
    await read('logs', 'request_id, user_id, quota, failed, channel_id, model_name, metadata', ofUsers, 'order by id');
    await read('usage_by_user', `user_id, ${usage}`, ofUsers);
    await read('usage_by_token', `token_id, ${usage}`, ofUsers);
    await read('usage_by_channel', `channel_id, ${usage}`, ofChannels);
    await read('speeds_by_token', 'token_id, hour, measure, bucket, calls', ofUsers);
    await read('speeds_by_channel', 'channel_id, hour, measure, bucket, calls', ofChannels);
    await read('failures', 'user_id, token_id, channel_id, kind, calls', ofUsers);
    await read('attempts_by_channel', 'hour, channel_id, attempts', ofChannels);
    await read('channels', 'id, used_quota, last_error, last_error_time', ofChannels.replace('channel_id', 'id'));
    await read('journals', 'node, applied, closed', `node like 'node-${world}-%'`);
    return found;
  }

  test('any batches have the same results and write the same rows on both', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.boolean(), async (drafts, isSummedEach) => {
        const world = ++worlds;
        const work = built(world, drafts);
        const outcomes = [];
        for (const { storage, run } of databases) {
          await fill(storage, world);
          const results: BatchResult[] = [];
          for (const [at, batch] of work.entries()) {
            results.push(await run(batch));
            // An unknown outcome: settlements are applied once, all other items again.
            if (drafts[at]!.isRetried) results.push(await run(batch));
            if (isSummedEach) await new PendingSums(storage, console).caughtUp();
          }
          await new PendingSums(storage, console).caughtUp();
          for (const { limits } of results) limits.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
          const rows = await rowsOf(storage, world);
          // Times are out of order here: within a sum the last error counts, between two sums the newer.
          if (!isSummedEach) for (const row of rows['channels'] as { last_error?: string }[]) delete row.last_error;
          outcomes.push({ results, rows });
        }
        expect(outcomes[1]).toEqual(outcomes[0]);
        for (const user of outcomes[0]!.rows['users'] as { quota: number; held: number }[]) {
          expect(user.quota).toBeGreaterThanOrEqual(0);
          expect(user.held).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  test('on PostgreSQL the statements of a batch do not grow with its size', async () => {
    const { storage } = databases[1]!;
    const world = ++worlds;
    await fill(storage, world);
    let statements = 0;
    const run = storage.prepare<Batch, BatchResult>({
      ...script,
      run: (query, batch, lock) =>
        script.run(
          (text, values) => {
            statements++;
            return query(text, values);
          },
          batch,
          lock,
        ),
    });
    const statementsOf = async (calls: number, seq: number): Promise<number> => {
      const items = fc.sample(drawn, { numRuns: calls * 3, seed: calls }).filter((item) => item.kind === 'settle');
      const [batch] = built(world, [{ node: 0, items: items.slice(0, calls), closes: false, isRetried: false }]);
      statements = 0;
      await run({
        ...batch!,
        items: batch!.items.map((item, n) => ({
          ...(item as SettleItem),
          seq: seq + n,
          requestId: `counted-${seq + n}`,
        })),
      });
      return statements;
    };
    await statementsOf(1, 1);
    expect(await statementsOf(20, 10)).toBeLessThanOrEqual(MOST_STATEMENTS);
    expect(await statementsOf(200, 100)).toBeLessThanOrEqual(MOST_STATEMENTS);
  });
});
