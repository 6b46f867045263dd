import { type AttemptResult, emptyResult, unsentResult } from '#relay/types/attempt-result.ts';
import { abortReasons } from './upstream-exchange.ts';

/** Concurrent requests of one call. */
const AT_ONCE = 4;

interface PartsLimits {
  /** 0: no limit. */
  totalMs: number;
  hasLeft(): boolean;
}

/**
 * Sends a call in several requests, a few at a time. Resolves to the first failure, after which none is started, or to
 * all results in order. None is started after the caller leaves. Never rejects.
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
    for (;;) {
      const body = bodies[begun];
      if (!body || failure || (begun > 0 && hasLeft())) return;
      if (totalMs > 0 && elapsed() > totalMs) {
        failure = unsentResult('total_timeout', abortReasons.total_timeout);
        return;
      }
      const at = begun++;
      const result = await send(body);
      parts[at] = result;
      if (result.failure || result.status < 200 || result.status >= 300) failure ??= result;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const clientGone = hasLeft();
  const [first = emptyResult()] = parts;
  return failure ? { ...failure, ms: elapsed(), clientGone } : { ...first, ms: elapsed(), clientGone, parts };
}
