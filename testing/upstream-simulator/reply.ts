import type { JsonObject } from './behaviour.ts';

/** An outgoing reply: faults modify it, `deliver` sends it. */
export interface SimulatedReply {
  status: number;
  headers: Record<string, string>;
  /** A stream of events (chunked), or one body with a length. */
  stream: boolean;
  /** Sent separately; in a stream each is an event. */
  parts: (string | Buffer)[];
  /** A Content-Length other than the body's. */
  announcedBytes?: number;
  /** From the headers to the first part. */
  firstMs: number;
  /** Between parts. */
  paceMs: number;
  /** After the last part: end, drop the connection, or stay open silently. */
  ending: 'end' | 'cut' | 'silence';
}

const jsonType = { 'content-type': 'application/json' };
const streamType = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

export function jsonReply(status: number, body: JsonObject): SimulatedReply {
  return {
    status,
    headers: jsonType,
    stream: false,
    parts: [JSON.stringify(body)],
    firstMs: 0,
    paceMs: 0,
    ending: 'end',
  };
}

export function streamReply(events: string[], firstMs: number, paceMs: number): SimulatedReply {
  return { status: 200, headers: streamType, stream: true, parts: events, firstMs, paceMs, ending: 'end' };
}
