import type { Tables } from '#db/tables.ts';
import { networkOf } from '#http/client-network.ts';
import { HOUR_S } from './folding.ts';

export type UnknownKeyRow = Tables['unknown_keys'];

/** Networks per hour that a node counts separately; all others share one row. */
export const MOST_NETWORKS = 500;

/** Counts calls with unknown or missing keys by network and hour, in memory. */
export class UnknownKeys {
  #rows = new Map<string, UnknownKeyRow>();
  #hour = 0;
  /** Networks with their own row in this hour. */
  #known = new Set<string>();

  add(kind: 'unknown' | 'missing', ip: string, endpoint: string, now: number): void {
    const hour = now - (now % HOUR_S);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#known = new Set();
    }
    const network = networkOf(ip);
    if (!this.#known.has(network) && this.#known.size < MOST_NETWORKS) this.#known.add(network);
    const address = this.#known.has(network) ? network : '';
    const key = `${hour} ${address}`;
    let row = this.#rows.get(key);
    if (!row) {
      row = { hour, address, unknown: 0, missing: 0, first_time: now, last_time: now, endpoint };
      this.#rows.set(key, row);
    }
    row[kind]++;
    row.last_time = now;
    row.endpoint = endpoint;
  }

  /** Takes rows to write. */
  take(most: number): UnknownKeyRow[] {
    const taken = [...this.#rows.entries()].slice(0, most);
    for (const [key] of taken) this.#rows.delete(key);
    return taken.map(([, row]) => row);
  }

  /** Puts back rows that could not be written. */
  putBack(rows: readonly UnknownKeyRow[]): void {
    for (const row of rows) {
      const key = `${row.hour} ${row.address}`;
      const newer = this.#rows.get(key);
      if (!newer) this.#rows.set(key, row);
      else {
        newer.unknown += row.unknown;
        newer.missing += row.missing;
        newer.first_time = row.first_time;
      }
    }
  }

  get waiting(): number {
    return this.#rows.size;
  }
}
