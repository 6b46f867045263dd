import type { LogMetadata, ShortfallRow } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';

const LISTED = 50;
const SESSIONS = '/v1/realtime';

/** Columns of a log row that a shortfall is listed by. */
interface LoggedCall {
  id: number;
  request_id: string;
  user_id: number;
  username: string;
  model_name: string;
  created_at: number;
  quota: number;
  metadata: LogMetadata | null;
}

/** Calls that cost more than could be charged, read in the order of their rows. */
export class Shortfalls {
  total = 0;
  calls = 0;
  readonly #last: ShortfallRow[] = [];

  /** Those of signed days. */
  static async signed(db: Kysely<Tables>): Promise<Shortfalls> {
    const found = new Shortfalls();
    const days = await db
      .selectFrom('signed_days')
      .where('shortfall_calls', '>', 0)
      .select(['shortfall', 'shortfall_calls', 'shortfalls'])
      .orderBy('until')
      .execute();
    for (const day of days) {
      found.total += day.shortfall;
      found.calls += day.shortfall_calls;
      found.#last.push(...day.shortfalls);
    }
    found.#last.splice(0, found.#last.length - LISTED);
    return found;
  }

  add(row: LoggedCall): void {
    const uncollected = row.metadata?.shortfall ?? 0;
    if (uncollected <= 0) return;
    this.total += uncollected;
    this.calls++;
    this.#last.push({
      request_id: row.request_id,
      log_id: row.id,
      user_id: row.user_id,
      username: row.username,
      model: row.model_name,
      created_at: row.created_at,
      charged: row.quota,
      uncollected,
      cause: causeOf(row.metadata),
    });
    if (this.#last.length > LISTED) this.#last.shift();
  }

  /** The last calls, newest first. */
  get last(): ShortfallRow[] {
    return this.#last.toReversed();
  }
}

function causeOf(metadata: LogMetadata | null): ShortfallRow['cause'] {
  if (metadata?.ended_by !== undefined) return 'cut_stream';
  return metadata?.endpoint === SESSIONS ? 'session' : 'usage';
}
