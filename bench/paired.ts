import { jsonCall, streamCall } from './calls.ts';
import type { Load } from './load.ts';
import { median, percentile } from './statistics.ts';
import type { Running, Target } from './targets.ts';
import { cpuOf } from './usage.ts';

const SLICE_S = 1;
const WARM_PAIRS = 6;
const STREAMS = 20;
const CHUNKS = 100;

/** Sends load for a second and returns how many calls or chunks the target handled. */
type Slice = (to: Running, load: Load) => Promise<number>;

const kinds: Readonly<Record<string, Slice>> = {
  'JSON call': async (to, load) => (await load.saturate(to, jsonCall, SLICE_S)).answered,
  'SSE chunk': async (to, load) => {
    const body = streamCall('sim', CHUNKS, 0);
    return (await load.run({ kind: 'closed', to, body, connections: STREAMS, seconds: SLICE_S })).answered * CHUNKS;
  },
};

/**
 * Runs two checkouts at the same time and loads them in turn, a second each, so that the noise of the machine meets
 * both. Returns a line per kind of work: the median of the ratios of CPU time, and its quartiles.
 */
export async function comparePaired([one, other]: [Target, Target], load: Load, pairs: number): Promise<string[]> {
  const [a, b] = [await one.start(), await other.start()];
  try {
    const lines: string[] = [];
    for (const [kind, slice] of Object.entries(kinds)) {
      for (let n = 0; n < WARM_PAIRS; n++) await onePair([a, b], slice, load);
      const ratios: number[] = [];
      // The order changes, so that neither always follows the other.
      for (let n = 0; n < pairs; n++)
        ratios.push(n % 2 ? 1 / (await onePair([b, a], slice, load)) : await onePair([a, b], slice, load));
      lines.push(`CPU per ${kind}, ${one.name} to ${other.name}: ${formatQuartiles(ratios)}`);
    }
    return lines;
  } finally {
    await Promise.all([a.child.stop(), b.child.stop()]);
  }
}

/** Ratio of the CPU time per call. Each is measured over both slices, since a hub also works after its replies. */
async function onePair(targets: [Running, Running], slice: Slice, load: Load): Promise<number> {
  const used = targets.map(({ child }) => -(cpuOf(child.pid) ?? NaN));
  const handled: number[] = [];
  for (const target of targets) handled.push(await slice(target, load));
  const [first = NaN, second = NaN] = targets.map(({ child }, n) => (used[n]! + cpuOf(child.pid)!) / handled[n]!);
  return first / second;
}

function formatQuartiles(ratios: readonly number[]): string {
  const [low, high] = [25, 75].map((percent) => percentile(ratios, percent).toFixed(3));
  return `${median(ratios).toFixed(3)} (quartiles ${low} to ${high})`;
}
