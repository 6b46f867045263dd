import { type Sent, unsent } from './sent.ts';

/** So many requests of one call are open at once. */
const AT_ONCE = 4;

/** When a call that goes out in parts has to end. */
interface Terms {
  /** 0: never. */
  totalMs: number;
  left(): boolean;
}

/**
 * Sends what one call asks in several requests, a few at a time. It comes to the first failure, after which nothing more
 * is begun, or to the answers in their order. Whoever leaves has nothing more begun for him. Never rejects.
 */
export async function sendParts(
  bodies: readonly Buffer[],
  send: (body: Buffer) => Promise<Sent>,
  { totalMs, left }: Terms,
): Promise<Sent> {
  const startMs = performance.now();
  const elapsed = () => Math.round(performance.now() - startMs);
  const parts: Sent[] = [];
  let begun = 0;
  let failure: Sent | undefined;
  const work = async (): Promise<void> => {
    while (begun < bodies.length && !failure && (begun === 0 || !left())) {
      if (totalMs > 0 && elapsed() > totalMs) {
        failure = unsent('total_timeout', 'the answers took longer than the channel allows');
        return;
      }
      const at = begun++;
      const sent = await send(bodies[at]!); // below their number
      parts[at] = sent;
      if (sent.failure || sent.status < 200 || sent.status >= 300) failure ??= sent;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const clientGone = left();
  return failure ? { ...failure, ms: elapsed(), clientGone } : { ...parts[0]!, ms: elapsed(), clientGone, parts };
}
