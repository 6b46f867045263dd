import type { Deps } from '#deps.ts';
import type { StoredTaskMedia } from '#db/tables/tasks.ts';
import { finalStatuses, type TaskRow } from '#tasks/task-rows.ts';
import { incomingFolder, mediaFolder, pruneDisk } from './store/disk-store.ts';
import { putFile } from './store/media-store.ts';
import { RefusedFile, spoolFile } from './store/spool-file.ts';
import { changeFiles, filesOf } from './task-files.ts';
import { ExpiredAddress, openVendorFile } from './vendor-file.ts';

type FetchDeps = Pick<Deps, 'config' | 'db' | 'live' | 'log' | 'now' | 'secrets' | 'upstreams'>;

/** A node that dies while it fetches leaves the file to the others after this time. Longer than a fetch may take. */
const LEASE_S = 1200;
const TIMEOUT_MS = 900_000;
/** Files looked at per round. */
const PER_ROUND = 20;
/** Between looks at a task that has not ended. */
const UNFINISHED_S = 15;
const UNWRITTEN_S = 3600;
/** Pauses after failed attempts; the last one repeats. */
const PAUSES_S = [30, 120, 600, 1800, 3600];
/** No vendor's address is valid for longer, as far as they say. */
const GIVE_UP_S = 48 * 3600;

/**
 * Copies the result files that are due into the store, one after the other. May run several times at once, on any node:
 * each file is claimed by one. Returns the number of attempts.
 */
export async function fetchDueFiles(deps: FetchDeps, signal?: AbortSignal): Promise<number> {
  const due = await deps.db
    .selectFrom('task_fetches')
    .where('next_at', '<=', deps.now())
    .selectAll()
    .orderBy('next_at')
    .limit(PER_ROUND)
    .execute();
  let count = 0;
  for (const one of due) {
    if (signal?.aborted) break;
    if (!(await claim(deps, one))) continue;
    count++;
    try {
      await fetchOne(deps, { ...one, attempts: one.attempts + 1 }, signal);
    } catch (error) {
      // One file that fails must not stop the others; its lease ends.
      deps.log.warn({ err: error, fetch: one.id }, 'a result file could not be fetched');
    }
  }
  return count;
}

interface Fetch {
  id: number;
  task_id: string;
  position: number;
  created_at: number;
  next_at: number;
  attempts: number;
}

async function claim({ db, now }: FetchDeps, { id, next_at, attempts }: Fetch): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('task_fetches')
    .set({ next_at: now() + LEASE_S, attempts: attempts + 1 })
    .where('id', '=', id)
    .where('next_at', '=', next_at)
    .where('attempts', '=', attempts)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function fetchOne(deps: FetchDeps, fetch: Fetch, signal?: AbortSignal): Promise<void> {
  const { db, log, live, now } = deps;
  const place = live.settings.TaskMediaStore;
  const task = await db.selectFrom('tasks').where('task_id', '=', fetch.task_id).selectAll().executeTakeFirst();
  const file = task && filesOf(task)[fetch.position];
  // The row of a task whose result came at once is written after its files are planned.
  const isUnwritten = !task && now() - fetch.created_at < UNWRITTEN_S;
  if (isUnwritten || (task && !finalStatuses.includes(task.status))) return later(deps, fetch, UNFINISHED_S, 0);
  if (!task || task.status !== 'SUCCESS' || !file || file.stored !== '' || file.url === '' || place === 'off')
    return forget(deps, fetch);
  try {
    await copy(deps, { task, file, index: fetch.position, place }, signal);
    await forget(deps, fetch);
  } catch (error) {
    if (signal?.aborted) return later(deps, fetch, 0, fetch.attempts - 1);
    const isOver = error instanceof RefusedFile || error instanceof ExpiredAddress || isTooOld(deps, fetch);
    const reason = error instanceof Error ? error.message : '';
    log.info({ task: task.task_id, position: fetch.position, reason, isOver }, 'a result file was not stored');
    if (isOver) return forget(deps, fetch);
    const pause = PAUSES_S[Math.min(fetch.attempts, PAUSES_S.length) - 1] ?? LEASE_S;
    return later(deps, fetch, pause, fetch.attempts);
  }
}

const isTooOld = ({ now }: FetchDeps, { created_at }: Fetch): boolean => now() - created_at > GIVE_UP_S;

interface Copied {
  task: TaskRow;
  file: StoredTaskMedia;
  index: number;
  place: 'disk' | 's3';
}

async function copy(deps: FetchDeps, { task, file, index, place }: Copied, signal?: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const ending = signal ? AbortSignal.any([timeout, signal]) : timeout;
  const answer = await openVendorFile(deps, { task, index, file, signal: ending });
  if (answer.status !== 200) {
    answer.body.destroy();
    throw new Error(`the vendor answered ${answer.status}`);
  }
  // A body that is cut off ends its iteration with an error.
  const spooled = await spoolFile(incomingFolder(deps.config), answer.body, { kind: file.kind });
  const stored = await putFile(deps, place, { taskId: task.task_id, index }, spooled);
  await changeFiles(deps, task.id, (files) =>
    files.map((each, at) => (at === index ? { ...each, stored, type: spooled.type, bytes: spooled.bytes } : each)),
  );
}

async function later({ db, now }: FetchDeps, { id }: Fetch, seconds: number, attempts: number): Promise<void> {
  await db
    .updateTable('task_fetches')
    .set({ next_at: now() + seconds, attempts })
    .where('id', '=', id)
    .execute();
}

async function forget({ db }: FetchDeps, { id }: Fetch): Promise<void> {
  await db.deleteFrom('task_fetches').where('id', '=', id).execute();
}

const GIB = 1024 ** 3;
const DAY_MS = 86_400_000;

/**
 * Removes the files of this node's folder that are too old or too many, also while the store is off. Their tasks no
 * longer name them afterwards. Returns the number of removed files.
 */
export async function pruneFiles(deps: Pick<Deps, 'config' | 'db' | 'live'>): Promise<number> {
  const { TaskMediaDiskGiB, TaskMediaDays } = deps.live.settings;
  const removed = await pruneDisk(mediaFolder(deps.config), {
    maxBytes: TaskMediaDiskGiB * GIB,
    maxAgeMs: TaskMediaDays * DAY_MS,
    nowMs: Date.now(),
  });
  for (const name of removed) {
    const taskId = /^[^/]+\/(.+)-\d+-[0-9a-f]{8}\.\w+$/.exec(name)?.[1];
    const task =
      taskId === undefined
        ? undefined
        : await deps.db.selectFrom('tasks').where('task_id', '=', taskId).select('id').executeTakeFirst();
    if (!task) continue;
    await changeFiles(deps, task.id, (files) =>
      files.map((file) => (file.stored === `disk:${name}` ? { ...file, stored: '', bytes: 0 } : file)),
    );
  }
  return removed.length;
}
