import { existsSync } from 'node:fs';
import path from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { setTimeout as wait } from 'node:timers/promises';
import fastifyStatic from '@fastify/static';
import { type Language, languageCodes } from '@relay-hub/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { replyLanguage } from '#http/reply-language.ts';
import { pageHeaders, pagePolicy } from '#http/security-headers.ts';
import { findSignedIn } from '#http/session/session.ts';
import { takenCoding } from './coding.ts';
import { readConsolePage, visitorOf } from './console-page.ts';

/** Timeout for all replies together. The browser sends the requests whose replies are missing. */
const WAIT_MS = 600;
/** Larger replies are left to the browser, so that the page does not wait for their transfer. */
const MOST_CHARACTERS = 400_000;

/** Headers that describe the request for the page, not the visitor. */
const ofThePage = /^(accept|accept-encoding|content-.*|if-.*|range|sec-fetch-.*|connection|upgrade.*)$/;

interface Wanted {
  addresses: readonly string[];
  language: Language;
}

/**
 * JSON object with the replies to GET requests of a page, by address: made by the routes themselves, with the visitor's
 * own session and address. Failed, slow and large replies are missing. Safe inside of `<script>`.
 */
async function firstReplies(
  app: FastifyInstance,
  request: FastifyRequest,
  { addresses, language }: Wanted,
): Promise<string> {
  const replies = new Map<string, string>();
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !ofThePage.test(name)));
  const fetchOne = async (url: string): Promise<void> => {
    const reply = await app.inject({
      method: 'GET',
      url,
      headers: {
        ...headers,
        accept: 'application/json',
        'x-relay-envelope': 'native',
        'accept-language': language.replace('_', '-'),
      },
      remoteAddress: request.socket.remoteAddress ?? '',
    });
    const isData = reply.statusCode === 200 && String(reply.headers['content-type']).startsWith('application/json');
    if (isData && reply.payload.length <= MOST_CHARACTERS) replies.set(url, reply.payload);
  };
  const late = new AbortController();
  const all = Promise.allSettled(addresses.map(fetchOne)).finally(() => late.abort());
  await Promise.race([all, wait(WAIT_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
  const members = [...replies].map(([url, payload]) => `${JSON.stringify(url)}:${payload}`);
  return `{${members.join()}}`.replaceAll('<', String.raw`\u003c`);
}

/** Files of `assets` have a hash in their name. */
const cachingOf = (file: string): string =>
  file.split(path.sep)[0] === 'assets' ? 'public, max-age=31536000, immutable' : 'no-cache';

interface ConsoleOptions {
  /** The built console. */
  folder: string;
  /** Origins that pages may show in a frame, at the moment. */
  framed: () => string[];
}

/** Serves the built console: hashed files with a year of caching, and its page for every address outside the API. */
export function serveConsole(
  app: FastifyInstance,
  deps: Pick<BaseDeps, 'config' | 'db' | 'now' | 'live'>,
  { folder, framed }: ConsoleOptions,
): void {
  const page = readConsolePage(folder, deps.config.basePath);
  if (existsSync(folder)) {
    void app.register(fastifyStatic, {
      root: folder,
      index: false,
      wildcard: false,
      // The page is sent at its addresses, with what differs between them.
      globIgnore: ['index.html*'],
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, file) {
        void reply.header('cache-control', cachingOf(path.relative(folder, file)));
      },
    });
  }

  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const [address = '/', search] = request.url.split('?');
    const visitor = visitorOf(await findSignedIn(request, deps));
    const wanted = { address, visitor, isPlain: search === undefined, timeZone: timeZoneOf(request) };
    const coding = takenCoding(request.headers['accept-encoding'], ['br', 'gzip']);
    void reply.headers({
      ...pageHeaders(pagePolicy({ inline: page.inline, widgets: widgetOrigins(deps), framed: framed() })),
      // A page of an account contains its data.
      'cache-control': visitor === 'guest' ? 'no-cache' : 'no-store',
      vary: 'Accept-Encoding, Accept-Language, Cookie',
      ...(coding !== undefined && { 'content-encoding': coding }),
    });
    const { start, end, calls } = page.openAt(wanted);
    const language = pageLanguageOf(request);
    const addresses = request.method === 'GET' && isOwnRequest(request) ? calls : [];
    const replies = firstReplies(app, request, { addresses, language });
    return reply.type('text/html; charset=utf-8').send(packed(coding, inParts(start, replies, { end, language })));
  };

  app.get('/', sendPage);

  app.setNotFoundHandler(async (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || namesFile(request.url))
      return reply.status(404).send({ success: false, message: 'not found', code: 'route.unknown' });
    return sendPage(request, reply);
  });
}

/**
 * Whether a path names a file: paths of pages have no dot. A missing file must not return the page, or an old tab would
 * run HTML as a script, and a scanner would see a hit.
 */
function namesFile(url: string): boolean {
  const [address = ''] = url.split('?', 1);
  return address.startsWith('/assets/') || /\.|%2e|\\|%5c|%00|%2f/i.test(address);
}

/** Origins of the Turnstile widget; empty while the check is off. */
function widgetOrigins({ live: { settings } }: Pick<BaseDeps, 'live'>): string[] {
  return settings.TurnstileCheckEnabled ? [new URL(settings.TurnstileAddress).origin] : [];
}

/** Sends the start at once, so that the browser loads scripts while the replies are made. */
async function* inParts(
  start: string,
  replies: Promise<string>,
  { end, language }: { end: string; language: Language },
): AsyncGenerator<string> {
  yield start;
  yield `<script type="application/json" lang="${language.replace('_', '-')}" id="first-replies">${await replies}</script>${end}`;
}

/** Compresses a page part by part; each part is flushed. */
function packed(coding: 'br' | 'gzip' | undefined, parts: AsyncGenerator<string>): Readable {
  const text = Readable.from(parts, { objectMode: false });
  if (coding === undefined) return text;
  const packer =
    coding === 'br'
      ? createBrotliCompress({
          flush: constants.BROTLI_OPERATION_FLUSH,
          params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
        })
      : createGzip({ flush: constants.Z_SYNC_FLUSH });
  // An error destroys both; the response then has no end, and the browser tries again.
  return pipeline(text, packer, () => undefined);
}

/**
 * Whether the visitor opened the page here: by its address, a link or reload of ours. Pages opened from other sites get
 * no data of the account, so that their compressed length cannot leak any.
 */
function isOwnRequest({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** The language of the last page, which the console keeps in a cookie, or the one that the browser asks for. */
function pageLanguageOf(request: FastifyRequest): Language {
  const kept = /(?:^|;\s*)pageLanguage=(\w{1,16})/.exec(request.headers.cookie ?? '')?.[1];
  return languageCodes.find((code) => code === kept) ?? replyLanguage(request);
}

/** The time zone that the console keeps in a cookie; undefined unless it is a valid one. */
function timeZoneOf({ headers }: FastifyRequest): string | undefined {
  const zone = /(?:^|;\s*)timeZone=([^;]{1,64})/.exec(headers.cookie ?? '')?.[1]?.replaceAll('%2F', '/');
  return zone !== undefined && /^[\w+/-]+$/.test(zone) ? zone : undefined;
}
