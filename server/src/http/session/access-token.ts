import { randomBytes } from 'node:crypto';
import { role, userStatus } from '@relay-hub/contract';
import type { FastifyRequest } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { clientIp } from '#http/client-ip.ts';
import { NetworkSet } from '#networks.ts';
import { fingerprint } from '#secrets.ts';
import { noteUse, SEEN_S, sessionOf, type Viewer } from './session.ts';

/** Prefix of every access key: distinguishes it from access tokens, and lets secret scanners find it. */
export const ACCESS_KEY_PREFIX = 'rhk_';

/** 128 random bits in the format of the product family. */
export const newAccessToken = (): string => randomBytes(16).toString('hex');

/**
 * Whether a request carries an access token and no session. Another site cannot make a browser send one, so no cross-
 * site check is needed.
 */
export const bearsToken = (request: FastifyRequest): boolean =>
  sessionOf(request) === undefined && tokenOf(request) !== undefined;

/** The enabled account of the access token in a request. */
export async function findTokenHolder(
  request: FastifyRequest,
  { db, now, config }: Pick<BaseDeps, 'db' | 'now' | 'config'>,
): Promise<Viewer | undefined> {
  const token = tokenOf(request);
  if (token === undefined) return undefined;
  if (token.startsWith(ACCESS_KEY_PREFIX)) return findKeyHolder(request, token, { db, now, config });
  // Looked up by hash, so that timing reveals nothing about the token.
  const found = await db
    .selectFrom('users')
    .where('access_token_hash', '=', fingerprint(token))
    .where('status', '=', userStatus.enabled)
    .where('role', '>=', role.user)
    .where('deleted_time', 'is', null)
    .select(['id', 'username', 'role', 'group', 'language', 'access_token_used_time'])
    .executeTakeFirst();
  if (!found) return undefined;
  const { access_token_used_time: used, ...viewer } = found;
  if (now() - used > SEEN_S)
    noteUse(db.updateTable('users').set({ access_token_used_time: now() }).where('id', '=', viewer.id));
  return viewer;
}

/** The enabled account of an access key that is valid now and at this address, with the key's scopes. */
async function findKeyHolder(
  request: FastifyRequest,
  key: string,
  { db, now, config }: Pick<BaseDeps, 'db' | 'now' | 'config'>,
): Promise<Viewer | undefined> {
  const found = await db
    .selectFrom('access_keys as keys')
    .innerJoin('users', 'users.id', 'keys.user_id')
    .where('keys.key_hash', '=', fingerprint(key))
    .where(({ or, eb }) => or([eb('keys.expired_time', '=', -1), eb('keys.expired_time', '>', now())]))
    .where('users.status', '=', userStatus.enabled)
    .where('users.role', '>=', role.user)
    .where('users.deleted_time', 'is', null)
    .select(['users.id', 'users.username', 'users.role', 'users.group', 'users.language'])
    .select(['keys.id as key_id', 'keys.scopes', 'keys.addresses', 'keys.used_time', 'keys.used_ip'])
    .executeTakeFirst();
  if (!found) return undefined;
  const { key_id, scopes, addresses, used_time, used_ip, ...viewer } = found;
  const ip = clientIp(request.raw, config.trustedProxies);
  if (addresses !== '' && !new NetworkSet(addresses.split(' ')).has(ip)) return undefined;
  if (now() - used_time > SEEN_S || used_ip !== ip)
    noteUse(db.updateTable('access_keys').set({ used_time: now(), used_ip: ip }).where('id', '=', key_id));
  return { ...viewer, scopes: new Set(scopes.split(' ')) };
}

/**
 * Whether a request acts for an old client of the product family: by an access token of that scope, without a session,
 * and while the site is in family mode.
 */
export async function actsForFamily(
  request: FastifyRequest,
  { db, live }: Pick<BaseDeps, 'db' | 'live'>,
): Promise<boolean> {
  const token = tokenOf(request);
  if (!live.settings.FamilyMode || !bearsToken(request) || token === undefined) return false;
  const holder = await db
    .selectFrom('users')
    .where('access_token_hash', '=', fingerprint(token))
    .where('access_token_scope', '=', 'family')
    .select('id')
    .executeTakeFirst();
  return holder !== undefined;
}

/** Access keys and our tokens, in any case, and those that were imported from new-api: 20 to 24 bytes in base64. */
function tokenOf({ headers: { authorization } }: FastifyRequest): string | undefined {
  const key = /^\s*(?:bearer\s+)?(rhk_[0-9a-f]{40})\s*$/i.exec(authorization ?? '')?.[1];
  if (key !== undefined) return key.toLowerCase();
  const token = /^\s*(?:bearer\s+)?([0-9a-z+/=]{28,32})\s*$/i.exec(authorization ?? '')?.[1];
  return token && /^[0-9a-f]{32}$/i.test(token) ? token.toLowerCase() : token;
}
