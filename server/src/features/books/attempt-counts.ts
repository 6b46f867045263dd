import type { LogMetadata } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { attemptsIn } from '#quota/attempt-kinds.ts';
import { withPending } from '#quota/pending-sums.ts';
import { type CheckContext, type CheckResult, MOST_DIFFERENCES, type Span } from './book-checks.ts';

const HOUR_S = 3600;
/** Older hours are not compared, because every count of a compared hour is kept in memory. */
const COMPARED_HOURS = 31 * 24;

interface AttemptRow {
  channel_id: number;
  created_at: number;
  failed: boolean;
  metadata: LogMetadata | null;
}

/** Attempts counted from log rows, to compare with `attempts_by_channel`. */
export class AttemptCounts {
  readonly #from: number;
  readonly #until: number;
  readonly #counts = new Map<string, number>();

  private constructor({ from, until }: Span['hours']) {
    this.#from = from;
    this.#until = until;
  }

  /** Compares whole hours whose rows are all in the log and that follow the upgrade that introduced the counts. */
  static async of({ db, cleanedBefore, span: { hours } }: CheckContext): Promise<AttemptCounts> {
    const { latest, marked } = await db
      .selectFrom('attempts_by_channel')
      .select(({ fn }) => fn.max<number | null>('hour').as('latest'))
      .select((eb) => eb.fn.max<number | null>('hour').filterWhere('channel_id', '=', 0).as('marked'))
      .executeTakeFirstOrThrow();
    return new AttemptCounts({
      until: hours.until,
      from: Math.max(
        hours.from,
        cleanedBefore + HOUR_S - (cleanedBefore % HOUR_S || HOUR_S),
        (latest ?? 0) - COMPARED_HOURS * HOUR_S,
        marked === null ? 0 : marked + HOUR_S,
      ),
    });
  }

  add({ channel_id: channelId, created_at: at, failed, metadata }: AttemptRow): void {
    if (at < this.#from || at >= this.#until) return;
    for (const [id, kind] of attemptsIn({ channelId, failed, attempts: metadata?.attempts })) {
      const key = `channel ${id}, hour ${at - (at % HOUR_S)}, ${kind}`;
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  /** The differences from the roll-up. Call it after all rows were added. */
  async compare(db: Kysely<Tables>): Promise<CheckResult> {
    const rows = await db
      .selectFrom(withPending(db, 'attempts_by_channel').as('counts'))
      .where('hour', '>=', this.#from)
      .where('hour', '<', this.#until)
      .where('channel_id', '<>', 0)
      .groupBy(['hour', 'channel_id', 'kind'])
      .select(({ fn }) => ['hour', 'channel_id', 'kind', fn.sum<number>('attempts').as('attempts')])
      .execute();
    const found: CheckResult = { compared: rows.length, differing: 0, differences: [] };
    const differ = (of: string, expected: number, actual: number) => {
      found.differing++;
      if (found.differences.length < MOST_DIFFERENCES)
        found.differences.push({ of, expected: String(expected), found: String(actual) });
    };
    const left = new Map(this.#counts);
    for (const { hour, channel_id: id, kind, attempts } of rows) {
      const key = `channel ${id}, hour ${hour}, ${kind}`;
      const expected = left.get(key) ?? 0;
      left.delete(key);
      if (expected !== attempts) differ(key, expected, attempts);
    }
    for (const [key, expected] of left) differ(key, expected, 0);
    return found;
  }
}
