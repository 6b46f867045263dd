import type { IncomingMessage } from 'node:http';
import { AppError } from '#errors.ts';

/**
 * Refuses cross-site requests that change something, and requests by images or links of our own pages (an operator's text
 * can contain any URL). Uses Sec-Fetch-Site and Sec-Fetch-Dest, where our own requests are always a fetch; without them,
 * as in old browsers or without TLS, uses Origin, and Referer for a GET. Programs send none of these and have no cookies.
 */
export function refuseCrossSite(request: Pick<IncomingMessage, 'headers'>): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) {
    const isFetch = (request.headers['sec-fetch-dest'] ?? 'empty') === 'empty';
    // Navigation from the address bar has no origin site.
    if (site !== 'none' && !(site === 'same-origin' && isFetch)) throw new AppError('request.cross_site');
    return;
  }
  const { origin, referer, host } = request.headers;
  const from = origin ?? referer;
  if (from !== undefined && (!URL.canParse(from) || new URL(from).host !== host))
    throw new AppError('request.cross_site');
}

/**
 * Whether a request has no mark of a browser: no cookie, and none of the headers that name its page. A form of another
 * site cannot send one that acts for a user.
 */
export function isFromProgram({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const marks = ['cookie', 'origin', 'referer', 'sec-fetch-site', 'sec-fetch-dest'];
  return marks.every((name) => headers[name] === undefined);
}
