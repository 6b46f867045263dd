import type { Transaction } from 'kysely';
import { dropMonths, monthsBefore } from '#db/log-months.ts';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { OrderedWorker } from '#process/ordered-worker.ts';
import { callsBefore } from './log-cleanup.ts';
import type { LogPosition } from './log-path.ts';
import { deleteRefusedBefore } from './refused-rows.ts';
import { pathOf } from './log-path.ts';
import type { LogSearch } from './log-search.ts';
import { walk } from './log-walk.ts';

/** A clean-up without a heartbeat for this long (seconds) is taken over by another node. */
const SILENT_S = 30;

/** Target duration of a batch, in ms, because it blocks SQLite's only writer; its size adapts to the last one. */
const BATCH_MS = 8;
const SMALLEST_BATCH = 50;
const LARGEST_BATCH = 1000;
const SEARCH_MS = 25;

/** Executes the ordered clean-up in small batches with pauses, including one left by a stopped node. */
export class Cleaner extends OrderedWorker {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    super(deps, 'log clean-up');
    this.#deps = deps;
  }

  protected override async run(): Promise<void> {
    const { db, log, nodeId } = this.#deps;
    const target = await this.#claim();
    if (target === undefined) return;
    if (!(await this.#deleteRefused(target))) return;
    if (!(await this.#dropMonths(target))) return;
    const search = callsBefore(target);
    let past: LogPosition | undefined;
    let size = SMALLEST_BATCH;
    while (!this.signal.aborted) {
      const startMs = performance.now();
      const batch = await this.#next(search, past, size);
      const readMs = performance.now() - startMs;
      if (!(await this.#delete(batch, target))) return;
      if (batch.ended) {
        log.info({ before: target }, 'log cleaned');
        return;
      }
      past = batch.reached;
      const tookMs = performance.now() - startMs;
      size = Math.round(Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, (size * BATCH_MS) / (tookMs - readMs))));
      // Leaves half of the time to other writers.
      await this.rest(tookMs);
    }
    await db.updateTable('log_cleanup').set({ seen_time: 0 }).where('node', '=', nodeId).execute();
  }

  /** Claims the clean-up unless another node is working on it. */
  async #claim(): Promise<number | undefined> {
    const { db, now, nodeId } = this.#deps;
    const claimed = await db
      .updateTable('log_cleanup')
      .set({ node: nodeId, seen_time: now() })
      .where('id', '=', 1)
      .where('state', '=', 'running')
      .where((eb) => eb.or([eb('node', '=', nodeId), eb('seen_time', '<', now() - SILENT_S)]))
      .returning('target_timestamp')
      .executeTakeFirst();
    return claimed?.target_timestamp;
  }

  /** Deletes refused calls, which are few. False if the clean-up was cancelled meanwhile. */
  async #deleteRefused(target: number): Promise<boolean> {
    const { db, now, nodeId } = this.#deps;
    for (let left = true; left && !this.signal.aborted;) {
      const running = await db
        .updateTable('log_cleanup')
        .set({ seen_time: now() })
        .where('id', '=', 1)
        .where('state', '=', 'running')
        .where('node', '=', nodeId)
        .returning('id')
        .executeTakeFirst();
      if (!running) return false;
      const startMs = performance.now();
      left = await deleteRefusedBefore(db, target, LARGEST_BATCH);
      // Rejects only when stopped, which ends the loop.
      await this.rest(performance.now() - startMs);
    }
    return true;
  }

  /** Drops months whose rows would all be deleted. False, without a drop, if the clean-up was cancelled meanwhile. */
  async #dropMonths(target: number): Promise<boolean> {
    const { storage, log } = this.#deps;
    const months = await monthsBefore(storage.patient, target);
    if (!months) return true;
    const { calls, until } = months;
    const isDropped = await dropMonths(storage.patient, months, (trx) =>
      this.#note(trx, { deleted: calls, cleaned: until, ended: false }),
    );
    if (isDropped) log.info({ before: until, calls }, 'months of the log dropped');
    return isDropped;
  }

  /** The oldest remaining calls; empty where other rows fill the batch. */
  async #next(search: LogSearch, past: LogPosition | undefined, size: number): Promise<CleanupBatch> {
    const going = 'asc';
    const stretch = { from: search.from, to: search.to, past: past && ({ place: past, going } as const) };
    const { places, stopped } = await walk(this.#deps.db, pathOf(search), [stretch], {
      going,
      skip: 0,
      take: size,
      deadlineMs: performance.now() + SEARCH_MS,
    });
    return {
      ids: places.map(({ id }) => id),
      reached: stopped ?? places.at(-1),
      ended: places.length < size && !stopped,
    };
  }

  /** Deletes a batch and stores the progress. False, without deleting, if the clean-up was cancelled meanwhile. */
  async #delete({ ids, reached, ended }: CleanupBatch, target: number): Promise<boolean> {
    return this.#deps.db.transaction().execute(async (trx) => {
      // Calls of that very second may remain.
      const cleaned = ended ? target : reached ? reached.at + 1 : 0;
      if (!(await this.#note(trx, { deleted: ids.length, cleaned, ended }))) return false;
      if (ids.length > 0)
        await trx.deleteFrom('logs').where('id', 'in', ids).where('created_at', '<', target).execute();
      return true;
    });
  }

  /** Notes calls that this transaction deletes. False if the clean-up was cancelled or taken over. */
  async #note(
    trx: Transaction<Tables>,
    { deleted, cleaned, ended }: { deleted: number; cleaned: number; ended: boolean },
  ): Promise<boolean> {
    const { now, nodeId } = this.#deps;
    const time = now();
    const updated = await trx
      .updateTable('log_cleanup')
      .set((eb) => ({
        deleted: eb('deleted', '+', deleted),
        seen_time: time,
        ...(ended && { state: 'done' as const, ended_time: time }),
      }))
      .where('id', '=', 1)
      .where('state', '=', 'running')
      .where('node', '=', nodeId)
      .returning('cleaned_before')
      .executeTakeFirst();
    if (!updated) return false;
    if (cleaned > updated.cleaned_before)
      await trx.updateTable('log_cleanup').set({ cleaned_before: cleaned }).where('id', '=', 1).execute();
    return true;
  }
}

interface CleanupBatch {
  ids: number[];
  /** No call before this position remains. */
  reached: LogPosition | undefined;
  ended: boolean;
}
