import type { IncomingMessage } from 'node:http';
import type { BaseDeps } from '#base-deps.ts';
import { AppError } from '#errors.ts';
import { requestHost, requestOrigin } from '#http/site-address.ts';

/**
 * Refuses cross-site requests that change something, and requests by images or links of our own pages (an operator's text
 * can contain any URL). Uses Sec-Fetch-Site and Sec-Fetch-Dest, where our own requests are always a fetch; without them,
 * as in old browsers or without TLS, uses Origin, and Referer for a GET. Programs send none of these and have no cookies.
 * The error names what the browser sent and what was expected.
 */
export function refuseCrossSite(request: IncomingMessage, deps: Pick<BaseDeps, 'config' | 'live'>): void {
  const { origin, referer, 'sec-fetch-site': site, 'sec-fetch-dest': dest = 'empty' } = request.headers;
  if (site === 'none') return; // Navigation from the address bar has no origin site.
  if (site !== undefined) {
    if (site !== 'same-origin') throw crossSite(`Sec-Fetch-Site: ${site}`, 'Sec-Fetch-Site: same-origin');
    if (dest !== 'empty') throw crossSite(`Sec-Fetch-Dest: ${dest}`, 'Sec-Fetch-Dest: empty');
    return;
  }
  const from = origin ?? referer;
  if (from === undefined) return;
  const { ServerAddress: address } = deps.live.settings;
  const own = address === '' ? undefined : new URL(address).origin;
  const page = URL.parse(from);
  const hosts = [request.headers.host, requestHost(request, deps.config.trustedProxies)];
  if (page?.host && (page.origin === own || hosts.includes(page.host))) return;
  const here = requestOrigin(request, deps.config.trustedProxies);
  const said = origin === undefined ? `Referer: ${referer}` : `Origin: ${origin}`;
  throw crossSite(said, `Origin: ${own === undefined || own === here ? here : `${own} / ${here}`}`);
}

const crossSite = (said: string, expected: string): AppError =>
  new AppError('request.cross_site', { said: said.slice(0, 200), expected: expected.slice(0, 400) });

/**
 * Whether a request has no mark of a browser: no cookie, and none of the headers that name its page. A form of another
 * site cannot send one that acts for a user.
 */
export function isFromProgram({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const marks = ['cookie', 'origin', 'referer', 'sec-fetch-site', 'sec-fetch-dest'];
  return marks.every((name) => headers[name] === undefined);
}
