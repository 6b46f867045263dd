import type { Tables } from '#db/tables.ts';

/** A call that was refused before any channel was asked. */
export interface RefusedCall {
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
  group: string;
  /** Empty: not known. */
  model: string;
  endpoint: string;
  status: number;
  code: string;
  reason: string;
  message: string;
  requestId: string;
  sourceIp: string;
  /** Credits that it needed; 0: not known. */
  needed: number;
}

/** As `Tables` has it, but for its id. `count` is what the database does not have yet. */
export type RefusalRow = Omit<Tables['refusals'], 'id'>;

export const HOUR_S = 3600;
/** A token that asks for more different models than these within an hour has one row for all the others. */
export const MODELS_OF_TOKEN = 20;
/** Rows of one hour that a node remembers; with more tokens than that, models are not told apart. */
const MOST_ROWS = 10_000;
const LONGEST = 300;

/** Folds equal refusals of a token within an hour into one row, in memory. */
export class Folding {
  #rows = new Map<string, RefusalRow>();
  /** How many models of a token have rows of their own, by token and reason. */
  #models = new Map<string, number>();
  #hour = 0;
  /** Rows with calls that the database does not have yet. */
  #waiting = new Set<RefusalRow>();
  #lost = 0;

  /** Adds a call; true where it is the first of its row. */
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
    // Only with that many tokens at once, and a database that takes nothing.
    if (this.#waiting.size >= (isFull ? MOST_ROWS : 2 * MOST_ROWS)) {
      this.#lost++;
      return false;
    }
    // Makes room for as many rows again, so that it is done seldom.
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

  /** Rows to be added to the database; their counts begin anew. */
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

  /** Takes rows back that could not be written. */
  putBack(rows: readonly RefusalRow[]): void {
    for (const row of rows) {
      const key = keyOf(row.token_id, row.reason, row.model_name, row.many_models);
      const kept = row.hour === this.#hour ? this.#rows.get(key) : undefined;
      if (kept) kept.count += row.count;
      else if (row.hour === this.#hour) this.#rows.set(key, row);
      this.#waiting.add(kept ?? row);
    }
  }

  /** Calls that were too many to be kept; counts them anew. */
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

  /** The database has them; what comes anew begins at none and is added there. */
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

/** PostgreSQL keeps no NUL in a text. */
const storable = (text: string): string => text.slice(0, LONGEST).replaceAll('\0', '');

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
