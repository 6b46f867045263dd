import type { LiveChannel, LiveKey } from './routing-table.ts';
import { type Standing, Trouble, WELL } from './trouble.ts';

/** The way of a request: the origin it goes to, and the proxy on the way; empty: none. */
export interface Route {
  baseUrl: string;
  proxy: string;
}

/**
 * Hosts to which no connection could be made, in the memory of this node: a rest is shared by all channels at a host. A
 * host behind a proxy is a host of its own, and so is a proxy that does not answer.
 */
export class HostHealth {
  readonly #troubles = new Map<string, Trouble>();
  /** Where a channel's calls really go, of those whose address is not the channel's own. */
  readonly #elsewhere = new WeakMap<LiveKey, Map<unknown, Route>>();

  /** No connection could be made, so nothing was sent. The milliseconds for which it is closed from now on, or 0. */
  failed(host: string, cooldownMs: number, now: number, began: number): number {
    if (cooldownMs === 0) return 0;
    const trouble = this.#troubles.get(host) ?? new Trouble();
    this.#troubles.set(host, trouble);
    return trouble.failed(cooldownMs, undefined, now, { cause: 'connect', unclear: false, caller: 0, began });
  }

  /** It has answered. */
  succeeded(route: Route): void {
    if (this.#troubles.size === 0) return;
    for (const host of hostsOf(route)) this.#troubles.delete(host);
  }

  probed(route: Route, now: number): void {
    for (const host of hostsOf(route)) this.#troubles.get(host)?.probed(0, now);
  }

  /** The worse of a host and the proxy on the way to it. */
  of(route: Route, now: number): Standing {
    let worst = WELL;
    for (const host of hostsOf(route)) {
      const standing = this.#troubles.get(host)?.standing(0, now) ?? WELL;
      if (order[standing.health] > order[worst.health]) worst = standing;
    }
    return worst;
  }

  get untroubled(): boolean {
    return this.#troubles.size === 0;
  }

  /** Where a channel's calls go with one of its keys, as far as that is known before one is made. */
  routeOf({ baseUrl }: LiveChannel, key: LiveKey, operation: unknown): Route {
    return this.#elsewhere.get(key)?.get(operation) ?? { baseUrl, proxy: key.proxy };
  }

  /** Remembers where they went. */
  learn({ baseUrl }: LiveChannel, key: LiveKey, operation: unknown, route: Route): void {
    if (originOf(route.baseUrl) === originOf(baseUrl) && route.proxy === key.proxy) return;
    const known = this.#elsewhere.get(key) ?? new Map<unknown, Route>();
    this.#elsewhere.set(key, known.set(operation, route));
  }

  /** Until when none of a channel's hosts is used; 0: one is. */
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

  /** Holds nothing against a channel's hosts any more. */
  forget({ baseUrl, keys }: LiveChannel): void {
    for (const { proxy } of keys) this.succeeded({ baseUrl, proxy });
  }

  sweep(now: number): void {
    for (const [host, trouble] of this.#troubles) if (trouble.isOver(now)) this.#troubles.delete(host);
  }
}

const order = { well: 0, probe: 1, frozen: 2, closed: 3 } as const;

/** Errors that tell that the first hop could not be reached; behind a proxy, that is the proxy. */
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

/** The host that a failed connection is held against. */
export function unreachedHost(route: Route, code: string | undefined): string {
  const [host, proxy] = hostsOf(route);
  return proxy !== undefined && code !== undefined && ofFirstHop.has(code) ? proxy : host;
}

/** The host of a route, with its port and without names of users: `api.example.com:443`, `… via proxy:8080`. */
export const hostName = (route: Route): string => hostsOf(route)[0];

/** Whether a route leads to one of these hosts, or through one of these proxies. */
export const leadsToAny = (route: Route, hosts: ReadonlySet<string>): boolean =>
  hosts.size > 0 && hostsOf(route).some((host) => hosts.has(host));

/** The origin, through its proxy, and the proxy itself. */
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
