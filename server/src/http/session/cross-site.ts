import type { FastifyRequest } from 'fastify';
import { AppError } from '#errors.ts';

/**
 * Refuses a change that another site asks the browser to make, or something on a page of ours: a picture or a link whose
 * address somebody typed in may lead to a GET that changes something. Browsers say where a request comes from in
 * Sec-Fetch-Site and what it is for in Sec-Fetch-Dest, which of our own is always a fetch; older ones, and all of them
 * without TLS, say it in Origin, and for a GET in Referer. A program without any of these has no cookies that somebody else
 * could ride on.
 */
export function refuseCrossSite(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) {
    const isFetch = (request.headers['sec-fetch-dest'] ?? 'empty') === 'empty';
    // What somebody typed into the address bar comes from nowhere.
    if (site !== 'none' && !(site === 'same-origin' && isFetch)) throw new AppError('request.cross_site');
    return;
  }
  const { origin, referer, host } = request.headers;
  const from = origin ?? referer;
  if (from !== undefined && (!URL.canParse(from) || new URL(from).host !== host))
    throw new AppError('request.cross_site');
}
