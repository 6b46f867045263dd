import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '#deps.ts';
import { FINE_TUNING, originOf, type TaskOrigin } from '#tasks/origin-channel.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { requestsPerS, type Strain } from '#tasks/task-schedule.ts';
import { advance } from './advance.ts';
import { askAbout, type VendorAnswer } from './ask-about.ts';
import {
  type ChannelLoad,
  claim,
  dueChannels,
  type DueTask,
  dueTasks,
  replan,
  takeTurns,
  type WaitingTask,
} from './due-tasks.ts';

export interface PollOptions {
  signal?: AbortSignal | undefined;
  /** Channels that an earlier round of this node still polls: they are left out. */
  busy?: Set<number>;
  /** Requests for single tasks that have no answer yet, by channel. */
  unanswered?: Map<number, number>;
  /** Waits between requests for single tasks. */
  pause?: (ms: number) => Promise<unknown>;
  origins?: typeof originOf;
}

interface Round extends Required<Omit<PollOptions, 'signal'>> {
  deps: Deps;
  signal: AbortSignal | undefined;
}

/** Channels polled at the same time: one that does not answer keeps none of the others waiting. */
const AT_ONCE = 32;
/** Consecutive answers of a channel that were not understood, after which it is left alone until the next round. */
const MOST_ODD = 3;
/** Limit of unanswered requests for single tasks, per channel: those of some seconds, and at least a few. */
const UNANSWERED_S = 6;
const FEW_UNANSWERED = 50;
/** Tasks per statement where the upstream is not asked about them. */
const UNASKED = 100;

/**
 * Polls all tasks that are due, by channel, and ends those whose deadline has passed. Every node takes part; each task
 * is claimed by one. Returns the number of claimed tasks.
 */
