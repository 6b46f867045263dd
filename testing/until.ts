import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 20_000;

/** Looks until `look` gives something other than false or undefined, and resolves with it; else fails with `what`. */
export async function until<T>(
  what: string,
  look: () => T | false | undefined | Promise<T | false | undefined>,
): Promise<T> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (seen !== false && seen !== undefined) return seen;
    if (performance.now() > endMs) throw new Error(`waited in vain for this: ${what}`);
    await sleep(10);
  }
}

/** Looks until `look` gives the same number in five looks running. */
export async function untilStill(what: string, look: () => number): Promise<void> {
  let last = Number.NaN;
  let same = 0;
  await until(what, async () => {
    const now = look();
    same = now === last ? same + 1 : 0;
    last = now;
    if (same < 5) await sleep(50);
    return same === 5;
  });
}

/** Resolves after a request to the hub and its reply: whatever reached the hub before has been handled by then. */
export async function roundTrip({ url }: { url: string }): Promise<void> {
  await (await fetch(`${url}/healthz`)).text();
}
