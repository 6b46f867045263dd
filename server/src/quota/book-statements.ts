/**
 * The statements that move credits for calls. They run in batches, each batch in one transaction, on SQLite inside
 * its writer thread and on PostgreSQL over a connection; the texts are the same for both.
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
type Query = (sql: string, params: readonly unknown[]) => Row[] | Promise<Row[]>;
type Row = Record<string, unknown>;

const sql = {
  holdUser: 'update users set quota = quota - $2, held = held + $2 where id = $1 and quota >= $2 returning id',
  unholdUser: 'update users set quota = quota + $2, held = held - $2 where id = $1',
  holdToken:
    'update tokens set remain_quota = remain_quota - case when unlimited_quota then 0 else $2 end ' +
    'where id = $1 and (unlimited_quota or remain_quota >= $2) returning unlimited_quota as unlimited',
  openIntent:
    'insert into intents (request_id, node, user_id, token_id, reserved, token_reserved, price_version, model_name, created_time) ' +
    'values ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
  closeIntent: 'delete from intents where request_id = $1 returning reserved, token_reserved',
  // Locks both rows, so that what is read stays true until the transaction ends.
  readUser: 'update users set quota = quota where id = $1 returning quota',
  readToken: 'update tokens set remain_quota = remain_quota where id = $1 returning remain_quota',
  chargeUser:
    'update users set quota = quota + $2 - $3, held = held - $2, used_quota = used_quota + $3, request_count = request_count + 1 ' +
    'where id = $1 returning quota + held as balance',
  chargeToken: 'update tokens set remain_quota = remain_quota + $2, used_quota = used_quota + $3, accessed_time = $4 where id = $1',
  entry:
    'insert into ledger (user_id, token_id, kind, credits, balance_after, reference, actor_id, remark, created_time) ' +
    'values ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
  log:
    'insert into logs (request_id, user_id, created_at, type, content, username, token_id, token_name, model_name, quota, ' +
    'prompt_tokens, completion_tokens, cached_tokens, channel_id, request_time, is_stream, source_ip, failed, metadata) ' +
    'values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)',
  channel: 'update channels set used_quota = used_quota + $2 where id = $1',
  channelError: 'update channels set last_error = $2, last_error_time = $3 where id = $1',
  usageByUser: rollUp('usage_by_user', 'user_id'),
  usageByChannel: rollUp('usage_by_channel', 'channel_id'),
};

function rollUp(table: string, owner: string): string {
  const sums = ['request_count', 'failed_count', 'quota', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'request_time'];
  const added = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ');
  return (
    `insert into ${table} (${owner}, hour, model_name, ${sums.join(', ')}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ` +
    `on conflict (${owner}, hour, model_name) do update set ${added}`
  );
}

const CONSUME = 2; // log type of the wire format
const HOUR_S = 3600;

/** Runs the items in one transaction that the caller has begun. Results are in the order of the items. */
export async function runBatch(query: Query, items: readonly BatchItem[]): Promise<BatchResult[]> {
  const results = new Array<BatchResult>(items.length);
  const sums = new Sums();
  // Rows are locked in one order by everybody, so two nodes can not wait for each other.
  const order = items.map((_, index) => index).toSorted((a, b) => items[a]!.userId - items[b]!.userId || items[a]!.tokenId - items[b]!.tokenId);
  for (const index of order) {
    const item = items[index]!;
    results[index] = item.kind === 'reserve' ? await reserve(query, item) : await settle(query, item, sums);
  }
  await sums.write(query);
  return results;
}

async function reserve(query: Query, item: ReserveItem): Promise<Admission> {
  let tokenReserved = 0;
  if (item.credits > 0) {
    if ((await query(sql.holdUser, [item.userId, item.credits])).length === 0) return 'user_quota';
    const [token] = await query(sql.holdToken, [item.tokenId, item.credits]);
    if (!token) {
      await query(sql.unholdUser, [item.userId, item.credits]);
      return 'token_quota';
    }
    // SQLite has no type for an expression's boolean; it comes as 0 or 1.
    tokenReserved = token['unlimited'] === true || token['unlimited'] === 1 ? 0 : item.credits;
  }
  const { requestId, node, userId, tokenId, credits, priceVersion, model, now } = item;
  await query(sql.openIntent, [requestId, node, userId, tokenId, credits, tokenReserved, priceVersion, model, now]);
  return 'admitted';
}

