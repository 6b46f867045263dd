import { createHash, type Hash } from 'node:crypto';
import type { LogMetadata } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { callsIn } from '#quota/fold-entries.ts';
import type { IdRange } from './book-checks.ts';

const PIECE = 5_000;

/** Columns of a call's row that do not change. */
export interface DigestedRow {
  id: number;
  request_id: string;
  user_id: number;
  token_id: number;
  channel_id: number;
  created_at: number;
  model_name: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  failed: boolean;
  cost: number | null;
  metadata: LogMetadata | null;
}

type Entry = Omit<Tables['ledger'], 'id'> & { id: number };
export type Digests = Pick<Tables['signed_days'], 'other_digest' | 'charges_digest' | 'rows_digest'>;
export type DayFacts = Digests &
  Pick<Tables['signed_days'], 'first_time' | 'entries' | 'rows' | 'calls' | 'credits' | 'charged'>;

/** Sums and digests of the entries and rows of a day, which are added in the order of their ids. */
export class DayDigest {
  readonly #other: Hash;
  readonly #charges: Hash;
  readonly #rows: Hash;
  readonly #sums = { first_time: Infinity, entries: 0, rows: 0, calls: 0, credits: 0, charged: 0 };

  /** `before`: of the day before, which every digest begins with. */
  constructor(before: Digests | undefined) {
    this.#other = createHash('sha256').update(before?.other_digest ?? '');
    this.#charges = createHash('sha256').update(before?.charges_digest ?? '');
    this.#rows = createHash('sha256').update(before?.rows_digest ?? '');
  }

  addEntry({ id, user_id, token_id, kind, credits, balance_after, reference, ...more }: Entry): void {
    const isCharge = kind === 'settle';
    const { actor_id, remark, created_time } = more;
    const values = [id, user_id, token_id, kind, credits, balance_after, reference, actor_id, remark, created_time];
    (isCharge ? this.#charges : this.#other).update(`${JSON.stringify(values)}\n`);
    const sums = this.#sums;
    sums.entries++;
    sums.credits += credits;
    if (!isCharge) return;
    sums.first_time = Math.min(sums.first_time, created_time);
    sums.calls += callsIn(reference);
    sums.charged -= credits;
  }

  addRow(row: DigestedRow): void {
    const { id, request_id, user_id, token_id, channel_id, created_at, model_name, quota } = row;
    const { prompt_tokens, completion_tokens, cached_tokens, failed, cost } = row;
    const values = [id, request_id, user_id, token_id, channel_id, created_at, model_name, quota];
    values.push(prompt_tokens, completion_tokens, cached_tokens, Number(failed), cost ?? -1);
    this.#rows.update(`${JSON.stringify(values)}${JSON.stringify(lasting(row.metadata))}\n`);
    this.#sums.rows++;
    this.#sums.first_time = Math.min(this.#sums.first_time, created_at);
  }

  get facts(): DayFacts {
    return {
      ...this.#sums,
      first_time: Number.isFinite(this.#sums.first_time) ? this.#sums.first_time : 0,
      other_digest: this.#other.digest('hex'),
      charges_digest: this.#charges.digest('hex'),
      rows_digest: this.#rows.digest('hex'),
    };
  }
}

/** The end of a task adds its refund, and the figures of a batch. */
function lasting(metadata: LogMetadata | null): object | null {
  if (metadata?.task_refund === undefined && metadata?.batch === undefined) return metadata;
  const { task_refund: _refund, batch: _batch, ...rest } = metadata;
  return rest;
}

export async function digestEntries(db: Kysely<Tables>, { after, upTo }: IdRange, into: DayDigest): Promise<void> {
  for (let last = after; last < upTo;) {
    const entries = await db
      .selectFrom('ledger')
      .where('id', '>', last)
      .where('id', '<=', upTo)
      .selectAll()
      .orderBy('id')
      .limit(PIECE)
      .execute();
    for (const entry of entries) into.addEntry(entry);
    last = entries.length < PIECE ? upTo : (entries.at(-1)?.id ?? upTo);
  }
}
