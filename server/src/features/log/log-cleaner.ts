import type { Transaction } from 'kysely';
import { dropMonths, monthsBefore } from '#db/log-months.ts';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { OrderedWorker } from '#process/ordered-worker.ts';
import { asError } from '#caught-error.ts';
import {
  archiveNext,
  type ArchivePart,
  type ArchiveWork,
  discardUnfinished,
  openPart,
  sumsOfLog,
  writtenParts,
} from './archive/archive-parts.ts';
import { readCalls } from './archive/parquet-calls.ts';
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
    const { db, nodeId } = this.#deps;
    const target = await this.#claim();
    if (target === undefined) return;
    try {
      await this.#clean(target);
    } catch (error) {
      // Shown to the administrator; this node or another one tries again.
      await db
        .updateTable('log_cleanup')
        .set({ error: asError(error).message, seen_time: 0 })
        .where('state', '=', 'running')
        .where('node', '=', nodeId)
        .execute();
      throw error;
    }
  }

  async #clean(target: number): Promise<void> {
    const { db, live, log, nodeId } = this.#deps;
    if (!(await this.#deleteRefused(target))) return;
    await discardUnfinished(this.#deps);
    const archives = live.settings.LogArchiveEnabled;
    if (!(await this.#dropMonths(target, archives))) return;
    if (archives) return this.#archive(target);
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
      size = sizeAfter(size, tookMs - readMs);
      // Leaves half of the time to other writers.
      await this.rest(tookMs);
    }
    await db.updateTable('log_cleanup').set({ seen_time: 0 }).where('node', '=', nodeId).execute();
  }

  /** Deletes calls by the ids that a file has, and no others. */
  async #archive(target: number): Promise<void> {
    const { db, log } = this.#deps;
    for (;;) {
      for (const part of await writtenParts(db))
        if (part.from_time < target && !(await this.#deletePart(part, target))) return;
      const isWritten = await archiveNext(this.#deps, target, this.#work);
      if (isWritten === undefined) return;
      if (!isWritten) break;
    }
    if (await this.#delete({ ids: [], reached: undefined, ended: true }, target))
      log.info({ before: target }, 'log archived');
  }

  readonly #work: ArchiveWork = {
    holds: (db, archived) => this.#holds(db, archived),
    rest: (ms) => this.rest(ms),
  };

  /** Deletes the calls of a part. False if the clean-up may not go on. */
  async #deletePart(part: ArchivePart, target: number): Promise<boolean> {
    const { db } = this.#deps;
    const file = await openPart(this.#deps, part);
    let size = SMALLEST_BATCH;
    for await (const group of readCalls(file)) {
      const calls = group.filter((call) => call.created_at < target);
      for (let at = 0; at < calls.length;) {
        if (this.signal.aborted) return false;
        const batch = calls.slice(at, at + size);
        const [last] = batch.slice(-1);
        const startMs = performance.now();
        const reached = last && { at: last.created_at, id: last.id };
        if (!(await this.#delete({ ids: batch.map(({ id }) => id), reached, ended: false }, target))) return false;
        at += batch.length;
        const tookMs = performance.now() - startMs;
        size = sizeAfter(size, tookMs);
        await this.rest(tookMs);
      }
    }
    // A later clean-up, which was cancelled, has written calls that this one keeps.
    if (part.until_time <= target)
      await db.updateTable('log_archives').set({ state: 'done' }).where('id', '=', part.id).execute();
    return true;
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
    const { db } = this.#deps;
    for (let left = true; left && !this.signal.aborted;) {
      if (!(await this.#holds(db))) return false;
      const startMs = performance.now();
      left = await deleteRefusedBefore(db, target, LARGEST_BATCH);
      // Rejects only when stopped, which ends the loop.
      await this.rest(performance.now() - startMs);
    }
    return true;
  }

  /** Notes that the node is alive, and calls that it has archived. False if it was stopped, cancelled or taken over. */
  async #holds(db: Db, archived = 0): Promise<boolean> {
    const { now, nodeId } = this.#deps;
    if (this.signal.aborted) return false;
    const running = await db
      .updateTable('log_cleanup')
      .set((eb) => ({ seen_time: now(), error: '', archived: eb('archived', '+', archived) }))
      .where('id', '=', 1)
      .where('state', '=', 'running')
      .where('node', '=', nodeId)
      .returning('id')
      .executeTakeFirst();
    return running !== undefined;
  }

  /** Drops months whose rows would all be deleted. False, without a drop, if the clean-up was cancelled meanwhile. */
  async #dropMonths(target: number, archives: boolean): Promise<boolean> {
    const { db, storage, log } = this.#deps;
    const months = await monthsBefore(storage.patient, target);
    if (!months) return true;
    const { until } = months;
    if (archives) {
      for (let more: boolean | undefined = true; more;) {
        more = await archiveNext(this.#deps, until, this.#work);
        if (more === undefined) return false;
      }
      for (const part of await writtenParts(db)) await openPart(this.#deps, part);
    }
    const { calls } = months;
    let isArchived = true;
    const isDropped = await dropMonths(storage.patient, months, async (trx) => {
      isArchived = !archives || (await this.#completes(trx, until));
      return isArchived && (await this.#note(trx, { deleted: calls, cleaned: until, ended: false }));
    });
    if (isDropped) log.info({ before: until, calls }, 'months of the log dropped');
    // Calls without a file remain, and the others are deleted one by one.
    return isDropped || !isArchived;
  }

  /** Completes the parts before a time, unless the log has other calls than they. */
  async #completes(trx: Db, until: number): Promise<boolean> {
    const parts = (await writtenParts(trx)).filter((part) => part.until_time <= until);
    const sum = (of: 'rows' | 'credits') => parts.reduce((all, part) => all + part[of], 0);
    const { calls, credits } = await sumsOfLog(trx, 0, until);
    if (sum('rows') !== calls || sum('credits') !== credits) return false;
    for (const { id } of parts)
      await trx.updateTable('log_archives').set({ state: 'done' }).where('id', '=', id).execute();
    return true;
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
        error: '',
        ...(ended && { state: 'done' as const, ended_time: time }),
      }))
      .where('id', '=', 1)
      .where('state', '=', 'running')
      .where('node', '=', nodeId)
      .returning(['cleaned_before', 'target_timestamp'])
      .executeTakeFirst();
    if (!updated) return false;
    if (cleaned > updated.cleaned_before)
      await trx.updateTable('log_cleanup').set({ cleaned_before: cleaned }).where('id', '=', 1).execute();
    // Of archives that were turned off before their calls were deleted.
    if (ended)
      await trx
        .updateTable('log_archives')
        .set({ state: 'done' })
        .where('state', '=', 'written')
        .where('until_time', '<=', updated.target_timestamp)
        .execute();
    return true;
  }
}

/** Number of rows of the next batch, by the duration of the last one. */
const sizeAfter = (size: number, tookMs: number): number =>
  Math.round(Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, (size * BATCH_MS) / tookMs)));

interface CleanupBatch {
  ids: number[];
  /** No call before this position remains. */
  reached: LogPosition | undefined;
  ended: boolean;
}