async function settle(query: Query, item: SettleItem, sums: Sums): Promise<Settled> {
  const { requestId, userId, tokenId, now, log } = item;
  const [intent] = await query(sql.closeIntent, [requestId]);
  // Exactly once: whoever closes the intent settles the call; a second settlement finds nothing to close.
  if (!intent) return { charged: 0, shortfall: 0 };
  const reserved = intent['reserved'] as number;
  const tokenReserved = intent['token_reserved'] as number;

  const beyond = item.credits - reserved;
  const charged = beyond <= 0 ? item.credits : reserved + (await affordable(query, item, beyond, tokenReserved > 0));
  const shortfall = item.credits - charged;

  const [user] = await query(sql.chargeUser, [userId, reserved, charged]);
  await query(sql.chargeToken, [tokenId, tokenReserved > 0 ? tokenReserved - charged : 0, charged, now]);
  if (charged > 0) {
    await query(sql.entry, [userId, tokenId, 'settle', -charged, user?.['balance'] ?? 0, `call:${requestId}`, userId, '', now]);
  }
  const metadata = shortfall > 0 ? JSON.stringify({ ...JSON.parse(log.metadata), shortfall }) : log.metadata;
  await query(sql.log, [
    requestId, userId, now, CONSUME, log.content, log.username, tokenId, log.tokenName, log.model, charged,
    log.promptTokens, log.completionTokens, log.cachedTokens, item.channelId, log.requestTimeMs, log.isStream, log.sourceIp, item.failed, metadata,
  ]);
  sums.add(item, charged);
  return { charged, shortfall };
}

/** How much of a cost beyond the reservation can still be taken without going below zero. */
async function affordable(query: Query, { userId, tokenId }: SettleItem, beyond: number, limited: boolean): Promise<number> {
  const [user] = await query(sql.readUser, [userId]);
  const left = (user?.['quota'] ?? 0) as number;
  if (!limited) return Math.min(beyond, left);
  const [token] = await query(sql.readToken, [tokenId]);
  return Math.min(beyond, left, (token?.['remain_quota'] ?? 0) as number);
}

/** What a batch adds to the roll-ups: summed up first, so each row is written once. */
class Sums {
  readonly #usage = new Map<string, { statement: string; key: [number, number, string]; sums: number[] }>();
  readonly #channels = new Map<number, number>();
  readonly #errors = new Map<number, [string, number]>();

  add(item: SettleItem, charged: number): void {
    const { userId, channelId, now, failed, log } = item;
    const hour = now - (now % HOUR_S);
    const sums = [1, failed ? 1 : 0, charged, log.promptTokens, log.completionTokens, log.cachedTokens, log.requestTimeMs];
    this.#addTo(sql.usageByUser, [userId, hour, log.model], sums);
    if (channelId === 0) return;
    this.#addTo(sql.usageByChannel, [channelId, hour, log.model], sums);
    if (charged > 0) this.#channels.set(channelId, (this.#channels.get(channelId) ?? 0) + charged);
    if (item.channelError !== '') this.#errors.set(channelId, [item.channelError, now]);
  }

  async write(query: Query): Promise<void> {
    const rows = [...this.#usage.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [, { statement, key, sums }] of rows) await query(statement, [...key, ...sums]);
    for (const [id, credits] of [...this.#channels].toSorted(([a], [b]) => a - b)) await query(sql.channel, [id, credits]);
    for (const [id, [error, time]] of [...this.#errors].toSorted(([a], [b]) => a - b)) await query(sql.channelError, [id, error, time]);
  }

  #addTo(statement: string, key: [number, number, string], sums: number[]): void {
    const name = `${statement === sql.usageByUser ? 'u' : 'c'} ${key.join(' ')}`;
    const known = this.#usage.get(name);
    if (known) sums.forEach((value, i) => (known.sums[i]! += value));
    else this.#usage.set(name, { statement, key, sums: [...sums] });
  }
}
