import type { LiveChannel, LiveKey } from './routing-table.ts';
import { type HealthForCaller, Trouble, WELL } from './trouble.ts';

/** Where a request goes: the origin, and the proxy on the way; empty: none. */
export interface Route {
  baseUrl: string;
  proxy: string;
}

/**
 * Unreachable hosts, in the memory of this node; all channels at a host share its state. A host behind a proxy is
 * tracked separately, and so is an unreachable proxy.
 */
export class HostHealth {
  readonly #troubles = new Map<string, Trouble>();
  /** Actual routes of calls that do not go to the channel's own base URL. */
  readonly #elsewhere = new WeakMap<LiveKey, Map<unknown, Route>>();

  /** No connection could be made, so nothing was sent. Returns the milliseconds for which the host is closed, or 0. */
  failed(host: string, cooldownMs: number, now: number, began: number): number {
    if (cooldownMs === 0) return 0;
    const trouble = this.#troubles.get(host) ?? new Trouble();
    this.#troubles.set(host, trouble);
    return trouble.failed(cooldownMs, undefined, now, { cause: 'connect', unclear: false, caller: 0, began });
  }

  /** The host has answered. */
  succeeded(route: Route): void {
    if (this.#troubles.size === 0) return;
    for (const host of hostsOf(route)) this.#troubles.delete(host);
  }

  probed(route: Route, now: number): void {
    for (const host of hostsOf(route)) this.#troubles.get(host)?.probed(0, now);
  }

  /** The worse state of a host and the proxy on the way to it. */
  of(route: Route, now: number): HealthForCaller {
    let worst = WELL;
    for (const host of hostsOf(route)) {
      const state = this.#troubles.get(host)?.healthFor(0, now) ?? WELL;
      if (order[state.health] > order[worst.health]) worst = state;
    }
    return worst;
  }

  get untroubled(): boolean {
    return this.#troubles.size === 0;
  }

  /** The route of a channel's calls with a key, as far as known before a call. */
  routeOf({ baseUrl }: LiveChannel, key: LiveKey, operation: unknown): Route {
    return this.#elsewhere.get(key)?.get(operation) ?? { baseUrl, proxy: key.proxy };
  }

  /** Remembers the actual route of a call. */
  learn({ baseUrl }: LiveChannel, key: LiveKey, operation: unknown, route: Route): void {
    if (originOf(route.baseUrl) === originOf(baseUrl) && route.proxy === key.proxy) return;
    const known = this.#elsewhere.get(key) ?? new Map<unknown, Route>();
    this.#elsewhere.set(key, known.set(operation, route));
  }

  /** Until when all of a channel's hosts are frozen; 0: one is usable. */
  frozenUntil({ baseUrl, keys }: LiveChannel, now: number): number {
    if (this.untroubled) return 0;
    let until = Infinity;
    for (const { proxy } of keys) until = Math.min(until, this.#restOf({ baseUrl, proxy }));
    return until > now && until !== Infinity ? until : 0;
  }

  #restOf(route: Route): number {
    let until = 0;
    for (const host of hostsOf(route)) until = Math.max(until, this.#troubles.get(host)?.frozenUntil ?? 0);
    return until;
  }

  /** Clears the failures of a channel's hosts. */
  forget({ baseUrl, keys }: LiveChannel): void {
    for (const { proxy } of keys) this.succeeded({ baseUrl, proxy });
  }

  sweep(now: number): void {
    for (const [host, trouble] of this.#troubles) if (trouble.isOver(now)) this.#troubles.delete(host);
  }
}

const order = { well: 0, probe: 1, frozen: 2, closed: 3 } as const;

/** Errors of the first hop; behind a proxy, that is the proxy. */
const ofFirstHop = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_PRIVATE_ADDRESS',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_PRX_CONN',
  'UND_ERR_PRX_TLS',
]);

/** The host charged with a failed connection. */
export function unreachedHost(route: Route, code: string | undefined): string {
  const [host, proxy] = hostsOf(route);
  return proxy !== undefined && code !== undefined && ofFirstHop.has(code) ? proxy : host;
}

/** The host of a route, with port and without credentials: `api.example.com:443`, `… via proxy:8080`. */
export const hostName = (route: Route): string => hostsOf(route)[0];

/** Whether a route leads to one of these hosts, or through one of these proxies. */
export const leadsToAny = (route: Route, hosts: ReadonlySet<string>): boolean =>
  hosts.size > 0 && hostsOf(route).some((host) => hosts.has(host));

/** The origin through its proxy, and the proxy itself. */
function hostsOf({ baseUrl, proxy }: Route): [host: string, ...proxy: string[]] {
  const origin = originOf(baseUrl);
  if (proxy === '') return [origin];
  const way = originOf(proxy);
  return [`${origin} via ${way}`, way];
}

const ports: Readonly<Record<string, string>> = { 'http:': '80', 'ws:': '80', 'https:': '443', 'wss:': '443' };

const origins = new Map<string, string>();
const MOST_ORIGINS = 10_000;

function originOf(address: string): string {
  let origin = origins.get(address);
  if (origin === undefined) {
    const url = URL.parse(address);
    origin = url ? `${url.hostname}:${url.port || (ports[url.protocol] ?? '1080')}` : address;
    if (origins.size >= MOST_ORIGINS) origins.clear();
    origins.set(address, origin);
  }
  return origin;
}
