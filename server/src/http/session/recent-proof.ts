import type { FastifyRequest } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { ensure } from '#errors.ts';
import { bearsToken } from './access-token.ts';
import { sessionOf } from './session.ts';

/** So long a session counts as proved after a sign-in, or after its holder has proved anew who they are. */
export const PROOF_S = 600;

/** Until when a request's session counts as proved; 0 without one. */
export async function provedUntil(request: FastifyRequest, { db }: Pick<BaseDeps, 'db'>): Promise<number> {
  const session = sessionOf(request);
  if (session === undefined) return 0;
  const found = await db.selectFrom('sessions').where('id_hash', '=', session).select('proved_time').executeTakeFirst();
  return found && found.proved_time > 0 ? found.proved_time + PROOF_S : 0;
}

/**
 * For what matters most. Throws `session.proof` unless whoever holds the session has proved who they are within the last
 * ten minutes; the console then asks, and sends the request again. An access token proves nothing.
 */
export async function ensureProved(request: FastifyRequest, deps: Pick<BaseDeps, 'db' | 'now'>): Promise<void> {
  ensure((await provedUntil(request, deps)) > deps.now(), 'session.proof');
}

/**
 * The same for what administrators do to others. A program that brings an access token has no way to be asked, and the
 * token was made with a proof. Throws `session.proof`.
 */
export async function ensureProvedBrowser(request: FastifyRequest, deps: Pick<BaseDeps, 'db' | 'now'>): Promise<void> {
  if (!bearsToken(request)) await ensureProved(request, deps);
}

/** Marks a request's session as proved just now. */
export async function markProved(request: FastifyRequest, { db, now }: Pick<BaseDeps, 'db' | 'now'>): Promise<void> {
  const session = sessionOf(request);
  if (session === undefined) return;
  await db.updateTable('sessions').set({ proved_time: now() }).where('id_hash', '=', session).execute();
}
