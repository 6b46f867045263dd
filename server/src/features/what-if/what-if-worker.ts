import type { WhatIfQuestion } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { clockOf } from '#features/analytics/analytics-period.ts';
import { monthOf } from '#features/ledger/statement.ts';
import { pathOf, rowsOf, type LogPosition } from '#features/log/log-path.ts';
import { callsSince } from '#features/log/log-search.ts';
import { PriceBook } from '#live/price-book.ts';
import { loadPurchases, Purchases } from '#live/purchases.ts';
import { OrderedWorker } from '#process/ordered-worker.ts';
import type { Bought, OtherTerms } from './price-again.ts';
import { WhatIfSummary } from './what-if-sums.ts';

/** A report without a heartbeat for this long (seconds) is begun again by another node. */
const SILENT_S = 60;
/** Rows of a piece take about 10 ms to price, on the thread that relays calls. */
const PIECE = 400;

/** Makes the ordered report in small pieces with pauses, including one left by a stopped node. */
export class WhatIfWorker extends OrderedWorker {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    super(deps, 'what-if report');
    this.#deps = deps;
  }

  protected override async run(): Promise<void> {
    const claimed = await this.#claim();
    if (!claimed) return;
    try {
      await this.#make(claimed.id, claimed.question);
    } catch (error) {
      await this.#end(claimed.id, 'failed', { error: error instanceof Error ? error.message : 'unknown' });
      throw error;
    }
  }

  /** Claims the report unless another node is working on it. */
  async #claim() {
    const { db, now, nodeId } = this.#deps;
    return db
      .updateTable('what_ifs')
      .set({ node: nodeId, seen_time: now(), done: 0 })
      .where('state', '=', 'running')
      .where((eb) => eb.or([eb('node', '=', nodeId), eb('seen_time', '<', now() - SILENT_S)]))
      .returning(['id', 'question'])
      .executeTakeFirst();
  }

  async #make(id: number, question: WhatIfQuestion): Promise<void> {
    const { db, live, now } = this.#deps;
    const { from, until } = monthOf(question.month, clockOf(question.time_zone), now());
    const summary = new WhatIfSummary(await this.#termsOf(question));
    const path = pathOf(callsSince(0));
    let past: LogPosition | undefined;
    for (let done = 0; !this.signal.aborted;) {
      const began = performance.now();
      const rows = await rowsOf(db, path, { from, to: until - 1, past: past && { place: past, going: 'asc' } })
        .select(['id', 'created_at', 'request_time', 'user_id', 'channel_id', 'model_name', 'quota'])
        .select(['prompt_tokens', 'completion_tokens', 'metadata'])
        .orderBy('created_at')
        .orderBy('id')
        .limit(PIECE)
        .execute();
      for (const row of rows) summary.add(row);
      done += rows.length;
      const end = rows.at(-1);
      if (!end || rows.length < PIECE) {
        const report = JSON.stringify(await summary.report(db, live.owners));
        await this.#end(id, 'done', { done, report });
        return;
      }
      past = { at: end.created_at, id: end.id };
      if (!(await this.#tell(id, done))) return;
      await this.rest(performance.now() - began);
    }
    // So that the next node need not wait.
    await db.updateTable('what_ifs').set({ seen_time: 0 }).where('id', '=', id).execute();
  }

  /** Stores the progress. False if the report was cancelled or taken over. */
  async #tell(id: number, done: number): Promise<boolean> {
    const { db, now, nodeId } = this.#deps;
    const told = await db
      .updateTable('what_ifs')
      .set({ done, seen_time: now() })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .where('node', '=', nodeId)
      .returning('id')
      .executeTakeFirst();
    return told !== undefined;
  }

  async #end(id: number, state: 'done' | 'failed', more: { done?: number; report?: string; error?: string }) {
    const { db, now, nodeId } = this.#deps;
    await db
      .updateTable('what_ifs')
      .set({ state, ended_time: now(), ...more })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .where('node', '=', nodeId)
      .execute();
  }

  async #termsOf({ base, prices, factor, groups, channels, costs }: WhatIfQuestion): Promise<OtherTerms> {
    const { db, live } = this.#deps;
    const bought = new Map<number, Bought>();
    if (costs === 'again') {
      const purchases = await loadPurchases(db);
      for (const { id, cost_ratio: ratio } of await db.selectFrom('channels').select(['id', 'cost_ratio']).execute())
        bought.set(id, { costRatio: ratio ?? undefined, purchases: purchases.get(id) });
    }
    for (const { channel_id: id, cost_ratio: ratio, prices: own } of channels) {
      const rows = own.map((price, at) => ({ ...price, id: at + 1, channel_id: id, removed_time: 0 }));
      bought.set(id, { costRatio: ratio ?? undefined, purchases: own.length > 0 ? new Purchases(rows) : undefined });
    }
    const draft = prices.map(({ extra_ratios: extra = {}, rules = [], fees = [], ...price }) => ({
      ...price,
      version: 0,
      extra_ratios: extra,
      rules,
      fees,
    }));
    return {
      draft: new PriceBook(draft, undefined, live.settings.AudioTokenJson),
      current: base === 'current' ? live.prices : undefined,
      groups: new Map(groups.map(({ symbol, ratio }) => [symbol, ratio])),
      factor,
      boughtAt: (id) => bought.get(id),
    };
  }
}
