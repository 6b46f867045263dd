import type { Deps } from './deps.ts';
import { finishUpgrade } from './db/migrate.ts';
import { livingNodes, type OpenCalls } from './jobs/open-calls.ts';
import { repeat } from './jobs/repeat.ts';
import { watchBackups } from './jobs/watch-backups.ts';
import { watchBalances } from './jobs/watch-balances.ts';
import { watchBills } from './jobs/watch-bills.ts';
import { watchNodeState } from './jobs/node-state.ts';
import { watchIncidents } from './jobs/watch-incidents.ts';
import { watchNotifications } from './jobs/watch-notifications.ts';
import { watchObjects } from './jobs/watch-objects.ts';
import { watchMonths, watchOldRows } from './jobs/watch-old-rows.ts';
import { watchOrders } from './jobs/watch-orders.ts';
import { watchPlans } from './jobs/renew-plans.ts';
import { watchTaskFiles } from './jobs/watch-task-files.ts';
import { watchTasks } from './jobs/watch-tasks.ts';
import { watchTelegram } from './jobs/watch-telegram.ts';
import { watchUsageExports } from './jobs/watch-usage-exports.ts';
import { watchDays } from './roll-ups/watch-days.ts';
import { soon } from '#start/start-problems.ts';

const LOOK_AT_SUMS_MS = 5_000;
const EXPORT_TRACES_MS = 5_000;
const LOOK_AT_NODES_MS = 10_000;

/** A part of the server that runs independently of requests. */
interface Service {
  /** Left out: it is running already. */
  start?: () => void;
  stop(): unknown;
}

/** A service that `watch` starts. */
function watched(watch: () => { stop(): Promise<void> }): Service {
  let running: ReturnType<typeof watch> | undefined;
  return { start: () => void (running = watch()), stop: () => running?.stop() };
}

/** Jobs at intervals. */
const jobs = [
  watchObjects,
  watchTaskFiles,
  watchTasks,
  watchOrders,
  watchPlans,
  watchNotifications,
  watchIncidents,
  watchNodeState,
  watchBackups,
  watchBills,
  watchMonths,
  watchOldRows,
  watchBalances,
  watchUsageExports,
];

/** All services in the order of their start; each may use those before it until its own stop. */
function servicesOf(deps: Deps, openCalls: OpenCalls, patient: Deps['db']): readonly Service[] {
  const { log, now, live, book } = deps;
  /** A service that works at intervals. */
  const atIntervals = (watch: () => { stop(): Promise<void> }) => (deps.jobs ? watched(watch) : { stop() {} });
  return [
    { stop: () => deps.upstreams.close() },
    { stop: () => deps.tokenizer.close() },
    { stop: () => deps.limiter.close() },
    { stop: () => soon(deps.replyCache.close()) },
    { stop: () => soon(deps.contentLog.settled()) },
    { stop: () => soon(deps.notices.settled()) },
    { stop: () => deps.usageWatch.settled() },
    { stop: () => deps.autoSwitcher.settled() },
    atIntervals(() => {
      const days = watchDays({ db: patient, log, now });
      return { stop: () => soon(days.stop()) };
    }),
    { stop: () => soon(deps.hour.close()) },
    { stop: () => soon(deps.refusals.close()) },
    atIntervals(() =>
      repeat({ name: 'sums', everyMs: LOOK_AT_SUMS_MS, failure: 'sums of calls are late', log }, () =>
        deps.pendingSums.addOld(),
      ),
    ),
    atIntervals(() => finishing(deps, patient)),
    { stop: () => deps.telemetry?.close(deps) },
    ...exportsOf(deps).map((watch) => atIntervals(watch)),
    { start: () => openCalls.start(book), stop: async () => openCalls.stop(await book.close()) },
    { stop: () => soon(live.conversations.close()) },
    { stop: () => soon(live.keyAttempts.flush()) },
    { stop: () => soon(live.endpointCalls.flush()) },
    { stop: () => soon(live.keyUses.close()) },
    { stop: () => soon(live.limiter.flush()) },
    { stop: () => live.close() },
    // They need none of each other, so a stop waits for the slowest round and not for the sum of them.
    watched(() => {
      const running = [watchTelegram, ...(deps.jobs ? jobs : [])].map((watch) => watch(deps));
      return { stop: async () => void (await Promise.all(running.map((job) => job.stop()))) };
    }),
  ];
}

/** Finishes an upgrade once no node of an older version is running. */
function finishing({ db, log }: Deps, patient: Deps['db']): ReturnType<typeof repeat> {
  let isFinished = false;
  const options = { name: 'upgrade', everyMs: LOOK_AT_NODES_MS, failure: 'the upgrade was not finished', log } as const;
  return repeat(options, async () => {
    isFinished ||= (await finishUpgrade(patient, await livingNodes(db))).length === 0;
  });
}

/** The exports of telemetry, at intervals. */
function exportsOf(deps: Deps): (() => ReturnType<typeof repeat>)[] {
  const { log, telemetry } = deps;
  if (!telemetry) return [];
  const { metricsEveryMs } = telemetry;
  const traces = { name: 'traces', everyMs: EXPORT_TRACES_MS, failure: 'traces were not exported', log } as const;
  const metrics = { name: 'metrics', everyMs: metricsEveryMs ?? 0, failure: 'metrics were not exported', log } as const;
  return [
    () => repeat(traces, () => telemetry.exportTraces()),
    ...(metricsEveryMs === undefined ? [] : [() => repeat(metrics, () => telemetry.exportMetrics(deps))]),
  ];
}

/** Starts all services, and stops them in reverse order. `patient`: the database for long statements. */
export function startServices(deps: Deps, openCalls: OpenCalls, patient: Deps['db']): { stop(): Promise<void> } {
  const services = servicesOf(deps, openCalls, patient);
  for (const { start } of services) start?.();
  return {
    async stop() {
      for (const service of services.toReversed()) await service.stop();
    },
  };
}
