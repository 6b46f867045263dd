import type { AttemptKind, LogMetadata } from '@relay-hub/contract';
// The database thread loads this, and has no use for the schemas.
import { costsOf, type RowCosts, savingsOf, usageOf } from '@relay-hub/contract/log-usage';
import { inputTokens, tokensFromCache } from '@relay-hub/contract/usage-kinds';
import { speedsOf } from '#db/speed-buckets.ts';
import { hasQuoted } from '#json.ts';
import {
  type GivenColumns,
  insertRows,
  type RowStatement,
  type RowStatements,
  selectRows,
  updateRows,
} from '#db/row-statements.ts';
import { attemptsIn, isOfChannel } from './attempt-kinds.ts';
import type { CallLog, SettleItem } from './batch-items.ts';

const usageSums = [
  'request_count',
  'failed_count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'request_time',
  'cache_input',
  'cache_read',
  'cache_saved',
  'cost',
  'costed',
];

const usageByUser = adding('usage_by_user', ['user_id', 'hour', 'model_name'], usageSums);
const usageByToken = adding('usage_by_token', ['user_id', 'hour', 'model_name', 'token_id'], usageSums);
const speedsByToken = adding('speeds_by_token', ['user_id', 'hour', 'token_id', 'model_name', 'measure', 'bucket']);
const failures = adding('failures', ['hour', 'user_id', 'token_id', 'channel_id', 'model_name', 'kind']);
const usageByChannel = adding('usage_by_channel', ['channel_id', 'hour', 'model_name'], usageSums);
const speedsByChannel = adding('speeds_by_channel', ['hour', 'channel_id', 'model_name', 'measure', 'bucket']);
const attemptsByChannel = adding('attempts_by_channel', ['hour', 'channel_id', 'kind'], ['attempts']);

/**
 * The order in which tables are written, one on every node, so that transactions cannot wait for each other. Rows of
 * users are behind the locks on the users; those that all nodes share are last.
 */
export const summedTables = [
  usageByUser,
  usageByToken,
  speedsByToken,
  failures,
  usageByChannel,
  speedsByChannel,
  attemptsByChannel,
];

/** A table of sums by key. */
export interface SummedTable {
  table: string;
  key: readonly string[];
  sums: readonly string[];
  /** Adds to the sums of a key. */
  add: RowStatement;
  /** The clause `on conflict …` of such an insert. */
  conflict: string;
}

/** The type of a column of a summed table. */
export function summedType(name: string): 'text' | 'bigint' {
  return name === 'model_name' || name === 'kind' ? 'text' : 'bigint';
}

function adding(table: string, key: readonly string[], sums: readonly string[] = ['calls']): SummedTable {
  const added = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ');
  const columns: GivenColumns = Object.fromEntries([...key, ...sums].map((name) => [name, summedType(name)]));
  const conflict = `on conflict (${key.join(', ')}) do update set ${added}`;
  return { table, key, sums, add: insertRows(table, columns, conflict), conflict };
}

const insertPending = insertRows('pending_sums', { calls: 'bigint', sums: 'json' });

const lockChannels = selectRows(
  'channels',
  { id: 'bigint' },
  { select: 'channels.id', where: 'channels.id = given.id', order: 'channels.id' },
);
// An empty error: a successful call clears the channel's. None: the failure was not the channel's, so its error is kept,
// as is a newer one, because sums arrive later than errors that are written at once.
const updateChannels = updateRows(
  'channels',
  { id: 'bigint', credits: 'bigint', error: 'text', time: 'bigint', failed_at: 'bigint' },
  'used_quota = channels.used_quota + given.credits, last_error = case when given.error is null ' +
    'or given.time < channels.last_error_time then channels.last_error else given.error end, last_error_time = case ' +
    'when given.failed_at < channels.last_error_time then channels.last_error_time else given.failed_at end',
  'channels.id = given.id',
);

const HOUR_S = 3600;

const COST = usageSums.indexOf('cost');
const ofCost = (cost: number): number[] => usageSums.map((_, at) => (at === COST ? cost : 0));
const RELEASED_SUMS = usageSums.map((_, at) => (at < 2 ? -1 : 0));

/** The log row of a call released free of charge; no channel counts it. */
export interface ReleasedRow {
  /** Unix seconds. */
  createdAt: number;
  model: string;
}

