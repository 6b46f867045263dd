import type { Target as ProviderTarget } from '#providers/operation.ts';
import type { Token, TokenExchange } from '#providers/provider.ts';
import { fingerprint } from '#secrets.ts';
import type { Dispatcher, Pool as UndiciPool } from 'undici';
// The package's front door loads fetch, websockets, mocks and caches as well: 12 MB of memory for nothing.
import Pool from 'undici/lib/dispatcher/pool.js';
import request from 'undici/lib/api/api-request.js';

/** A token is asked for anew when it has less than this to live. */
const TOKEN_MARGIN_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Until the first byte of the answer's head; a long answer that is not streamed is silent until it is done. */
const HEAD_TIMEOUT_MS = 600_000;
/** Between two pieces of the answer. */
const IDLE_TIMEOUT_MS = 300_000;

/** Connections to upstreams, kept open between calls; one pool for each address. */
export interface Upstreams {
  /** Starts a request without promises; see undici's `dispatch`. */
  dispatch(
    target: ProviderTarget,
    body: Buffer,
    timeouts: { connectMs: number; idleMs: number },
    handler: Dispatcher.DispatchHandler,
  ): void;
  /** A whole request of our own. Rejects when it takes longer, or answers more, than allowed. */
  ask(
    base: string,
    path: string,
    request: { method: 'GET' | 'POST'; headers: Record<string, string>; body: string | undefined },
    timeoutMs: number,
    maxBytes: number,
  ): Promise<{ status: number; text: string }>;
  /** What a key is exchanged for, kept until shortly before it expires. Rejects when the provider gives none. */
  token(provider: string, exchange: TokenExchange, key: string): Promise<string>;
  close(): Promise<void>;
}

interface Target {
  pool: UndiciPool;
  prefix: string;
}

export function openUpstreams(): Upstreams {
  const pools = new Map<string, UndiciPool>();
  const targets = new Map<string, Target>();

  function targetOf(base: string, connectMs: number): Target {
    const name = connectMs === 0 ? base : `${base} ${connectMs}`;
    const known = targets.get(name);
    if (known) return known;
    const url = new URL(base);
    const poolName = connectMs === 0 ? url.origin : `${url.origin} ${connectMs}`;
    let pool = pools.get(poolName);
    if (!pool) {
      pool = new Pool(url.origin, {
        connections: 512,
        pipelining: 1,
        keepAliveTimeout: 30_000,
        headersTimeout: HEAD_TIMEOUT_MS,
        bodyTimeout: IDLE_TIMEOUT_MS,
        connect: { timeout: connectMs || CONNECT_TIMEOUT_MS },
        // Redirects are not followed and protocols not upgraded: a channel's address is the only place calls go to.
        allowH2: false,
      });
      pools.set(poolName, pool);
    }
    const target = { pool, prefix: url.pathname.replace(/\/$/, '') };
    targets.set(name, target);
    return target;
  }

  const tokens = new Map<string, Promise<Token>>();

  async function askForToken(exchange: TokenExchange, key: string): Promise<Token> {
    const { url, headers, body } = exchange.ask(key, Date.now());
    const { origin, pathname, search } = new URL(url);
    const asked = await upstreams.ask(origin, pathname + search, { method: 'POST', headers, body }, 10_000, 64 * 1024);
    const token = asked.status < 300 ? exchange.read(parsed(asked.text), Date.now()) : undefined;
    if (!token) throw new Error(`the provider gave no token for the key (status ${asked.status})`);
    return token;
  }

  const upstreams: Upstreams = {
    async token(provider, exchange, key) {
      const name = `${provider} ${fingerprint(key)}`;
      const known = await tokens.get(name)?.catch(() => undefined);
      if (known && known.expires > Date.now() + TOKEN_MARGIN_MS) return known.value;
      // Calls that come while a token is asked for share it.
      const asked = askForToken(exchange, key);
      tokens.set(name, asked);
      return (await asked).value;
    },
    dispatch({ baseUrl, path, headers }, body, { connectMs, idleMs }, handler) {
      const { pool, prefix } = targetOf(baseUrl, connectMs);
      const bodyTimeout = idleMs || IDLE_TIMEOUT_MS;
      pool.dispatch({ path: prefix + path, method: 'POST', headers, body, bodyTimeout }, handler);
    },
    async ask(base, path, { method, headers, body }, timeoutMs, maxBytes) {
      const { pool, prefix } = targetOf(base, 0);
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await request
        .call(pool, { path: prefix + path, method, headers, body: body ?? null, signal })
        .catch((error: Error) => {
          throw new Error(reasonOf(error), { cause: error });
        });
      const pieces: Buffer[] = [];
      let size = 0;
      for await (const piece of answer.body as AsyncIterable<Buffer>) {
        size += piece.length;
        if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
        pieces.push(piece);
      }
      return { status: answer.statusCode, text: Buffer.concat(pieces).toString('utf8') };
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
  return upstreams;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why there is no answer, without addresses and stack. */
export function reasonOf(error: Error & { code?: string }): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return 'the connection was refused';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name was not found';
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'no connection in time';
    case 'UND_ERR_HEADERS_TIMEOUT':
      return 'no answer in time';
    case 'UND_ERR_BODY_TIMEOUT':
      return 'the answer stopped';
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return 'the connection was closed';
    default:
      return error.name === 'TimeoutError'
        ? 'no answer in time'
        : `the connection failed (${error.code ?? error.name})`;
  }
}
