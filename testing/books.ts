import type { LogMetadata } from '@relay-hub/contract';
import { explainRow } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { expect } from 'vitest';
import type { Tables } from '#db/tables.ts';
import { attemptsIn } from '#quota/attempt-kinds.ts';
import { caughtUp } from './caught-up.ts';
import { countsOf } from './log-rows.ts';

const CONSUME = 2;
const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

/** Sums columns by another one. */
function sums<Row extends object, Key extends keyof Row>(
  rows: readonly Row[],
  by: Key,
  of: (row: Row) => number,
): Map<Row[Key], number> {
  const found = new Map<Row[Key], number>();
  for (const row of rows) found.set(row[by], (found.get(row[by]) ?? 0) + of(row));
  return found;
}

/**
 * Recomputes every balance: a user's `quota` + `held` from the ledger, `held` from the leases, `used_quota` and charges
 * from the log rows, and roll-ups and channel sums from the same rows. Each row must explain its charge.
 */
export async function expectBooksBalance(db: Kysely<Tables>): Promise<void> {
  const books = await readCaughtUp(db);
  const { users, tokens, channels, ledger, leases, logs, tasks } = books;
  const inLedger = sums(ledger, 'user_id', (entry) => entry.credits);
  const settled = sums(
    ledger.filter(({ kind }) => kind === 'settle'),
    'user_id',
    (entry) => 0 - entry.credits,
  );
  const held = sums(
    leases.filter(({ token_id }) => token_id === 0),
    'user_id',
    (lease) => lease.credits,
  );
  const heldOfTokens = sums(leases, 'token_id', (lease) => lease.credits);
  const byUser = sums(logs, 'user_id', (row) => row.quota);
  const byToken = sums(logs, 'token_id', (row) => row.quota);
  const refundedOfTokens = sums(
    tasks.filter(({ refunded, settled_quota }) => refunded || settled_quota !== null),
    'token_id',
    (task) => task.quota - (task.settled_quota ?? 0),
  );
  const byChannel = sums(logs, 'channel_id', (row) => row.quota);
  const calls = sums(logs, 'user_id', () => 1);

  for (const { id, username, quota, held: holds, used_quota, request_count } of users) {
    const open = held.get(id) ?? 0;
    const charged = byUser.get(id) ?? 0;
    expect({ username, quota, held: holds, used_quota, request_count, settled: settled.get(id) ?? 0 }).toEqual({
      username,
      quota: (inLedger.get(id) ?? 0) - open,
      held: open,
      used_quota: charged,
      request_count: calls.get(id) ?? 0,
      settled: charged,
    });
    expect(quota).toBeGreaterThanOrEqual(0);
  }
  for (const { id, used_quota, remain_quota, held: holds } of tokens) {
    expect({ token: id, used_quota, held: holds }).toEqual({
      token: id,
      used_quota: (byToken.get(id) ?? 0) - (refundedOfTokens.get(id) ?? 0),
      held: heldOfTokens.get(id) ?? 0,
    });
    expect(remain_quota).toBeGreaterThanOrEqual(0);
  }
  for (const { id, used_quota } of channels)
    expect({ channel: id, used_quota }).toEqual({ channel: id, used_quota: byChannel.get(id) ?? 0 });
  for (const row of logs) expectExplained(row);
  expectOnce(logs.map((row) => row.request_id));
  expectBalancesAfter(ledger);
  expectRollUps(books);
  expectCounts(books);
  expectAttempts(books);
  expectTasks(books);
}

interface ChargedLog {
  request_id: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  metadata: LogMetadata | null;
}

/** A row's counts, ratios and rounding give its charge, less what was uncollected. */
function expectExplained(row: ChargedLog): void {
  const m = row.metadata ?? {};
  const failed = m.outcome === 'failed' || m.outcome === 'released';
  const explained = explainRow(row);
  if (!explained) {
    // Bare test rows, and calls whose process died, have no details.
    if (failed) expect(row.quota).toBe(0);
    return;
  }
  expect({
    id: row.request_id,
    credits: row.quota + (m.shortfall ?? 0) + (m.plans ?? []).reduce((sum, { credits }) => sum + credits, 0),
  }).toEqual({
    id: row.request_id,
    credits: failed ? 0 : explained.credits,
  });
}

type Books = Awaited<ReturnType<typeof readBooks>>;

/** In one snapshot, so that a call is in all tables or in none. */
async function readCaughtUp(db: Kysely<Tables>): Promise<Books> {
  await caughtUp(db);
  const books = await db.transaction().setIsolationLevel('repeatable read').execute(readBooks);
  // Another process may write its last batch, whose sums are added later, after the sums have caught up.
  return books.pending.length > 0 ? readCaughtUp(db) : books;
}

async function readBooks(db: Kysely<Tables>) {
  return {
    users: await db.selectFrom('users').selectAll().execute(),
    tokens: await db.selectFrom('tokens').select(['id', 'used_quota', 'remain_quota', 'held']).execute(),
    channels: await db.selectFrom('channels').select(['id', 'used_quota']).execute(),
    ledger: await db.selectFrom('ledger').selectAll().orderBy('id').execute(),
    leases: await db.selectFrom('leases').selectAll().execute(),
    pending: await db.selectFrom('pending_sums').select('id').execute(),
    tasks: await db.selectFrom('tasks').selectAll().execute(),
    logs: await db.selectFrom('logs').where('type', '=', CONSUME).selectAll().execute(),
    usageByUser: await db.selectFrom('usage_by_user').selectAll().execute(),
    usageByChannel: await db.selectFrom('usage_by_channel').selectAll().execute(),
    usageByToken: await db.selectFrom('usage_by_token').selectAll().execute(),
    speedsByToken: await db.selectFrom('speeds_by_token').selectAll().execute(),
    speedsByChannel: await db.selectFrom('speeds_by_channel').selectAll().execute(),
    failures: await db.selectFrom('failures').where('calls', '<>', 0).selectAll().execute(),
    attemptsByChannel: await db.selectFrom('attempts_by_channel').selectAll().execute(),
  };
}

