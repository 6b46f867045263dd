import { existsSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { takenCoding } from './coding.ts';
import { readConsolePage, visitorOf } from './console-page.ts';
import { pageHeaders, pagePolicy } from '#http/security-headers.ts';
import { findSignedIn } from '#http/session/session.ts';

/** By folder of the build; marks keep their address over releases. */
const caching: Readonly<Record<string, string>> = {
  assets: 'public, max-age=31536000, immutable',
  icons: 'public, max-age=604800',
};

const cachingOf = (file: string): string => caching[file.split(path.sep)[0] ?? ''] ?? 'no-cache';

/** A page in every content coding. */
interface Packed {
  br: Buffer;
  gzip: Buffer;
  identity: Buffer;
}

/** One per screen and kind of visitor; other addresses share one. */
const mostPacked = 500;

interface ConsoleOptions {
  /** The built console. */
  folder: string;
  /** Origins that pages may show in a frame, at the moment. */
  framed: () => string[];
}

/** Serves the built console: hashed files with a year of caching, and its page for every address outside the API. */
export function serveConsole(
  app: FastifyInstance,
  deps: Pick<BaseDeps, 'db' | 'now' | 'live'>,
  { folder, framed }: ConsoleOptions,
): void {
  const page = readConsolePage(folder);
  const packed = new Map<string, Packed>();

  if (existsSync(folder)) {
    void app.register(fastifyStatic, {
      root: folder,
      index: false,
      wildcard: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, file) {
        void reply.header('cache-control', cachingOf(path.relative(folder, file)));
      },
    });
  }

  const packedFor = (html: string): Packed => {
    const known = packed.get(html);
    if (known) return known;
    if (packed.size >= mostPacked) packed.clear();
    const made = pack(html);
    packed.set(html, made);
    return made;
  };

  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const [address = '/', search] = request.url.split('?');
    const visitor = visitorOf(await findSignedIn(request, deps));
    const forms = packedFor(page.htmlFor(address, visitor, search === undefined));
    const form = takenCoding(request.headers['accept-encoding'], ['br', 'gzip']) ?? 'identity';
    void reply.headers({
      ...pageHeaders(pagePolicy({ inline: page.inline, widgets: widgetOrigins(deps), framed: framed() })),
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding, Cookie',
      ...(form !== 'identity' && { 'content-encoding': form }),
    });
    return reply.type('text/html; charset=utf-8').send(forms[form]);
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

function pack(html: string): Packed {
  const identity = Buffer.from(html);
  // Compressed once per page, but a request waits for it, so not at the highest quality.
  const br = brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  return { identity, br, gzip: gzipSync(identity) };
}
