import { jsonCall, streamCall } from './calls.ts';
import type { Address } from './jobs.ts';
import type { Load } from './load.ts';
import { measureStreams, type StreamFigures } from './measure-streams.ts';
import { percentile } from './statistics.ts';
import type { Running, Target, Upstream, Upstreams } from './targets.ts';
import { cpuOf, memoryOf } from './usage.ts';

/** Duration of each part, in seconds. */
export interface Plan {
  rounds: number;
  warm: number;
  json: number;
  latency: number;
  firstToken: number;
  paced: number;
  burst: number;
  memory: number;
  streams: number;
}

/** Results of one target in one round. Undefined if the operating system does not provide a value. */
export interface Figures extends StreamFigures {
  /** JSON calls over 64 connections at full speed. */
  requestsPerSecond: number;
  cpuUsPerRequest: number | undefined;
  /** Share of its core that the target used; 1 is all of it. */
  busy: number | undefined;
  /** The same over 256 connections. */
  requestsPerSecond256: number;
  cpuUsPerRequest256: number | undefined;
  /** Latency at 100 requests per second, minus that of direct calls to the upstream. */
  addedP50Ms: number;
  addedP99Ms: number;
  addedFirstTokenP50Ms: number;
  addedFirstTokenP99Ms: number;
  cpuUsPerPacedChunk: number | undefined;
  cpuUsPerBurstChunk: number | undefined;
  idleMb: number | undefined;
  loadedMb: number | undefined;
  failed: number;
}

const LOW_LOAD = 100; // requests per second
/** Connections of the wide loop; the narrow one has 64. */
const WIDE = 256;
const PACED_STREAMS = 50;
const CHUNK_MS = 10;
const BURST_STREAMS = 20;
const BURST_CHUNKS = 400;
const OPEN_STREAMS = 200;
const SLOW_CHUNK_MS = 200;
/** Role, finish reason, usage and `[DONE]`. */
const EVENTS_AROUND_TEXT = 4;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a target, measures it and stops it; then again for the figures of many streams. */
export async function measure(target: Target, upstreams: Upstreams, load: Load, plan: Plan): Promise<Figures> {
  const calls = await started(target, 'simulated', (running) => measureCalls(running, upstreams.simulated, load, plan));
  const streams = await started(target, 'stamped', (running) =>
    measureStreams(running, upstreams.stamped.address, load, plan.streams),
  );
  return { ...calls, ...streams, failed: calls.failed + streams.failed };
}

async function started<T>(
  target: Target,
  upstream: keyof Upstreams,
  work: (running: Running) => Promise<T>,
): Promise<T> {
  const running = await target.start({ upstream });
  try {
    return await work(running);
  } finally {
    await running.child.stop();
  }
}

async function measureCalls(running: Running, { address: direct }: Upstream, load: Load, plan: Plan) {
  await pause(700);
  const idleMb = memoryOf(running.child.pid);
  await check(running, load);
  const json = await measureJson(running, load, plan);
  const wide = await measureWide(running, load, plan);
  const latency = await measureLatency(running, direct, load, plan);
  const burst = await measureBurst(running, load, plan);
  const firstToken = await measureFirstToken(running, direct, load, plan);
  const paced = await measurePaced(running, load, plan);
  const loaded = await measureMemory(running, load, plan);
  const failed = [json, wide, latency, burst, firstToken, paced, loaded].reduce((sum, part) => sum + part.failed, 0);
  return { ...json, ...wide, ...latency, ...burst, ...firstToken, ...paced, ...loaded, idleMb, failed };
}

/** A target that refuses every call would have meaningless figures. */
async function check(running: Running, load: Load): Promise<void> {
  const once = { kind: 'once', to: running, requests: 1, spreadMs: 0, seconds: 1 } as const;
  const json = await load.run({ ...once, body: jsonCall });
  const stream = await load.run({ ...once, body: streamCall('sim', 2, 0) });
  if (json.failed + stream.failed > 0) throw new Error('the first call or the first stream failed');
}

async function measureJson(running: Running, load: Load, plan: Plan) {
  await load.saturate(running, jsonCall, plan.warm);
  const { result, cpuUs } = await withCpu(running, () => load.saturate(running, jsonCall, plan.json));
  return {
    requestsPerSecond: result.answered / result.seconds,
    cpuUsPerRequest: cpuUs && cpuUs / result.answered,
    busy: cpuUs && cpuUs / 1e6 / result.seconds,
    failed: result.failed,
  };
}

