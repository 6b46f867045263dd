import type { LogMetadata } from '@relay-hub/contract';
// The database thread loads this, and has no use for the schemas.
import { planScope } from '@relay-hub/contract/limit-scope';
import type { RowCosts } from '@relay-hub/contract/log-usage';
import { type GivenRows, insertRows, RowStatements } from '#db/row-statements.ts';
import type { RowLock, RunStatement, TransactionScript } from '#db/transaction-script.ts';
import { hasQuoted } from '#json.ts';
import { Accounts } from './batch-accounts.ts';
import { Counters, paidByPlans, plannedCredits, type PlanParts } from './batch-counters.ts';
import type { Batch, BatchItem, BatchResult, Granted, GrantItem, SettleItem } from './batch-items.ts';
import { RELEASED } from './batch-items.ts';
import { settlementsIn } from './journal.ts';
import { callCosts, type ReleasedRow, Sums } from './batch-sums.ts';
import { writeTask } from './write-task.ts';

const insertEntries = insertRows('ledger', {
  user_id: 'bigint',
  token_id: 'bigint',
  kind: 'text',
  credits: 'bigint',
  balance_after: 'bigint',
  reference: 'text',
  actor_id: 'bigint',
  remark: 'text',
  created_time: 'bigint',
});
const insertLogs = insertRows('logs', {
  request_id: 'text',
  user_id: 'bigint',
  created_at: 'bigint',
  type: 'integer',
  content: 'text',
  username: 'text',
  token_id: 'bigint',
  token_name: 'text',
  model_name: 'text',
  quota: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  cached_tokens: 'bigint',
  channel_id: 'bigint',
  request_time: 'bigint',
  is_stream: 'boolean',
  source_ip: 'text',
  failed: 'boolean',
  cost: 'bigint',
  metadata: 'json',
});

const insertShortfalls = insertRows('shortfalls', {
  user_id: 'bigint',
  credits: 'bigint',
  request_id: 'text',
  created_at: 'bigint',
});

const CONSUME = 2; // log type of the wire format

/**
 * Moves credits for calls, one transaction per batch; the statements are the same on SQLite and PostgreSQL. A batch
 * locks its users and tokens, applies every item in order and writes each row once. Settlements that an earlier batch
 * applied are skipped, so a batch with unknown outcome can be retried.
 */
async function runBatch(query: RunStatement, batch: Batch, lock: RowLock): Promise<BatchResult> {
  const rows = new RowStatements(query, lock);
  const journal = await journalOf(query, batch, lock);
  const accounts = new Accounts(rows, batch.node);
  const counters = new Counters(rows, batch.node);
  const read = (items: readonly BatchItem[]) => Promise.all([accounts.lock(items), counters.read(items)]);
  // All rows in a few statements, locked in order. Otherwise items are streamed and freed one by one.
  const items = rows.takesAll ? [...inOrder(batch)] : inOrder(batch);
  if (Array.isArray(items)) await read(items);
  const sums = new Sums();
  const entries: GivenRows[number][] = [];
  const logs: GivenRows[number][] = [];
  const shortfalls: GivenRows[number][] = [];
  const grants: Granted[] = [];
  let { applied } = journal;
  for (const item of items) {
    if (!accounts.has(item) || !counters.has(item)) await read([item]);
    if (item.kind === 'grant') grants.push(granted(accounts, counters, item));
    else if (item.kind === 'return') {
      accounts.giveBack(item);
      counters.giveBack(item);
    } else if (item.seq === RELEASED ? !(await hasRow(query, item)) : item.seq > applied) {
      applied = Math.max(applied, item.seq);
      // A closed journal belongs to a node that was presumed dead: its open calls may have been released.
      const released = journal.closed && item.seq !== RELEASED ? await takeReleasedRow(query, item) : undefined;
      if (released) sums.takeReleased(item, released);
      const parts = counters.release(item);
      const costs = callCosts(item.log);
      const { charged, shortfall, fromToken, entry, log } = settled(accounts, item, {
        counted: released !== undefined,
        parts,
        costs,
      });
      sums.add(item, charged, costs);
      if (shortfall > 0) shortfalls.push([item.userId, shortfall, item.requestId, item.now]);
      counters.settle(item, charged + paidByPlans(parts), parts);
      if (item.task) await writeTask(query, item, item.task, { charged, fromToken });
      if (rows.takesAll) {
        if (entry) entries.push(entry);
        logs.push(log);
      } else {
        if (entry) rows.write(insertEntries, [entry]);
        rows.write(insertLogs, [log]);
      }
    }
  }
  accounts.write();
  counters.write();
  rows.write(insertEntries, entries);
  rows.write(insertLogs, logs);
  rows.write(insertShortfalls, shortfalls);
  journal.write(applied);
  sums.write(rows);
  return { grants, leases: accounts.leases(), limits: counters.leases() };
}

