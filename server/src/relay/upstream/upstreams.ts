import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import { checkWrittenAddress, guardedLookup } from '#http/outbound/outbound-lookup.ts';
import type { Reach } from '#http/outbound/reach.ts';
import { withUserAgent } from '#http/user-agent.ts';
import { isOutOfFiles } from '#process/out-of-files.ts';
import type { CallTarget as ProviderTarget } from '#providers/operation.ts';
import type { Token, TokenExchange } from '#providers/provider.ts';
import { fingerprint } from '#secrets.ts';
import { errorCode } from '#relay/body/error-code.ts';
import { HEAD_TIMEOUT_MS, IDLE_TIMEOUT_MS, openPool } from './open-pool.ts';
import { openStream, type StreamQuery, type UpstreamStream } from './open-stream.ts';
import { headerText } from './response-head.ts';

/** A token with less remaining lifetime is renewed. */
const TOKEN_MARGIN_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** Keep-alive connections to upstreams: one pool per origin and proxy. */
export interface Upstreams {
  /**
   * Starts a request without promises; see undici's `dispatch`. Once it is sent, the result shows whether that was on a
   * connection that had served another request.
   */
  dispatch(
    target: ProviderTarget & { method?: string; proxy?: string; upgrade?: string },
    body: Buffer | Readable | null,
    timeouts: { connectMs: number; idleMs: number },
    handler: Dispatcher.DispatchHandler,
  ): () => boolean;
  /** A request of the server's own. Rejects for a timeout, an oversized reply or an abort. */
  ask(query: UpstreamQuery): Promise<UpstreamReply>;
  /** A request of the server's own whose answer is a stream; see `openStream`. */
  open(query: StreamQuery): Promise<UpstreamStream>;
  /** The token for a key, cached until shortly before it expires. Rejects if the provider issues none. */
  token(provider: string, exchange: TokenExchange, key: string, proxy?: string): Promise<string>;
  /** Rechecks every address, open connections included; running calls finish. */
  checkAnew(): void;
  close(): Promise<void>;
}

/** A request of the server's own. */
export interface UpstreamQuery {
  baseUrl: string;
  /** With its query; starts with a slash. */
  path: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
  timeoutMs: number;
  maxBytes: number;
  /** Left out or empty: none. */
  proxy?: string;
  signal?: AbortSignal | undefined;
}

export interface UpstreamReply {
  status: number;
  bytes: Buffer;
  text: string;
  contentType: string;
}

interface CountedPool {
  pool: Dispatcher;
  /** Connections made so far. */
  made: number;
}

interface PoolTarget {
  connections: CountedPool;
  origin: string;
  prefix: string;
}

