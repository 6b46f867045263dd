import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { pageHeaders } from '#http/security-headers.ts';
import { served } from '#http/serve.ts';
import { openApiDocument } from './open-api.ts';

const pageAt = (basePath: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Relay Hub management API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${basePath}/api/docs/swagger-ui.css">
<div id="api"></div>
<script src="${basePath}/api/docs/swagger-ui-bundle.js"></script>
<script src="${basePath}/api/docs/start.js"></script>
`;

const startAt = (basePath: string): string =>
  `SwaggerUIBundle({ url: '${basePath}/api/openapi.json', dom_id: '#api', validatorUrl: null, deepLinking: true, docExpansion: 'none' });\n`;

const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'self'; base-uri 'self'";

/** The API reference: the document at /api/openapi.json and a page at /api/docs. */
export function apiDocsRoutes(app: FastifyInstance, { config: { basePath } }: Pick<Deps, 'config'>): void {
  const [page, start] = [pageAt(basePath), startAt(basePath)];
  let document: object | undefined;
  app.get('/api/openapi.json', async () => (document ??= openApiDocument(served.values(), basePath)));

  // The page's assets are served from the package, not from a CDN.
  const parts = path.dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  void app.register(fastifyStatic, {
    root: parts,
    prefix: '/api/docs/',
    index: false,
    wildcard: false,
    globIgnore: [
      '**/*.map',
      '**/*.md',
      '**/*.html',
      '**/package.json',
      '**/*.cjs',
      '**/index.js',
      '**/absolute-path.js',
      '**/swagger-initializer.js',
      '**/*-es-*',
      'node_modules/**',
    ],
    decorateReply: false,
  });
  app.get('/api/docs', (_, reply) => reply.headers(pageHeaders(policy)).type('text/html; charset=utf-8').send(page));
  app.get('/api/docs/start.js', (_, reply) => reply.type('text/javascript; charset=utf-8').send(start));
}
