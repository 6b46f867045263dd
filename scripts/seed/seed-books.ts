import { logType } from '@relay-hub/contract';
import type { openStorage } from '../../server/src/db/open.ts';
import type { Tables } from '../../server/src/db/tables.ts';
import type { UsageSums } from '../../server/src/db/tables/roll-ups.ts';
import { cacheSums, callCosts } from '../../server/src/quota/batch-sums.ts';
import { noUsage } from '../../server/src/roll-ups/usage-scope.ts';
import { addCounts, attemptsOf, countsOf, type LogTableRow } from '../../testing/log-rows.ts';

const HOUR_S = 3600;
const KEPT_HOURS = 2;
const LARGEST_PIECE = 16;

type Db = ReturnType<typeof openStorage>['db'];
type Entry = Omit<Tables['ledger'], 'id'>;
type UsageByUser = UsageSums & Pick<Tables['usage_by_user'], 'hour' | 'user_id' | 'model_name'>;
type UsageByChannel = UsageSums & Pick<Tables['usage_by_channel'], 'hour' | 'channel_id' | 'model_name'>;
type UsageByToken = UsageSums & Pick<Tables['usage_by_token'], 'hour' | 'user_id' | 'token_id' | 'model_name'>;
type Attempts = Tables['attempts_by_channel'];

interface Hour {
  users: Map<string, UsageByUser>;
  channels: Map<string, UsageByChannel>;
  tokens: Map<string, UsageByToken>;
  /** For histograms and failures. */
  rows: LogTableRow[];
  attempts: Map<string, Attempts>;
}

interface Account {
  /** Balance before the first row. */
  start: number;
  balance: number;
  used: number;
  calls: number;
}

/**
 * Keeps the accounting of rows that are written in bulk without the relay: ledger entries with the balance after each
 * row, roll-ups, and totals of users, tokens and channels.
 */
export class SeedBooks {
  readonly #users: Map<number, Account>;
  readonly #tokens = new Map<number, number>();
  readonly #channels = new Map<number, number>();
  readonly #byHour = new Map<number, Hour>();
  #logs: LogTableRow[] = [];
  #entries: Entry[] = [];

  private constructor(users: Map<number, Account>) {
    this.#users = users;
  }

  /** Starts from the current balances; the users must exist. */
  static async open(db: Db): Promise<SeedBooks> {
    const users = await db.selectFrom('users').select(['id', 'quota']).execute();
    return new SeedBooks(
      new Map(users.map(({ id, quota }) => [id, { start: quota, balance: quota, used: 0, calls: 0 }])),
    );
  }

  /** Current balance of a user, equal to the last ledger entry. */
  balanceOf(userId: number): number {
    return this.#account(userId).balance;
  }

  addTopup(userId: number, credits: number, reference: string, at: number): void {
    const account = this.#account(userId);
    account.balance += credits;
    this.#post({ user_id: userId, token_id: null, kind: 'topup', credits, reference, created_time: at });
  }

  add(row: LogTableRow): void {
    this.#logs.push(row);
    if (row.type !== logType.consume) return;
    const { user_id: userId, token_id: tokenId, channel_id: channelId, quota, created_at: at } = row;
    const account = this.#account(userId);
    account.balance -= quota;
    account.used += quota;
    account.calls++;
    this.#tokens.set(tokenId, (this.#tokens.get(tokenId) ?? 0) + quota);
    this.#channels.set(channelId, (this.#channels.get(channelId) ?? 0) + quota);
    const reference = `call:${row.request_id}`;
    if (quota > 0)
      this.#post({ user_id: userId, token_id: tokenId, kind: 'settle', credits: -quota, reference, created_time: at });
    this.#addUsage(row);
  }

