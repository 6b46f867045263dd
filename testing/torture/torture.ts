import type { BooksReport, TokenLimits } from '@relay-hub/contract';
import { noLimits, priceApi } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { openStorage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { checkBooks } from '#features/books/check-books.ts';
import { journalFolder } from '#quota/journal.ts';
import { startUpstream } from '#upstream-simulator/start-upstream.ts';
import { addCaller, addTeamCallers, type TestCaller } from '#testing/callers.ts';
import type { EmptyDatabase } from '#testing/databases.ts';
import { addChannel, liftRates, startHub } from '#testing/hub.ts';
import { queryDue } from '#jobs/watch-orders.ts';
import { type ServerProcess, startProcess } from '#testing/process.ts';
import { freePort } from '#testing/postgres-for-tests.ts';
import { makeCall, type CallerSide } from './torture-call.ts';
import { type PaymentVerdict, TorturedPayments } from './torture-payments.ts';
import { RefusedFlood, refusalsOf, SlowClients } from './torture-floods.ts';
import { leaves, LONG, plannedCalls, plannedEnds, torturePrice } from './torture-plan.ts';
import type { TaskVerdict } from './torture-task-verdict.ts';
import { TorturedTasks } from './torture-tasks.ts';
import {
  type Freeze,
  judgeRows,
  type Kill,
  overdrawn,
  type TorturedCall,
  type TortureVerdict,
  type UpstreamSide,
} from './torture-verdict.ts';

export interface TortureOptions {
  seed: number;
  /** Shortest run; it goes on until each kind of event has happened, at most until `MOST_CALLS`. */
  forMs: number;
  /** Servers on the same database. */
  nodes: number;
  /** Worker processes of each; half of the kills then hit one of them. Default: 1. */
  workers?: number;
  /** Average interval between ends of processes. */
  endEveryMs: number;
  /** Freezes one node once for this long; above a minute it is presumed dead. */
  freezeMs?: number;
  database: EmptyDatabase;
  /** Called regularly with the progress. */
  progress?: (line: string) => void;
}

export interface TortureReport extends TortureVerdict {
  calls: number;
  refused: number;
  unreachable: number;
  /** Bodies of two meanings or with an unpriced tool that were refused. */
  refusedBodies: number;
  /** Balances and quotas of callers that were below zero. */
  overdrawn: string[];
  left: Record<string, number>;
  kills: number;
  stops: number;
  freezes: number;
  /** Connections with unfinished requests. */
  slowClients: number;
  /** Calls without a balance: how many were refused or cut off, and how many rows count. A kill loses some. */
  flood: { sent: number; cutOff: number; counted: number; rows: number };
  /** Top-ups during the run. */
  payments: PaymentVerdict;
  /** Image and song tasks during the run. */
  tasks: TaskVerdict;
  books: BooksReport;
  /** Of the token with limits: counted requests, and what is still reserved. */
  limits: { requests: number; held: number };
}

const MOST_EXTRA_MS = 60_000;
const MOST_CALLS = 8000;
const MOST_AT_ONCE = 40;

/**
 * Drives real server processes with calls against the simulated upstream, including disconnects, faults, kills and
 * restarts, then compares the rows with what callers and upstream saw and recomputes the books. The seed reproduces the
 * schedule, not its timing.
 */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const { seed, forMs, nodes: count, workers = 1, database } = options;
  const start = () => startProcess(database, { WORKERS: String(workers) });
  const sides = new Map<number, UpstreamSide>();
  const plans = new Map<number, TorturedCall>();
  const upstream = await startUpstream({
    behaviour: (request) => {
      const n = numberOf(request.body);
      const askedForSpeed = request.body.includes('"speed"');
      sides.set(n, { arrivedAt: request.at, finishedAt: undefined, askedForSpeed });
      return plans.get(n)?.plan.behaviour ?? {};
    },
    onEnd: (request) => {
      const side = sides.get(numberOf(request.body));
      if (side && request.outcome === 'answered') side.finishedAt = Date.now();
    },
  });
  const nodes: ServerProcess[] = [];
  for (let i = 0; i < count; i++) nodes.push(await start());
  const storage = openStorage(database);
  const kills: Kill[] = [];
  let stops = 0;
  let payments: TorturedPayments | undefined;
  try {
    await nodes[0]!.root.call(priceApi.create, { body: torturePrice });
    await addChannel(nodes[0]!, upstream.url, { models: 'torture-*' });
    // Preferred but dead, so every call must fall back to another channel.
    const deadHost = `http://127.0.0.1:${await freePort()}`;
    for (const name of ['dead one', 'dead two'])
      await addChannel(nodes[0]!, deadHost, { name, models: 'torture-*', priority: 10 });
    await liftRates(nodes[0]!.root);
    const callers: TestCaller[] = [
      await addCaller(storage.db, { quota: 1_000_000_000 }),
      await addCaller(storage.db, { quota: 1_000_000_000, remain: 900_000_000 }),
      // A caller whose balance runs out during the run, and one whose token does.
      await addCaller(storage.db, { quota: 150_000 }),
      await addCaller(storage.db, { quota: 1_000_000_000, remain: 150_000 }),
      // Two members of a team, whose balance and whose budget run out.
      ...(await addTeamCallers(storage.db, { quota: 200_000, budget: 80_000 })),
    ];
    await limitToken(storage.db, callers[0]!.tokenId);
    // Refused calls at full speed, and clients that never finish their requests.
    const poor = await addCaller(storage.db, { quota: 0 });
    const flood = new RefusedFlood(poor.key);
    const slow = new SlowClients();

    /** The frozen node; like a load balancer, callers use the others. */
    let frozen: number | undefined;
    const alive = () => nodes.filter((_, node) => node !== frozen).map(({ url }) => url);
    // Before the first kill, which the set-up would not survive.
    payments = await TorturedPayments.open(seed, nodes[0]!, storage.db, alive);
    const tasks = await TorturedTasks.open(nodes[0]!, upstream.url, {
      seed,
      forMs,
      db: storage.db,
      simulator: upstream.tasks,
      urls: alive,
    });

    let until = Date.now() + forMs;
    /** A single process that starts slowly still serves calls for most of the run. */
    let extraMs = MOST_EXTRA_MS;
    let freeze: Freeze | undefined;
    const freezing = (async () => {
      if (options.freezeMs === undefined || count < 2) return;
      await sleep(forMs / 6);
      frozen = seed % count;
      const node = frozen;
      nodes[node]!.child.kill('SIGSTOP');
      options.progress?.(`node ${node} stands still for ${options.freezeMs / 1000} s`);
      await sleep(options.freezeMs);
      nodes[node]!.child.kill('SIGCONT');
      freeze = { node, until: Date.now() };
      frozen = undefined;
    })();
    const ends = plannedEnds(seed, count, options.endEveryMs);
    const { taken } = payments;
    const hadEnough = () => {
      const calls = [...plans.values()];
      const left = leftBy(calls);
      return (
        kills.length > 0 &&
        flood.refused > 20 &&
        slow.opened > 20 &&
        taken() > 10 &&
        tasks.submitted > 30 &&
        calls.filter(({ seen }) => seen.status === 200 && seen.whole).length > 30 &&
        calls.some(({ plan, seen }) => plan.refused.includes('tools') && seen.status === 400) &&
        calls.some(({ plan, seen }) => plan.usage.prompt > LONG && seen.whole) &&
        leaves.every((when) => when in left)
      );
    };
    /** The first failure of what runs beside the calls. It ends the run; nothing may start a node afterwards. */
    let failure: { of: unknown } | undefined;
    const beside = <T>(work: Promise<T>): Promise<T | undefined> =>
      work.catch((error: unknown) => {
        failure ??= { of: error };
        return undefined;
      });
    const isOver = () => failure !== undefined || (Date.now() >= until && (hadEnough() || plans.size >= MOST_CALLS));
    const ending = beside(
      (async () => {
        for (const { how, node, afterMs } of ends) {
          for (const endMs = Date.now() + afterMs; Date.now() < endMs && !isOver();) await sleep(50);
          if (isOver()) return;
          if (node === frozen) continue;
          if (how === 'SIGKILL') kills.push({ node, at: Date.now() });
          else stops++;
          const from = Date.now();
          const [worker] = workers > 1 && how === 'SIGKILL' && kills.length % 2 === 1 ? nodes[node]!.workers() : [];
          if (worker !== undefined) {
            process.kill(worker, how);
            options.progress?.(`a worker of node ${node} was killed`);
            continue;
          }
          nodes[node]!.child.kill(how);
          await nodes[node]!.exited;
          nodes[node] = await start();
          const downMs = count === 1 ? Math.min(extraMs, Date.now() - from) : 0;
          until += downMs;
          extraMs -= downMs;
          options.progress?.(`${plans.size} calls, ${kills.length} kills, ${stops} stops`);
        }
      })(),
    );

    const paying = beside(payments.run(isOver));
    const makingTasks = beside(tasks.run(isOver));
    const flooding = beside(flood.run(alive, isOver));
    const dawdling = beside(slow.run(alive, isOver));
    const open = new Set<Promise<void>>();
    for (const plan of plannedCalls(seed)) {
      if (isOver()) break;
      const node = (plan.n + (plan.n % count === frozen ? 1 : 0)) % count;
      const call: TorturedCall = { plan, node, seen: { status: 0, whole: false, left: false }, upstream: undefined };
      plans.set(plan.n, call);
      const { url } = nodes[node]!;
      const made = seenBy(call, makeCall(url, callers[plan.caller]!.key, plan));
      open.add(made);
      void made.finally(() => open.delete(made));
      await sleep(plan.pauseMs);
      while (open.size >= MOST_AT_ONCE) await Promise.race(open);
    }
    await freezing;
    await ending;
    await Promise.all(open);
    await Promise.all([flooding, dawdling, paying, makingTasks]);
    if (failure) throw failure.of;
    for (const node of nodes) {
      node.child.kill('SIGTERM');
      await node.exited;
    }
    // The last killed process has left a journal for the next one, which also asks about payments.
    await finishWork(database, tasks);

    const { rows, count: counted } = await refusalsOf(storage.db, poor.userId);
    const calls = [...plans.values()];
    for (const call of calls) call.upstream = sides.get(call.plan.n);
    const verdict = await judgeRows(storage.db, calls, { kills, freeze });
    return {
      ...verdict,
      calls: calls.length,
      refused: calls.filter(({ seen }) => seen.status === 402).length,
      unreachable: calls.filter(({ seen, upstream: side }) => seen.status === 0 && !seen.left && !side).length,
      refusedBodies: calls.filter(({ plan, seen }) => plan.refused !== '' && seen.status === 400).length,
      overdrawn: await overdrawn(
        storage.db,
        callers.map(({ userId }) => userId),
      ),
      left: leftBy(calls),
      kills: kills.length,
      stops,
      freezes: freeze ? 1 : 0,
      slowClients: slow.opened,
      flood: { sent: flood.refused, cutOff: flood.cutOff, counted, rows },
      payments: await payments.judge(),
      tasks: await tasks.judge(),
      books: await checkBooks(storage, journalFolder(database.dataDir)),
      limits: await limitsOf(storage.db, callers[0]!.tokenId),
    };
  } finally {
    // Also ends a frozen one.
    for (const node of nodes) if (node.child.exitCode === null && node.child.signalCode === null) await node.kill();
    await storage.close();
    await upstream.close();
    await payments?.close();
  }
}

