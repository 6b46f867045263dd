import { randomUUID } from 'node:crypto';
import type { ChannelJob, ChannelJobKind } from '@relay-hub/contract';
import { channelJobKinds } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';

/** A job without a heartbeat for this long (seconds) is presumed dead with its node. */
const SILENT_S = 150;
/** Number of failures listed, and of channels left out. */
const MOST_LISTED = 50;

const jobColumns = [
  'kind',
  'total',
  'done',
  'succeeded',
  'failed',
  'skipped',
  'switched_off',
  'switched_on',
  'failures',
  'skips',
  'started_time',
  'ended_time',
] as const;

const none = {
  total: 0,
  done: 0,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  switched_off: 0,
  switched_on: 0,
  failures: [],
  skips: [],
  started_time: 0,
  ended_time: 0,
};

/** Progress of each kind of job, or the result of its last run. */
const readJobs = (db: Db) =>
  db
    .selectFrom('channel_jobs')
    .select([...jobColumns, 'state', 'seen_time'])
    .execute();

export async function listJobs(db: Db, now: number): Promise<ChannelJob[]> {
  const rows = await readJobs(db);
  return channelJobKinds.map((kind) => jobIn(rows, kind, now));
}

function jobIn(rows: readonly (ChannelJob & { seen_time: number })[], kind: ChannelJobKind, now: number): ChannelJob {
  const row = rows.find((one) => one.kind === kind);
  if (!row) return { kind, state: 'none', ...none };
  const { seen_time: seen, ...job } = row;
  return job.state === 'running' && seen < now - SILENT_S ? { ...job, state: 'interrupted' } : job;
}

export async function getJob(db: Db, kind: ChannelJobKind, now: number): Promise<ChannelJob> {
  return jobIn(await readJobs(db), kind, now);
}

interface JobStart {
  total: number;
  actorId: number;
  now: number;
  /** Start only if the last run began no later than this. */
  lastBy?: number | undefined;
}

/**
 * Starts the single cluster-wide run of a kind and returns its name. Throws `channel.job_running` if one is running or
 * has started since `lastBy`.
 */
export async function beginJob(
  db: Db,
  kind: ChannelJobKind,
  { total, actorId, now, lastBy }: JobStart,
): Promise<string> {
  const run = randomUUID();
  const begun = {
    ...none,
    kind,
    run,
    state: 'running' as const,
    total,
    failures: '[]',
    skips: '[]',
    actor_id: actorId,
    started_time: now,
    seen_time: now,
  };
  const placed = await db
    .insertInto('channel_jobs')
    .values(begun)
    .onConflict((conflict) =>
      conflict
        .column('kind')
        .doUpdateSet(begun)
        .where((eb) =>
          eb.and([
            ...(lastBy === undefined ? [] : [eb('channel_jobs.started_time', '<=', lastBy)]),
            eb.or([eb('channel_jobs.state', '<>', 'running'), eb('channel_jobs.seen_time', '<', now - SILENT_S)]),
          ]),
        ),
    )
    .returning('run')
    .executeTakeFirst();
  if (!placed) throw new AppError('channel.job_running');
  return run;
}

/** The result for one channel. */
export interface ChannelOutcome {
  result: 'succeeded' | 'failed' | 'skipped';
  switched?: 'on' | 'off' | undefined;
  failure?: ChannelJob['failures'][number] | undefined;
  skip?: ChannelJob['skips'][number] | undefined;
}

interface JobRun {
  kind: ChannelJobKind;
  run: string;
}

/** Counts a channel; false if the job was cancelled or taken over meanwhile. */
export async function countOutcome(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { kind, run }: JobRun,
  { result, switched }: ChannelOutcome,
  { failures, skips }: Pick<ChannelJob, 'failures' | 'skips'>,
): Promise<boolean> {
  const plusOne = (column: 'done' | ChannelOutcome['result'] | 'switched_on' | 'switched_off') => ({
    [column]: sql<number>`${sql.ref(column)} + 1`,
  });
  const counted = await db
    .updateTable('channel_jobs')
    .set({
      ...plusOne('done'),
      ...plusOne(result),
      ...(switched && plusOne(switched === 'on' ? 'switched_on' : 'switched_off')),
      failures: JSON.stringify(failures.slice(0, MOST_LISTED)),
      skips: JSON.stringify(skips.slice(0, MOST_LISTED)),
      seen_time: now(),
    })
    .where('kind', '=', kind)
    .where('run', '=', run)
    .where('state', '=', 'running')
    .returning('run')
    .executeTakeFirst();
  return counted !== undefined;
}

/** Ends a run as `done` or `cancelled`; cancelling needs no run name. */
export async function endJob(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { kind, run }: Partial<JobRun> & Pick<JobRun, 'kind'>,
  state: 'done' | 'cancelled',
): Promise<void> {
  let running = db
    .updateTable('channel_jobs')
    .set({ state, ended_time: now() })
    .where('kind', '=', kind)
    .where('state', '=', 'running');
  if (run !== undefined) running = running.where('run', '=', run);
  await running.execute();
}
