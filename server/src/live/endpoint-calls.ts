import type { StatusEndpoint } from '@relay-hub/contract';
import type { Logger } from 'pino';
import { speedBucket } from '#db/speed-buckets.ts';
import type { Db, Tables } from '#db/tables.ts';
import { HOUR_S, hourOf } from '#roll-ups/usage-scope.ts';

type Row = Tables['calls_by_endpoint'];

const EVERY_MS = 5_000;
/** The status page shows 90 days. */
const KEPT_S = 91 * 24 * HOUR_S;

const kinds: readonly [StatusEndpoint, RegExp][] = [
  ['realtime', /realtime|\/live$|responses\/ws/],
  ['embeddings', /embed/i],
  ['video', /video|predictLongRunning/i],
  ['images', /image|recraft|ideogram|predict$|\/mj\//i],
  ['audio', /audio|speech|suno/i],
  ['rerank', /rerank/],
  ['moderations', /moderations/],
  ['chat', /completions|messages|responses|generateContent|interactions/i],
];

/** The kind of call of an endpoint's label. */
export const statusEndpointOf = (label: string): StatusEndpoint =>
  kinds.find(([, pattern]) => pattern.test(label))?.[0] ?? 'other';

/** A call that has ended; `failed`: by a fault of this site or a provider. */
interface EndedCall {
  endpoint: string;
  failed: boolean;
  /** Of streams. */
  firstMs: number | undefined;
}

/**
 * Calls by kind of endpoint and hour: counted in memory by each call, and written in batches. A killed process loses five
 * seconds; nothing is charged by these numbers.
 */
export class EndpointCalls {
  readonly #db: Db;
  readonly #log: Logger;
  readonly #kinds = new Map<string, StatusEndpoint>();
  #rows = new Map<string, Row>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #cleanedHour = 0;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Counts a call that ended at `now`, Unix seconds. */
  note({ endpoint: label, failed, firstMs }: EndedCall, now: number): void {
    let endpoint = this.#kinds.get(label);
    // Labels are few: they contain nothing that callers choose.
    if (endpoint === undefined) this.#kinds.set(label, (endpoint = statusEndpointOf(label)));
    const hour = hourOf(now);
    this.#add({ hour, endpoint, measure: 'calls', bucket: 0, calls: 1 });
    if (failed) this.#add({ hour, endpoint, measure: 'failed', bucket: 0, calls: 1 });
    else if (firstMs !== undefined)
      this.#add({ hour, endpoint, measure: 'first', bucket: speedBucket(firstMs), calls: 1 });
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref();
  }

  #add(row: Row): void {
    const key = `${row.hour} ${row.endpoint} ${row.measure} ${row.bucket}`;
    const known = this.#rows.get(key);
    if (known) known.calls++;
    else this.#rows.set(key, row);
  }

  /** Writes the counts. Never rejects: counts that cannot be written are dropped with a warning. */
  async flush(): Promise<void> {
    const counted = this.#rows;
    this.#rows = new Map();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (counted.size > 0) this.#writing = this.#writing.then(() => this.#write(counted));
    await this.#writing;
  }

  async #write(counted: ReadonlyMap<string, Row>): Promise<void> {
    // In a fixed order, so that two nodes cannot deadlock.
    const rows = [...counted].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    try {
      await this.#db
        .insertInto('calls_by_endpoint')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['hour', 'endpoint', 'measure', 'bucket'])
            .doUpdateSet((eb) => ({ calls: eb('calls_by_endpoint.calls', '+', eb.ref('excluded.calls')) })),
        )
        .execute();
      const hour = rows.at(-1)?.hour ?? 0;
      if (hour <= this.#cleanedHour) return;
      this.#cleanedHour = hour;
      await this.#db
        .deleteFrom('calls_by_endpoint')
        .where('hour', '<', hour - KEPT_S)
        .execute();
    } catch (error) {
      this.#log.warn({ err: error, rows: rows.length }, 'calls by endpoint not written');
    }
  }
}
