import { randomBytes } from 'node:crypto';
import { role, userStatus } from '@relay-hub/contract';
import type { FastifyRequest } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { fingerprint } from '#secrets.ts';
import { SEEN_S, sessionOf, type Viewer } from './session.ts';

/** 128 random bits in the form that clients of the product family know. */
export const newAccessToken = (): string => randomBytes(16).toString('hex');

/**
 * Whether a request brings an access token and no session. A page of another site cannot make a browser send one, so
 * such a request needs no further proof of where it comes from.
 */
export const bearsToken = (request: FastifyRequest): boolean =>
  sessionOf(request) === undefined && tokenOf(request) !== undefined;

/** The enabled account whose access token a request carries. */
export async function findTokenHolder(
  request: FastifyRequest,
  { db, now }: Pick<BaseDeps, 'db' | 'now'>,
): Promise<Viewer | undefined> {
  const token = tokenOf(request);
  if (token === undefined) return undefined;
  // Looked up by its hash: how long that takes says nothing about the token.
  const found = await db
    .selectFrom('users')
    .where('access_token_hash', '=', fingerprint(token))
    .where('status', '=', userStatus.enabled)
    .where('role', '>=', role.user)
    .where('deleted_time', 'is', null)
    .select(['id', 'username', 'role', 'group', 'access_token_used_time'])
    .executeTakeFirst();
  if (!found) return undefined;
  const { access_token_used_time: used, ...viewer } = found;
  if (now() - used > SEEN_S)
    await db.updateTable('users').set({ access_token_used_time: now() }).where('id', '=', viewer.id).execute();
  return viewer;
}

function tokenOf({ headers: { authorization } }: FastifyRequest): string | undefined {
  return /^\s*(?:bearer\s+)?([0-9a-f]{32})\s*$/i.exec(authorization ?? '')?.[1]?.toLowerCase();
}
