import {
  capName,
  type ChannelLimits,
  type ChannelLimitUse,
  type LimitMeasure,
  type TokenCap,
} from '@relay-hub/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Logger } from 'pino';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import {
  AT_ONCE,
  AT_ONCE_MS,
  capOf,
  channelScope,
  type FullLimit,
  isFull,
  keyOf,
  keyScope,
  LEARNT_S,
  learntLimits,
  learntScope,
  type LimitAsk,
  type LimitNeed,
  type LimitRoom,
  MINUTE_S,
  type ScopedCap,
  scopeOf,
  type Share,
  Uses,
} from './limit-uses.ts';
import type { LiveChannel } from './routing-table.ts';
import { WaitingCalls } from './waiting-calls.ts';

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

/** A limit that a provider's reply names. `left` and `resetMs`: undefined, unknown. */
export interface NamedLimit {
  cap: TokenCap;
  left: number | undefined;
  resetMs: number | undefined;
}

/** Limits without room for a call, by scope. */
export type FullLimits = ReadonlyMap<string, FullLimit>;

type LearntRow = Tables['learnt_limits'];

interface Ask extends LimitAsk {
  caps: ScopedCap[];
  /** Learnt limits of this key and model hold too; undefined: the channel learns none. */
  learns: { keyId: number; model: string; timeZone: string } | undefined;
  resolve(given: LimitRoom | FullLimit): void;
  reject(error: unknown): void;
}

