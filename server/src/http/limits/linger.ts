import type { IncomingMessage } from 'node:http';

/** How long a refused body is read on. */
export const LINGER_MS = 30_000;

/**
 * Lets a caller whose body is refused come to the answer: whoever is still sending reads nothing, and to close the
 * connection under him would take the answer away. What he sends is thrown away, for a while.
 */
export function linger(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.destroy(), LINGER_MS).unref();
  request.once('close', () => clearTimeout(timer));
}
