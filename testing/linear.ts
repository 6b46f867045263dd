import { expect } from 'vitest';

/** Below this, start-up costs and the collector decide. */
const FLOOR_MS = 5;

/** CPU time of this thread in the fastest of three runs. */
async function cpuMs(run: () => unknown): Promise<number> {
  let fastest = Infinity;
  for (let i = 0; i < 3; i++) {
    const before = process.threadCpuUsage();
    await run();
    const { user, system } = process.threadCpuUsage(before);
    fastest = Math.min(fastest, (user + system) / 1000);
  }
  return fastest;
}

/** Fails if work on input of a size takes more than in proportion: four times the size would take 16 times as long. */
export async function expectLinear(size: number, run: (size: number) => unknown): Promise<void> {
  const few = await cpuMs(() => run(size / 4));
  const many = await cpuMs(() => run(size));
  expect(many, `CPU milliseconds, and ${few} for a quarter`).toBeLessThan(8 * Math.max(few, FLOOR_MS));
}
