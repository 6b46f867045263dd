import type { FastifyRequest } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { noteAccountLanguage } from '#http/reply-language.ts';
import { findTokenHolder } from './access-token.ts';
import { findSignedIn, type Viewer } from './session.ts';

/** The user of a request, by session or access token; undefined for visitors and disabled accounts. */
export async function findViewer(
  request: FastifyRequest,
  deps: Pick<BaseDeps, 'db' | 'now' | 'config'>,
): Promise<Viewer | undefined> {
  const found = (await findSignedIn(request, deps)) ?? (await findTokenHolder(request, deps));
  if (found) noteAccountLanguage(request, found.language);
  return found;
}
