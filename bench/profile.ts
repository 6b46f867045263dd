import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Load } from './load.ts';
import { jsonCall } from './calls.ts';
import type { Running, Target } from './targets.ts';
import { cpuByThread, measurable } from './usage.ts';

const WARM_S = 3;
const SECONDS = 6;
const SHOWN = 25;

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  /** Microseconds on the monotonic clock that all processes share. */
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

interface Span {
  fromUs: number;
  toUs: number;
  answered: number;
}

/** Runs a target without and then with a sampling profiler per thread. Reports where a JSON call spends its time. */
export async function profile(target: Target, load: Load, results: string, root: string): Promise<string> {
  mkdirSync(results, { recursive: true });
  for (const old of profilesIn(results)) rmSync(old);
  const threads = await splitByThread(await target.start(), load);
  const hook = path.join(import.meta.dirname, 'profile-workers.ts');
  const nodeFlags = ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${results}`, '--import', hook];
  // Not pinned to one core: a preempted thread would seem to work in the function where it was interrupted.
  const running = await target.start({ nodeFlags, env: { BENCH_PROFILES: results }, place: 'anywhere' });
  const span = await underLoad(running, load);
  return [...threads, ...profilesIn(results).flatMap((file) => ['', ...topOf(file, span, root)])].join('\n');
}

async function splitByThread(running: Running, load: Load): Promise<string[]> {
  try {
    if (!measurable) return [];
    await load.saturate(running, jsonCall, WARM_S);
    const before = cpuByThread(running.child.pid);
    const { answered } = await load.saturate(running, jsonCall, SECONDS);
    const used = [...cpuByThread(running.child.pid)].map(
      ([name, us]) => [name, (us - (before.get(name) ?? 0)) / answered] as const,
    );
    const lines = used.filter(([, us]) => us >= 0.05).map(([name, us]) => `  ${us.toFixed(1).padStart(6)} µs  ${name}`);
    return [`CPU per request by thread, without the profiler (${answered} requests):`, ...lines];
  } finally {
    await running.child.stop();
  }
}

/** The target writes its profiles when it exits. */
async function underLoad(running: Running, load: Load): Promise<Span> {
  try {
    await load.saturate(running, jsonCall, WARM_S);
    const fromUs = Number(process.hrtime.bigint() / 1000n);
    const { answered } = await load.saturate(running, jsonCall, SECONDS);
    return { fromUs, toUs: Number(process.hrtime.bigint() / 1000n), answered };
  } finally {
    await running.child.stop();
  }
}

function profilesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  return names.toSorted().map((name) => path.join(folder, name));
}

function topOf(file: string, { fromUs, toUs, answered }: Span, root: string): string[] {
  const { nodes, startTime, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame, root)]));
  const self = new Map<string, number>();
  let total = 0;
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    const us = timeDeltas[index] ?? 0;
    at += us;
    const name = names.get(id) ?? '';
    if (at < fromUs || at > toUs || name === '(idle)') continue;
    self.set(name, (self.get(name) ?? 0) + us);
    total += us;
  }
  const top = [...self].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN);
  const share = (us: number) => `${((100 * us) / total).toFixed(1).padStart(5)} %`;
  return [
    `${path.basename(file)}: self time under load, ${(total / answered).toFixed(1)} µs a request by the clock, idle left out`,
    ...top.map(([name, us]) => `  ${share(us)}  ${name}`),
  ];
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame'], root: string): string {
  if (url === '') return functionName;
  const file = url.replace(/^file:\/\//, '').replace(`${root}/`, '');
  return `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`;
}
