import { type LogMetadata, PLAN_COST, PLAN_TOTAL, planScope, tokenScope } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { costShare, countedBy, isOfPlan } from '#quota/limit-use.ts';
import { type CheckContext, type CheckResult, MOST_DIFFERENCES } from './book-checks.ts';

type SignedSum = Tables['signed_sums'];

interface LimitedRow {
  token_id: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost: number | null;
  metadata: LogMetadata | null;
}

/** Use of limits according to the log, to compare with their counters. */
export class LimitCounts {
  readonly #cleanedBefore: number;
  readonly #used = new Map<string, number>();
  readonly #returned = new Map<string, number>();

  /** Counters of periods that began before `cleanedBefore` are not compared: rows of them may be gone. */
  constructor(cleanedBefore: number) {
    this.#cleanedBefore = cleanedBefore;
  }

  add({ token_id: tokenId, quota, prompt_tokens, completion_tokens, cost, metadata }: LimitedRow): void {
    const tokens = { promptTokens: prompt_tokens, completionTokens: completion_tokens };
    const plans = metadata?.plans ?? [];
    const whole = plans.reduce((sum, { credits }) => sum + credits, quota);
    for (const [name, starts, scope = tokenScope(tokenId)] of metadata?.limits ?? []) {
      const paid = isOfPlan(scope) ? plans.find(({ id }) => planScope(id) === scope)?.credits : whole;
      if (paid === undefined) continue;
      const share = name === PLAN_COST ? costShare(cost ?? 0, paid, whole) : 0;
      addTo(this.#used, keyOf(scope, name, starts), countedBy(name, paid, { ...tokens, cost: share }));
    }
    this.#addRefund({ token_id: tokenId, metadata });
  }

  /** A refund counts in the period of its call, even if that period is over. */
  #addRefund({ token_id: tokenId, metadata }: Pick<LimitedRow, 'token_id' | 'metadata'>): void {
    if (metadata?.task_refund === undefined) return;
    for (const [name, starts, scope = tokenScope(tokenId)] of metadata.limits ?? [])
      if (name.startsWith('credits:')) addTo(this.#returned, keyOf(scope, name, starts), metadata.task_refund);
  }

  /** Use before refunds of the periods that counters are in, as rows of `signed_sums`. */
  async signed(db: Kysely<Tables>): Promise<SignedSum[]> {
    const counters = await db.selectFrom('limit_counters').select(['scope', 'name', 'starts']).execute();
    return counters.flatMap(({ scope, name, starts }): SignedSum[] => {
      const credits = this.#used.get(keyOf(scope, name, starts));
      return credits === undefined ? [] : [{ kind: 'limit', id: 0, name: `${scope} ${name} ${starts}`, credits }];
    });
  }

  /** Adds the use of rows that are signed, which may have been refunded since. */
  async #addSigned({ db, span }: CheckContext, since: number): Promise<void> {
    if (!span.isContinued || since === Infinity) return;
    const sums = await db.selectFrom('signed_sums').where('kind', '=', 'limit').selectAll().execute();
    for (const { name, credits } of sums) addTo(this.#used, name, credits);
    const refunded = await db
      .selectFrom('tasks')
      .innerJoin('logs', 'logs.request_id', 'tasks.request_id')
      .where('tasks.created_at', '>=', since - DAY_S)
      .where((eb) => eb.or([eb('tasks.refunded', '=', true), eb('tasks.settled_quota', 'is not', null)]))
      .where('logs.id', '<=', span.rows.after)
      .select(['logs.token_id', 'logs.metadata'])
      .execute();
    for (const row of refunded) this.#addRefund(row);
  }

  /** The differences from the counters, and reservations that no node holds. Call it after all rows were added. */
  async compare(context: CheckContext): Promise<CheckResult> {
    const { db } = context;
    const counters = await db.selectFrom('limit_counters').selectAll().execute();
    const leases = await db.selectFrom('limit_leases').selectAll().execute();
    const moved = await db
      .selectFrom('subscription_periods')
      .where('moved', '>', 0)
      .select(['id', 'starts', 'moved'])
      .execute();
    for (const period of moved) addTo(this.#used, keyOf(planScope(period.id), PLAN_TOTAL, period.starts), period.moved);
    const begins = counters.map(({ starts }) => starts).filter((time) => time > 0);
    await this.#addSigned(
      context,
      begins.reduce((first, time) => Math.min(first, time), Infinity),
    );
    const found: CheckResult = { compared: counters.length, differing: 0, differences: [] };
    const compare = (of: string, expected: number, actual: number) => {
      if (expected === actual) return;
      found.differing++;
      if (found.differences.length < MOST_DIFFERENCES)
        found.differences.push({ of, expected: String(expected), found: String(actual) });
    };
    const leased = new Map<string, number>();
    for (const { scope, name, starts, amount } of leases) addTo(leased, keyOf(scope, name, starts), amount);
    for (const { scope, name, starts, used, held } of counters) {
      const key = keyOf(scope, name, starts);
      if (starts === 0 || starts >= this.#cleanedBefore)
        compare(key, (this.#used.get(key) ?? 0) - (this.#returned.get(key) ?? 0), used);
      compare(`${key}, held`, leased.get(key) ?? 0, held);
    }
    return found;
  }
}

const DAY_S = 86_400;

function addTo(sums: Map<string, number>, key: string, more: number): void {
  sums.set(key, (sums.get(key) ?? 0) + more);
}

/** As in `signed_sums`. */
const keyOf = (scope: string, name: string, starts: number): string => `${scope} ${name} ${starts}`;
