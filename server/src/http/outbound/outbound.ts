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

/** What is sent instead of a plain GET. */
export interface OutboundRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface OutboundOptions {
  reach: Reach;
  /** For the proxy, which an operator has entered; left out: `reach`. */
  proxyReach?: Reach;
  maxBytes: number;
  /** From the look-up of the name to the last byte, redirects included. */
  timeoutMs: number;
  /** Media types, as in the Accept header. */
  accept: string;
  /** The input that is to blame when the address is refused. */
  field?: string | undefined;
  /** It may hold secrets: it goes nowhere else by a redirect, and every status is an answer. */
  request?: OutboundRequest | undefined;
  /** `http://`, `https://` or `socks5://`; left out or empty: straight there. */
  proxy?: string | undefined;
  /** Ends it before its time is up. */
  signal?: AbortSignal | undefined;
  resolve?: Resolve;
}

export interface Fetched {
  /** Where the answer came from, after redirects. */
  address: string;
  status: number;
  contentType: string;
  body: Buffer;
}

/**
 * Fetches from an address that somebody typed in. Every name is looked up here, every address that it has must be
 * allowed, and the connection goes to one of those very addresses, so that a second look-up cannot lead elsewhere;
 * each redirect is held to the same. Throws `outbound.*`, and nothing else.
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

/** The answer, or where it says to look instead. */
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
    return { address: url.href, status, contentType, body: await read(answer, options) };
  } catch (error) {
    throw told(error, url, options, signal);
  } finally {
    // Whatever is still on its way is not waited for.
    void way?.dispatcher.destroy().catch(() => {});
  }
}

function redirected(location: string, from: URL, options: OutboundOptions): URL {
  const url = parse(location, options, from);
  // What began in secret does not go on in the open.
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

/** The addresses of a host, all of them allowed: one that is not makes the others suspect. */
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

function told(error: unknown, { host }: URL, { field }: OutboundOptions, signal: AbortSignal): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof PrivateAddress) return privateRefusal(error, field);
  if (signal.aborted) return new AppError('outbound.timeout', { field, host });
  return new AppError('outbound.failed', { field, host, reason: codeOf(error) || 'unknown' });
}
