import { codeOf } from '#caught-error.ts';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import { AppError, ensure } from '#errors.ts';
import { reachable } from './outbound-lookup.ts';
import { type Address, hostOf, openRoute } from './outbound-way.ts';
import { PrivateAddress, privateRefusal, type Reach } from './reach.ts';
import { userAgent } from '#http/user-agent.ts';

const MOST_REDIRECTS = 3;

export type Resolve = (host: string) => Promise<Address[]>;

/** Sent instead of a plain GET. */
export interface OutboundRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface OutboundOptions {
  reach: Reach;
  /** For the proxy, which an operator has entered; default: `reach`. */
  proxyReach?: Reach;
  maxBytes: number;
  /** From DNS lookup to the last byte, redirects included. */
  timeoutMs: number;
  /** Media types, as in the Accept header. */
  accept: string;
  /** The input field to report when the address is refused. */
  field?: string | undefined;
  /** May hold secrets, so redirects are not followed, and every status is a valid response. */
  request?: OutboundRequest | undefined;
  /** `http://`, `https://` or `socks5://`; empty: a direct connection. */
  proxy?: string | undefined;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
  resolve?: Resolve;
}

export interface Fetched {
  /** Address of the response, after redirects. */
  address: string;
  status: number;
  contentType: string;
  /** Lower-case names; repeated headers are joined by a comma. */
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * Fetches an address that a user entered. Resolves each name once, requires all its addresses to be allowed, and
 * connects to one of them, so that DNS rebinding cannot lead elsewhere. Checks each redirect the same way. Throws only
 * `outbound.*`.
 */
export async function fetchGuarded(address: string, options: OutboundOptions): Promise<Fetched> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const timer = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
  let url = parse(address, options);
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const answer = await fetchOnce(url, options, timer);
    if (!(answer instanceof URL)) return answer;
    url = answer;
  }
  throw new AppError('outbound.redirects', { field: options.field, limit: MOST_REDIRECTS });
}

function parse(address: string, { field }: OutboundOptions, base?: URL): URL {
  const url = URL.parse(address, base);
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  ensure(url && isHttp && url.username === '' && url.password === '', 'outbound.address', { field });
  return url;
}

/** The response, or the target of its redirect. */
async function fetchOnce(url: URL, options: OutboundOptions, signal: AbortSignal): Promise<Fetched | URL> {
  const { field, accept, request: sent, proxy = '', reach, proxyReach = reach } = options;
  const addresses = await pinned(hostOf(url), options, signal);
  const { request } = await import('undici');
  let way: Awaited<ReturnType<typeof openRoute>> | undefined;
  try {
    way = await openRoute(url, addresses, proxy, proxyReach);
    const answer = await request(way.to, {
      dispatcher: way.dispatcher,
      signal,
      method: sent?.method ?? 'GET',
      body: sent?.body ?? null,
      headers: {
        accept,
        'user-agent': userAgent,
        ...sent?.headers,
        ...way.headers,
        'accept-encoding': 'identity',
      },
    });
    const { statusCode: status, headers } = answer;
    if (!sent) {
      const location = status >= 300 && status < 400 ? headers['location'] : undefined;
      if (typeof location === 'string') return redirected(location, url, options);
      ensure(status === 200, 'outbound.status', { field, host: url.host, status });
    }
    const contentType = String(headers['content-type'] ?? '');
    return {
      address: url.href,
      status,
      contentType,
      headers: joinedHeaders(headers),
      body: await read(answer, options),
    };
  } catch (error) {
    throw asAppError(error, url, options, signal);
  } finally {
    // Do not wait for data that is still in transit.
    void way?.dispatcher.destroy().catch(() => {});
  }
}

const joinedHeaders = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );

function redirected(location: string, from: URL, options: OutboundOptions): URL {
  const url = parse(location, options, from);
  // No redirect from HTTPS to HTTP.
  ensure(from.protocol !== 'https:' || url.protocol === 'https:', 'outbound.address', { field: options.field });
  return url;
}

async function read({ body, headers }: Dispatcher.ResponseData, { maxBytes, field }: OutboundOptions): Promise<Buffer> {
  const tooLarge = () => new AppError('outbound.too_large', { field, limit: `${maxBytes / 1024 / 1024} MiB` });
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The addresses of a host. One address that is not allowed makes all of them suspect. */
async function pinned(host: string, options: OutboundOptions, signal: AbortSignal): Promise<Address[]> {
  const { field, reach, resolve = lookUp } = options;
  const family = isIP(host);
  const addresses = family === 0 ? await withTime(resolve(host), host, options, signal) : [{ address: host, family }];
  ensure(addresses.length > 0, 'outbound.unresolved', { field, host });
  try {
    return reachable(host, addresses, reach);
  } catch (error) {
    throw error instanceof PrivateAddress ? privateRefusal(error, field) : error;
  }
}

const lookUp: Resolve = (host) => lookup(host, { all: true, verbatim: true });

async function withTime(
  looking: Promise<Address[]>,
  host: string,
  { field }: OutboundOptions,
  signal: AbortSignal,
): Promise<Address[]> {
  const late = Promise.withResolvers<never>();
  const onAbort = () => late.reject(new AppError('outbound.timeout', { field, host }));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([looking, late.promise]);
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('outbound.unresolved', { field, host });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function asAppError(error: unknown, { host }: URL, { field }: OutboundOptions, signal: AbortSignal): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof PrivateAddress) return privateRefusal(error, field);
  if (signal.aborted) return new AppError('outbound.timeout', { field, host });
  return new AppError('outbound.failed', { field, host, reason: codeOf(error) || 'unknown' });
}
