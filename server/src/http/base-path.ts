import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Health checks of load balancers, served at the root as well. */
const health = /^\/(?:healthz|readyz)(?:\?|$)/;

/** A request target without the base path; undefined outside of it. Health is asked with or without it. */
export function belowBasePath(url: string, basePath: string): string | undefined {
  if (basePath === '') return url;
  if (url.startsWith(basePath) && url[basePath.length] === '/') return url.slice(basePath.length);
  return health.test(url) ? url : undefined;
}

/** Redirects `/hub` to `/hub/`, and refuses everything else outside of the base path in the form of every client. */
export function refuseOutside(request: IncomingMessage, response: ServerResponse, basePath: string): void {
  const [path = '', query] = (request.url ?? '').split('?');
  if (path === basePath) {
    // Not a permanent one, which browsers would keep after the base path was changed.
    response.writeHead(307, { location: `${basePath}/${query === undefined ? '' : `?${query}`}`, 'content-length': 0 });
    return void response.end();
  }
  const message = `Not found: this server is at ${basePath}/. A reverse proxy must not remove this part of the path.`;
  const error = { message, type: 'invalid_request_error', param: null, code: 'unknown_url' };
  const text = JSON.stringify({ success: false, message, code: 'route.unknown', error });
  response.writeHead(404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

/** An address of this server, without a trailing slash, with the base path at its end. Empty stays empty. */
export const withBasePath = (address: string, basePath: string): string =>
  address === '' || address.endsWith(basePath) ? address : address + basePath;

/** Limits cookies to the base path: other programs of the domain neither get nor replace them. */
export function keepCookiesBelow(app: FastifyInstance, basePath: string): void {
  if (basePath === '') return;
  app.addHook('onSend', async (_, reply) => {
    const cookies = reply.getHeader('set-cookie');
    if (cookies === undefined) return;
    const below = [cookies].flat().map((cookie) => String(cookie).replace(/(?<=; Path=)\//i, `${basePath}/`));
    void reply.removeHeader('set-cookie').header('set-cookie', below);
  });
}