/** Credits of the balance and room in all limits, or nothing of any. */
function granted(accounts: Accounts, counters: Counters, item: GrantItem): Granted {
  const places = item.limits && counters.find(item, item.limits);
  if (places && 'refused' in places) return places;
  const credits = accounts.grant(
    item,
    plannedCredits(places?.map(({ of, amount }) => ({ ...of, amount: amount.need }))),
  );
  return !places || 'refused' in credits ? credits : { ...credits, limits: counters.keep(places) };
}

export const script: TransactionScript<Batch, BatchResult> = { module: import.meta.url, run: runBatch };

/** Settlements in journal order, then the other items: a settlement out of order would be taken for applied. */
function inOrder({ lines, items }: Batch): Iterable<BatchItem> {
  if (lines.length === 0) return items;
  const unwritten = items.filter((item) => item.kind === 'settle');
  if (unwritten.length === 0) return chain(settlementsIn(lines), items);
  const others = items.filter(({ kind }) => kind !== 'settle');
  return [...[...settlementsIn(lines), ...unwritten].toSorted((a, b) => a.seq - b.seq), ...others];
}

function* chain<T>(...lists: Iterable<T>[]): Generator<T> {
  for (const list of lists) yield* list;
}

/**
 * Whether a call has its log row. The lock on the journal row excludes writes by the node and by other processes that
 * release its calls.
 */
async function hasRow(query: RunStatement, { requestId }: SettleItem): Promise<boolean> {
  return (await query('select 1 as found from logs where request_id = $1 limit 1', [requestId])).length > 0;
}

/** Deletes the row of a call that another process released although its node was alive; undefined: there is none. */
async function takeReleasedRow(query: RunStatement, { requestId }: SettleItem): Promise<ReleasedRow | undefined> {
  const [row] = await query<{ created_at: number; model_name: string }>(
    'delete from logs where request_id = $1 returning created_at, model_name',
    [requestId],
  );
  return row && { createdAt: row.created_at, model: row.model_name };
}

interface Journal {
  applied: number;
  closed: boolean;
  write(applied: number): void;
}

/** How far the node's journal has been applied. A journal without a row is newer than a restored database. */
async function journalOf(query: RunStatement, { node, items, lines, closes }: Batch, lock: RowLock): Promise<Journal> {
  if (!closes && lines.length === 0 && !items.some(({ kind }) => kind === 'settle'))
    return { applied: 0, closed: false, write: () => {} };
  const find = () =>
    query<{ applied: number; closed: boolean }>(`select applied, closed from journals where node = $1${lock}`, [node]);
  let [row] = await find();
  if (!row) {
    await query('insert into journals (node, applied, closed) values ($1, 0, false) on conflict do nothing', [node]);
    [row] = await find();
  }
  if (!row) throw new Error('the journal has no row after it was inserted');
  const { applied: before, closed } = row;
  return {
    applied: before,
    closed,
    write(applied) {
      const closing = closed || closes === true;
      if (applied > before || closing !== closed)
        void query('update journals set applied = $2, closed = $3 where node = $1', [node, applied, closing]);
    },
  };
}

interface SettledCall {
  charged: number;
  /** Neither a plan nor the balance has paid it. */
  shortfall: number;
  fromToken: number;
  entry: GivenRows[number] | undefined;
  log: GivenRows[number];
}

/**
 * Charges a call, less the parts of plans. Returns the charge and its ledger and log rows; a call that cost the balance
 * nothing has no ledger row.
 */
function settled(
  accounts: Accounts,
  item: SettleItem,
  { counted, parts, costs }: { counted: boolean; parts: PlanParts; costs: RowCosts | undefined },
): SettledCall {
  const { requestId, userId, tokenId, now, log } = item;
  const planned = paidByPlans(parts);
  const { charged, balance, fromToken } = accounts.charge(item, { counted, planned });
  const shortfall = item.credits - planned - charged;
  return {
    charged,
    shortfall,
    fromToken,
    entry:
      charged > 0 ? [userId, tokenId, 'settle', -charged, balance, `call:${requestId}`, userId, '', now] : undefined,
    log: [
      requestId,
      userId,
      now,
      CONSUME,
      log.content,
      log.username,
      tokenId,
      log.tokenName,
      log.model,
      charged,
      log.promptTokens,
      log.completionTokens,
      log.cachedTokens,
      item.channelId,
      log.requestTimeMs,
      log.isStream,
      log.sourceIp,
      item.failed,
      costs?.total ?? null,
      metadataOf(log.metadata, shortfall, parts),
    ],
  };
}

/** The metadata of a log row with what only the charge knows. */
function metadataOf(text: string, shortfall: number, parts: PlanParts): string {
  if (shortfall <= 0 && parts.size === 0 && !hasQuoted(text, 'plans":[')) return text;
  const metadata = JSON.parse(text) as LogMetadata; // only the relay writes it
  if (shortfall > 0) metadata.shortfall = shortfall;
  const plans = metadata.plans?.flatMap((plan) => {
    const credits = parts.get(planScope(plan.id)) ?? 0;
    return credits > 0 ? [{ ...plan, credits }] : [];
  });
  if (plans && plans.length > 0) metadata.plans = plans;
  else delete metadata.plans;
  return JSON.stringify(metadata);
}
