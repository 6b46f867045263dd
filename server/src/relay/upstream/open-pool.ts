import { createRequire } from 'node:module';
import type { LookupFunction } from 'node:net';
import type { Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import connector from 'undici/lib/core/connect.js';
// The package's main entry also loads fetch, WebSocket, mocks and caches: 12 MB of memory.
import Pool from 'undici/lib/dispatcher/pool.js';

/** Until the response head; a long reply that is not streamed is silent until it is complete. */
export const HEAD_TIMEOUT_MS = 600_000;
/** Between two chunks of the response. */
export const IDLE_TIMEOUT_MS = 300_000;

export interface PoolRoute {
  connectMs: number;
  /** `http://`, `https://` or `socks5://`, with credentials if needed; empty: none. */
  proxy: string;
  /** HTTP proxies forward plain requests; `tunnel` makes them connect instead. */
  tunnel?: boolean;
  lookup: LookupFunction;
}

const limits = {
  // Calls beyond this number wait. It guards against running out of file descriptors.
  connections: 4096,
  pipelining: 1,
  keepAliveTimeout: 30_000,
  headersTimeout: HEAD_TIMEOUT_MS,
  bodyTimeout: IDLE_TIMEOUT_MS,
  // Redirects are not followed and protocols not upgraded: a call goes to the channel's address only.
  allowH2: false,
} as const;

/** Keep-alive connections to an origin. Never shared between two proxies. */
export function openPool(origin: string, route: PoolRoute): Dispatcher {
  const { connectMs: timeout, proxy, lookup } = route;
  if (proxy === '') return new Pool(origin, { ...limits, connect: { timeout, lookup } });
  return proxy.startsWith('socks') ? throughSocks(route) : throughHttp(route);
}

// Loaded on demand, since most servers have no proxy.
const load = createRequire(import.meta.url);

function throughHttp({ connectMs, proxy, tunnel = false, lookup }: PoolRoute): Dispatcher {
  const Agent = load('undici/lib/dispatcher/proxy-agent.js') as typeof ProxyAgent;
  // The package's main entry adds this method to every pool.
  const connect = load('undici/lib/api/api-connect.js') as Dispatcher['connect'];
  return new Agent({
    uri: proxy,
    connectTimeout: connectMs,
    proxyTunnel: tunnel,
    proxyTls: { lookup, allowH2: false } as ProxyAgent.Options['proxyTls'] & object,
    requestTls: { allowH2: false } as ProxyAgent.Options['requestTls'] & object,
    factory: (to, options) => new Pool(to, Object.assign(options, limits)),
    // A silent proxy times out like an unreachable upstream.
    clientFactory: (to, options) => Object.assign(new Pool(to, { ...options, headersTimeout: connectMs }), { connect }),
  });
}

function throughSocks({ connectMs, proxy, lookup }: PoolRoute): Dispatcher {
  const Agent = load('undici/lib/dispatcher/socks5-proxy-agent.js') as typeof Socks5ProxyAgent;
  // The proxy resolves the host name, in its own network.
  return new Agent(proxy.replace(/^socks\w*:/, 'socks5:'), {
    connectTimeout: connectMs,
    connect: connector({ timeout: connectMs, lookup, allowH2: false }),
  });
}
