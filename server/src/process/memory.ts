import { executionAsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What `process.nextTick` puts in its queue; see below. */
const ticks: object[] = [];

/**
 * Gives back what loading the modules left behind. Afterwards the process has what it needs and no more: V8 would hold
 * the room of a heap that was busy for as long as nobody asks anything of it. Takes a tenth of a second, so it is for a
 * moment when nobody waits.
 */
export async function giveBackMemory(): Promise<void> {
  // A collection in which nothing of the kind is alive takes the shape of those objects away, and then V8 makes each of
  // them by its slowest way for as long as the process runs: seven in every call, half a microsecond each. So one is kept.
  await new Promise<void>((resolve) => {
    process.nextTick(() => {
      ticks.push(executionAsyncResource());
      resolve();
    });
  });
  collector()({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

function collector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction; // what the flag puts into a new context
  setFlagsFromString('--no-expose-gc');
  return collect;
}

/** After the last large body, so that a series of them is collected once. */
const QUIET_MS = 2_000;
/** Between two collections: each one stops everything for some tens of milliseconds. */
const PAUSE_MS = 30_000;

let collecting: NodeJS.Timeout | undefined;
let collectedAt = -Infinity;

/**
 * Gives back, in a moment, what large bodies took. Without it, a process that has nothing more to do holds their memory
 * until it has again: V8 collects when something is asked of it.
 */
export function collectSoon(): void {
  if (collecting) return void collecting.refresh();
  const wait = Math.max(QUIET_MS, collectedAt + PAUSE_MS - performance.now());
  collecting = setTimeout(() => {
    collecting = undefined;
    collectedAt = performance.now();
    void collector()({ type: 'major', execution: 'async' });
  }, wait).unref();
}