/**
 * Changes of one channel by calls: credits; how the last attempt ended: an error, or empty on success; its time, and
 * that of the last error. Null and 0: no attempt counts for the channel.
 */
export type ChannelChange = [id: number, credits: number, error: string | null, time: number, failedAt: number];

/** Changes of channels, each written once. */
export class ChannelSums {
  readonly #channels = new Map<number, ChannelChange>();

  add([id, credits, error, time, failedAt]: ChannelChange): void {
    const known = this.#channels.get(id);
    if (!known) this.#channels.set(id, [id, credits, error, time, failedAt]);
    else
      this.#channels.set(id, [
        id,
        known[1] + credits,
        error ?? known[2],
        error === null ? known[3] : time,
        Math.max(known[4], failedAt),
      ]);
  }

  get changes(): ChannelChange[] {
    return [...this.#channels.values()];
  }

  write(rows: RowStatements): void {
    if (rows.takesAll)
      rows.write(
        lockChannels,
        this.changes.map(([id]) => [id]),
      );
    rows.write(updateChannels, this.changes);
  }
}

interface AddedRow {
  key: readonly (string | number)[];
  sums: number[];
}

/** Rows of a table to add, by key. */
class AddedRows {
  readonly #byKey = new Map<string, AddedRow>();
  /** Calls that follow each other often have the same key, which is then not looked up. */
  #last: AddedRow | undefined;

  get size(): number {
    return this.#byKey.size;
  }

  add(key: readonly (string | number)[], sums: readonly number[]): void {
    if (!this.#last || !isEqual(this.#last.key, key)) {
      const name = key.join(' ');
      this.#last = this.#byKey.get(name);
      if (!this.#last) {
        this.#byKey.set(name, (this.#last = { key, sums: [...sums] }));
        return;
      }
    }
    const { sums: known } = this.#last;
    for (let at = 0; at < known.length; at++) known[at] = (known[at] ?? 0) + (sums[at] ?? 0);
  }