function expectOnce(ids: string[]): void {
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
}

/** Each entry's balance equals the previous balance plus its credits. */
function expectBalancesAfter(ledger: Books['ledger']): void {
  const balances = new Map<number, number>();
  for (const { user_id, credits, balance_after } of ledger) {
    const balance = (balances.get(user_id) ?? 0) + credits;
    expect(balance_after).toBe(balance);
    balances.set(user_id, balance);
  }
}

/** A task's quota is its call's charge; failed tasks are refunded once, and batches for what they did not use. */
function expectTasks({ tasks, ledger }: Books): void {
  const creditsOf = (reference: string) =>
    ledger.filter((entry) => entry.reference === reference).map(({ credits }) => credits);
  for (const { task_id, request_id, quota, status, refunded, settled_quota: settled } of tasks) {
    const isFailed = status === 'FAILURE' || status === 'CANCEL';
    const returned = settled !== null ? quota - settled : isFailed ? quota : 0;
    expect({
      task_id,
      charge: creditsOf(`call:${request_id}`),
      refund: creditsOf(`task:${task_id}`),
      refunded,
    }).toEqual({
      task_id,
      charge: quota === 0 ? [] : [-quota],
      refund: returned > 0 ? [returned] : [],
      refunded: isFailed && settled === null && quota > 0,
    });
  }
  const refunds = ledger.filter(({ kind, reference }) => kind === 'refund' && reference.startsWith('task:'));
  const known = new Set(tasks.map(({ task_id }) => `task:${task_id}`));
  expect(refunds.filter(({ reference }) => !known.has(reference))).toEqual([]);
}

/** Histograms and failures count the rows of the log. */
function expectCounts({ logs, speedsByToken, speedsByChannel, failures }: Books): void {
  const rows = logs.map((row) => ({ ...row, metadata: row.metadata && JSON.stringify(row.metadata) }));
  const counted = countsOf(rows);
  const sorted = (counts: readonly object[]) =>
    counts.map((count) => JSON.stringify(Object.entries(count).toSorted(([a], [b]) => (a < b ? -1 : 1)))).toSorted();
  expect(sorted(speedsByToken)).toEqual(sorted(counted.byToken));
  expect(sorted(speedsByChannel)).toEqual(sorted(counted.byChannel));
  expect(sorted(failures)).toEqual(sorted(counted.failures));
}

function expectRollUps({ logs, usageByUser, usageByChannel, usageByToken }: Books): void {
  const expected = (owner: 'user_id' | 'channel_id' | 'token_id') => {
    const found = new Map<string, number[]>();
    for (const row of logs) {
      const isCached = row.metadata?.reply_cache !== undefined;
      if (row[owner] === 0 && owner !== 'token_id' && !(owner === 'channel_id' && isCached)) continue;
      const key = [
        owner === 'token_id' ? `${row.user_id} ${row.token_id}` : row[owner],
        row.created_at - (row.created_at % 3600),
        row.model_name,
      ].join(' ');
      const added = [
        1,
        row.failed ? 1 : 0,
        row.quota,
        row.prompt_tokens,
        row.completion_tokens,
        row.cached_tokens,
        row.request_time,
      ];
      found.set(
        key,
        added.map((value, i) => value + (found.get(key)?.[i] ?? 0)),
      );
    }
    return Object.fromEntries(found);
  };
  const known = (rows: (Omit<Books['usageByUser'][number], 'user_id'> & { owner: number | string })[]) =>
    Object.fromEntries(
      rows.map(
        ({
          owner,
          hour,
          model_name,
          request_count,
          failed_count,
          quota,
          prompt_tokens,
          completion_tokens,
          cached_tokens,
          request_time,
        }) => [
          [owner, hour, model_name].join(' '),
          [request_count, failed_count, quota, prompt_tokens, completion_tokens, cached_tokens, request_time],
        ],
      ),
    );
  expect(known(usageByUser.map((row) => ({ ...row, owner: row.user_id })))).toEqual(expected('user_id'));
  expect(known(usageByToken.map((row) => ({ ...row, owner: `${row.user_id} ${row.token_id}` })))).toEqual(
    expected('token_id'),
  );
  // A channel may only have the costs of attempts that another one made up for.
  const answering = usageByChannel.filter(({ request_count: count }) => count > 0);
  expect(known(answering.map((row) => ({ ...row, owner: row.channel_id })))).toEqual(expected('channel_id'));
}

/** An updated database has the attempts of the day before its update, whose hour the row of channel 0 marks. */
function expectAttempts({ logs, attemptsByChannel }: Books): void {
  const updated = attemptsByChannel.find(({ channel_id: id }) => id === 0)?.hour ?? 0;
  const firstHour = updated - DAY_S + HOUR_S;
  const expected: Record<string, number> = {};
  for (const { channel_id: channelId, created_at: at, failed, metadata } of logs) {
    if (at < firstHour) continue;
    for (const [id, kind] of attemptsIn({ channelId, failed, attempts: metadata?.attempts })) {
      const key = `${id} ${at - (at % 3600)} ${kind}`;
      expected[key] = (expected[key] ?? 0) + 1;
    }
  }
  const known = attemptsByChannel.filter(({ channel_id: id }) => id !== 0);
  expect(
    Object.fromEntries(known.map(({ channel_id: id, hour, kind, attempts }) => [`${id} ${hour} ${kind}`, attempts])),
  ).toEqual(expected);
}
