import type { AttemptKind, LogMetadata } from '@relay-hub/contract';
// The database thread loads this, and has no use for the schemas.
import { costsOf, type RowCosts, savingsOf, usageOf } from '@relay-hub/contract/log-usage';
import { inputTokens, tokensFromCache } from '@relay-hub/contract/usage-kinds';
import { speedsOf } from '#db/speed-buckets.ts';
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
const tables = [usageByUser, usageByToken, speedsByToken, failures, usageByChannel, speedsByChannel, attemptsByChannel];

/** Adds to the sums of a key. */
function adding(table: string, key: readonly string[], sums: readonly string[] = ['calls']): RowStatement {
  const added = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ');
  const typeOf = (name: string) => (name === 'model_name' || name === 'kind' ? 'text' : 'bigint');
  const columns: GivenColumns = Object.fromEntries([...key, ...sums].map((name) => [name, typeOf(name)]));
  return insertRows(table, columns, `on conflict (${key.join(', ')}) do update set ${added}`);
}

const lockChannels = selectRows(
  'channels',
  { id: 'bigint' },
  { select: 'channels.id', where: 'channels.id = given.id', order: 'channels.id' },
);
// An empty error: a successful call clears the channel's. None: the failure was not the channel's, so its error is kept.
const updateChannels = updateRows(
  'channels',
  { id: 'bigint', credits: 'bigint', error: 'text', time: 'bigint' },
  'used_quota = channels.used_quota + given.credits, last_error = coalesce(given.error, channels.last_error), ' +
    "last_error_time = case when coalesce(given.error, '') = '' then channels.last_error_time else given.time end",
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

/** Changes of one channel by the calls of a batch. */
interface ChannelSums {
  credits: number;
  /** How the last attempt ended: an error, or empty on success. Undefined: no attempt counts for the channel. */
  error: string | undefined;
  time: number;
}

interface AddedRow {
  key: readonly (string | number)[];
  sums: number[];
}

/** Roll-up changes of a batch, summed so that each row is written once. */
export class Sums {
  readonly #tables = new Map(tables.map((table) => [table, new Map<string, AddedRow>()]));
  readonly #channels = new Map<number, ChannelSums>();

  add(item: SettleItem, charged: number): void {
    const { userId, tokenId, channelId, now, failed, log } = item;
    const hour = now - (now % HOUR_S);
    const costs = callCosts(log);
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
      if (isOfChannel(attempts[at]?.[1])) this.#addToChannel(id, 0, error, now);
    });
    if (channelId === 0) return;
    this.#addTo(usageByChannel, [channelId, hour, log.model], sums.with(COST, 0));
    for (const speed of speeds) this.#addTo(speedsByChannel, [hour, channelId, log.model, ...speed], [1]);
    const error = isOfChannel(attempts.at(-1)?.[1]) ? item.channelError : undefined;
    this.#addToChannel(channelId, charged, error, now);
  }

  /** Removes a released call from the sums because its settlement has arrived. */
  takeReleased({ userId, tokenId }: SettleItem, { createdAt, model }: ReleasedRow): void {
    const hour = createdAt - (createdAt % HOUR_S);
    this.#addTo(usageByUser, [userId, hour, model], RELEASED_SUMS);
    this.#addTo(usageByToken, [userId, hour, model, tokenId], RELEASED_SUMS);
    this.#addTo(failures, [hour, userId, tokenId, 0, model, 'other'], [-1]);
  }

  write(rows: RowStatements): void {
    for (const [table, added] of this.#tables)
      rows.write(
        table,
        [...added].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, { key, sums }]) => [...key, ...sums]),
      );
    const channels = [...this.#channels].map(([id, { credits, error, time }]) => [id, credits, error, time]);
    if (rows.takesAll)
      rows.write(
        lockChannels,
        channels.map(([id]) => [id]),
      );
    rows.write(updateChannels, channels);
  }

  #addToChannel(id: number, credits: number, error: string | undefined, time: number): void {
    const known = this.#channels.get(id);
    if (!known) this.#channels.set(id, { credits, error, time });
    else {
      known.credits += credits;
      if (error === undefined) return;
      known.error = error;
      known.time = time;
    }
  }

  #addTo(table: RowStatement, key: readonly (string | number)[], sums: number[]): void {
    const name = key.join(' ');
    const rows = this.#tables.get(table)!; // one of `tables`
    const known = rows.get(name);
    if (known) known.sums = known.sums.map((sum, i) => sum + (sums[i] ?? 0));
    else rows.set(name, { key, sums: [...sums] });
  }
}

/** Known costs of a call; undefined: none. Only the metadata of calls with one is parsed. */
export function callCosts({ metadata }: Pick<CallLog, 'metadata'>): RowCosts | undefined {
  return metadata.includes('"cost":{') ? costsOf({ metadata: JSON.parse(metadata) as LogMetadata }) : undefined;
}

/** Input tokens, those read from caches, and credits saved. Only the metadata of calls with a cache is parsed. */
export function cacheSums({
  promptTokens,
  completionTokens,
  metadata: text,
}: Pick<CallLog, 'promptTokens' | 'completionTokens' | 'metadata'>): [input: number, read: number, saved: number] {
  if (!text.includes('"cached_')) return [promptTokens, 0, 0];
  const metadata = JSON.parse(text) as LogMetadata; // only the relay writes it
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
