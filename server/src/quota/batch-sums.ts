import { type AttemptKind, inputTokens, type LogMetadata, savingsOf, usageOf } from '@relay-hub/contract';
import { speedsOf } from '#db/speed-buckets.ts';
import type { RunStatement } from '#db/transaction-script.ts';
import { attemptsIn, isOfChannel } from './attempt-kinds.ts';
import type { CallLog, SettleItem } from './batch-items.ts';

const usageByUser = rollUp('usage_by_user', 'user_id');
const usageByChannel = rollUp('usage_by_channel', 'channel_id');
const usageByToken = rollUp('usage_by_token', 'user_id', ['token_id']);
const speedsByToken = counter('speeds_by_token', ['user_id', 'hour', 'token_id', 'model_name', 'measure', 'bucket']);
const speedsByChannel = counter('speeds_by_channel', ['hour', 'channel_id', 'model_name', 'measure', 'bucket']);
const failures = counter('failures', ['hour', 'user_id', 'token_id', 'channel_id', 'model_name', 'kind']);
const attemptsByChannel =
  'insert into attempts_by_channel (hour, channel_id, kind, attempts) values ($1, $2, $3, $4) ' +
  'on conflict (hour, channel_id, kind) do update set attempts = attempts_by_channel.attempts + excluded.attempts';
// A successful call clears the channel's error.
const channelWell = "update channels set used_quota = used_quota + $2, last_error = '' where id = $1";
const channelError =
  'update channels set used_quota = used_quota + $2, last_error = $3, last_error_time = $4 where id = $1';

/** Adds to the number of calls of a key. */
function counter(table: string, key: readonly string[]): string {
  const values = [...key, 'calls'].map((_, at) => `$${at + 1}`).join(', ');
  return (
    `insert into ${table} (${key.join(', ')}, calls) values (${values}) ` +
    `on conflict (${key.join(', ')}) do update set calls = ${table}.calls + excluded.calls`
  );
}

function rollUp(table: string, owner: string, more: readonly string[] = []): string {
  const sums = [
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
  ];
  const added = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ');
  const key = [owner, 'hour', 'model_name', ...more];
  const columns = [...key, ...sums];
  return (
    `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')}) ` +
    `on conflict (${key.join(', ')}) do update set ${added}`
  );
}

/** The order in which tables are written: one on every node, so that transactions cannot wait for each other. */
const places = new Map(
  [usageByUser, usageByChannel, usageByToken, speedsByToken, speedsByChannel, failures].map((statement, at) => [
    statement,
    at,
  ]),
);

// The failure was not the channel's, so its error is kept.
const channelCredits = 'update channels set used_quota = used_quota + $2 where id = $1';

const HOUR_S = 3600;

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

/** Roll-up changes of a batch, summed so that each row is written once. */
export class Sums {
  readonly #usage = new Map<string, { statement: string; key: readonly (string | number)[]; sums: number[] }>();
  readonly #channels = new Map<number, ChannelSums>();
  readonly #attempts = new Map<string, { key: [hour: number, channelId: number, kind: AttemptKind]; count: number }>();

  add(item: SettleItem, charged: number): void {
    const { userId, tokenId, channelId, now, failed, log } = item;
    const hour = now - (now % HOUR_S);
    const sums = [
      1,
      failed ? 1 : 0,
      charged,
      log.promptTokens,
      log.completionTokens,
      log.cachedTokens,
      log.requestTimeMs,
      ...cacheSums(log),
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
    for (const [id, kind] of attempts) this.#addAttempt(hour, id, kind);
    item.earlierErrors?.forEach(([id, error], at) => {
      if (isOfChannel(attempts[at]?.[1])) this.#addToChannel(id, 0, error, now);
    });
    if (channelId === 0) return;
    this.#addTo(usageByChannel, [channelId, hour, log.model], sums);
    for (const speed of speeds) this.#addTo(speedsByChannel, [hour, channelId, log.model, ...speed], [1]);
    const error = isOfChannel(attempts.at(-1)?.[1]) ? item.channelError : undefined;
    this.#addToChannel(channelId, charged, error, now);
  }

  /** Removes a released call from the sums because its settlement has arrived. */
  takeReleased({ userId, tokenId }: SettleItem, { createdAt, model }: ReleasedRow): void {
    const hour = createdAt - (createdAt % HOUR_S);
    this.#addTo(usageByUser, [userId, hour, model], [-1, -1, 0, 0, 0, 0, 0, 0, 0, 0]);
    this.#addTo(usageByToken, [userId, hour, model, tokenId], [-1, -1, 0, 0, 0, 0, 0, 0, 0, 0]);
    this.#addTo(failures, [hour, userId, tokenId, 0, model, 'other'], [-1]);
  }

  async write(query: RunStatement): Promise<void> {
    const rows = [...this.#usage.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [, { statement, key, sums }] of rows) await query(statement, [...key, ...sums]);
    for (const [, { key, count }] of [...this.#attempts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      await query(attemptsByChannel, [...key, count]);
    for (const [id, { credits, error, time }] of [...this.#channels].toSorted(([a], [b]) => a - b)) {
      if (error === undefined) await query(channelCredits, [id, credits]);
      else if (error === '') await query(channelWell, [id, credits]);
      else await query(channelError, [id, credits, error, time]);
    }
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

  #addAttempt(hour: number, channelId: number, kind: AttemptKind): void {
    const name = `${hour} ${channelId} ${kind}`;
    const known = this.#attempts.get(name);
    if (known) known.count++;
    else this.#attempts.set(name, { key: [hour, channelId, kind], count: 1 });
  }

  #addTo(statement: string, key: readonly (string | number)[], sums: number[]): void {
    const name = `${places.get(statement) ?? ''} ${key.join(' ')}`;
    const known = this.#usage.get(name);
    if (known) known.sums = known.sums.map((sum, i) => sum + (sums[i] ?? 0));
    else this.#usage.set(name, { statement, key, sums: [...sums] });
  }
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
  return [inputTokens(usage), usage.cached + usage.cacheRead, savingsOf(row)?.credits ?? 0];
}

/** Most calls have one successful attempt; the metadata is parsed only for the others. */
function attemptsOf({ channelId, failed, earlierErrors, log }: SettleItem): [channelId: number, kind: AttemptKind][] {
  if (!failed && !earlierErrors) return channelId === 0 ? [] : [[channelId, 'ok']];
  const { attempts } = JSON.parse(log.metadata) as LogMetadata; // only the relay writes it
  return attemptsIn({ channelId, failed, attempts });
}