  /** Writes the collected rows; hours that are not complete are kept until the end. */
  async write(db: Db, at: number): Promise<void> {
    await db.transaction().execute(async (trx) => {
      for (const rows of pieces(this.#logs)) await trx.insertInto('logs').values(rows).execute();
      for (const rows of pieces(this.#entries)) await trx.insertInto('ledger').values(rows).execute();
      for (const hour of this.#byHour.keys()) if (hour < at - KEPT_HOURS * HOUR_S) await this.#writeHour(trx, hour);
    });
    this.#logs = [];
    this.#entries = [];
  }

  async close(db: Db): Promise<void> {
    const now = Math.floor(Date.now() / 1000);
    await db.transaction().execute(async (trx) => {
      for (const hour of this.#byHour.keys()) await this.#writeHour(trx, hour);
      for (const [id, { start, balance, used, calls }] of this.#users)
        await trx
          .updateTable('users')
          .set((eb) => ({
            quota: eb('quota', '+', balance - start),
            used_quota: eb('used_quota', '+', used),
            request_count: eb('request_count', '+', calls),
          }))
          .where('id', '=', id)
          .execute();
      for (const [id, used] of this.#tokens)
        await trx
          .updateTable('tokens')
          .set((eb) => ({ used_quota: eb('used_quota', '+', used), accessed_time: now }))
          .where('id', '=', id)
          .execute();
      for (const [id, used] of this.#channels)
        await trx
          .updateTable('channels')
          .set((eb) => ({ used_quota: eb('used_quota', '+', used) }))
          .where('id', '=', id)
          .execute();
    });
  }

  #account(userId: number): Account {
    return this.#users.get(userId)!; // rows belong to users that existed at `open`
  }

  #post(entry: Omit<Entry, 'balance_after' | 'actor_id' | 'remark'>): void {
    const { balance } = this.#account(entry.user_id);
    this.#entries.push({ ...entry, balance_after: balance, actor_id: entry.user_id, remark: '' });
  }

  #addUsage(row: LogTableRow): void {
    const hour = row.created_at - (row.created_at % HOUR_S);
    let usage = this.#byHour.get(hour);
    if (!usage) this.#byHour.set(hour, (usage = emptyHour()));
    usage.rows.push(row);
    const [cache_input, cache_read, cache_saved] = cacheSums({
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      metadata: row.metadata ?? '{}',
    });
    const costs = callCosts({ metadata: row.metadata ?? '{}' });
    const sums: UsageSums = {
      request_count: 1,
      failed_count: row.failed ? 1 : 0,
      quota: row.quota,
      prompt_tokens: row.prompt_tokens,
      completion_tokens: row.completion_tokens,
      cached_tokens: row.cached_tokens,
      request_time: row.request_time,
      cache_input,
      cache_read,
      cache_saved,
      cost: costs?.total ?? 0,
      costed: costs?.knowsLast ? row.quota : 0,
    };
    const { user_id, channel_id, token_id, model_name } = row;
    addTo(usage.users, `${user_id} ${model_name}`, { user_id, hour, model_name, ...sums }, sums);
    // Each cost belongs to the channel of its attempt.
    const answered: UsageSums = { ...sums, cost: 0 };
    addTo(usage.channels, `${channel_id} ${model_name}`, { hour, channel_id, model_name, ...answered }, answered);
    for (const [id, cost] of costs?.attempts ?? []) {
      if (cost === 0) continue;
      const ofAttempt: UsageSums = { ...noUsage, cost };
      addTo(usage.channels, `${id} ${model_name}`, { hour, channel_id: id, model_name, ...ofAttempt }, ofAttempt);
    }
    addTo(usage.tokens, `${user_id} ${token_id} ${model_name}`, { user_id, hour, token_id, model_name, ...sums }, sums);
    for (const counted of attemptsOf([row])) {
      const key = `${counted.channel_id} ${counted.kind}`;
      const known = usage.attempts.get(key);
      if (known) known.attempts += counted.attempts;
      else usage.attempts.set(key, counted);
    }
  }

  async #writeHour(trx: Db, hour: number): Promise<void> {
    const { users, channels, tokens, attempts, rows: calls } = this.#byHour.get(hour)!; // called for known hours only
    for (const rows of pieces([...users.values()])) await trx.insertInto('usage_by_user').values(rows).execute();
    for (const rows of pieces([...channels.values()])) await trx.insertInto('usage_by_channel').values(rows).execute();
    for (const rows of pieces([...tokens.values()])) await trx.insertInto('usage_by_token').values(rows).execute();
    const { byToken, byChannel, failures } = countsOf(calls);
    await addCounts(trx, 'speeds_by_token', byToken);
    await addCounts(trx, 'speeds_by_channel', byChannel);
    await addCounts(trx, 'failures', failures);
    for (const rows of pieces([...attempts.values()]))
      await trx.insertInto('attempts_by_channel').values(rows).execute();
    this.#byHour.delete(hour);
  }
}

const emptyHour = (): Hour => ({
  users: new Map(),
  channels: new Map(),
  tokens: new Map(),
  rows: [],
  attempts: new Map(),
});

function addTo<Row extends UsageSums>(usage: Map<string, Row>, key: string, first: Row, sums: UsageSums): void {
  const known: UsageSums | undefined = usage.get(key);
  if (!known) usage.set(key, first);
  else for (const name of Object.keys(sums) as (keyof UsageSums)[]) known[name] += sums[name];
}

/** Splits rows into batches whose sizes are powers of two, so that few prepared statements suffice. */
function* pieces<Row>(rows: readonly Row[]): Generator<Row[], void> {
  for (let start = 0; start < rows.length;) {
    const size = Math.min(LARGEST_PIECE, 2 ** Math.floor(Math.log2(rows.length - start)));
    yield rows.slice(start, start + size);
    start += size;
  }
}
