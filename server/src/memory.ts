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
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction; // what the flag puts into a new context
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
