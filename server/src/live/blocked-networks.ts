import type { Db } from '#db/tables.ts';
import { NetworkSet } from '#networks.ts';

/** Networks whose requests are refused. Ends of blocks count without a reload. */
export class BlockedNetworks {
  #rows: readonly { network: string; expired_time: number }[] = [];
  #set = new NetworkSet([]);
  /** When the next block ends. */
  #until = Infinity;

  async load(db: Db): Promise<void> {
    this.#rows = await db.selectFrom('blocks').select(['network', 'expired_time']).execute();
    // The next look builds the set.
    this.#until = 0;
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** Requests of this machine are never refused, so that its operator gets in. */
  has(ip: string, now: number): boolean {
    if (now >= this.#until) this.#build(now);
    return this.#set.has(ip) && ip !== '::1' && !ip.startsWith('127.');
  }

  #build(now: number): void {
    this.#rows = this.#rows.filter(({ expired_time: end }) => end === -1 || end > now);
    this.#set = new NetworkSet(this.#rows.map(({ network }) => network));
    this.#until = Math.min(Infinity, ...this.#rows.map(({ expired_time: end }) => (end === -1 ? Infinity : end)));
  }
}