export async function pollDueTasks(deps: Deps, options: PollOptions = {}): Promise<number> {
  const { signal, busy = new Set(), unanswered = new Map(), pause = sleep, origins = originOf } = options;
  const round: Round = { deps, signal, busy, unanswered, pause, origins };
  const loads = (await dueChannels(deps)).filter(({ channel_id }) => !busy.has(channel_id));
  for (const { channel_id } of loads) busy.add(channel_id);
  const left = loads[Symbol.iterator]();
  let count = 0;
  const work = async (): Promise<void> => {
    for (const load of left) {
      let isHeld = true;
      // Once: a later round may hold the channel by then.
      const release = (): void => {
        if (isHeld) busy.delete(load.channel_id);
        isHeld = false;
      };
      try {
        if (!signal?.aborted) count += await pollChannel(round, { ...load, release });
      } catch (error) {
        // One channel that fails must not stop the others; its tasks stay claimed until their lease ends.
        deps.log.warn({ err: error, channel: load.channel_id }, 'tasks could not be polled');
      } finally {
        release();
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return count;
}

/** A channel that other rounds of this node leave alone until it is released. */
interface HeldChannel extends ChannelLoad {
  release(): void;
}

/** Tasks that one request can ask about. */
interface PollGroup {
  load: HeldChannel;
  tasks: DueTask[];
  /** Undefined: no upstream can be asked, so they only wait for their deadline. */
  origin: TaskOrigin | undefined;
  /** Lost ones are searched for in a list. */
  isLost: boolean;
}

async function pollChannel(round: Round, load: HeldChannel): Promise<number> {
  let count = 0;
  for (const group of await groupsOf(round, load)) {
    if (round.signal?.aborted) break;
    const isAlone = group.origin?.operation.batch === 1 && !group.isLost;
    count += isAlone ? await pollAlone(round, group) : await pollTogether(round, group);
  }
  return count;
}

async function groupsOf(round: Round, load: HeldChannel): Promise<PollGroup[]> {
  const due = await dueTasks(round.deps, load.channel_id);
  const groups: PollGroup[] = [];
  // Keys are compared by their stored text: one that was replaced keeps its id.
  const accountOf = ({ key_cipher, base_url, channel_type, platform, status, upstream_model }: DueTask) =>
    [
      upstream_model.startsWith(FINE_TUNING) ? FINE_TUNING : platform,
      channel_type,
      key_cipher,
      base_url,
      status === 'UNKNOWN' || status === 'MODAL' ? status : '',
    ].join(' ');
  for (const account of Map.groupBy(due, accountOf).values()) {
    const ofAccount: PollGroup[] = [];
    for (const tasks of Map.groupBy(account, ({ upstream_model }) => upstream_model).values()) {
      const [{ status }] = tasks as [DueTask]; // groups are not empty
      // A task that waits for its confirmation is not believed to have ended before.
      const origin = status === 'MODAL' ? undefined : await findOrigin(round, tasks);
      const same = ofAccount.find((group) => group.origin?.operation === origin?.operation);
      if (same) same.tasks.push(...tasks);
      else ofAccount.push({ load, tasks, origin, isLost: status === 'UNKNOWN' });
    }
    groups.push(...ofAccount);
  }
  return groups;
}

async function findOrigin({ deps, origins }: Round, [task]: readonly DueTask[]): Promise<TaskOrigin | undefined> {
  try {
    return task && (await origins(deps, task));
  } catch (error) {
    deps.log.warn({ err: error, channel: task?.channel_id }, 'the channel of a task cannot be used');
    return undefined;
  }
}

async function pollTogether(round: Round, { tasks: due, origin, isLost }: PollGroup): Promise<number> {
  const { deps, signal } = round;
  const most = origin ? Math.max(isLost ? UNASKED : 1, origin.operation.batch) : UNASKED;
  let count = 0;
  let odd = 0;
  let isAway = !origin || (isLost && !origin.operation.find);
  for (const batch of batchesOf(due, most)) {
    if (signal?.aborted) break;
    const tasks = await claim(
      deps,
      batch.map(({ id }) => id),
    );
    count += tasks.length;
    if (tasks.length === 0) continue;
    const answer: VendorAnswer = isAway || !origin ? 'away' : await askAbout(deps, origin, tasks, signal);
    odd = answer === 'odd' ? odd + 1 : 0;
    isAway ||= answer === 'away' || odd >= MOST_ODD;
    await replan(deps, await advance(deps, tasks, answer, { origin, strain: {} }), {});
  }
  return count;
}

/**
 * Batches of at most this size. Tasks whose answers were not understood are asked for in smaller ones, and at last
 * alone: one that spoils its batch delays the others only for a while.
 */
function batchesOf(due: readonly DueTask[], most: number): DueTask[][] {
  const bySize = Map.groupBy(due, ({ odd }) => Math.max(1, most >> (2 * Math.min(odd, 8))));
  const batches: DueTask[][] = [];
  for (const [size, tasks] of [...bySize].toSorted(([a], [b]) => b - a))
    for (let from = 0; from < tasks.length; from += size) batches.push(tasks.slice(from, from + size));
  return batches;
}

/**
 * For a channel that takes one task per request: at a set rate, the longest overdue first. Once the requests are sent
 * the channel takes part in the next round, so that slow answers do not lower the rate.
 */
async function pollAlone(round: Round, { load, tasks: due, origin }: PollGroup): Promise<number> {
  const { deps, signal, pause, unanswered } = round;
  const { channel_id, open, release } = load;
  const waitingFor = (more: number) => unanswered.set(channel_id, (unanswered.get(channel_id) ?? 0) + more);
  const room = Math.max(FEW_UNANSWERED, UNANSWERED_S * requestsPerS(open)) - (unanswered.get(channel_id) ?? 0);
  const turns = await takeTurns(deps, load, Math.min(due.length, room));
  if (turns === 0 || !origin) return 0;
  const tasks = await claim(
    deps,
    due.slice(0, turns).map(({ id }) => id),
  );
  const strain: Strain = { openAlone: open };
  const waiting: WaitingTask[] = [];
  let failures = 0;
  const ask = async (task: TaskRow): Promise<void> => {
    waitingFor(1);
    try {
      const answer = failures < MOST_ODD && !signal?.aborted ? await askAbout(deps, origin, [task], signal) : 'away';
      failures = typeof answer === 'string' ? failures + 1 : 0;
      waiting.push(...(await advance(deps, [task], answer, { origin, strain })));
    } catch (error) {
      deps.log.warn({ err: error, task: task.task_id }, 'a task could not be polled');
    } finally {
      waitingFor(-1);
    }
  };
  const asked: Promise<void>[] = [];
  let sentMs = -Infinity;
  for (const task of tasks) {
    const waitMs = sentMs + 1000 / requestsPerS(open) - performance.now();
    if (waitMs > 0) await pause(waitMs);
    sentMs = performance.now();
    asked.push(ask(task));
  }
  release();
  await Promise.all(asked);
  await replan(deps, waiting, strain);
  return tasks.length;
}

/** Polls a task at the next round: its upstream has announced news. Only a hint, the upstream is asked as usual. */
export async function pollSoon({ db, now: clock }: Pick<Deps, 'db' | 'now'>, taskId: string): Promise<void> {
  const now = clock();
  await db
    .updateTable('tasks')
    .set({ next_poll_at: now })
    .where('task_id', '=', taskId)
    .where('next_poll_at', '>', now)
    .where('status', 'in', ['SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'UNKNOWN'])
    .execute();
}
