import type { Query, SettleItem } from './batch-items.ts';

const usageByUser = rollUp('usage_by_user', 'user_id');
const usageByChannel = rollUp('usage_by_channel', 'channel_id');
// A call that went through says that the channel is well again.
const channelWell = "update channels set used_quota = used_quota + $2, last_error = '' where id = $1";
const channelError =
  'update channels set used_quota = used_quota + $2, last_error = $3, last_error_time = $4 where id = $1';

function rollUp(table: string, owner: string): string {
  const sums = [
    'request_count',
    'failed_count',
    'quota',
    'prompt_tokens',
    'completion_tokens',
    'cached_tokens',
    'request_time',
  ];
  const added = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ');
  return (
    `insert into ${table} (${owner}, hour, model_name, ${sums.join(', ')}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ` +
    `on conflict (${owner}, hour, model_name) do update set ${added}`
  );
}

const HOUR_S = 3600;

/** What a batch adds to the roll-ups: summed up first, so each row is written once. */
export class Sums {
  readonly #usage = new Map<string, { statement: string; key: [number, number, string]; sums: number[] }>();
  /** Credits, and how the last call of the batch ended: an error and its time, or nothing. */
  readonly #channels = new Map<number, { credits: number; error: string; time: number }>();

  add(item: SettleItem, charged: number): void {
    const { userId, channelId, now, failed, log } = item;
    const hour = now - (now % HOUR_S);
    const sums = [
      1,
      failed ? 1 : 0,
      charged,
      log.promptTokens,
      log.completionTokens,
      log.cachedTokens,
      log.requestTimeMs,
    ];
    this.#addTo(usageByUser, [userId, hour, log.model], sums);
    for (const [id, error] of item.earlierErrors ?? []) {
      const credits = this.#channels.get(id)?.credits ?? 0;
      this.#channels.set(id, { credits, error, time: now });
    }
    if (channelId === 0) return;
    this.#addTo(usageByChannel, [channelId, hour, log.model], sums);
    const credits = (this.#channels.get(channelId)?.credits ?? 0) + charged;
    this.#channels.set(channelId, { credits, error: item.channelError, time: now });
  }

  async write(query: Query): Promise<void> {
    const rows = [...this.#usage.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [, { statement, key, sums }] of rows) await query(statement, [...key, ...sums]);
    for (const [id, { credits, error, time }] of [...this.#channels].toSorted(([a], [b]) => a - b)) {
      if (error === '') await query(channelWell, [id, credits]);
      else await query(channelError, [id, credits, error, time]);
    }
  }

  #addTo(statement: string, key: [number, number, string], sums: number[]): void {
    const name = `${statement === usageByUser ? 'u' : 'c'} ${key.join(' ')}`;
    const known = this.#usage.get(name);
    if (known) sums.forEach((value, i) => (known.sums[i]! += value));
    else this.#usage.set(name, { statement, key, sums: [...sums] });
  }
}
