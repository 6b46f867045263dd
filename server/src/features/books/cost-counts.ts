import { costsOf, type LogMetadata } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { withPending } from '#quota/pending-sums.ts';
import { type CheckContext, type CheckResult, MOST_DIFFERENCES } from './book-checks.ts';

const HOUR_S = 3600;

interface CostRow {
  request_id: string;
  created_at: number;
  cost: number | null;
  metadata: LogMetadata | null;
}

/** Costs of attempts in log rows, to compare with the cost of each row and with the roll-up by channel. */
export class CostCounts {
  readonly #from: number;
  readonly #until: number;
  readonly #sums = new Map<string, number>();
  readonly #found: CheckResult = { compared: 0, differing: 0, differences: [] };

  /** Compares whole hours after `cleanedBefore`. Rows of before the roll-ups had costs have none of their own. */
  constructor({ cleanedBefore, span: { hours } }: Omit<CheckContext, 'db'>) {
    this.#from = Math.max(hours.from, cleanedBefore + HOUR_S - (cleanedBefore % HOUR_S || HOUR_S));
    this.#until = hours.until;
  }

  add({ request_id: id, created_at: at, cost, metadata }: CostRow): void {
    if (cost === null) return;
    const costs = costsOf({ metadata });
    this.#compare(`call ${id}`, costs?.total ?? 0, cost);
    if (at < this.#from || at >= this.#until) return;
    for (const [channelId, thousandths] of costs?.attempts ?? []) {
      const key = `channel ${channelId}, hour ${at - (at % HOUR_S)}`;
      this.#sums.set(key, (this.#sums.get(key) ?? 0) + thousandths);
    }
  }

  /** All differences, in thousandths of a credit. Call it after all rows were added. */
  async compare(db: Kysely<Tables>): Promise<CheckResult> {
    const rows = await db
      .selectFrom(withPending(db, 'usage_by_channel').as('usage'))
      .where('hour', '>=', this.#from)
      .where('hour', '<', this.#until)
      .groupBy(['channel_id', 'hour'])
      .having(({ fn }) => fn.sum('cost'), '>', 0)
      .select(({ fn }) => ['channel_id', 'hour', fn.sum<number>('cost').as('cost')])
      .execute();
    const left = new Map(this.#sums);
    for (const { channel_id: id, hour, cost } of rows) {
      const key = `channel ${id}, hour ${hour}`;
      this.#compare(key, left.get(key) ?? 0, cost);
      left.delete(key);
    }
    for (const [key, expected] of left) this.#compare(key, expected, 0);
    return this.#found;
  }

  #compare(of: string, expected: number, actual: number): void {
    this.#found.compared++;
    if (expected === actual) return;
    this.#found.differing++;
    if (this.#found.differences.length < MOST_DIFFERENCES)
      this.#found.differences.push({ of, expected: String(expected), found: String(actual) });
  }
}
