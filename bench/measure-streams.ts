import { streamCall } from './calls.ts';
import type { Address, Chunks, JobResult } from './jobs.ts';
import type { Load } from './load.ts';
import { median, percentile } from './statistics.ts';
import type { Running } from './targets.ts';
import { clockUs } from './stamps.ts';
import { cpuOf, memoryOf } from './usage.ts';

/** What 500 streams at the same time are like. What cannot be read on a system is undefined. */
export interface StreamFigures {
  /** Chunks that came while all streams were open. */
  chunksPerSecond: number;
  cpuUsPerStreamChunk: number | undefined;
  /** From the provider's write to the caller's read, beyond that of the same stream taken from the provider. */
  addedChunkP50Ms: number | undefined;
  addedChunkP99Ms: number | undefined;
  /** Of memory, for each stream that is open and in which nothing comes; undefined also when opening took too long. */
  idleStreamKb: number | undefined;
}

export const STREAMS = 500;
const CHUNK_MS = 50;
export const OFFERED_PER_SECOND = (STREAMS * 1000) / CHUNK_MS;
/** As few as do not disturb, enough for a p99. */
const DIRECT_STREAMS = 50;
/** All streams are opened within this. */
const SPREAD_MS = 1000;
/** The last ones are open by then, and what opening cost is over. */
const CALM_MS = 400;
const SILENT_MS = 5000;
const SAMPLE_MS = 100;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** For a target that has just been started and has the stamped upstream behind it. */
export async function measureStreams(running: Running, direct: Address, load: Load, seconds: number) {
  const warmedUp = await warmUp(running, load);
  const idle = await measureIdle(running, load);
  const many = await measureMany(running, direct, load, seconds);
  return { ...idle, ...many, failed: warmedUp.failed + idle.failed + many.failed };
}

/**
 * Many short streams, few at a time: what the first ones bring into memory, and the room for what is soon thrown away,
 * is there before streams are counted.
 */
function warmUp(running: Running, load: Load): Promise<JobResult> {
  return load.run({ kind: 'closed', to: running, body: streamCall('stamped', 1, 5), connections: 20, seconds: 2 });
}

async function measureIdle(running: Running, load: Load) {
  await pause(SPREAD_MS);
  const beforeMb = await memoryOver(running, SPREAD_MS);
  // One chunk, then nothing: such a stream has passed all that happens before the first token.
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

/** The provider is asked directly at the same time, so both see the same moments of the machine. */
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
  const [throughUs, straightUs] = [within(through.chunks, fromUs, toUs), within(straight.chunks, fromUs, toUs)];
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

/** How long those chunks took that came in a span of time. */
export function within({ arrivedUs, tookUs }: Chunks, fromUs: number, toUs: number): number[] {
  return tookUs.filter((_, index) => arrivedUs[index]! >= fromUs && arrivedUs[index]! < toUs);
}
