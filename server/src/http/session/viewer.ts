import type { FastifyRequest } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { findTokenHolder } from './access-token.ts';
import { findSignedIn, type Viewer } from './session.ts';

/** Who sends a request, by its session or else by its access token; undefined for nobody and for disabled accounts. */
export async function findViewer(
  request: FastifyRequest,
  deps: Pick<BaseDeps, 'db' | 'now'>,
): Promise<Viewer | undefined> {
  return (await findSignedIn(request, deps)) ?? (await findTokenHolder(request, deps));
}
