import type { RowLock, RunStatement, TransactionScript } from '#db/transaction-script.ts';
import { Accounts } from './batch-accounts.ts';
import { Counters } from './batch-counters.ts';
import type { Batch, BatchItem, BatchResult, Counted, Granted, SettleItem } from './batch-items.ts';
import { RELEASED } from './batch-items.ts';
import { settlementsIn } from './journal.ts';
import { type ReleasedRow, Sums } from './batch-sums.ts';
import { writeTask } from './write-task.ts';

const insertEntries = insertsInto(
  'ledger',
  'user_id, token_id, kind, credits, balance_after, reference, actor_id, remark, created_time',
);
const insertLogs = insertsInto(
  'logs',
  'request_id, user_id, created_at, type, content, username, token_id, token_name, model_name, quota, prompt_tokens, ' +
    'completion_tokens, cached_tokens, channel_id, request_time, is_stream, source_ip, failed, metadata',
);

const CONSUME = 2; // log type of the wire format

/**
 * Moves credits for calls, one transaction per batch; the statements are the same on SQLite and PostgreSQL. A batch
 * locks its users and tokens, applies every item in order and writes each row once. Settlements that an earlier batch
 * applied are skipped, so a batch with unknown outcome can be retried.
 */
async function runBatch(query: RunStatement, batch: Batch, lock: RowLock): Promise<BatchResult> {
  const journal = await journalOf(query, batch, lock);
  const accounts = new Accounts(query, batch.node, lock);
  // With row locks, all rows are locked first, in order. Without, items are streamed and freed one by one.
  const items = lock === '' ? inOrder(batch) : [...inOrder(batch)];
  if (Array.isArray(items)) await accounts.lock(items);
  const sums = new Sums();
  const atOnce = lock === '' ? 1 : MOST_AT_ONCE;
  const entries = new Inserts(query, insertEntries, atOnce);
  const logs = new Inserts(query, insertLogs, atOnce);
  const grants: Granted[] = [];
  const counts: Counted[] = [];
  const counters = new Counters(query, batch.node);
  let { applied } = journal;
  for (const item of items) {
    if (!accounts.has(item)) await accounts.lock([item]);
    if (item.kind === 'grant') grants.push(accounts.grant(item));
    else if (item.kind === 'return') accounts.giveBack(item);
    else if (item.kind === 'count') counts.push(await counters.count(item));
    else if (item.kind === 'uncount') await counters.giveBack(item);
    else if (item.seq === RELEASED ? !(await hasRow(query, item)) : item.seq > applied) {
      applied = Math.max(applied, item.seq);
      // A closed journal belongs to a node that was presumed dead: its open calls may have been released.
      const released = journal.closed && item.seq !== RELEASED ? await takeReleasedRow(query, item) : undefined;
      if (released) sums.takeReleased(item, released);
      const { charged, fromToken, entry, log } = settled(accounts, item, released !== undefined);
      sums.add(item, charged);
      if (item.counts) await counters.settle(item, item.counts, charged);
      const entered = entry && entries.add(entry);
      if (entered) await entered;
      const logged = logs.add(log);
      if (logged) await logged;
      if (item.task) await writeTask(query, item, item.task, { charged, fromToken });
    }
  }
  await accounts.write();
  await counters.write();
  await entries.write();
  await logs.write();
  await sums.write(query);
  await journal.write(applied);
  return { grants, counts, leases: accounts.leases() };
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
  write(applied: number): Promise<void>;
}

/** How far the node's journal has been applied. A journal without a row is newer than a restored database. */
async function journalOf(query: RunStatement, { node, items, lines, closes }: Batch, lock: RowLock): Promise<Journal> {
  if (!closes && lines.length === 0 && !items.some(({ kind }) => kind === 'settle'))
    return { applied: 0, closed: false, write: async () => {} };
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
    async write(applied) {
      const closing = closed || closes === true;
      if (applied > before || closing !== closed)
        await query('update journals set applied = $2, closed = $3 where node = $1', [node, applied, closing]);
    },
  };
}

/** Charges a call. Returns the charge and its ledger and log rows; a call that cost nothing has no ledger row. */
function settled(
  accounts: Accounts,
  item: SettleItem,
  counted: boolean,
): { charged: number; fromToken: number; entry: unknown[] | undefined; log: unknown[] } {
  const { requestId, userId, tokenId, now, log } = item;
  const { charged, balance, fromToken } = accounts.charge(item, counted);
  const shortfall = item.credits - charged;
  return {
    charged,
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
      shortfall > 0 ? JSON.stringify({ ...JSON.parse(log.metadata), shortfall }) : log.metadata,
    ],
  };
}

/** Buffers rows and inserts them in multi-row statements. */
class Inserts {
  readonly #query: RunStatement;
  readonly #statement: (count: number) => string;
  readonly #atOnce: number;
  #rows: unknown[][] = [];

  constructor(query: RunStatement, statement: (count: number) => string, atOnce: number) {
    this.#query = query;
    this.#statement = statement;
    this.#atOnce = atOnce;
  }

  /** Adds a row and writes a full buffer. Returns a promise only if the database answers asynchronously. */
  add(row: unknown[]): Promise<unknown> | undefined {
    this.#rows.push(row);
    return this.#rows.length < this.#atOnce ? undefined : this.write();
  }

  /** Writes the buffer. */
  write(): Promise<unknown> | undefined {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length > 1) return this.#writeChunks(rows);
    const inserted = rows[0] && this.#query(this.#statement(1), rows[0]);
    return inserted instanceof Promise ? inserted : undefined;
  }

  async #writeChunks(rows: unknown[][]): Promise<void> {
    for (const chunk of chunks(rows, this.#atOnce)) await this.#query(this.#statement(chunk.length), chunk.flat());
  }
}

/** Caches insert statements by row count; there are few counts, and building the text is not free. */
function insertsInto(table: string, columns: string): (count: number) => string {
  const width = columns.split(',').length;
  const known = new Map<number, string>();
  return (count) => {
    let text = known.get(count);
    if (text === undefined) {
      const rows = Array.from({ length: count }, (_, row) => `(${places(row * width, width)})`);
      known.set(count, (text = `insert into ${table} (${columns}) values ${rows.join(', ')}`));
    }
    return text;
  };
}

function places(from: number, count: number): string {
  return Array.from({ length: count }, (_, i) => `$${from + i + 1}`).join(', ');
}

/** On PostgreSQL each statement is a round trip; on SQLite, binding many rows costs more than it saves. */
const MOST_AT_ONCE = 64;

/** Chunks with power-of-two sizes, so that there are few different statements and all stay prepared. */
function* chunks<T>(list: readonly T[], most: number): Generator<T[]> {
  for (let start = 0; start < list.length;) {
    const left = list.length - start;
    const size = Math.min(most, 2 ** Math.floor(Math.log2(left)));
    yield list.slice(start, start + size);
    start += size;
  }
}
