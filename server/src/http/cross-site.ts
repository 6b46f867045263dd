import type { FastifyRequest } from 'fastify';
import { AppError } from '#errors.ts';

/**
 * Refuses a change that another site asks the browser to make. Browsers say where a request comes from in
 * Sec-Fetch-Site, older ones in Origin; a program without either has no cookies that somebody else could ride on.
 */
export function refuseCrossSite(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site !== 'same-origin' && site !== 'none') throw new AppError('request.cross_site');
    return;
  }
  const { origin, host } = request.headers;
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host))
    throw new AppError('request.cross_site');
}
