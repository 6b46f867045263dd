import type { Query, SettleItem } from './book-statements.ts';

const usageByUser = rollUp('usage_by_user', 'user_id');
const usageByChannel = rollUp('usage_by_channel', 'channel_id');
const channelCredits = 'update channels set used_quota = used_quota + $2 where id = $1';
const channelError = 'update channels set last_error = $2, last_error_time = $3 where id = $1';

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
  readonly #channels = new Map<number, number>();
  readonly #errors = new Map<number, [string, number]>();

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
    if (channelId === 0) return;
    this.#addTo(usageByChannel, [channelId, hour, log.model], sums);
    if (charged > 0) this.#channels.set(channelId, (this.#channels.get(channelId) ?? 0) + charged);
    if (item.channelError !== '') this.#errors.set(channelId, [item.channelError, now]);
  }

  async write(query: Query): Promise<void> {
    const rows = [...this.#usage.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [, { statement, key, sums }] of rows) await query(statement, [...key, ...sums]);
    for (const [id, credits] of [...this.#channels].toSorted(([a], [b]) => a - b))
      await query(channelCredits, [id, credits]);
    for (const [id, [error, time]] of [...this.#errors].toSorted(([a], [b]) => a - b))
      await query(channelError, [id, error, time]);
  }

  #addTo(statement: string, key: [number, number, string], sums: number[]): void {
    const name = `${statement === usageByUser ? 'u' : 'c'} ${key.join(' ')}`;
    const known = this.#usage.get(name);
    if (known) sums.forEach((value, i) => (known.sums[i]! += value));
    else this.#usage.set(name, { statement, key, sums: [...sums] });
  }
}