const MOST_AT_ONCE = 256;
const MOST_LEARNT = 5000;
const CLEAN_EVERY = 100;

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
  readonly waiting = new WaitingCalls();
  /** Limits that replies to this node have named, as they were written last; the oldest first. */
  readonly #named = new Map<string, Pick<LearntRow, 'amount' | 'seen_time'>>();
  /** Of them, those that are not written yet. */
  #learnt = new Map<string, LearntRow>();
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
    { id, keys, limits }: Pick<LiveChannel, 'id' | 'limits'> & { keys: readonly { id: number }[] },
    model: string,
    refused: FullLimits,
  ): FullLimit | undefined {
    if (!limits) return undefined;
    const own = this.#known(channelScope(id), refused);
    if (own) return own;
    let soonest: FullLimit | undefined;
    for (const key of keys) {
      const full = this.fullKey(limits, key.id, model, refused);
      if (!full) return undefined;
      if (!soonest || full.until < soonest.until) soonest = full;
    }
    return soonest;
  }

  fullKey(limits: ChannelLimits | undefined, keyId: number, model: string, refused: FullLimits): FullLimit | undefined {
    const set = this.#known(keyScope(keyId), refused);
    return set || !limits?.learn ? set : this.#known(learntScope(keyId, model), refused);
  }

  /** Shares the limits that a reply names with all nodes, where none is set for the measure and period. */
  learn(limits: ChannelLimits, { keyId, model }: LimitPlace, named: readonly NamedLimit[]): void {
    const isSet = (name: string) => [...limits.caps, ...limits.key_caps].some((cap) => capName(cap) === name);
    const scope = learntScope(keyId, model);
    const nowMs = this.#now();
    const seen = Math.floor(nowMs / 1000);
    for (const { cap, left, resetMs } of named) {
      const name = capName(cap);
      if (isSet(name)) continue;
      const fullUntil = left === 0 && resetMs ? nowMs + resetMs : 0;
      if (fullUntil > 0) this.#full.set(scope, { scope, cap, used: cap.amount, until: fullUntil });
      const id = `${scope}\n${name}`;
      const known = this.#named.get(id);
      if (fullUntil === 0 && known?.amount === cap.amount && seen - known.seen_time < LEARNT_S / 24) continue;
      this.#named.delete(id);
      // Callers can invent models of wildcard channels.
      const [oldest] = this.#named.keys();
      if (oldest !== undefined && this.#named.size >= MOST_LEARNT) this.#named.delete(oldest);
      const row = { key_id: keyId, model, name, amount: cap.amount, full_until: fullUntil, seen_time: seen };
      this.#named.set(id, row);
      if (this.#learnt.size < MOST_LEARNT) this.#learnt.set(id, row);
      this.#writeSoon();
    }
  }

  /** Notes which limits are full by their uses, which other nodes may have changed. */
  noteUses(uses: ReadonlyMap<number, readonly ChannelLimitUse[]>): void {
    const soon = this.#now() + AT_ONCE_MS;
    for (const [id, limits] of uses)
      for (const { key_id: keyId, model, measure, period, amount, used, ends } of limits) {
        const scope = scopeOf(id, keyId, model);
        const until = Math.max(soon, ends * 1000);
        if (used >= amount && (this.#full.get(scope)?.until ?? 0) < until)
          this.#full.set(scope, { scope, cap: { measure, period, amount }, used, until });
      }
  }

  /** Forgets limits that have room again, and retries failed writes. */
  sweep(): void {
    const now = this.#now();
    for (const [scope, { until }] of this.#full) if (until <= now) this.#full.delete(scope);
    if (this.#isWaiting) this.#writeSoon();
  }

  #known(scope: string, refused: FullLimits): FullLimit | undefined {
    const full = this.#full.get(scope);
    return full && full.until > this.#now() ? full : refused.get(scope);
  }

  /**
   * Takes room in every limit of the place, or in none and returns one that is full. Rejects if the database cannot be
   * reached.
   */
  take(limits: ChannelLimits, place: LimitPlace, need: LimitNeed): Promise<LimitRoom | FullLimit> {
    return this.#ask(limits, place, need);
  }

  /** Counts a request that is sent in any case, such as a test of a channel. Rejects like `take`. */
  async count(limits: ChannelLimits, place: LimitPlace, need: LimitNeed): Promise<LimitRoom> {
    const given = await this.#ask(limits, place, need, true);
    return isFull(given) ? [] : given;
  }

  #ask(
    limits: ChannelLimits,
    { channelId, keyId, model }: LimitPlace,
    need: LimitNeed,
    always = false,
  ): Promise<LimitRoom | FullLimit> {
    const scoped = (scope: string, caps: readonly TokenCap[]): ScopedCap[] =>
      caps.map((cap) => ({ scope, name: capName(cap), cap, timeZone: limits.time_zone }));
    const caps = [...scoped(channelScope(channelId), limits.caps), ...scoped(keyScope(keyId), limits.key_caps)];
    if (caps.length === 0 && !limits.learn) return Promise.resolve([]);
    const learns = limits.learn ? { keyId, model, timeZone: limits.time_zone } : undefined;
    return new Promise((resolve, reject) => {
      this.#asks.push({ caps, need, always, learns, resolve, reject });
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
    this.waiting.wake();
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
    if (this.#isWaiting) await this.#write().catch(() => {}); // reported by `#failed`
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
    while (this.#isWaiting);
  }

  get #isWaiting(): boolean {
    return this.#asks.length + this.#corrections.size + this.#changed.size + this.#learnt.size > 0;
  }

  async #write(): Promise<void> {
    const asks = this.#asks.splice(0, MOST_AT_ONCE);
    const corrections = this.#corrections;
    this.#corrections = new Map();
    const changed = [...this.#changed];
    this.#changed.clear();
    const learnt = this.#learnt;
    this.#learnt = new Map();
    const ended = { corrections, changed, learnt };
    try {
      const round = await this.#db.transaction().execute((trx) => this.#decide(trx, asks, ended));
      this.#isAway = false;
      for (const [scope, calls] of round.calls) this.#add(scope, calls);
      this.#noteFull(round);
      for (const [ask, given] of round.given) ask.resolve(given);
    } catch (error) {
      this.#failed(error, asks, ended);
      throw error;
    }
    if (++this.#rounds % CLEAN_EVERY === 0) await this.#clean();
  }

  #failed(error: unknown, asks: readonly Ask[], { corrections, changed, learnt }: Ended): void {
    this.#learnt = new Map([...learnt, ...this.#learnt]);
    for (const share of corrections.values()) this.#correct(share);
    // The row may have been written, or not.
    for (const scope of changed) this.#changed.add(scope);
    for (const { caps } of asks) for (const { scope, name } of caps) if (name === AT_ONCE) this.#changed.add(scope);
    for (const ask of asks) ask.reject(error);
    if (!this.#isAway) this.#log.warn({ err: error }, 'limits of channels cannot be counted');
    this.#isAway = true;
  }

  async #decide(trx: Transaction<Tables>, taken: readonly Ask[], ended: Ended): Promise<Round> {
    const { corrections, changed, learnt } = ended;
    await writeLearnt(trx, [...learnt.values()]);
    const asks = await withLearnt(trx, taken, this.#now());
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
    const named = new Map<string, FullLimit>();
    for (const ask of asks) {
      const { fullNow } = ask;
      if (fullNow) named.set(fullNow.scope, fullNow);
      const room = fullNow && !ask.always ? fullNow : uses.take(ask, nowMs);
      given.set(ask.of, room);
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
    return { given, calls, scopes, full: new Map([...uses.full(asks, nowMs), ...named]) };
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

  #noteFull({ full, scopes }: Round): void {
    for (const [scope, limit] of full) this.#full.set(scope, limit);
    for (const scope of scopes) if (!full.has(scope)) this.#full.delete(scope);
    // Calls may have ended while the transaction ran.
    for (const scope of this.#changed) if (this.#full.get(scope)?.cap.measure === 'calls') this.#full.delete(scope);
  }

  async #clean(): Promise<void> {
    try {
      await this.#db
        .deleteFrom('channel_limit_uses')
        .where('ends', '<', Math.floor(this.#now() / 1000) - MINUTE_S)
        .execute();
      await this.#db
        .deleteFrom('learnt_limits')
        .where('seen_time', '<', Math.floor(this.#now() / 1000) - LEARNT_S)
        .execute();
    } catch {
      // The next one deletes more.
    }
  }
}

interface Ended {
  corrections: Map<string, Share>;
  changed: readonly string[];
  learnt: ReadonlyMap<string, LearntRow>;
}

/** An ask with the learnt limits of its key and model. */
interface WholeAsk extends LimitAsk {
  of: Ask;
  /** The provider has said that nothing is left. */
  fullNow: FullLimit | undefined;
}

async function withLearnt(trx: Transaction<Tables>, asks: readonly Ask[], nowMs: number): Promise<WholeAsk[]> {
  const keyIds = [...new Set(asks.flatMap(({ learns }) => (learns ? [learns.keyId] : [])))];
  const rows = await learntLimits(trx, keyIds, Math.floor(nowMs / 1000));
  return asks.map((of) => {
    const { learns, caps, need, always } = of;
    const own = learns
      ? rows.filter(
          // A limit may have been set since.
          ({ key_id, model, name }) =>
            key_id === learns.keyId && model === learns.model && !caps.some((cap) => cap.name === name),
        )
      : [];
    if (!learns || own.length === 0) return { of, caps, need, always, fullNow: undefined };
    const scope = learntScope(learns.keyId, learns.model);
    const scoped = own.map((row): ScopedCap => ({ scope, name: row.name, cap: capOf(row), timeZone: learns.timeZone }));
    const full = own.find(({ full_until: until }) => until > nowMs);
    const fullNow = full && { scope, cap: capOf(full), used: full.amount, until: full.full_until };
    return { of, caps: [...caps, ...scoped], need, always, fullNow };
  });
}

async function writeLearnt(trx: Transaction<Tables>, rows: readonly LearntRow[]): Promise<void> {
  if (rows.length === 0) return;
  const sorted = rows.toSorted((a, b) => a.key_id - b.key_id || (a.model + a.name < b.model + b.name ? -1 : 1));
  await trx
    .insertInto('learnt_limits')
    .values(sorted)
    .onConflict((conflict) =>
      conflict.columns(['key_id', 'model', 'name']).doUpdateSet((eb) => ({
        amount: eb.ref('excluded.amount'),
        full_until: eb.ref('excluded.full_until'),
        seen_time: eb.ref('excluded.seen_time'),
      })),
    )
    .execute();
}

/** The result of a transaction. */
interface Round {
  given: ReadonlyMap<Ask, LimitRoom | FullLimit>;
  /** Calls that began, by scope. */
  calls: ReadonlyMap<string, number>;
  /** Scopes that were asked for. */
  scopes: readonly string[];
  /** Limits without room for another call, by scope. */
  full: ReadonlyMap<string, FullLimit>;
}

const measureOf = (name: string): Exclude<LimitMeasure, 'calls'> =>
  name.slice(0, name.indexOf(':')) as Exclude<LimitMeasure, 'calls'>; // names are made by `capName`

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
