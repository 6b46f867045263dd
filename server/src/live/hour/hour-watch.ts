import type { Cockpit } from '@relay-hub/contract';
import type { Logger } from 'pino';
import type { Db } from '#db/tables.ts';
import type { Live } from '#live/live.ts';
import { type CallHour, HOUR_MINUTES } from './call-hour.ts';
import { channelTroubles } from './channel-troubles.ts';
import { type ChannelFacts, cockpitOf } from './cockpit-of.ts';
import { HourSum } from './hour-sum.ts';
import type { Minute } from './minute.ts';
import { minuteFromText } from './minute-text.ts';

const EVERY_MS = 2_000;
/** Rows are read again for this long after they were written: clocks of nodes differ. */
const OVERLAP_S = 60;
/** Minutes that may still change on any node; older ones are summed up once. */
const OPEN_MINUTES = 2;

interface WatchDeps {
  db: Db;
  live: Live;
  log: Logger;
  nodeId: string;
  hour: CallHour;
  /** Unix seconds. */
  now(): number;
}

interface StoredMinute {
  /** As it was read; a node may write twice in one second. */
  calls: string;
  minute: Minute | undefined;
}

/** The state of the cockpit for all its readers on this node; idle without them. */
export class HourWatch {
  readonly #deps: WatchDeps;
  readonly #watchers = new Set<(state: Cockpit) => void>();
  /** Minutes of other nodes and of earlier processes, by minute and node. */
  #others = new Map<string, StoredMinute>();
  #readTo = 0;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  /** Sum of the minutes that no longer change, and the first minute of the hour it was made for. */
  #settled: { first: number; sum: HourSum } | undefined;
  #shown = '';
  #state: Cockpit | undefined;
  /** Channels that are not in use: name and type. */
  #unused = new Map<number, Pick<ChannelFacts, 'name' | 'type'>>();

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** Calls `show` with the state, and again after each change, until the returned function is called. */
  watch(show: (state: Cockpit) => void): () => void {
    this.#watchers.add(show);
    if (this.#timer && this.#state) show(this.#state);
    else {
      this.#timer ??= setInterval(() => void this.#tick(), EVERY_MS).unref();
      void this.#tick();
    }
    return () => {
      this.#watchers.delete(show);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#state = undefined;
      this.#shown = '';
    };
  }

  /** One round at a time; never rejects. */
  #tick(): Promise<void> {
    return (this.#round ??= this.#refresh()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'the cockpit could not be refreshed'))
      .finally(() => (this.#round = undefined)));
  }

  async #refresh(): Promise<void> {
    const { hour, live, now } = this.#deps;
    const time = now();
    const first = Math.floor(time / 60) - HOUR_MINUTES + 1;
    await this.#readOthers(first, time);
    const ids = [...new Set(this.#minutesOf(first).flatMap(({ channels }) => [...channels.keys()]))];
    await this.#learnNames(ids);
    const { failing, slow } = await this.#troubled(ids, time);
    if (this.#watchers.size === 0) return;
    // Nothing is awaited from here on: calls that end meanwhile would be in one part of the state only.
    const frozen = [...live.routes.channels()]
      .map(({ id }) => [id, frozenUntil(live, id, time)])
      .filter(([, until]) => until !== 0);
    // While a minute without calls begins, only the axis moves; without any calls nothing does.
    const minutes = this.#minutesOf(first);
    const shown = JSON.stringify([hour.changes, minutes.length > 0 ? first : 0, frozen, [...failing], [...slow]]);
    if (this.#state && shown === this.#shown) return;
    this.#shown = shown;
    const shownHour = { sum: this.#sumOf(minutes, first), minutes, first, count: HOUR_MINUTES, now: time };
    this.#state = cockpitOf(shownHour, (id) => ({
      ...this.#factsOf(id, time),
      isFailing: failing.has(id),
      isSlow: slow.has(id),
    }));
    for (const show of this.#watchers) show(this.#state);
  }

  /** Which of the channels are in trouble, and which an incident names as slow. */
  async #troubled(ids: readonly number[], now: number): Promise<{ failing: Set<number>; slow: Set<number> }> {
    const { db, live } = this.#deps;
    if (ids.length === 0) return { failing: new Set(), slow: new Set() };
    const rows = await db
      .selectFrom('channels')
      .where('id', 'in', ids)
      .where('deleted_time', 'is', null)
      .select(['id', 'status', 'last_error', 'last_error_time', 'test_time'])
      .execute();
    const slow = await db
      .selectFrom('incidents')
      .where('closed_at', '=', 0)
      .where('kind', '=', 'slow')
      .select('object')
      .execute();
    const minutes = this.#minutesOf(Math.floor(now / 60) - HOUR_MINUTES + 1);
    const troubles = await channelTroubles(db, { minutes, now, poor: live.settings.SuccessRatePoor }, rows);
    return { failing: new Set(troubles.keys()), slow: new Set(slow.map(({ object }) => Number(object))) };
  }

  #sumOf(minutes: readonly Minute[], first: number): HourSum {
    const open = first + HOUR_MINUTES - OPEN_MINUTES;
    if (this.#settled?.first !== first) {
      const sum = new HourSum();
      for (const minute of minutes) if (minute.number < open) sum.add(minute);
      this.#settled = { first, sum };
    }
    const sum = this.#settled.sum.copy();
    for (const minute of minutes) if (minute.number >= open) sum.add(minute);
    return sum;
  }

  /** The minutes of the hour that begins with `first`, of all nodes. */
  #minutesOf(first: number): Minute[] {
    const all = [...this.#others.values(), ...this.#deps.hour.since(first).map((minute) => ({ minute }))];
    return all
      .flatMap(({ minute }) => minute ?? [])
      .filter(({ number }) => number >= first && number < first + HOUR_MINUTES);
  }

  /** Reads what others wrote since the last time. */
  async #readOthers(first: number, time: number): Promise<void> {
    const { db, nodeId } = this.#deps;
    const rows = await db
      .selectFrom('call_minutes')
      .where('minute', '>=', first)
      .where('node', '<>', nodeId)
      .where('written_time', '>=', this.#readTo)
      .select(['minute', 'node', 'calls'])
      .execute();
    this.#readTo = time - OVERLAP_S;
    const open = first + HOUR_MINUTES - OPEN_MINUTES;
    for (const { minute: number, node, calls } of rows) {
      const key = `${number} ${node}`;
      if (this.#others.get(key)?.calls === calls) continue;
      this.#others.set(key, { calls, minute: minuteFromText(number, calls) });
      this.#shown = '';
      // A node that could not write for a while.
      if (number < open) this.#settled = undefined;
    }
    for (const [key, { minute }] of this.#others) if (!minute || minute.number < first) this.#others.delete(key);
  }

  #factsOf(id: number, time: number): Omit<ChannelFacts, 'isFailing' | 'isSlow'> {
    const { live } = this.#deps;
    const used = live.routes.channel(id);
    const known = used ? { name: used.name, type: used.provider.type } : this.#unused.get(id);
    return {
      name: known?.name ?? `#${id}`,
      type: known?.type ?? 0,
      frozenUntil: used ? frozenUntil(live, id, time) : 0,
    };
  }

  /** Names of channels that were switched off or deleted within the hour. */
  async #learnNames(ids: readonly number[]): Promise<void> {
    const { db, live } = this.#deps;
    const unused = ids.filter((id) => id !== 0 && !live.routes.channel(id));
    if (unused.every((id) => this.#unused.has(id))) return;
    const rows = await db.selectFrom('channels').where('id', 'in', unused).select(['id', 'name', 'type']).execute();
    const found = new Map(rows.map(({ id, name, type }) => [id, { name, type }]));
    this.#unused = new Map(unused.map((id) => [id, found.get(id) ?? { name: `#${id}`, type: 0 }]));
    this.#shown = '';
  }
}

/** Unix seconds; 0: not frozen. */
const frozenUntil = (live: Live, channelId: number, now: number): number =>
  Math.ceil(live.restsUntil(channelId, now * 1000) / 1000);
