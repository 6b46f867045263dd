import { sql, type Updateable } from 'kysely';
import { lockedIfFree } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { finalStatuses, type TaskRow } from '#tasks/task-rows.ts';
import { nextPollAt, type Strain, turnsIn } from '#tasks/task-schedule.ts';

type DueDeps = Pick<Deps, 'db' | 'now' | 'nodeId'>;

/** A node that dies while it polls leaves its tasks to the others after this time. Longer than a poll. */
const LEASE_S = 60;
/** Tasks of one channel per round. */
const PER_ROUND = 2000;
/** Pause between rounds. */
export const ROUND_MS = 2000;

export interface ChannelLoad {
  channel_id: number;
  /** Tasks that wait for a poll at some time. */
  open: number;
}

/** Channels with tasks that are due, the longest overdue first: none takes the turn of another. */
export async function dueChannels({ db, now }: DueDeps): Promise<ChannelLoad[]> {
  const rows = await db
    .selectFrom('tasks')
    .where('next_poll_at', '>', 0)
    .select(({ fn }) => ['channel_id', fn.countAll().as('open'), fn.min('next_poll_at').as('first')])
    .groupBy('channel_id')
    .having(({ fn }) => fn.min('next_poll_at'), '<=', now())
    .orderBy('first')
    .execute();
  return rows.map(({ channel_id, open }) => ({ channel_id, open: Number(open) }));
}

const dueColumns = [
  'id',
  'channel_id',
  'channel_type',
  'key_id',
  'key_cipher',
  'base_url',
  'platform',
  'status',
  'upstream_model',
  'odd',
] as const;
export type DueTask = Pick<TaskRow, (typeof dueColumns)[number]>;

/** Tasks of a channel that are due, oldest first. */
export const dueTasks = ({ db, now }: DueDeps, channelId: number): Promise<DueTask[]> =>
  db
    .selectFrom('tasks')
    .where('channel_id', '=', channelId)
    .where('next_poll_at', '>', 0)
    .where('next_poll_at', '<=', now())
    .select(dueColumns)
    .orderBy('next_poll_at')
    .limit(PER_ROUND)
    .execute();

/** Takes tasks that are still due for this node. Until the lease ends, `next_poll_at`, no other node takes them. */
export function claim({ db, now: clock, nodeId }: DueDeps, ids: readonly number[]): Promise<TaskRow[]> {
  const now = clock();
  return db.transaction().execute(async (trx) => {
    const due = trx
      .selectFrom('tasks')
      .where('id', 'in', ids)
      .where('next_poll_at', '>', 0)
      .where('next_poll_at', '<=', now)
      .where('status', 'not in', finalStatuses)
      .select('id')
      .orderBy('id');
    const free = (await lockedIfFree(due, trx).execute()).map(({ id }) => id);
    if (free.length === 0) return [];
    return trx
      .updateTable('tasks')
      .set((eb) => ({ next_poll_at: now + LEASE_S, polled_by: nodeId, polls: eb('polls', '+', 1) }))
      .where('id', 'in', free)
      .returningAll()
      .execute();
  });
}

/**
 * Changes unfinished tasks of one claim, as far as their lease still holds: a node that was slow changes nothing, and
 * neither does a state that a notification has overtaken.
 */
export async function updateLeased(
  { db, nodeId }: DueDeps,
  tasks: readonly TaskRow[],
  changes: Updateable<Tables['tasks']>,
): Promise<void> {
  const [first] = tasks;
  if (!first) return;
  await db
    .updateTable('tasks')
    .set(changes)
    .where(
      'id',
      'in',
      tasks.map(({ id }) => id),
    )
    .where('status', 'not in', finalStatuses)
    .where('next_poll_at', '=', first.next_poll_at)
    .where('polled_by', '=', nodeId)
    .execute();
}

/** A claimed task that is unchanged until its next poll. */
export interface WaitingTask {
  task: TaskRow;
  /** The poll brought nothing; `odd`: because the answer was not understood. */
  failed: boolean;
  odd: boolean;
}

/** Plans the next polls of tasks of one claim, in few statements. */
export async function replan(deps: DueDeps, waiting: readonly WaitingTask[], strain: Strain): Promise<void> {
  const now = deps.now();
  const plans = Map.groupBy(waiting, ({ task, failed, odd }) => {
    const next = nextPollAt(task, now, { ...strain, backOff: failed ? task.unanswered + 1 : 0 });
    return [next, failed, odd].join(' ');
  });
  for (const some of plans.values()) {
    const [{ failed, odd, task }] = some as [WaitingTask]; // groups are not empty
    const next_poll_at = nextPollAt(task, now, { ...strain, backOff: failed ? task.unanswered + 1 : 0 });
    await updateLeased(
      deps,
      some.map((one) => one.task),
      {
        next_poll_at,
        ...(failed ? { unanswered: sql`unanswered + 1` } : { unanswered: 0 }),
        ...(odd ? { odd: sql`odd + 1` } : !failed && { odd: 0 }),
      } as Updateable<Tables['tasks']>, // counters are increased by the database
    );
  }
}

/**
 * How many of the wanted requests a channel may get now that takes one task per request. All nodes share the rate.
 */
export async function takeTurns(
  { db, now }: DueDeps,
  { channel_id, open }: ChannelLoad,
  wanted: number,
): Promise<number> {
  const nowMs = now() * 1000;
  await db
    .insertInto('task_paces')
    .values({ channel_id, free_at_ms: 0 })
    .onConflict((c) => c.doNothing())
    .execute();
  const { free_at_ms } = await db
    .selectFrom('task_paces')
    .where('channel_id', '=', channel_id)
    .select('free_at_ms')
    .executeTakeFirstOrThrow();
  // A round that was late makes up for it.
  const from = Math.max(free_at_ms, nowMs - ROUND_MS);
  const most = turnsIn(nowMs + ROUND_MS - from, open);
  const turns = Math.min(wanted, most);
  if (turns <= 0) return 0;
  const taken = await db
    .updateTable('task_paces')
    .set({ free_at_ms: Math.ceil(from + ((nowMs + ROUND_MS - from) * turns) / most) })
    .where('channel_id', '=', channel_id)
    .where('free_at_ms', '=', free_at_ms) // the guard: of two nodes one takes them
    .executeTakeFirst();
  return taken.numUpdatedRows > 0n ? turns : 0;
}
