import type { Envelope } from '@relay-hub/contract';

/** Replies of the server in the page itself, by address of the request. */
type Replies = Partial<Record<string, Envelope<unknown>>>;

/** Milliseconds after the first request from which replies in the page are too old. */
const lifetimeMs = 15_000;

let replies: Replies | undefined;
let readAtMs = 0;

/**
 * The reply to a GET request that came with the page, once: the server makes the first ones of a page while its scripts
 * load. Undefined if there is none, or 15 seconds after the first request.
 */
export function takeFirstReply(address: string): Envelope<unknown> | undefined {
  if (!replies) {
    replies = readReplies();
    readAtMs = performance.now();
  }
  const reply = replies[address];
  delete replies[address];
  return performance.now() - readAtMs < lifetimeMs ? reply : undefined;
}

function readReplies(): Replies {
  const place = globalThis.document?.querySelector('#first-replies');
  return JSON.parse(place?.textContent ?? '{}') as Replies; // the server wrote its own replies
}
