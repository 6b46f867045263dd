import type { Tables } from '#db/tables.ts';

/** A call that was refused before any upstream request. */
export interface RefusedCall {
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
  group: string;
  /** Empty if unknown. */
  model: string;
  endpoint: string;
  status: number;
  code: string;
  reason: string;
  message: string;
  requestId: string;
  sourceIp: string;
  /** Credits that the call needed; 0 if unknown. */
  needed: number;
}

/** A row of `refusals` without its id. `count` has only the calls that are not in the database yet. */
export type RefusalRow = Omit<Tables['refusals'], 'id'>;

export const HOUR_S = 3600;
/** Number of models per token, reason and hour with their own rows; all further models share one row. */
export const MODELS_OF_TOKEN = 20;
/** Rows per hour that a node keeps in memory. Above it, models are not distinguished. */
const MOST_ROWS = 10_000;
const MAX_TEXT = 300;

/** Folds equal refusals of a token within an hour into one row, in memory. */
export class Folding {
  #rows = new Map<string, RefusalRow>();
  /** Number of models with their own rows, by token and reason. */
  #models = new Map<string, number>();
  #hour = 0;
  /** Rows with calls that are not in the database yet. */
  #waiting = new Set<RefusalRow>();
  #lost = 0;

  /** Adds a call; true if it is the first of its row. */
  add(call: RefusedCall, now: number): boolean {
    const hour = now - (now % HOUR_S);
    if (hour !== this.#hour) this.#begin(hour);
    const { key, model, many } = this.#keyOf(call);
    const row = this.#rows.get(key);
    if (row) {
      Object.assign(row, lastOf(call, now));
      row.count++;
      this.#waiting.add(row);
      return false;
    }
    const isFull = this.#rows.size >= 2 * MOST_ROWS;
    // Reached only with very many tokens while the database accepts no writes.
    if (this.#waiting.size >= (isFull ? MOST_ROWS : 2 * MOST_ROWS)) {
      this.#lost++;
      return false;
    }
    // Frees half of the rows at once, so that this runs rarely.
    if (isFull) this.#forgetWritten();
    const first: RefusalRow = {
      user_id: call.userId,
      token_id: call.tokenId,
      hour,
      reason: call.reason,
      model_name: model,
      many_models: many,
      code: call.code,
      status: call.status,
      count: 1,
      first_time: now,
      first_request_id: call.requestId,
      ...lastOf(call, now),
    };
    this.#rows.set(key, first);
    this.#waiting.add(first);
    return true;
  }

  /** Takes rows to write; their counts restart at 0. */
  take(most: number): RefusalRow[] {
    const taken: RefusalRow[] = [];
    for (const row of this.#waiting) {
      if (taken.length >= most) break;
      this.#waiting.delete(row);
      taken.push({ ...row });
      row.count = 0;
    }
    return taken;
  }

  /** Puts back rows that could not be written. */
  putBack(rows: readonly RefusalRow[]): void {
    for (const row of rows) {
      const key = keyOf(row.token_id, row.reason, row.model_name, row.many_models);
      const kept = row.hour === this.#hour ? this.#rows.get(key) : undefined;
      if (kept) kept.count += row.count;
      else if (row.hour === this.#hour) this.#rows.set(key, row);
      this.#waiting.add(kept ?? row);
    }
  }

  /** Number of calls that did not fit in memory; resets it. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  #begin(hour: number): void {
    this.#hour = hour;
    this.#rows = new Map();
    this.#models = new Map();
  }

  /** Rows in the database can be dropped: later calls start at 0 and are added there. */
  #forgetWritten(): void {
    for (const [key, row] of this.#rows) if (!this.#waiting.has(row)) this.#rows.delete(key);
  }

  #keyOf({ tokenId, reason, model }: RefusedCall): { key: string; model: string; many: boolean } {
    const name = storable(model);
    const own = keyOf(tokenId, reason, name, false);
    if (this.#rows.has(own)) return { key: own, model: name, many: false };
    const counter = `${tokenId} ${reason}`;
    const models = this.#models.get(counter) ?? 0;
    if (models >= MODELS_OF_TOKEN || this.#rows.size >= MOST_ROWS)
      return { key: keyOf(tokenId, reason, '', true), model: '', many: true };
    this.#models.set(counter, models + 1);
    return { key: own, model: name, many: false };
  }
}

const keyOf = (tokenId: number, reason: string, model: string, many: boolean): string =>
  `${tokenId} ${reason} ${many ? '*' : '='}${model}`;

/** PostgreSQL does not store NUL in text. */
const storable = (text: string): string => text.slice(0, MAX_TEXT).replaceAll('\0', '');

const lastOf = (call: RefusedCall, now: number) => ({
  created_at: now,
  request_id: call.requestId,
  username: call.username,
  token_name: call.tokenName,
  group_name: call.group,
  endpoint: call.endpoint,
  source_ip: call.sourceIp,
  message: storable(call.message),
  needed: call.needed,
});
