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
export function iconRoutes(app: FastifyInstance, deps: Deps): void {
  const cache = new IconCache((address) => fetchIcon(deps, address), deps.now);

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
