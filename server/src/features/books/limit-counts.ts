import type { LogMetadata } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { countedBy } from '#quota/limit-use.ts';
import { type CheckResult, MOST_DIFFERENCES } from './book-checks.ts';

interface LimitedRow {
  token_id: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  metadata: LogMetadata | null;
}

/** Use of tokens' limits according to the log, to compare with their counters. */
export class LimitCounts {
  readonly #cleanedBefore: number;
  readonly #used = new Map<string, number>();

  /** Counters of periods that began before `cleanedBefore` are not compared: rows of them may be gone. */
  constructor(cleanedBefore: number) {
    this.#cleanedBefore = cleanedBefore;
  }

  add({ token_id: tokenId, quota, prompt_tokens, completion_tokens, metadata }: LimitedRow): void {
    const tokens = { promptTokens: prompt_tokens, completionTokens: completion_tokens };
    for (const [name, starts] of metadata?.limits ?? []) {
      const key = keyOf(tokenId, name, starts);
      const used = countedBy(name, quota - (metadata?.task_refund ?? 0), tokens);
      this.#used.set(key, (this.#used.get(key) ?? 0) + used);
    }
  }

  /** The differences from the counters, and reservations that no node holds. Call it after all rows were added. */
  async compare(db: Kysely<Tables>): Promise<CheckResult> {
    const counters = await db.selectFrom('limit_counters').selectAll().execute();
    const leases = await db.selectFrom('limit_leases').selectAll().execute();
    const found: CheckResult = { compared: counters.length, differing: 0, differences: [] };
    const compare = (of: string, expected: number, actual: number) => {
      if (expected === actual) return;
      found.differing++;
      if (found.differences.length < MOST_DIFFERENCES)
        found.differences.push({ of, expected: String(expected), found: String(actual) });
    };
    const leased = new Map<string, number>();
    for (const { token_id, name, starts, amount } of leases) {
      const key = keyOf(token_id, name, starts);
      leased.set(key, (leased.get(key) ?? 0) + amount);
    }
    for (const { token_id, name, starts, used, held } of counters) {
      const key = keyOf(token_id, name, starts);
      if (starts === 0 || starts >= this.#cleanedBefore) compare(key, this.#used.get(key) ?? 0, used);
      compare(`${key}, held`, leased.get(key) ?? 0, held);
    }
    return found;
  }
}

const keyOf = (tokenId: number, name: string, starts: number): string => `token ${tokenId}, ${name} from ${starts}`;