/** `reach` decides which addresses may be connected to. */
export function openUpstreams(reach: Reach): Upstreams {
  const lookup = guardedLookup(reach);
  const pools = new Map<string, CountedPool>();
  const targets = new Map<string, PoolTarget>();
  const closing = new Set<Dispatcher>();

  function targetOf(base: string, connectMs: number, proxy: string, tunnel = false): PoolTarget {
    const direct = connectMs === 0 ? base : `${base} ${connectMs}`;
    const through = tunnel ? `${proxy} tunnel` : proxy;
    const name = proxy === '' ? direct : `${direct} ${through}`;
    const known = targets.get(name);
    if (known) return known;
    const { origin, hostname, pathname } = new URL(base);
    checkWrittenAddress(hostname, reach);
    if (proxy !== '') checkWrittenAddress(new URL(proxy).hostname, reach);
    const poolName = [origin, connectMs, through].join(' ');
    let connections = pools.get(poolName);
    if (!connections) {
      const pool = openPool(origin, { connectMs: connectMs || CONNECT_TIMEOUT_MS, proxy, tunnel, lookup });
      const counted: CountedPool = { pool, made: 0 };
      pool.on('connect', () => counted.made++);
      pools.set(poolName, (connections = counted));
    }
    const target = { connections, origin, prefix: pathname.replace(/\/$/, '') };
    targets.set(name, target);
    return target;
  }

  /** Like `targetOf`, with a readable error for a refused address. */
  function reachableTarget(base: string, proxy: string): PoolTarget {
    try {
      return targetOf(base, 0, proxy);
    } catch (error) {
      throw new Error(reasonOf(error), { cause: error });
    }
  }

  const upstreams: Upstreams = {
    token: tokensBy((query) => upstreams.ask(query)),
    dispatch({ baseUrl, path, headers, method = 'POST', proxy = '', upgrade }, body, { connectMs, idleMs }, handler) {
      // HTTP proxies do not forward upgrades, so these need a tunnel.
      const isTunnel = proxy !== '' && upgrade !== undefined;
      const { connections, prefix, origin } = targetOf(baseUrl, connectMs, proxy, isTunnel);
      const { made, pool } = connections;
      const bodyTimeout = idleMs || IDLE_TIMEOUT_MS;
      pool.dispatch(
        {
          origin,
          path: prefix + path,
          method,
          headers,
          body,
          headersTimeout: HEAD_TIMEOUT_MS,
          bodyTimeout,
          upgrade: upgrade ?? null,
        },
        handler,
      );
      return () => proxy === '' && connections.made === made;
    },
    async ask({ baseUrl, path, method, headers, body, timeoutMs, maxBytes, proxy = '', signal: aborted }) {
      const { connections, prefix, origin } = reachableTarget(baseUrl, proxy);
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = aborted ? AbortSignal.any([timeout, aborted]) : timeout;
      const answer = await request
        .call(connections.pool, {
          origin,
          path: prefix + path,
          method,
          headers: withUserAgent(headers),
          body: body ?? null,
          signal,
        })
        .catch((error: unknown) => {
          throw new Error(reasonOf(error), { cause: error });
        });
      const pieces: Buffer[] = [];
      let size = 0;
      const chunks: AsyncIterable<Buffer> = answer.body;
      for await (const piece of chunks) {
        size += piece.length;
        if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
        pieces.push(piece);
      }
      const bytes = Buffer.concat(pieces);
      const contentType = headerText(answer.headers['content-type']);
      return { status: answer.statusCode, bytes, text: bytes.toString('utf8'), contentType };
    },
    open: (query) =>
      openStream(reach, lookup, query).catch((error: unknown) => {
        throw new Error(reasonOf(error), { cause: error });
      }),
    checkAnew() {
      const open = [...pools.values()];
      targets.clear();
      pools.clear();
      for (const { pool } of open) {
        closing.add(pool);
        void pool
          .close()
          .catch(() => {}) // rejects only if it was already destroyed
          .finally(() => closing.delete(pool));
      }
    },
    async close() {
      const open = [...pools.values()].map(({ pool }) => pool);
      await Promise.all([...open, ...closing].map((pool) => pool.destroy()));
    },
  };
  return upstreams;
}

/** Requests tokens, and keeps each until shortly before its end. */
function tokensBy(ask: Upstreams['ask']): Upstreams['token'] {
  const tokens = new Map<string, Promise<Token>>();
  const requestToken = (exchange: TokenExchange, key: string, proxy: string): Promise<Token> =>
    exchange(key, async ({ url, headers, body }) => {
      const { origin, pathname, search } = new URL(url);
      const reply = await ask({
        baseUrl: origin,
        path: pathname + search,
        method: 'POST',
        headers,
        body,
        timeoutMs: 10_000,
        maxBytes: 64 * 1024,
        proxy,
      });
      return { status: reply.status, json: parsed(reply.text) };
    });
  return async (provider, exchange, key, proxy = '') => {
    const name = `${provider} ${fingerprint(key)}`;
    // After a failed request, a new one is sent.
    const known = await tokens.get(name)?.catch(() => undefined);
    if (known && known.expires > Date.now() + TOKEN_MARGIN_MS) return known.value;
    // Concurrent calls share one token request.
    const requested = requestToken(exchange, key, proxy);
    tokens.set(name, requested);
    return (await requested).value;
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Kind of a connection failure. A lack of file descriptors is this server's fault, not the channel's. */
export function failureCodeOf(error: unknown, status: number) {
  if (errorCode(error).endsWith('_TIMEOUT')) return 'timeout';
  if (status !== 0) return 'stream_broken';
  return isOutOfFiles(error) ? 'out_of_files' : 'connect_failed';
}

/** Why there is no response, without addresses and stack. */
export function reasonOf(error: unknown): string {
  if (isOutOfFiles(error)) return 'this server has no file descriptors left';
  const code = errorCode(error);
  switch (code) {
    case 'ECONNREFUSED':
      return 'the connection was refused';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name was not found';
    case 'ERR_PRIVATE_ADDRESS':
      return 'the address is in a private network that is not allowed';
    case 'UND_ERR_PRX_CONN':
    case 'UND_ERR_PRX_TLS':
    case 'UND_ERR_ABORTED':
      return 'the proxy did not connect';
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'no connection in time';
    case 'UND_ERR_HEADERS_TIMEOUT':
      return 'no answer in time';
    case 'UND_ERR_BODY_TIMEOUT':
      return 'the answer stopped';
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return 'the connection was closed';
    default: {
      const name = error instanceof Error ? error.name : '';
      return name === 'TimeoutError' ? 'no answer in time' : `the connection failed (${code || name})`;
    }
  }
}