  values(): (string | number)[][] {
    return Array.from(this.#byKey.values(), valuesOf);
  }

  sorted(): (string | number)[][] {
    return [...this.#byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => valuesOf(row));
  }
}

/** Roll-up changes of a batch, summed so that each row is written once. */
export class Sums {
  readonly #tables = new Map(summedTables.map((table) => [table, new AddedRows()]));
  readonly #channels = new ChannelSums();
  #calls = 0;

  /** `costs`: of `callCosts`. */
  add(item: SettleItem, charged: number, costs: RowCosts | undefined): void {
    const { userId, tokenId, channelId, now, failed, log } = item;
    const hour = now - (now % HOUR_S);
    this.#calls++;
    const sums = [
      1,
      failed ? 1 : 0,
      charged,
      log.promptTokens,
      log.completionTokens,
      log.cachedTokens,
      log.requestTimeMs,
      ...cacheSums(log),
      costs?.total ?? 0,
      costs?.knowsLast ? charged : 0,
    ];
    this.#addTo(usageByUser, [userId, hour, log.model], sums);
    this.#addTo(usageByToken, [userId, hour, log.model, tokenId], sums);
    const speeds = speedsOf({ failed, requestTimeMs: log.requestTimeMs, metadata: log.metadata });
    for (const speed of speeds) this.#addTo(speedsByToken, [userId, hour, tokenId, log.model, ...speed], [1]);
    const attempts = attemptsOf(item);
    if (failed) {
      const kind = attempts.at(-1)?.[1] ?? 'other';
      this.#addTo(failures, [hour, userId, tokenId, channelId, log.model, kind], [1]);
    }
    for (const [id, kind] of attempts) this.#addTo(attemptsByChannel, [hour, id, kind], [1]);
    // Each cost belongs to the channel of its attempt, the charge to the last one.
    for (const [id, cost] of costs?.attempts ?? [])
      if (id !== 0 && cost !== 0) this.#addTo(usageByChannel, [id, hour, log.model], ofCost(cost));
    item.earlierErrors?.forEach(([id, error], at) => {
      if (isOfChannel(attempts[at]?.[1])) this.#channels.add([id, 0, error, now, now]);
    });
    // A reply of the cache comes from no channel, and is in the totals of the hub all the same.
    if (channelId === 0 && !isCachedReply(log)) return;
    this.#addTo(usageByChannel, [channelId, hour, log.model], costs ? sums.with(COST, 0) : sums);
    for (const speed of speeds) this.#addTo(speedsByChannel, [hour, channelId, log.model, ...speed], [1]);
    if (channelId === 0) return;
    const error = isOfChannel(attempts.at(-1)?.[1]) ? item.channelError : null;
    this.#channels.add([channelId, charged, error, now, error ? now : 0]);
  }

  /** Removes a released call from the sums because its settlement has arrived. */
  takeReleased({ userId, tokenId }: SettleItem, { createdAt, model }: ReleasedRow): void {
    const hour = createdAt - (createdAt % HOUR_S);
    this.#addTo(usageByUser, [userId, hour, model], RELEASED_SUMS);
    this.#addTo(usageByToken, [userId, hour, model, tokenId], RELEASED_SUMS);
    this.#addTo(failures, [hour, userId, tokenId, 0, model, 'other'], [-1]);
  }

  /**
   * Writes the sums. Where each row would be a part of a round trip and a lock that other nodes wait for, they are kept
   * in one row of `pending_sums`, which `pending-sums.ts` adds up with others.
   */
  write(rows: RowStatements): void {
    if (rows.takesAll) {
      if (this.#calls > 0) rows.write(insertPending, [[this.#calls, this.#text()]]);
      return;
    }
    for (const [{ add }, added] of this.#tables) rows.write(add, added.sorted());
    this.#channels.write(rows);
  }

  #text(): string {
    const tables = [...this.#tables].flatMap(([{ table }, added]) => (added.size > 0 ? [[table, added.values()]] : []));
    const channels = this.#channels.changes;
    const text = JSON.stringify({ ...Object.fromEntries(tables), ...(channels.length > 0 && { channels }) });
    // PostgreSQL keeps such escapes and refuses to read them.
    return text.includes(String.raw`\u`) ? JSON.stringify(JSON.parse(text, readable)) : text;
  }

  #addTo(table: SummedTable, key: readonly (string | number)[], sums: number[]): void {
    this.#tables.get(table)!.add(key, sums); // one of `tables`
  }
}

/** Whether a call was answered from the reply cache. */
const isCachedReply = ({ metadata }: Pick<CallLog, 'metadata'>): boolean => hasQuoted(metadata, 'reply_cache":{');

/** Known costs of a call; undefined: none. Only the metadata of calls with one is parsed. */
export function callCosts(log: Pick<CallLog, 'metadata'>): RowCosts | undefined {
  return hasQuoted(log.metadata, 'cost":{') || isCachedReply(log)
    ? costsOf({ metadata: JSON.parse(log.metadata) as LogMetadata })
    : undefined;
}

const readable = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : value;

function isEqual(one: readonly (string | number)[], other: readonly (string | number)[]): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

const valuesOf = ({ key, sums }: AddedRow): (string | number)[] => [...key, ...sums];

/** Input tokens, those read from caches, and credits saved. Only the metadata of calls with a cache is parsed. */
export function cacheSums(
  log: Pick<CallLog, 'promptTokens' | 'completionTokens' | 'metadata'>,
): [input: number, read: number, saved: number] {
  const { promptTokens, completionTokens } = log;
  // The prompt of a cached reply was sent to no provider.
  if (isCachedReply(log)) return [0, 0, 0];
  if (!hasQuoted(log.metadata, 'cached_')) return [promptTokens, 0, 0];
  const metadata = JSON.parse(log.metadata) as LogMetadata; // only the relay writes it
  const row = { prompt_tokens: promptTokens, completion_tokens: completionTokens, metadata };
  const usage = usageOf(row);
  return [inputTokens(usage), tokensFromCache(usage), savingsOf(row)?.credits ?? 0];
}

/** Most calls have one successful attempt; the metadata is parsed only for the others. */
function attemptsOf({ channelId, failed, earlierErrors, log }: SettleItem): [channelId: number, kind: AttemptKind][] {
  if (!failed && !earlierErrors) return channelId === 0 ? [] : [[channelId, 'ok']];
  const { attempts } = JSON.parse(log.metadata) as LogMetadata; // only the relay writes it
  return attemptsIn({ channelId, failed, attempts });
}
