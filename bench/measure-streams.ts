import { streamCall } from './calls.ts';
import type { Address, Chunks, JobResult } from './jobs.ts';
import type { Load } from './load.ts';
import { median, percentile } from './statistics.ts';
import type { Running } from './targets.ts';
import { clockUs } from './stamps.ts';
import { cpuOf, memoryOf } from './usage.ts';

/** Figures of 500 concurrent streams. Undefined if the operating system does not provide a value. */
export interface StreamFigures {
  /** Chunks that arrived while all streams were open. */
  chunksPerSecond: number;
  cpuUsPerStreamChunk: number | undefined;
  /** Delay between the provider's write and the caller's read, minus that of a direct stream at the same time. */
  addedChunkP50Ms: number | undefined;
  addedChunkP99Ms: number | undefined;
  /** Memory per open idle stream in KB; undefined also if opening the streams took too long. */
  idleStreamKb: number | undefined;
}

export const STREAMS = 500;
const CHUNK_MS = 50;
export const OFFERED_PER_SECOND = (STREAMS * 1000) / CHUNK_MS;
/** Few enough not to disturb, enough for a p99. */
const DIRECT_STREAMS = 50;
/** All streams are opened within this time. */
const SPREAD_MS = 1000;
/** Pause until the last streams are open and the cost of opening has passed. */
const CALM_MS = 400;
const SILENT_MS = 5000;
const SAMPLE_MS = 100;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Needs a freshly started target in front of the stamped upstream. */
export async function measureStreams(running: Running, direct: Address, load: Load, seconds: number) {
  const warmedUp = await warmUp(running, load);
  const idle = await measureIdle(running, load);
  const many = await measureMany(running, direct, load, seconds);
  return { ...idle, ...many, failed: warmedUp.failed + idle.failed + many.failed };
}

/**
 * Many short streams, few at a time: first-use allocations and the young generation reach their size before streams
 * are counted.
 */
function warmUp(running: Running, load: Load): Promise<JobResult> {
  return load.run({ kind: 'closed', to: running, body: streamCall('stamped', 1, 5), connections: 20, seconds: 2 });
}

async function measureIdle(running: Running, load: Load) {
  await pause(SPREAD_MS);
  const beforeMb = await memoryOver(running, SPREAD_MS);
  // One chunk, then silence: the stream is past all work before the first token.
  const body = streamCall('stamped', 1, SILENT_MS);
  const streams = load.run({
    kind: 'once',
    to: running,
    body,
    requests: STREAMS,
    spreadMs: SPREAD_MS,
    seconds: SILENT_MS / 1000,
  });
  await pause(SPREAD_MS + 4 * CALM_MS);
  const sinceUs = clockUs();
  const openMb = await memoryOver(running, SPREAD_MS);
  const { failed, openedUs } = await streams;
  const known = beforeMb !== undefined && openMb !== undefined && openedUs < sinceUs;
  return { idleStreamKb: known ? ((openMb - beforeMb) * 1000) / STREAMS : undefined, failed };
}

async function memoryOver({ child }: Running, ms: number): Promise<number | undefined> {
  const samples: number[] = [];
  for (let past = 0; past < ms; past += SAMPLE_MS) {
    const mb = memoryOf(child.pid);
    if (mb === undefined) return undefined;
    samples.push(mb);
    await pause(SAMPLE_MS);
  }
  return median(samples);
}

/** Direct and relayed streams run at the same time, under the same conditions. */
async function measureMany(running: Running, direct: Address, load: Load, seconds: number) {
  const chunks = Math.round((seconds * 1000) / CHUNK_MS);
  const open = (to: Address, requests: number) =>
    load.run({
      kind: 'once',
      to,
      body: streamCall('stamped', chunks, CHUNK_MS),
      requests,
      spreadMs: SPREAD_MS,
      seconds: seconds + SPREAD_MS / 1000,
    });
  const results = Promise.all([open(running, STREAMS), open(direct, DIRECT_STREAMS)]);
  await pause(SPREAD_MS + CALM_MS);
  const fromUs = clockUs();
  const cpuBefore = cpuOf(running.child.pid);
  await pause(seconds * 1000 - SPREAD_MS - 2 * CALM_MS);
  const toUs = clockUs();
  const cpuAfter = cpuOf(running.child.pid);
  const [through, straight] = await results;
  const [throughUs, straightUs] = [
    delaysBetween(through.chunks, fromUs, toUs),
    delaysBetween(straight.chunks, fromUs, toUs),
  ];
  const came = throughUs.length > 0 && straightUs.length > 0;
  const added = (percent: number) =>
    came ? (percentile(throughUs, percent) - percentile(straightUs, percent)) / 1000 : undefined;
  const cpuUs = cpuBefore !== undefined && cpuAfter !== undefined ? cpuAfter - cpuBefore : undefined;
  return {
    chunksPerSecond: throughUs.length / ((toUs - fromUs) / 1e6),
    cpuUsPerStreamChunk: came && cpuUs ? cpuUs / throughUs.length : undefined,
    addedChunkP50Ms: added(50),
    addedChunkP99Ms: added(99),
    failed: through.failed + straight.failed,
  };
}

/** Delays of the chunks that arrived between two points in time. */
export function delaysBetween({ arrivedUs, tookUs }: Chunks, fromUs: number, toUs: number): number[] {
  return tookUs.filter((_, index) => arrivedUs[index]! >= fromUs && arrivedUs[index]! < toUs);
}
