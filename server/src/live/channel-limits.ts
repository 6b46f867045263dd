import {
  capName,
  type ChannelLimits,
  type ChannelLimitUse,
  type LimitMeasure,
  type TokenCap,
  windowAt,
} from '@relay-hub/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Logger } from 'pino';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';

/** The limits of a stored channel; null: none. */
export const limitsIn = (stored: string): ChannelLimits | null =>
  stored === '' ? null : (JSON.parse(stored) as ChannelLimits); // written by `limitsText`

/** Limits as stored; empty: none. */
export const limitsText = (limits: ChannelLimits | null): string =>
  limits === null || (limits.caps.length + limits.key_caps.length === 0 && !limits.learn) ? '' : JSON.stringify(limits);

/** Channel, key and upstream model of an attempt. */
export interface LimitPlace {
  channelId: number;
  keyId: number;
  model: string;
}

/** What an attempt takes of limits besides one request. `tokens` and `credits` are estimates until it has ended. */
export interface LimitNeed {
  tokens: number;
  credits: number;
}

/** What an attempt has taken of one limit, in the period in which it began. */
interface Share {
  scope: string;
  name: string;
  starts: number;
  ends: number;
  amount: number;
}

/** What an attempt has taken of all limits, until it ends. */
export type LimitRoom = readonly Share[];

/** A limit without room for an attempt. */
export interface FullLimit {
  scope: string;
  cap: TokenCap;
  used: number;
  /** Unix milliseconds when there may be room again. */
  until: number;
}

/** Limits without room for a call, by scope. */
export type FullLimits = ReadonlyMap<string, FullLimit>;

interface ScopedCap {
  scope: string;
  name: string;
  cap: TokenCap;
  timeZone: string;
}

interface Ask {
  caps: readonly ScopedCap[];
  need: LimitNeed;
  resolve(given: LimitRoom | FullLimit): void;
  reject(error: unknown): void;
}

/** A use of a limit in one period. A minute has several, one for each second. */
type UseRow = Tables['channel_limit_uses'];

const AT_ONCE = 'calls:at_once';
/** A second belongs to each minute that it touches, and a request may be a second under way. */
const MINUTE_S = 62;
const FIVE_HOURS_S = 5 * 3600;
/** Pause after which calls that other nodes have ended are looked for. */
const AT_ONCE_MS = 500;
const MOST_AT_ONCE = 256;
const CLEAN_EVERY = 100;

export const channelScope = (id: number): string => `c${id}`;
export const keyScope = (id: number): string => `k${id}`;

export const isFull = (given: LimitRoom | FullLimit): given is FullLimit => !Array.isArray(given);

/**
 * Limits of channels and their keys, exact over all nodes: the uses are rows of the database, and a node's asks of one
 * moment share a transaction. Memory knows which limits are full, so that the choice of a channel asks nothing.
 */
export class ChannelLimiter {
  readonly #db: Kysely<Tables>;
  readonly #node: string;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #now: () => number;
  #asks: Ask[] = [];
  /** Corrections that are not written yet, by scope, name and start. */
  #corrections = new Map<string, Share>();
  /** Calls of this node in progress, by scope. */
  readonly #calls = new Map<string, number>();
  /** Scopes whose number of calls differs from the row of this node. */
  readonly #changed = new Set<string>();
  readonly #full = new Map<string, FullLimit>();
  #writing: Promise<void> | undefined;
  #rounds = 0;
  #isAway = false;

  /** `now`: Unix milliseconds. */
  constructor(db: Kysely<Tables>, node: string, log: Pick<Logger, 'warn'>, now: () => number = Date.now) {
    this.#db = db;
    this.#node = node;
    this.#log = log;
    this.#now = now;
  }

  /** Whether no limit is known to be full, to skip lookups. */
  get nothingFull(): boolean {
    return this.#full.size === 0;
  }

  /** The limit for which a channel can take no call now; with several keys, the one that has room first. */
  fullAt(
    { id, keys, limits }: { id: number; keys: readonly { id: number }[]; limits?: ChannelLimits | undefined },
    refused: FullLimits,
  ): FullLimit | undefined {
    if (!limits) return undefined;
    const own = this.#known(channelScope(id), refused);
    if (own) return own;
    let soonest: FullLimit | undefined;
    for (const key of keys) {
      const full = this.#known(keyScope(key.id), refused);
      if (!full) return undefined;
      if (!soonest || full.until < soonest.until) soonest = full;
    }
    return soonest;
  }

