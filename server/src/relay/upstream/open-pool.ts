import { createRequire } from 'node:module';
import type { LookupFunction } from 'node:net';
import type { Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import connector from 'undici/lib/core/connect.js';
// The package's front door loads fetch, websockets, mocks and caches as well: 12 MB of memory for nothing.
import Pool from 'undici/lib/dispatcher/pool.js';

/** Until the first byte of the answer's head; a long answer that is not streamed is silent until it is done. */
export const HEAD_TIMEOUT_MS = 600_000;
/** Between two pieces of the answer. */
export const IDLE_TIMEOUT_MS = 300_000;

/** The way to an origin. */
export interface PoolRoute {
  connectMs: number;
  /** `http://`, `https://` or `socks5://`, with a user where there is one; empty: straight there. */
  proxy: string;
  /** Through an HTTP proxy, a tunnel also for what is not encrypted, which it forwards otherwise. */
  tunnel?: boolean;
  lookup: LookupFunction;
}

const limits = {
  // Beyond these, calls would wait for one to end: a guard against running out of files, not a limit for a busy relay.
  connections: 4096,
  pipelining: 1,
  keepAliveTimeout: 30_000,
  headersTimeout: HEAD_TIMEOUT_MS,
  bodyTimeout: IDLE_TIMEOUT_MS,
  // Redirects are not followed and protocols not upgraded: a channel's address is the only place calls go to.
  allowH2: false,
} as const;

/** Connections to an origin that are kept open between calls. Never shared between two proxies. */
export function openPool(origin: string, way: PoolRoute): Dispatcher {
  const { connectMs: timeout, proxy, lookup } = way;
  if (proxy === '') return new Pool(origin, { ...limits, connect: { timeout, lookup } });
  return proxy.startsWith('socks') ? throughSocks(way) : throughHttp(way);
}

// Most servers have no proxies, and these are not loaded then.
const load = createRequire(import.meta.url);

function throughHttp({ connectMs, proxy, tunnel = false, lookup }: PoolRoute): Dispatcher {
  const Agent = load('undici/lib/dispatcher/proxy-agent.js') as typeof ProxyAgent;
  // What the package's front door makes a method of every pool.
  const connect = load('undici/lib/api/api-connect.js') as Dispatcher['connect'];
  return new Agent({
    uri: proxy,
    connectTimeout: connectMs,
    proxyTunnel: tunnel,
    proxyTls: { lookup, allowH2: false } as ProxyAgent.Options['proxyTls'] & object,
    requestTls: { allowH2: false } as ProxyAgent.Options['requestTls'] & object,
    factory: (to, options) => new Pool(to, Object.assign(options, limits)),
    // A proxy that says nothing is given up like an upstream that cannot be reached.
    clientFactory: (to, options) => Object.assign(new Pool(to, { ...options, headersTimeout: connectMs }), { connect }),
  });
}

function throughSocks({ connectMs, proxy, lookup }: PoolRoute): Dispatcher {
  const Agent = load('undici/lib/dispatcher/socks5-proxy-agent.js') as typeof Socks5ProxyAgent;
  // The proxy looks the upstream's name up, in its own network.
  return new Agent(proxy.replace(/^socks\w*:/, 'socks5:'), {
    connectTimeout: connectMs,
    connect: connector({ timeout: connectMs, lookup, allowH2: false }),
  });
}
