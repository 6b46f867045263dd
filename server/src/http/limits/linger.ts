import type { IncomingMessage } from 'node:http';

/** How long a refused body is read and discarded. */
export const LINGER_MS = 30_000;

/**
 * Lets the client read the response to a refused body. A client that is still sending does not read, and closing the
 * connection would discard the response. The rest of the body is discarded for a while.
 */
export function linger(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.destroy(), LINGER_MS).unref();
  request.once('close', () => clearTimeout(timer));
}
