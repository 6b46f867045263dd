import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  // Popups and toasts are placed with styles that are made at run time.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: https:",
  "connect-src 'self'",
  'frame-src https: http:',
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'self'",
].join('; ');

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
};

const notBuilt = '<!doctype html><title>Relay Hub</title><p>The console is not built. Run <code>npm run build</code>.';

/** Serves the built console: hashed files for a year, and its page for every address that is not the API's. */
export function serveConsole(app: FastifyInstance, folder: string): void {
  const page = path.join(folder, 'index.html');
  const built = existsSync(page);
  const html = built ? readFileSync(page) : Buffer.from(notBuilt);

  if (built) {
    void app.register(fastifyStatic, {
      root: folder,
      index: false,
      wildcard: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, file) {
        const hashed = file.includes(`${path.sep}assets${path.sep}`);
        void reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
        void reply.header('x-content-type-options', 'nosniff');
      },
    });
  }

  app.get('/', (_, reply) => reply.headers(pageHeaders).type('text/html; charset=utf-8').send(html));

  app.setNotFoundHandler((request, reply) => {
    // A file that is gone must not turn into a page, or an old tab would run HTML as a script.
    const isPage = (request.method === 'GET' || request.method === 'HEAD') && !request.url.startsWith('/assets/');
    if (!isPage) return reply.status(404).send({ success: false, message: 'not found', code: 'route.unknown' });
    return reply.headers(pageHeaders).type('text/html; charset=utf-8').send(html);
  });
}
