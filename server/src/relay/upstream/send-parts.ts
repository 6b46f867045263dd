import { type AttemptResult, unsentResult } from './attempt-result.ts';

/** So many requests of one call are open at once. */
const AT_ONCE = 4;

/** When a call that goes out in parts has to end. */
interface PartsLimits {
  /** 0: never. */
  totalMs: number;
  hasLeft(): boolean;
}

/**
 * Sends what one call asks in several requests, a few at a time. It comes to the first failure, after which nothing more
 * is begun, or to the answers in their order. Whoever leaves has nothing more begun for him. Never rejects.
 */
export async function sendParts(
  bodies: readonly Buffer[],
  send: (body: Buffer) => Promise<AttemptResult>,
  { totalMs, hasLeft }: PartsLimits,
): Promise<AttemptResult> {
  const startMs = performance.now();
  const elapsed = () => Math.round(performance.now() - startMs);
  const parts: AttemptResult[] = [];
  let begun = 0;
  let failure: AttemptResult | undefined;
  const work = async (): Promise<void> => {
    while (begun < bodies.length && !failure && (begun === 0 || !hasLeft())) {
      if (totalMs > 0 && elapsed() > totalMs) {
        failure = unsentResult('total_timeout', 'the answers took longer than the channel allows');
        return;
      }
      const at = begun++;
      const result = await send(bodies[at]!); // below their number
      parts[at] = result;
      if (result.failure || result.status < 200 || result.status >= 300) failure ??= result;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const clientGone = hasLeft();
  return failure ? { ...failure, ms: elapsed(), clientGone } : { ...parts[0]!, ms: elapsed(), clientGone, parts };
}
