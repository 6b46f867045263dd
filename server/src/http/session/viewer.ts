import type { FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { findTokenHolder } from './access-token.ts';
import { findSignedIn, type Viewer } from './session.ts';

/** Who sends a request, by its session or else by its access token; undefined for nobody and for disabled accounts. */
export async function findViewer(request: FastifyRequest, deps: Pick<Deps, 'db' | 'now'>): Promise<Viewer | undefined> {
  return (await findSignedIn(request, deps)) ?? (await findTokenHolder(request, deps));
}
