import type { Db } from '#db/tables.ts';
import { type Speed, speedCounts, speedIn } from '#roll-ups/speeds.ts';
import { HOUR_S } from '#roll-ups/usage-scope.ts';

const DAYS_S = 7 * 86_400;

/** Speeds of channels in the last seven days without the current hour, read once an hour. */
export class UsualSpeeds {
  #hour = 0;
  #speeds: ReadonlyMap<number, Speed> = new Map();

  async get(db: Db, now: number): Promise<ReadonlyMap<number, Speed>> {
    const hour = now - (now % HOUR_S);
    if (hour === this.#hour) return this.#speeds;
    const counts = await speedCounts(db, { by: 'channel', from: hour - DAYS_S, until: hour });
    const byChannel = Map.groupBy(counts, ({ key }) => Number(key));
    this.#speeds = new Map([...byChannel].map(([id, of]) => [id, speedIn(of)]));
    this.#hour = hour;
    return this.#speeds;
  }
}
