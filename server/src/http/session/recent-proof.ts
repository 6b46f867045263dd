import type { FastifyRequest } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { ensure } from '#errors.ts';
import { actsForFamily, bearsToken } from './access-token.ts';
import { sessionOf } from './session.ts';

/** Seconds for which a session counts as proved after sign-in or a new proof of identity. */
export const PROOF_S = 600;

/** Until when the session of a request counts as proved; 0 without a session. */
export async function provedUntil(request: FastifyRequest, { db }: Pick<BaseDeps, 'db'>): Promise<number> {
  const session = sessionOf(request);
  if (session === undefined) return 0;
  const found = await db.selectFrom('sessions').where('id_hash', '=', session).select('proved_time').executeTakeFirst();
  return found && found.proved_time > 0 ? found.proved_time + PROOF_S : 0;
}

/**
 * For the most sensitive actions. Throws `session.proof` unless the user proved their identity within the last ten
 * minutes; the console then asks for it. An access token proves nothing.
 */
export async function ensureProved(request: FastifyRequest, deps: Pick<BaseDeps, 'db' | 'now'>): Promise<void> {
  ensure((await provedUntil(request, deps)) > deps.now(), 'session.proof');
}

/**
 * The same for administrators' actions on others. Access tokens pass: a program cannot be asked, and creating the token
 * needed a proof. Throws `session.proof`.
 */
export async function ensureProvedBrowser(request: FastifyRequest, deps: Pick<BaseDeps, 'db' | 'now'>): Promise<void> {
  if (!bearsToken(request)) await ensureProved(request, deps);
}

/** The same for what the product family has no proof for: access tokens of the scope `family` pass. */
export async function ensureProvedOrFamily(
  request: FastifyRequest,
  deps: Pick<BaseDeps, 'db' | 'now' | 'live'>,
): Promise<void> {
  if (!(await actsForFamily(request, deps))) await ensureProved(request, deps);
}

/** Marks the session of a request as proved now. */
export async function markProved(request: FastifyRequest, { db, now }: Pick<BaseDeps, 'db' | 'now'>): Promise<void> {
  const session = sessionOf(request);
  if (session === undefined) return;
  await db.updateTable('sessions').set({ proved_time: now() }).where('id_hash', '=', session).execute();
}
