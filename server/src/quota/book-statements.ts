import { Accounts } from './batch-accounts.ts';
import type { Batch, BatchItem, BatchResult, Granted, Query, RowLock, SettleItem } from './batch-items.ts';
import { RELEASED } from './batch-items.ts';
import { settlementsIn } from './journal.ts';
import { Sums } from './batch-sums.ts';

const entryColumns = 'user_id, token_id, kind, credits, balance_after, reference, actor_id, remark, created_time';
const logColumns =
  'request_id, user_id, created_at, type, content, username, token_id, token_name, model_name, quota, prompt_tokens, ' +
  'completion_tokens, cached_tokens, channel_id, request_time, is_stream, source_ip, failed, metadata';

const CONSUME = 2; // log type of the wire format

/**
 * How credits move for calls: in batches, each in one transaction that the caller has begun, on SQLite inside its
 * writer thread and on PostgreSQL over a connection; the texts are the same for both. A batch locks the rows of its
 * users and tokens, works out every item on them in order, and writes each row once. A settlement of the node's
 * journal that an earlier batch has applied is passed over, so a batch may be tried again when nobody knows how it ended.
 */
export async function runBatch(query: Query, asked: Batch, lock: RowLock): Promise<BatchResult> {
  const batch = asked.lines.length === 0 ? asked : { ...asked, items: inOrder(asked) };
  const journal = await journalOf(query, batch, lock);
  const accounts = await Accounts.lock(query, batch, lock);
  const sums = new Sums();
  const rows: Rows = { entries: [], logs: [] };
  const grants: Granted[] = [];
  let { applied } = journal;
  for (const item of batch.items) {
    if (item.kind === 'grant') grants.push(accounts.grant(item));
    else if (item.kind === 'return') accounts.giveBack(item);
    else if (item.seq === RELEASED ? !journal.closed : item.seq > applied) {
      applied = Math.max(applied, item.seq);
      sums.add(item, settle(accounts, rows, item));
    }
  }
  await accounts.write(query);
  const atOnce = lock === '' ? 1 : MOST_AT_ONCE;
  await insertRows(query, 'ledger', entryColumns, rows.entries, atOnce);
  await insertRows(query, 'logs', logColumns, rows.logs, atOnce);
  await sums.write(query);
  await journal.write(applied);
  return { grants, leases: accounts.leases() };
}

/** What stands in the journal and what does not, in the order of the journal: one that comes late is taken for applied. */
function inOrder({ lines, items }: Batch): readonly BatchItem[] {
  const written = settlementsIn(lines);
  const others = items.filter(({ kind }) => kind !== 'settle');
  const unwritten = items.filter((item) => item.kind === 'settle');
  if (unwritten.length === 0) return [...written, ...others];
  return [...[...written, ...unwritten].toSorted((a, b) => a.seq - b.seq), ...others];
}

interface Rows {
  entries: unknown[][];
  logs: unknown[][];
}

interface Journal {
  applied: number;
  closed: boolean;
  write(applied: number): Promise<void>;
}

/** How far the node's journal has been applied. One that is not known is newer than a database that was restored. */
async function journalOf(query: Query, { node, items, closes }: Batch, lock: RowLock): Promise<Journal> {
  if (!closes && !items.some(({ kind }) => kind === 'settle'))
    return { applied: 0, closed: false, write: async () => {} };
  const find = () => query(`select applied, closed from journals where node = $1${lock}`, [node]);
  let [row] = await find();
  if (!row) {
    await query('insert into journals (node, applied, closed) values ($1, 0, false) on conflict do nothing', [node]);
    [row] = await find();
  }
  const before = row?.['applied'] as number;
  const closed = row?.['closed'] as boolean;
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

/** Charges a call; returns what was taken. */
function settle(accounts: Accounts, { entries, logs }: Rows, item: SettleItem): number {
  const { requestId, userId, tokenId, now, log } = item;
  const { charged, balance } = accounts.charge(item);
  const shortfall = item.credits - charged;
  if (charged > 0) entries.push([userId, tokenId, 'settle', -charged, balance, `call:${requestId}`, userId, '', now]);
  const metadata = shortfall > 0 ? JSON.stringify({ ...JSON.parse(log.metadata), shortfall }) : log.metadata;
  logs.push([
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
    metadata,
  ]);
  return charged;
}

async function insertRows(query: Query, table: string, columns: string, rows: unknown[][], atOnce: number) {
  for (const chunk of chunks(rows, atOnce)) {
    const inserted = query(
      insertStatement(table, columns, chunk.length),
      chunk.length === 1 ? chunk[0]! : chunk.flat(),
    );
    // SQLite has done it by now.
    if (inserted instanceof Promise) await inserted;
  }
}

const statements = new Map<string, string>();

/** Texts by what they are for; there are few, and building them is not free. */
function statement(key: string, build: () => string): string {
  let text = statements.get(key);
  if (text === undefined) statements.set(key, (text = build()));
  return text;
}

const insertStatement = (table: string, columns: string, count: number): string =>
  statement(`${table} ${count}`, () => {
    const width = columns.split(',').length;
    const rows = Array.from({ length: count }, (_, row) => `(${places(row * width, width)})`);
    return `insert into ${table} (${columns}) values ${rows.join(', ')}`;
  });

const places = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `$${from + i + 1}`).join(', ');

/** Each statement is a way to PostgreSQL and back; on SQLite, binding the values of more than one row costs more than it saves. */
const MOST_AT_ONCE = 64;

/** Pieces whose lengths are powers of two, so that there are few different statements and all of them stay prepared. */
function* chunks<T>(list: readonly T[], most: number): Generator<T[]> {
  for (let start = 0; start < list.length;) {
    const left = list.length - start;
    const size = Math.min(most, 2 ** Math.floor(Math.log2(left)));
    yield list.slice(start, start + size);
    start += size;
  }
}
