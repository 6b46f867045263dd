import { readdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { NodeState } from '@relay-hub/contract';
import { asError } from '#caught-error.ts';
import type { Deps } from '#deps.ts';
import { journalFolder } from '#quota/journal.ts';
import { productVersion } from '#version.ts';
import { jobRounds, repeat } from './repeat.ts';

const EVERY_MS = 15_000;
const MS_PER_NS = 1e-6;

/** Reports the state of this node for the page System. Returns a handle that stops it. */
export function watchNodeState(deps: Deps): { stop(): Promise<void> } {
  const report = nodeReports(deps);
  // A failed one is repeated with the next round.
  const first = report().catch(() => {});
  const job = repeat({ name: 'report', everyMs: EVERY_MS, failure: 'a report was not written', log: deps.log }, report);
  return { stop: async () => void (await Promise.all([first, job.stop()])) };
}

/** Returns what measures this node and writes its report. Delay and CPU are those since the last one. */
export function nodeReports(deps: Deps): () => Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let cpu = process.cpuUsage();
  let atMs = performance.now();
  return async () => {
    const { db, nodeId } = deps;
    const used = process.cpuUsage(cpu);
    const passedMs = Math.max(1, performance.now() - atMs);
    const state = await stateOf(deps, {
      delay: delay.count === 0 ? 0 : rounded(delay.percentile(99) * MS_PER_NS),
      cpu: rounded((used.user + used.system) / 1000 / passedMs),
    });
    cpu = process.cpuUsage();
    atMs = performance.now();
    delay.reset();
    await db
      .updateTable('nodes')
      .set({ state: JSON.stringify(state) })
      .where('id', '=', nodeId)
      .execute();
  };
}

async function stateOf(
  { book, config, limiter, log, now, telemetry }: Deps,
  measured: Pick<NodeState, 'delay' | 'cpu'>,
): Promise<NodeState> {
  const { bavail, blocks, bsize } = await statfs(config.dataDir);
  return {
    ...measured,
    version: productVersion,
    node_version: process.version,
    time: now(),
    memory: process.memoryUsage.rss(),
    open_calls: book.openCalls,
    waiting: book.waiting,
    late: book.lateS,
    refused: book.refused,
    journal: bytesIn(journalFolder(config.dataDir)),
    disk_free: bavail * bsize,
    disk_size: blocks * bsize,
    redis: limiter.redis,
    jobs: jobRounds(log)
      .map(({ name, endedMs, tookMs, count, error }) => ({
        name,
        ran_time: Math.floor(endedMs / 1000),
        took: Math.round(tookMs),
        failures: count,
        error: count > 0 ? asError(error).message.slice(0, 500) : '',
      }))
      .toSorted((one, other) => one.name.localeCompare(other.name, 'en')),
    ...(telemetry && { telemetry: telemetry.state }),
  };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** Files can go away meanwhile. */
function bytesIn(folder: string): number {
  let bytes = 0;
  for (const file of readdirSync(folder))
    bytes += statSync(path.join(folder, file), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
