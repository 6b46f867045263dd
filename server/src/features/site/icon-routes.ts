import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { type CachedIcon, IconCache } from './icon-cache.ts';

const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 10_000;
const types = [
  'image/svg+xml',
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/avif',
  'image/x-icon',
  'image/vnd.microsoft.icon',
];

/**
 * Serves the icons that operators entered as addresses, so that browsers of visitors send nothing to those hosts. Only
 * addresses that are in use are fetched.
 */
export function iconRoutes(app: FastifyInstance, deps: Deps, consoleFolder: string): void {
  const cache = new IconCache((address) => fetchIcon(deps, address), deps.now);

  let marks: ReadonlyMap<string, string> | undefined;
  app.get<{ Params: { file: string } }>('/icons/:file', async ({ params: { file } }, reply) => {
    const picture = (marks ??= marksIn(consoleFolder)).get(file.replace(/\.svg$/, ''));
    ensure(picture !== undefined && file.endsWith('.svg'), 'record.not_found', { field: 'file' });
    return reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(picture);
  });

  app.get<{ Querystring: { src?: unknown } }>('/icons/from', async ({ query: { src } }, reply) => {
    ensure(typeof src === 'string' && (await isInUse(deps, src)), 'record.not_found', { field: 'src' });
    const icon = await cache.get(src);
    ensure(icon, 'record.not_found', { field: 'src' });
    return reply
      .headers({
        'cache-control': 'public, max-age=604800',
        // An SVG that is opened as a page may have styles, and nothing else.
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
      })
      .type(icon.type)
      .send(icon.body);
  });
}

/** The console's marks as pictures of their own, by name. Without a built console there are none. */
function marksIn(consoleFolder: string): ReadonlyMap<string, string> {
  const assets = path.join(consoleFolder, 'assets');
  const file = existsSync(assets) ? readdirSync(assets).find((name) => /^marks-[\w-]+\.svg$/.test(name)) : undefined;
  const sprite = file === undefined ? '' : readFileSync(path.join(assets, file), 'utf8');
  const pictures = sprite.matchAll(/<symbol id="(\w+)"([^>]*)>(.*?)<\/symbol>/gs);
  return new Map(
    Array.from(pictures, ([, name = '', attributes = '', shapes = '']) => [
      name,
      `<svg xmlns="http://www.w3.org/2000/svg" fill="currentColor"${attributes}>${shapes}</svg>`,
    ]),
  );
}

async function isInUse({ db }: Pick<Deps, 'db'>, address: string): Promise<boolean> {
  if (!/^https?:\/\//.test(address)) return false;
  const owner = await db
    .selectFrom('model_owners')
    .select('id')
    .where('icon', '=', address)
    .limit(1)
    .executeTakeFirst();
  const found =
    owner ??
    (await db.selectFrom('payment_gateways').select('id').where('icon', '=', address).limit(1).executeTakeFirst());
  return found !== undefined;
}

/** Undefined for whatever is no picture, too large, or cannot be reached. */
async function fetchIcon(deps: Deps, address: string): Promise<CachedIcon | undefined> {
  try {
    const { contentType, body } = await fetchGuarded(address, {
      reach: operatorReach(deps),
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      accept: types.join(', '),
    });
    const type = contentType.split(';', 1).join('').trim().toLowerCase();
    if (types.includes(type)) return { type, body };
    deps.log.warn({ address, type }, 'icon is not a picture');
  } catch (error) {
    deps.log.warn({ address, reason: error instanceof AppError ? error.code : 'unknown' }, 'icon cannot be fetched');
  }
  return undefined;
}
