import { Accounts } from './batch-accounts.ts';
import { Sums } from './batch-sums.ts';

/**
 * How credits move for calls: in batches, each in one transaction, on SQLite inside its writer thread and on
 * PostgreSQL over a connection; the texts are the same for both. A batch locks the rows of its users and tokens, works
 * out every item on them in order, and writes each row once.
 *
 * A balance is in two parts: `quota` can be spent, `held` is reserved by open calls. Their sum is the sum of the
 * ledger's entries; `held` is the sum of the open intents.
 */

/** Sets credits aside for a call that is about to be sent. */
export interface ReserveItem {
  kind: 'reserve';
  requestId: string;
  node: string;
  userId: number;
  tokenId: number;
  /** 0 for a free call, which is admitted whatever the balance. */
  credits: number;
  priceVersion: number;
  model: string;
  now: number;
}

/** Closes a call: charges it, gives back what was reserved too much, writes its row. */
export interface SettleItem {
  kind: 'settle';
  requestId: string;
  userId: number;
  tokenId: number;
  channelId: number;
  /** What the call costs. */
  credits: number;
  now: number;
  failed: boolean;
  /** What the upstream complained of; kept on the channel. Empty: nothing. */
  channelError: string;
  log: CallLog;
}

export interface CallLog {
  content: string;
  username: string;
  tokenName: string;
  model: string;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  requestTimeMs: number;
  isStream: boolean;
  sourceIp: string;
  /** JSON text of `LogMetadata`. */
  metadata: string;
}

export type BatchItem = ReserveItem | SettleItem;

/** A reservation is admitted, or refused for want of the user's or the token's credits. */
export type Admission = 'admitted' | 'user_quota' | 'token_quota';

export interface Settled {
  /** What was taken: the cost, or less where the balance did not reach. 0 as well for a call settled before. */
  charged: number;
  shortfall: number;
}

export type BatchResult = Admission | Settled;

export type BatchRunner = (items: BatchItem[]) => Promise<BatchResult[]>;

/** Runs one statement with `$1`-style parameters; resolves with its rows. */
export type Query = (sql: string, params: readonly unknown[]) => Row[] | Promise<Row[]>;
type Row = Record<string, unknown>;

/** What makes a `select` lock the rows it reads: nothing on SQLite, where the whole transaction is alone. */
export type RowLock = '' | ' for update';

const intentColumns =
  'request_id, node, user_id, token_id, reserved, token_reserved, price_version, model_name, created_time';
const entryColumns = 'user_id, token_id, kind, credits, balance_after, reference, actor_id, remark, created_time';
const logColumns =
  'request_id, user_id, created_at, type, content, username, token_id, token_name, model_name, quota, prompt_tokens, ' +
  'completion_tokens, cached_tokens, channel_id, request_time, is_stream, source_ip, failed, metadata';

const CONSUME = 2; // log type of the wire format

/** Runs the items in one transaction that the caller has begun. Results are in the order of the items. */
export async function runBatch(query: Query, items: readonly BatchItem[], lock: RowLock): Promise<BatchResult[]> {
  const intents = await closeIntents(query, items);
  const accounts = await Accounts.lock(query, items, lock);
  const batch: Batch = { intents, accounts, sums: new Sums(), opened: [], entries: [], logs: [] };
  const results = items.map((item) => (item.kind === 'reserve' ? reserve(batch, item) : settle(batch, item)));
  await accounts.write(query);
  await insertRows(query, 'intents', intentColumns, batch.opened);
  await insertRows(query, 'ledger', entryColumns, batch.entries);
  await insertRows(query, 'logs', logColumns, batch.logs);
  await batch.sums.write(query);
  return results;
}

interface Batch {
  intents: Map<string, Intent>;
  accounts: Accounts;
  sums: Sums;
  opened: unknown[][];
  entries: unknown[][];
  logs: unknown[][];
}

interface Intent {
  reserved: number;
  tokenReserved: number;
}

function reserve({ accounts, opened }: Batch, item: ReserveItem): Admission {
  const { requestId, node, userId, tokenId, credits, priceVersion, model, now } = item;
  const held = accounts.hold(userId, tokenId, credits);
  if (typeof held === 'string') return held;
  opened.push([requestId, node, userId, tokenId, credits, held, priceVersion, model, now]);
  return 'admitted';
}

function settle({ intents, accounts, sums, entries, logs }: Batch, item: SettleItem): Settled {
  const { requestId, userId, tokenId, now, log } = item;
  const intent = intents.get(requestId);
  // Exactly once: whoever closes the intent settles the call; a second settlement finds nothing to close.
  if (!intent) return { charged: 0, shortfall: 0 };
  intents.delete(requestId);
  const { charged, balance } = accounts.charge(userId, tokenId, intent, item.credits, now);
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
  sums.add(item, charged);
  return { charged, shortfall };
}

/** Takes the intents of the settlements away, and returns what they had reserved. */
async function closeIntents(query: Query, items: readonly BatchItem[]): Promise<Map<string, Intent>> {
  const ids = items.filter(({ kind }) => kind === 'settle').map(({ requestId }) => requestId);
  const closed = new Map<string, Intent>();
  for (const chunk of chunks(ids.toSorted())) {
    for (const row of await query(closeStatement(chunk.length), chunk)) {
      const intent = { reserved: row['reserved'] as number, tokenReserved: row['token_reserved'] as number };
      closed.set(row['request_id'] as string, intent);
    }
  }
  return closed;
}

async function insertRows(query: Query, table: string, columns: string, rows: unknown[][]): Promise<void> {
  for (const chunk of chunks(rows)) await query(insertStatement(table, columns, chunk.length), chunk.flat());
}

const statements = new Map<string, string>();

/** Texts by what they are for; there are few, and building them is not free. */
function statement(key: string, build: () => string): string {
  let text = statements.get(key);
  if (text === undefined) statements.set(key, (text = build()));
  return text;
}

const closeStatement = (count: number): string =>
  statement(
    `close ${count}`,
    () =>
      `delete from intents where request_id in (${places(0, count)}) returning request_id, reserved, token_reserved`,
  );

const insertStatement = (table: string, columns: string, count: number): string =>
  statement(`${table} ${count}`, () => {
    const width = columns.split(',').length;
    const rows = Array.from({ length: count }, (_, row) => `(${places(row * width, width)})`);
    return `insert into ${table} (${columns}) values ${rows.join(', ')}`;
  });

const places = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `$${from + i + 1}`).join(', ');

/** Measured on SQLite: with more values in one statement, binding them costs more than the statement saved. */
const LARGEST_CHUNK = 4;

/** Pieces whose lengths are powers of two, so that there are few different statements and all of them stay prepared. */
function* chunks<T>(list: readonly T[]): Generator<T[]> {
  for (let start = 0; start < list.length;) {
    const left = list.length - start;
    const size = Math.min(LARGEST_CHUNK, 2 ** Math.floor(Math.log2(left)));
    yield list.slice(start, start + size);
    start += size;
  }
}