async function measureWide(running: Running, load: Load, plan: Plan) {
  // Connections are opened before the measurement starts.
  await load.saturate(running, jsonCall, plan.json / 3, WIDE);
  const { result, cpuUs } = await withCpu(running, () => load.saturate(running, jsonCall, plan.json, WIDE));
  return {
    requestsPerSecond256: result.answered / result.seconds,
    cpuUsPerRequest256: cpuUs && cpuUs / result.answered,
    failed: result.failed,
  };
}

/** Direct and relayed calls alternate, so both run under the same conditions. */
async function measureLatency(running: Running, direct: Address, load: Load, plan: Plan) {
  const result = await load.run({
    kind: 'open',
    to: [direct, running],
    body: jsonCall,
    perSecond: LOW_LOAD,
    seconds: plan.latency,
  });
  const added = (percent: number) => difference(result.wholeMs, percent);
  return { addedP50Ms: added(50), addedP99Ms: added(99), failed: result.failed };
}

async function measureFirstToken(running: Running, direct: Address, load: Load, plan: Plan) {
  const result = await load.run({
    kind: 'open',
    to: [direct, running],
    body: streamCall('sim', 8, 0),
    perSecond: LOW_LOAD,
    seconds: plan.firstToken,
  });
  const added = (percent: number) => difference(result.firstByteMs, percent);
  return { addedFirstTokenP50Ms: added(50), addedFirstTokenP99Ms: added(99), failed: result.failed };
}

async function measureBurst(running: Running, load: Load, plan: Plan) {
  const job = {
    kind: 'closed',
    to: running,
    body: streamCall('sim', BURST_CHUNKS, 0),
    connections: BURST_STREAMS,
  } as const;
  await load.run({ ...job, seconds: plan.burst / 3 });
  const { result, cpuUs } = await withCpu(running, () => load.run({ ...job, seconds: plan.burst }));
  const chunks = result.answered * (BURST_CHUNKS + EVENTS_AROUND_TEXT);
  return { cpuUsPerBurstChunk: cpuUs && cpuUs / chunks, failed: result.failed };
}

async function measurePaced(running: Running, load: Load, plan: Plan) {
  const chunks = Math.round((plan.paced * 1000) / CHUNK_MS);
  const job = {
    kind: 'once',
    to: running,
    body: streamCall('sim', chunks, CHUNK_MS),
    requests: PACED_STREAMS,
    spreadMs: 300,
    seconds: plan.paced,
  } as const;
  const { result, cpuUs } = await withCpu(running, () => load.run(job));
  const passed = result.answered * (chunks + EVENTS_AROUND_TEXT);
  return { cpuUsPerPacedChunk: cpuUs && cpuUs / passed, failed: result.failed };
}

async function measureMemory(running: Running, load: Load, plan: Plan) {
  const chunks = Math.round((plan.memory * 1000) / SLOW_CHUNK_MS);
  let peak = 0;
  const sample = setInterval(() => {
    peak = Math.max(peak, memoryOf(running.child.pid) ?? 0);
  }, 50);
  const [streams, json] = await Promise.all([
    load.run({
      kind: 'once',
      to: running,
      body: streamCall('sim', chunks, SLOW_CHUNK_MS),
      requests: OPEN_STREAMS,
      spreadMs: 200,
      seconds: plan.memory,
    }),
    load.run({ kind: 'closed', to: running, body: jsonCall, connections: 64, seconds: plan.memory }),
  ]);
  clearInterval(sample);
  return { loadedMb: peak || undefined, failed: streams.failed + json.failed };
}

function difference([direct = [], through = []]: number[][], percent: number): number {
  return percentile(through, percent) - percentile(direct, percent);
}

async function withCpu<T>(
  { child }: Running,
  work: () => Promise<T>,
): Promise<{ result: T; cpuUs: number | undefined }> {
  const before = cpuOf(child.pid);
  const result = await work();
  const after = cpuOf(child.pid);
  return { result, cpuUs: before !== undefined && after !== undefined ? after - before : undefined };
}
