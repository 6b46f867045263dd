import type { Readable } from 'node:stream';
import type { LookupFunction } from 'node:net';
import request from 'undici/lib/api/api-request.js';
import { checkWrittenAddress } from '#http/outbound/outbound-lookup.ts';
import type { Reach } from '#http/outbound/reach.ts';
import { withUserAgent } from '#http/user-agent.ts';
import { openPool } from './open-pool.ts';
import { headerText } from './response-head.ts';

const CONNECT_MS = 5_000;
const HEAD_MS = 60_000;
const IDLE_MS = 60_000;

/** A request of the server's own whose answer is read as a stream. */
export interface StreamQuery {
  baseUrl: string;
  /** With its query; starts with a slash. */
  path: string;
  method: 'GET' | 'PUT' | 'DELETE';
  headers: Record<string, string>;
  /** A stream needs a Content-Length among the headers. */
  body?: Readable | undefined;
  /** Empty: none. */
  proxy?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface UpstreamStream {
  status: number;
  /** Lower-case names; the first of repeated headers. */
  headers: Record<string, string>;
  /** Destroy it unless it is read to its end: it holds the connection. */
  body: Readable;
}

/**
 * Sends a request on a new connection, which is closed afterwards: hosts are many and rarely asked twice. Follows no redirects.
 * Rejects for addresses that must not be connected to, and for errors of the network.
 */
export async function openStream(
  reach: Reach,
  lookup: LookupFunction,
  { baseUrl, path, method, headers, body, proxy = '', signal }: StreamQuery,
): Promise<UpstreamStream> {
  const { origin, hostname, pathname } = new URL(baseUrl);
  checkWrittenAddress(hostname, reach);
  if (proxy !== '') checkWrittenAddress(new URL(proxy).hostname, reach);
  const pool = openPool(origin, { connectMs: CONNECT_MS, proxy, lookup });
  const close = (): void => void pool.destroy().catch(() => {}); // rejects only if it was already destroyed
  try {
    const answer = await request.call(pool, {
      origin,
      path: pathname.replace(/\/$/, '') + path,
      method,
      headers: withUserAgent(headers),
      body: body ?? null,
      signal: signal ?? null,
      headersTimeout: HEAD_MS,
      bodyTimeout: IDLE_MS,
    });
    // A body that is destroyed emits an error; its reader gets that too.
    answer.body.on('error', () => {}).once('close', close);
    return { status: answer.statusCode, headers: firstOf(answer.headers), body: answer.body };
  } catch (error) {
    close();
    throw error;
  }
}

const firstOf = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerText(value)]));