  isKeyFull(keyId: number, refused: FullLimits): boolean {
    return this.#known(keyScope(keyId), refused) !== undefined;
  }

  /** Notes which limits are full by their uses, which other nodes may have changed. */
  noteUses(uses: ReadonlyMap<number, readonly ChannelLimitUse[]>): void {
    const soon = this.#now() + AT_ONCE_MS;
    for (const [id, limits] of uses)
      for (const { key_id: keyId, measure, period, amount, used, ends } of limits) {
        const scope = keyId === 0 ? channelScope(id) : keyScope(keyId);
        const until = Math.max(soon, ends * 1000);
        if (used >= amount && (this.#full.get(scope)?.until ?? 0) < until)
          this.#full.set(scope, { scope, cap: { measure, period, amount }, used, until });
      }
  }

  /** Forgets limits that have room again. */
  sweep(): void {
    const now = this.#now();
    for (const [scope, { until }] of this.#full) if (until <= now) this.#full.delete(scope);
  }

  #known(scope: string, refused: FullLimits): FullLimit | undefined {
    const full = this.#full.get(scope);
    return full && full.until > this.#now() ? full : refused.get(scope);
  }

  /**
   * Takes room in every limit of the place, or in none and returns one that is full. Rejects if the database cannot be
   * reached.
   */
  take(limits: ChannelLimits, { channelId, keyId }: LimitPlace, need: LimitNeed): Promise<LimitRoom | FullLimit> {
    const scoped = (scope: string, caps: readonly TokenCap[]): ScopedCap[] =>
      caps.map((cap) => ({ scope, name: capName(cap), cap, timeZone: limits.time_zone }));
    const caps = [...scoped(channelScope(channelId), limits.caps), ...scoped(keyScope(keyId), limits.key_caps)];
    if (caps.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#asks.push({ caps, need, resolve, reject });
      this.#writeSoon();
    });
  }

  /** An attempt has ended: estimates are replaced by what it used. Undefined: nothing is known, so they stay. */
  end(room: LimitRoom, used: LimitNeed | undefined): void {
    for (const share of room) {
      const { scope, name, amount } = share;
      if (name === AT_ONCE) {
        this.#add(scope, -1);
        this.#changed.add(scope);
        if (this.#full.get(scope)?.cap.measure === 'calls') this.#full.delete(scope);
        continue;
      }
      const measure = measureOf(name);
      if (measure === 'requests' || !used) continue;
      this.#correct({ ...share, amount: Math.ceil(used[measure]) - amount });
    }
    this.#writeSoon();
  }

  /** Takes an attempt back that was not sent. */
  takeBack(room: LimitRoom): void {
    for (const share of room) if (share.name !== AT_ONCE) this.#correct({ ...share, amount: -share.amount });
    this.end(
      room.filter(({ name }) => name === AT_ONCE),
      undefined,
    );
  }

  /** Resolves when all that has ended is written, or cannot be. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#corrections.size + this.#changed.size > 0) await this.#write().catch(() => {}); // reported by `#failed`
  }

  #correct(share: Share): void {
    if (share.amount === 0) return;
    const key = keyOf(share);
    const known = this.#corrections.get(key);
    this.#corrections.set(key, known ? { ...share, amount: known.amount + share.amount } : share);
  }

  #add(scope: string, calls: number): void {
    const left = (this.#calls.get(scope) ?? 0) + calls;
    if (left > 0) this.#calls.set(scope, left);
    else this.#calls.delete(scope);
  }

  /** One transaction at a time; what comes meanwhile shares the next one. */
  #writeSoon(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#asks.length > 0) this.#writeSoon();
    });
  }

  async #writeAll(): Promise<void> {
    // Calls of one turn of the event loop come together.
    await new Promise((resolve) => setImmediate(resolve));
    do
      try {
        await this.#write();
      } catch {
        // The asks have their error; corrections are written with the next ask.
        return;
      }
    while (this.#asks.length > 0);
  }

  async #write(): Promise<void> {
    const asks = this.#asks.splice(0, MOST_AT_ONCE);
    const corrections = this.#corrections;
    this.#corrections = new Map();
    const changed = [...this.#changed];
    this.#changed.clear();
    try {
      const round = await this.#db.transaction().execute((trx) => this.#decide(trx, asks, { corrections, changed }));
      this.#isAway = false;
      for (const [scope, calls] of round.calls) this.#add(scope, calls);
      this.#noteFull(round);
      for (const [ask, given] of round.given) ask.resolve(given);
    } catch (error) {
      this.#failed(error, asks, { corrections, changed });
      throw error;
    }
    if (++this.#rounds % CLEAN_EVERY === 0) await this.#clean();
  }

  #failed(error: unknown, asks: readonly Ask[], { corrections, changed }: Ended): void {
    for (const share of corrections.values()) this.#correct(share);
    // The row may have been written, or not.
    for (const scope of changed) this.#changed.add(scope);
    for (const { caps } of asks) for (const { scope, name } of caps) if (name === AT_ONCE) this.#changed.add(scope);
    for (const ask of asks) ask.reject(error);
    if (!this.#isAway) this.#log.warn({ err: error }, 'limits of channels cannot be counted');
    this.#isAway = true;
  }

  async #decide(trx: Transaction<Tables>, asks: readonly Ask[], { corrections, changed }: Ended): Promise<Round> {
    const scopes = [...new Set(asks.flatMap(({ caps }) => caps.map(({ scope }) => scope)))].toSorted();
    if (scopes.length > 0) await lockScopes(trx, scopes);
    const nowMs = this.#now();
    const uses = new Uses(Math.floor(nowMs / 1000));
    if (scopes.length > 0) {
      const rows = trx.selectFrom('channel_limit_uses').where('scope', 'in', scopes);
      uses.read(
        await rows
          .where('ends', '>', Math.floor(nowMs / 1000))
          .selectAll()
          .execute(),
      );
      if (asks.some(({ caps }) => caps.some(({ name }) => name === AT_ONCE))) {
        const others = trx.selectFrom('channel_calls').where('scope', 'in', scopes).where('node', '<>', this.#node);
        for (const { scope, calls } of await others.select(['scope', 'calls']).execute()) uses.addCalls(scope, calls);
        for (const scope of scopes) uses.addCalls(scope, this.#calls.get(scope) ?? 0);
      }
      for (const share of corrections.values()) uses.add(share);
    }
    const given = new Map<Ask, LimitRoom | FullLimit>();
    const calls = new Map<string, number>();
    const written = new Map(corrections);
    for (const ask of asks) {
      const room = uses.take(ask, nowMs);
      given.set(ask, room);
      if (isFull(room)) continue;
      for (const share of room) {
        if (share.name === AT_ONCE) calls.set(share.scope, (calls.get(share.scope) ?? 0) + 1);
        else {
          const known = written.get(keyOf(share));
          written.set(keyOf(share), known ? { ...share, amount: known.amount + share.amount } : share);
        }
      }
    }
    await writeUses(trx, [...written.values()]);
    await this.#writeCalls(trx, new Set([...changed, ...calls.keys()]), calls);
    return { given, calls, full: uses.full(asks, nowMs) };
  }

  async #writeCalls(trx: Transaction<Tables>, scopes: ReadonlySet<string>, more: ReadonlyMap<string, number>) {
    const rows = [...scopes].toSorted().map((scope) => ({
      scope,
      node: this.#node,
      calls: (this.#calls.get(scope) ?? 0) + (more.get(scope) ?? 0),
    }));
    const open = rows.filter(({ calls }) => calls > 0);
    const none = rows.filter(({ calls }) => calls === 0).map(({ scope }) => scope);
    if (open.length > 0)
      await trx
        .insertInto('channel_calls')
        .values(open)
        .onConflict((conflict) =>
          conflict.columns(['scope', 'node']).doUpdateSet((eb) => ({ calls: eb.ref('excluded.calls') })),
        )
        .execute();
    if (none.length > 0)
      await trx.deleteFrom('channel_calls').where('node', '=', this.#node).where('scope', 'in', none).execute();
  }

  #noteFull({ full, given }: Round): void {
    for (const [scope, limit] of full) this.#full.set(scope, limit);
    for (const ask of given.keys()) for (const { scope } of ask.caps) if (!full.has(scope)) this.#full.delete(scope);
    // Calls may have ended while the transaction ran.
    for (const scope of this.#changed) if (this.#full.get(scope)?.cap.measure === 'calls') this.#full.delete(scope);
  }

  async #clean(): Promise<void> {
    try {
      await this.#db
        .deleteFrom('channel_limit_uses')
        .where('ends', '<', Math.floor(this.#now() / 1000) - MINUTE_S)
        .execute();
    } catch {
      // The next one deletes more.
    }
  }
}

interface Ended {
  corrections: Map<string, Share>;
  changed: readonly string[];
}

/** The result of a transaction. */
interface Round {
  given: ReadonlyMap<Ask, LimitRoom | FullLimit>;
  /** Calls that began, by scope. */
  calls: ReadonlyMap<string, number>;
  /** Limits without room for another call, by scope. */
  full: ReadonlyMap<string, FullLimit>;
}

const measureOf = (name: string): Exclude<LimitMeasure, 'calls'> =>
  name.slice(0, name.indexOf(':')) as Exclude<LimitMeasure, 'calls'>; // names are made by `capName`

const keyOf = ({ scope, name, starts }: Pick<Share, 'scope' | 'name' | 'starts'>): string =>
  `${scope}\n${name}\n${starts}`;

/** Uses of limits as the database has them, and what the asks of a transaction add. */
class Uses {
  readonly #now: number;
  readonly #rows = new Map<string, Share[]>();
  readonly #calls = new Map<string, number>();

  /** `now`: Unix seconds. */
  constructor(now: number) {
    this.#now = now;
  }

  read(rows: readonly UseRow[]): void {
    for (const row of rows) this.add(row);
  }

  add(share: Share): void {
    const key = `${share.scope}\n${share.name}`;
    const rows = this.#rows.get(key) ?? [];
    this.#rows.set(key, rows);
    const known = rows.find(({ starts }) => starts === share.starts);
    if (known) known.amount += share.amount;
    else rows.push({ ...share });
  }

  addCalls(scope: string, calls: number): void {
    this.#calls.set(scope, (this.#calls.get(scope) ?? 0) + calls);
  }

  /** Takes room in every limit of an ask, or in none. */
  take({ caps, need }: Ask, nowMs: number): LimitRoom | FullLimit {
    for (const scoped of caps) {
      const full = this.#lack(scoped, needOf(scoped.cap, need), nowMs);
      if (full) return full;
    }
    return caps.map((scoped) => {
      const { scope, name, cap } = scoped;
      const amount = needOf(cap, need);
      if (name === AT_ONCE) {
        this.addCalls(scope, 1);
        return { scope, name, starts: 0, ends: 0, amount };
      }
      const share = { scope, name, ...this.#period(scoped), amount };
      this.add(share);
      return share;
    });
  }

  /** The scopes of asks that have no room for one more small call. */
  full(asks: readonly Ask[], nowMs: number): Map<string, FullLimit> {
    const full = new Map<string, FullLimit>();
    for (const { caps } of asks)
      for (const scoped of caps) {
        const lack = this.#lack(scoped, 1, nowMs);
        if (lack && (full.get(scoped.scope)?.until ?? 0) < lack.until) full.set(scoped.scope, lack);
      }
    return full;
  }

  /** How far a limit is used, and when its period ends; 0: it slides, or there is none. */
  of(scoped: ScopedCap): { used: number; ends: number } {
    const { period } = scoped.cap;
    if (period === 'at_once') return { used: this.#calls.get(scoped.scope) ?? 0, ends: 0 };
    const used = this.#inForce(scoped).reduce((sum, { amount }) => sum + amount, 0);
    return { used, ends: period === 'minute' ? 0 : this.#period(scoped).ends };
  }

  #lack(scoped: ScopedCap, need: number, nowMs: number): FullLimit | undefined {
    const { scope, name, cap } = scoped;
    if (name === AT_ONCE) {
      const used = this.#calls.get(scope) ?? 0;
      return used + need > cap.amount ? { scope, cap, used, until: nowMs + AT_ONCE_MS } : undefined;
    }
    const rows = this.#inForce(scoped);
    const used = rows.reduce((sum, { amount }) => sum + amount, 0);
    if (used + need <= cap.amount) return undefined;
    let left = used;
    for (const { ends, amount } of rows.toSorted((a, b) => a.ends - b.ends)) {
      left -= amount;
      if (left + need <= cap.amount) return { scope, cap, used, until: ends * 1000 };
    }
    return { scope, cap, used, until: this.#period(scoped).ends * 1000 };
  }

  #inForce({ scope, name, ...scoped }: ScopedCap): Share[] {
    const rows = this.#rows.get(`${scope}\n${name}`) ?? [];
    if (scoped.cap.period === 'minute') return rows.filter(({ ends }) => ends > this.#now);
    const { starts } = this.#period({ scope, name, ...scoped });
    return rows.filter((row) => row.starts === starts);
  }

  #period({ scope, name, cap: { period }, timeZone }: ScopedCap): Pick<Share, 'starts' | 'ends'> {
    const now = this.#now;
    if (period === 'minute') return { starts: now, ends: now + MINUTE_S };
    if (period !== 'five_hours') return windowAt(period, { reset: 'calendar', time_zone: timeZone }, now);
    const running = this.#rows.get(`${scope}\n${name}`)?.find(({ ends }) => ends > now);
    return running ?? { starts: now, ends: now + FIVE_HOURS_S };
  }
}

/** A call that needs more than the whole limit runs alone. */
function needOf({ measure, amount }: TokenCap, { tokens, credits }: LimitNeed): number {
  if (measure === 'requests' || measure === 'calls') return 1;
  return Math.max(1, Math.min(amount, Math.ceil(measure === 'tokens' ? tokens : credits)));
}

/** Other nodes wait until the transaction ends; on SQLite only one transaction writes anyway. */
async function lockScopes(trx: Transaction<Tables>, scopes: readonly string[]): Promise<void> {
  if (!isPostgres(trx)) return;
  const names = sql.join(scopes.map((scope) => sql`${`channel limit ${scope}`}`));
  await sql`select pg_advisory_xact_lock(id) from (
    select hashtextextended(name, 0) as id from unnest(array[${names}]::text[]) as name order by id
  ) as scopes`.execute(trx);
}

async function writeUses(trx: Transaction<Tables>, shares: readonly Share[]): Promise<void> {
  const rows = shares.filter(({ amount }) => amount !== 0).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if (rows.length === 0) return;
  await trx
    .insertInto('channel_limit_uses')
    .values(rows.map(({ scope, name, starts, ends, amount }) => ({ scope, name, starts, ends, amount })))
    .onConflict((conflict) =>
      conflict.columns(['scope', 'name', 'starts']).doUpdateSet((eb) => ({
        amount: eb('channel_limit_uses.amount', '+', eb.ref('excluded.amount')),
      })),
    )
    .execute();
}

/** Uses of the limits of channels, by channel. */
export async function limitUses(
  db: Db,
  channels: readonly { id: number; limits?: ChannelLimits | null | undefined }[],
  now: number,
): Promise<Map<number, ChannelLimitUse[]>> {
  const limited = channels.flatMap(({ id, limits: own }) => (own ? [{ id, own }] : []));
  if (limited.length === 0) return new Map();
  const keys = limited.some(({ own }) => own.key_caps.length > 0)
    ? await db
        .selectFrom('channel_keys')
        .where(
          'channel_id',
          'in',
          limited.map(({ id }) => id),
        )
        .select(['id', 'channel_id'])
        .orderBy('id')
        .execute()
    : [];
  const scopes = [...limited.map(({ id }) => channelScope(id)), ...keys.map(({ id }) => keyScope(id))];
  const uses = new Uses(now);
  uses.read(
    await db
      .selectFrom('channel_limit_uses')
      .where('scope', 'in', scopes)
      .where('ends', '>', now)
      .selectAll()
      .execute(),
  );
  for (const { scope, calls } of await db
    .selectFrom('channel_calls')
    .where('scope', 'in', scopes)
    .selectAll()
    .execute())
    uses.addCalls(scope, calls);
  return new Map(
    limited.map(({ id, own }) => {
      const used = (keyId: number, caps: readonly TokenCap[]) =>
        caps.map((cap) => {
          const scope = keyId === 0 ? channelScope(id) : keyScope(keyId);
          return {
            key_id: keyId,
            model: '',
            ...cap,
            ...uses.of({ scope, name: capName(cap), cap, timeZone: own.time_zone }),
          };
        });
      const ofKeys = keys.filter((key) => key.channel_id === id).flatMap((key) => used(key.id, own.key_caps));
      return [id, [...used(0, own.caps), ...ofKeys]];
    }),
  );
}
