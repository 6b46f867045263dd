import { executionAsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** An object as `process.nextTick` queues it; see below. */
const ticks: object[] = [];

/**
 * Frees memory left by loading modules. V8 keeps the heap of a busy phase until there is new work. Takes about 100 ms,
 * so call it when no request is waiting.
 */
export async function giveBackMemory(): Promise<void> {
  // If no tick object is alive during the collection, V8 drops their hidden class and creates each later one by its
  // slow path: seven per call, half a microsecond each. So keep one alive.
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
  const collect = runInNewContext('gc') as NodeJS.GCFunction; // defined in new contexts by the flag
  setFlagsFromString('--no-expose-gc');
  return collect;
}

/** Delay after the last large body, so that a series is collected once. */
const QUIET_MS = 2_000;
/** Minimum time between two collections, each of which pauses the process for tens of milliseconds. */
const PAUSE_MS = 30_000;

let collecting: NodeJS.Timeout | undefined;
let collectedAt = -Infinity;

/** Soon frees the memory of large bodies. V8 collects only when there is work, so an idle process would keep it. */
export function collectSoon(): void {
  if (collecting) return void collecting.refresh();
  const wait = Math.max(QUIET_MS, collectedAt + PAUSE_MS - performance.now());
  collecting = setTimeout(() => {
    collecting = undefined;
    collectedAt = performance.now();
    void collector()({ type: 'major', execution: 'async' });
  }, wait).unref();
}
