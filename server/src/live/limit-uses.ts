import { capName, type ChannelLimits, type ChannelLimitUse, type TokenCap, windowAt } from '@relay-hub/contract';
import type { Db, Tables } from '#db/tables.ts';

/** What an attempt takes of limits besides one request. `tokens` and `credits` are estimates until it has ended. */
export interface LimitNeed {
  tokens: number;
  credits: number;
}

/** Use of one limit by an attempt, in the period in which it began. */
export interface Share {
  scope: string;
  name: string;
  starts: number;
  ends: number;
  amount: number;
}

/** Use of all limits by an attempt, until it ends. */
export type LimitRoom = readonly Share[];

/** A limit without room for an attempt. */
export interface FullLimit {
  scope: string;
  cap: TokenCap;
  used: number;
  /** Unix milliseconds when there may be room again. */
  until: number;
}

/** A cap of a channel or key. */
export interface ScopedCap {
  scope: string;
  name: string;
  cap: TokenCap;
  timeZone: string;
}

/** Caps in which an attempt takes room, and how much. */
export interface LimitAsk {
  caps: readonly ScopedCap[];
  need: LimitNeed;
  /** It is counted even if there is no room. */
  always?: boolean | undefined;
}

/** A use of a limit in one period. A minute has several, one for each second. */
type UseRow = Tables['channel_limit_uses'];

export const AT_ONCE = 'calls:at_once';
/** A second belongs to each minute that it touches, and a request may be a second under way. */
export const MINUTE_S = 62;
const FIVE_HOURS_S = 5 * 3600;
/** Pause after which calls that other nodes have ended are looked for. */
export const AT_ONCE_MS = 500;

export const channelScope = (id: number): string => `c${id}`;
export const keyScope = (id: number): string => `k${id}`;
/** Limits that are learnt are those of a key and an upstream model. */
export const learntScope = (keyId: number, model: string): string => `k${keyId} ${model}`;

export const isFull = (given: LimitRoom | FullLimit): given is FullLimit => !Array.isArray(given);

export const keyOf = ({ scope, name, starts }: Pick<Share, 'scope' | 'name' | 'starts'>): string =>
  `${scope}\n${name}\n${starts}`;

/** Uses of limits as the database has them, and what the asks of a transaction add. */
export class Uses {
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
  take({ caps, need, always }: LimitAsk, nowMs: number): LimitRoom | FullLimit {
    for (const scoped of always ? [] : caps) {
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
  full(asks: readonly LimitAsk[], nowMs: number): Map<string, FullLimit> {
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

export const scopeOf = (channelId: number, keyId: number, model: string): string =>
  keyId === 0 ? channelScope(channelId) : model === '' ? keyScope(keyId) : learntScope(keyId, model);

/** A call that needs more than the whole limit runs alone. */
function needOf({ measure, amount }: TokenCap, { tokens, credits }: LimitNeed): number {
  if (measure === 'requests' || measure === 'calls') return 1;
  return Math.max(1, Math.min(amount, Math.ceil(measure === 'tokens' ? tokens : credits)));
}

/** Uses of the limits of channels, by channel; learnt ones too. */
export async function limitUses(
  { db, now }: { db: Db; now(): number },
  channels: readonly { id: number; limits?: ChannelLimits | null | undefined }[],
): Promise<Map<number, ChannelLimitUse[]>> {
  const limited = channels.flatMap(({ id, limits: own }) => (own ? [{ id, own }] : []));
  if (limited.length === 0) return new Map();
  const keys = await keysOf(
    db,
    limited.filter(({ own }) => own.learn || own.key_caps.length > 0).map(({ id }) => id),
  );
  const named = Map.groupBy(
    await learntLimits(
      db,
      keys.map(({ id }) => id),
      now(),
    ),
    ({ key_id: keyId }) => keyId,
  );
  const shown = limited.flatMap(({ id, own }) => {
    const ofKeys = keys.filter(({ channel_id }) => channel_id === id);
    const isSet = (cap: TokenCap) => [...own.caps, ...own.key_caps].some((one) => capName(one) === capName(cap));
    const learnt = (keyId: number) =>
      [...Map.groupBy(named.get(keyId) ?? [], ({ model }) => model)].map(([model, rows]) => ({
        keyId,
        model,
        caps: rows.map(capOf).filter((cap) => !isSet(cap)),
      }));
    const places = [
      { keyId: 0, model: '', caps: own.caps },
      ...ofKeys.map((key) => ({ keyId: key.id, model: '', caps: own.key_caps })),
      ...(own.learn ? ofKeys.flatMap((key) => learnt(key.id)) : []),
    ];
    return places.flatMap(({ keyId, model, caps }) =>
      caps.map((cap) => {
        const scope = scopeOf(id, keyId, model);
        return { id, keyId, model, scoped: { scope, name: capName(cap), cap, timeZone: own.time_zone } };
      }),
    );
  });
  const scopes = [...new Set(shown.map(({ scoped }) => scoped.scope))];
  const uses = new Uses(now());
  if (scopes.length > 0) {
    const rows = db.selectFrom('channel_limit_uses').where('scope', 'in', scopes).where('ends', '>', now());
    uses.read(await rows.selectAll().execute());
    const calls = db.selectFrom('channel_calls').where('scope', 'in', scopes).select(['scope', 'calls']);
    for (const row of await calls.execute()) uses.addCalls(row.scope, row.calls);
  }
  const found = new Map<number, ChannelLimitUse[]>(limited.map(({ id }) => [id, []]));
  for (const { id, keyId, model, scoped } of shown)
    found.get(id)?.push({ key_id: keyId, model, ...scoped.cap, ...uses.of(scoped) });
  return found;
}

type LearntRow = Tables['learnt_limits'];

/** Age after which a limit that no reply has named again is forgotten. */
export const LEARNT_S = 86_400;

export const capOf = ({ name, amount }: Pick<LearntRow, 'name' | 'amount'>): TokenCap => {
  const [measure, period] = name.split(':') as [TokenCap['measure'], TokenCap['period']]; // made by `capName`
  return { measure, period, amount };
};

/** Limits that providers have named for these keys, as all nodes have learnt them. */
export async function learntLimits(db: Db, keyIds: readonly number[], now: number): Promise<LearntRow[]> {
  if (keyIds.length === 0) return [];
  const rows = db
    .selectFrom('learnt_limits')
    .where('key_id', 'in', keyIds)
    .where('seen_time', '>', now - LEARNT_S);
  return rows.selectAll().orderBy('model').orderBy('name').execute();
}

async function keysOf(db: Db, channelIds: readonly number[]): Promise<{ id: number; channel_id: number }[]> {
  if (channelIds.length === 0) return [];
  const keys = db.selectFrom('channel_keys').where('channel_id', 'in', channelIds);
  return keys.select(['id', 'channel_id']).orderBy('id').execute();
}
