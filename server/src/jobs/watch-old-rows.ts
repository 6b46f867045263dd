import { setTimeout as pause } from 'node:timers/promises';
import { hasMonths, keepMonths, monthOf } from '#db/log-months.ts';
import type { Storage } from '#db/open.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { lastSlot } from '#features/backup/backup-schedule.ts';
import { cleanedBefore } from '#features/log/log-blocks.ts';
import { cleanupProgress, orderCleanup } from '#features/log/log-cleanup.ts';
import { deleteRefusedBefore } from '#features/log/refused-rows.ts';
import { foldDay, nextDayWithCalls } from '#quota/fold-entries.ts';
import { isFirstNode } from './first-node.ts';
import { repeat } from './repeat.ts';

const EVERY_MS = 60_000;
const DAY_S = 86_400;
/** How long after the hour of the settings work may begin: a setting that is made at noon waits for the night. */
const BEGINS_WITHIN_S = 3600;
const ROWS_AT_ONCE = 500;
/** Free pages of an SQLite file that are worth moving others for; fewer are used again by the next calls. */
const WORTH_PAGES = 2560;
const WORTH_SHARE = 0.25;
/** Target duration of a step in ms, because it blocks the only writer. */
const STEP_MS = 8;

const MONTHS_EVERY_MS = 600_000;
/** Rows that are kept for less are deleted day by day; others with their month, up to a month later. */
const MONTHLY_DAYS = 31;

/** Makes the months of the log on PostgreSQL, on the longest-running node: at once, and then at intervals. */
export function watchMonths(deps: Deps): { stop(): Promise<void> } {
  const { storage, log, now } = deps;
  const options = { name: 'months', everyMs: MONTHS_EVERY_MS, atOnce: true, log } as const;
  return repeat({ ...options, failure: 'making months of the log failed' }, async (isOver) => {
    if (await isFirstNode(deps)) await keepMonths(storage.patient, now(), isOver);
  });
}

/** Deletes old rows at night, on the longest-running node, and gives space of an SQLite file back to the disk. */
export const watchOldRows = (deps: Deps): { stop(): Promise<void> } =>
  repeat({ name: 'oldRows', everyMs: EVERY_MS, failure: 'removing old rows failed', log: deps.log }, (isOver) =>
    removeOldRows(deps, isOver),
  );

/** What is due now. Old calls are only ordered to be deleted: `Cleaner` does it, with its progress in the console. */
export async function removeOldRows(deps: Deps, isOver: () => boolean, worthPages = WORTH_PAGES): Promise<void> {
  const { db, now } = deps;
  const { LogKeepDays, RefusedKeepDays, LedgerFoldDays, CleanupHour } = deps.live.settings;
  const slot = lastSlot({ BackupHour: CleanupHour }, now());
  if (now() - slot >= BEGINS_WITHIN_S || !(await isFirstNode(deps))) return;
  if (RefusedKeepDays > 0) await deleteRefused(deps, slot - RefusedKeepDays * DAY_S, isOver);
  if (LedgerFoldDays > 0) await foldLedger(deps, slot - LedgerFoldDays * DAY_S, isOver);
  const target = await startOfKept(deps, slot - LogKeepDays * DAY_S);
  const last = await cleanupProgress(db);
  if (LogKeepDays > 0 && last.target_timestamp < target)
    await orderCleanup(deps, target, 0).catch((error: unknown) => {
      // An administrator's runs, and the next night deletes the rest.
      if (!(error instanceof AppError)) throw error;
    });
  else if (last.state !== 'running') await giveBackPages(deps.storage, isOver, worthPages);
}

/** Time before which calls are deleted. Months are dropped as a whole, because that costs nothing, and archived as such. */
async function startOfKept({ db, live }: Deps, time: number): Promise<number> {
  const { LogArchiveEnabled, LogKeepDays } = live.settings;
  const isByMonth = LogArchiveEnabled || (LogKeepDays >= MONTHLY_DAYS && (await hasMonths(db)));
  return isByMonth ? monthOf(time) : time;
}

async function deleteRefused({ db }: Deps, target: number, isOver: () => boolean): Promise<void> {
  for (let left = true; left && !isOver();) {
    const startMs = performance.now();
    left = await deleteRefusedBefore(db, target, ROWS_AT_ONCE);
    await pause(performance.now() - startMs);
  }
}

/** Option with the time up to which charges were folded. */
const FOLDED = 'ledger-folded';

/** Charges of calls whose rows are in the log stay as they are. */
async function foldLedger(deps: Deps, before: number, isOver: () => boolean): Promise<void> {
  const { db, log } = deps;
  const until = Math.min(before, await cleanedBefore(db));
  const lastDay = until - (until % DAY_S);
  const done = await db.selectFrom('options').where('key', '=', FOLDED).select('value').executeTakeFirst();
  let from = Number(done?.value ?? 0);
  for (;;) {
    const day = await nextDayWithCalls(db, from, lastDay);
    if (day === undefined || isOver()) return;
    let startMs = performance.now();
    const { gone, broken } = await foldDay(db, day, async () => {
      await pause(performance.now() - startMs);
      startMs = performance.now();
      return !isOver();
    });
    // The next night repeats the day.
    if (isOver()) return;
    if (broken.length > 0) log.error({ day, users: broken }, 'charges are not folded: their balances do not add up');
    log.info({ day, gone }, 'charges folded');
    from = day + DAY_S;
    await db
      .insertInto('options')
      .values({ key: FOLDED, value: String(from) })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: String(from) }))
      .execute();
  }
}

/** In small steps with pauses, so that calls do not wait. */
async function giveBackPages(
  storage: Pick<Storage, 'shrink'>,
  isOver: () => boolean,
  worthPages: number,
): Promise<void> {
  const before = await storage.shrink(0);
  let { free } = before;
  if (free < worthPages || free < before.pages * WORTH_SHARE) return;
  let step = 32;
  while (free > 0 && !isOver()) {
    const startMs = performance.now();
    const left = await storage.shrink(step);
    if (left.free >= free) return;
    free = left.free;
    const tookMs = performance.now() - startMs;
    step = Math.round(Math.min(2000, Math.max(8, (step * STEP_MS) / tookMs)));
    await pause(tookMs);
  }
}
