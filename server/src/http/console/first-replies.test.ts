import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSqlite } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { clientIp } from '#http/client-ip.ts';
import { findSignedIn } from '#http/session/session.ts';
import { serveConsole } from './static-console.ts';

const html =
  '<!doctype html><html lang="en"><title>Hub</title><script type="module" src="/a.js"></script><body></body>';
const list = '/api/list?page=1&time_zone=UTC';
const calls = ['/api/status', '/api/self', '/api/refused', '/api/never', '/api/broken', list];

describe('replies in the page', () => {
  const hub = hubForSuite(newSqlite);
  let app: FastifyInstance;
  let url: string;
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-console-'));

  beforeAll(async () => {
    mkdirSync(path.join(folder, '.vite'));
    writeFileSync(path.join(folder, 'index.html'), html);
    const login = { scripts: [], texts: {}, calls: { guest: ['/api/status'] } };
    const panel = { scripts: ['panel.js'], texts: { en_US: 'texts.js' }, calls: { root: calls, admin: [], user: [] } };
    const routes = { '/login': login, '/panel': panel };
    writeFileSync(path.join(folder, '.vite/routes.json'), JSON.stringify({ scripts: [], routes }));

    const { deps } = hub().server;
    app = fastify();
    app.get('/api/status', async () => ({ success: true, data: '</script><b>' }));
    app.get('/api/self', async (request) => ({
      data: (await findSignedIn(request, deps))?.username,
      ip: clientIp(request.raw, deps.config.trustedProxies),
      native: request.headers['x-relay-envelope'],
      language: request.headers['accept-language'],
    }));
    app.get('/api/refused', async (_, reply) => reply.status(403).send({ success: false }));
    app.get('/api/never', () => new Promise(() => undefined));
    app.get('/api/broken', () => {
      throw new Error('broken');
    });
    app.get('/api/list', async ({ query }) => ({ data: query }));
    serveConsole(app, deps, { folder, framed: () => [] });
    url = await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  const open = (address: string, headers: Record<string, string> = {}, cookie = hub().root.cookie) =>
    fetch(url + address, { headers: { ...(cookie && { cookie }), ...headers } });
  const repliesIn = (text: string): Record<string, { data?: unknown }> => {
    const [, json = ''] =
      /<script type="application\/json" lang="[\w-]*" id="first-replies">([^<]*)<\/script><\/body>$/.exec(text) ?? [];
    return JSON.parse(json) as Record<string, { data?: unknown }>;
  };

  test('are made by the routes for the visitor; failed and slow ones are left to the browser', async () => {
    const page = await open('/panel', { cookie: `${hub().root.cookie}; timeZone=Europe/Berlin` });
    expect(page.headers.get('cache-control')).toBe('no-store');
    const replies = repliesIn(await page.text());
    expect(replies).toEqual({
      '/api/status': { success: true, data: '</script><b>' },
      '/api/self': { data: 'root', ip: '127.0.0.1', native: 'native', language: 'en-US' },
      '/api/list?page=1&time_zone=Europe%2FBerlin': { data: { page: '1', time_zone: 'Europe/Berlin' } },
    });
  });

  test.each([
    ['the last page', 'pageLanguage=ja_JP', 'ja-JP'],
    ['the browser where the cookie is unknown', 'pageLanguage=xx_XX', 'en-US'],
  ])('are in the language of %s, which the page names', async (_, kept, language) => {
    const cookie = `${hub().root.cookie}; ${kept}`;
    const page = await (await open('/panel', { cookie, 'accept-language': 'en-GB,de' })).text();
    expect(page).toContain(`lang="${language}" id="first-replies"`);
    expect(repliesIn(page)['/api/self']).toMatchObject({ language });
  });

  test('are those of the sign-in page for a guest, and may be kept', async () => {
    const page = await open('/panel', {}, '');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(Object.keys(repliesIn(await page.text()))).toEqual(['/api/status']);
  });

  const own = ['/api/self', '/api/status'];
  test.each<[string, string, Record<string, string>, string[]]>([
    ['an address with a search', '/panel?page=2', {}, own],
    ['an unreadable time zone', '/panel', { cookie: 'timeZone="><script>' }, own],
    ['a page opened from another site', '/panel', { 'sec-fetch-site': 'cross-site' }, []],
    ['a page opened from a subdomain', '/panel', { 'sec-fetch-site': 'same-site' }, []],
    ['a link of the console', '/panel', { 'sec-fetch-site': 'same-origin' }, own],
  ])('%s', async (_, address, headers, expected) => {
    const cookie = [hub().root.cookie, headers['cookie']].filter(Boolean).join('; ');
    const page = await open(address, { ...headers, cookie });
    expect(Object.keys(repliesIn(await page.text())).toSorted()).toEqual(expected);
  });

  test('the start of the page is sent before the replies are there', async () => {
    const page = await open('/panel', { 'accept-encoding': 'identity' });
    const first = await page.body!.getReader().read();
    const text = Buffer.from(first.value).toString();
    expect(text).toContain('<link rel="modulepreload" crossorigin href="/panel.js">');
    expect(text).toContain('src="/a.js"');
    expect(text).not.toContain('first-replies');
  });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('%s', async (coding, unpack) => {
    const reply = await app.inject({
      url: '/panel',
      headers: { cookie: hub().root.cookie, 'accept-encoding': coding },
    });
    expect(reply.headers['content-encoding']).toBe(coding);
    expect(Object.keys(repliesIn(unpack(reply.rawPayload).toString()))).toContain('/api/self');
  });

  test('HEAD makes none', async () => {
    const reply = await app.inject({ method: 'HEAD', url: '/panel', headers: { cookie: hub().root.cookie } });
    expect([reply.statusCode, reply.payload]).toEqual([200, '']);
  });
});