/** Starts a node and asks gateways and vendors until nothing is open: what a day of scheduled queries does. */
async function finishWork(database: EmptyDatabase, tasks: TorturedTasks): Promise<void> {
  const hub = await startHub(database, { OUTBOUND_PRIVATE: 'allow' }, { networks: '', jobs: true });
  try {
    const { deps } = hub.server;
    await tasks.finish(deps);
    for (let round = 0; round < 200; round++) {
      for (const table of ['orders', 'refunds'] as const)
        await deps.db
          .updateTable(table)
          .set({ query_at: 1 })
          .where('query_at', '>', 1)
          .where('queries', '<', 6)
          .execute();
      if ((await queryDue(deps)) === 0) return;
    }
  } finally {
    await hub.close();
  }
}

async function seenBy(call: TorturedCall, seen: Promise<CallerSide>): Promise<void> {
  call.seen = await seen;
}

/** Callers who disconnected, by time of leaving. */
function leftBy(calls: readonly TorturedCall[]): Record<string, number> {
  const left: Record<string, number> = {};
  for (const { plan, seen } of calls) if (seen.left) left[plan.leave] = (left[plan.leave] ?? 0) + 1;
  return left;
}

const numberOf = (body: string): number => Number(/"model":"torture-(\d+)"/.exec(body)?.[1] ?? 0);
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Gives a token limits that no run reaches: their counters must agree with the log all the same. */
async function limitToken(db: Kysely<Tables>, id: number): Promise<void> {
  const limits: TokenLimits = {
    ...noLimits,
    caps: [
      { measure: 'credits', period: 'month', amount: 1_000_000_000_000 },
      { measure: 'requests', period: 'day', amount: 1_000_000_000 },
      { measure: 'calls', period: 'at_once', amount: 100_000 },
    ],
  };
  await db
    .updateTable('tokens')
    .set({ limits: JSON.stringify(limits) })
    .where('id', '=', id)
    .execute();
}

/** Used requests of the limited token, and the rest of the reservations within its limits. */
async function limitsOf(db: Kysely<Tables>, tokenId: number): Promise<{ requests: number; held: number }> {
  const counters = await db.selectFrom('limit_counters').where('token_id', '=', tokenId).selectAll().execute();
  return {
    requests: counters.find(({ name }) => name === 'requests:day')?.used ?? 0,
    held: counters.reduce((sum, { held }) => sum + held, 0),
  };
}
