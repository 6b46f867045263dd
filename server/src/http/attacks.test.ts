import { METHODS, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { channelApi, logApi, optionApi, profileApi, siteApi, tokenApi, userApi } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { chat } from '#testing/chat.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, ROOT_PASSWORD, upstreamForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';
import { expectLinear } from '#testing/linear.ts';

/** Sends raw bytes; returns the raw response. */
function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (piece) => (text += piece.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    socket.setTimeout(3000, () => socket.destroy());
  });
}

/** Sends a path and headers that `fetch` would normalise; returns status and text. */
function ask(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, headers }, (answer) => {
      let text = '';
      answer.on('data', (piece: Buffer) => (text += piece.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

onOneDatabase('attacks', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  const upstream = upstreamForSuite();
  let channel: number;
  let key: string;
  beforeAll(async () => {
    channel = await addChannel(hub(), upstream().url);
    ({ key } = await addToken(hub()));
  });

  describe('prototype pollution', () => {
    test.each([
      '{"name":"x","__proto__":{"unlimited_quota":true}}',
      '{"name":"x","constructor":{"prototype":{"unlimited_quota":true}}}',
      '{"name":"x","a":{"__proto__":{"b":1}}}',
      '{"name":"x","\\u005f_proto__":{"unlimited_quota":true}}',
    ])('%s is no body', async (body) => {
      expect(await hub().root.send('POST', '/api/token/', body)).toMatchObject({ status: 400 });
      expect(Reflect.get({}, 'unlimited_quota')).toBeUndefined();
    });

    test('maps in texts and names in queries reach no prototype', async () => {
      const { root } = hub();
      const map = '{"__proto__":"polluted","constructor":"polluted"}';
      await root.try(channelApi.update, { body: { id: channel, model_mapping: map, model_headers: map } });
      await root.try(optionApi.set, { body: { key: 'ChatLinks', value: '[{"__proto__":{"show":true}}]' } });
      await root.send('GET', '/api/log/?__proto__[polluted]=1&constructor[prototype][polluted]=1&__proto__=1');
      await root.send('PUT', '/api/prices/single/__proto__', {
        model: '__proto__',
        type: 'tokens',
        input: 1,
        output: 1,
      });
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
      expect(Object.keys(Object.prototype)).toEqual([]);
      await root.call(channelApi.update, { body: { id: channel, model_mapping: '', model_headers: '' } });
    });

    test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
      '%s is a name like any other',
      async (name) => {
        const answer = await chat(hub(), key, name);
        expect([400, 403, 404]).toContain(answer.status);
        expect(answer.text).toContain(name);
        expect((await hub().root.send('GET', `/api/channel_tag/${name}`)).status).toBe(404);
        expect((await hub().root.send('GET', `/api/log/?order=${name}`)).body).toMatchObject({ code: 'list.order' });
      },
    );
  });

  describe('oversized bodies', () => {
    test.each([33, 1000, 100_000])('%i levels are refused before parsing', async (depth) => {
      const answer = await hub().root.send('POST', '/api/token/', nested(depth));
      expect(answer).toMatchObject({ status: 400, body: { code: 'body.too_deep' } });
    });

    test('brackets within texts do not count as levels', async () => {
      const { id } = await addToken(hub(), { name: '[[[[[[[[[["{{{{{{' });
      const tokens = await hub().root.call(tokenApi.get, { params: { id } });
      expect(tokens.name).toBe('[[[[[[[[[["{{{{{{');
    });

    test('a body over 1 MiB is refused, also without a declared length', async () => {
      const body = `{"name":"${'x'.repeat(1024 * 1024)}"}`;
      expect(await hub().root.send('POST', '/api/token/', body)).toMatchObject({ status: 413 });
      const chunk = 'x'.repeat(0x10000);
      const answer = await raw(
        hub().url,
        `POST /api/token/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${`10000\r\n${chunk}\r\n`.repeat(20)}`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 413/);
    });

    test('the relay refuses a deeply nested call and keeps running', async () => {
      for (const depth of [5000, 400_000]) {
        const content = `${'['.repeat(depth)}${']'.repeat(depth)}`;
        const response = await fetch(`${hub().url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: `{"model":"gpt-4o","messages":[{"role":"user","content":${content}}]}`,
        });
        expect(response.status).toBeLessThan(500);
        expect(await response.text()).not.toContain('call stack');
      }
      expect((await chat(hub(), key)).status).toBe(200);
    });

    test('headers over 16 KiB are refused with an envelope', async () => {
      const answer = await raw(
        hub().url,
        `GET /api/status HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 431[^]*"code":"request\.headers_too_large"/);
    });
  });

  test.each([
    'GET /api/status HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n',
    'GET /api/status HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /api/token/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
    'NONSENSE\r\n\r\n',
  ])('what is no HTTP, or two requests in one, is refused: %j', async (bytes) => {
    expect(await raw(hub().url, bytes)).toMatch(/^HTTP\/1\.1 400[^]*"code":"request\.malformed"/);
  });

  test.each([
    '/../../../../etc/passwd',
    '/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
    '/assets/../../../server/package.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets/%2e%2e%5c%2e%2e%5cpackage.json',
    '/assets//etc/passwd',
    '/api/docs/../../../package.json',
    '/api/docs/..%2f..%2f..%2fpackage.json',
    '/.vite/manifest.json',
    '/api/docs/%00',
  ])('no file beside the console’s is handed out: %s', async (path) => {
    const { text } = await ask(hub().url, path);
    expect(text).not.toMatch(/root:|"dependencies"|"version":|"isEntry"/);
  });

  test.each([
    '/.env',
    '/.git/config',
    '/panel/.env',
    '/..%2f..%2fetc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%5c..%5cwindows',
    '/wp-login.php',
    '/backup.sql.gz',
    '/panel/%2egit/config',
    '/%2fetc/passwd',
    '/assets/gone.js',
  ])('a path that names a file is no page of the console: %s', async (path) => {
    const { status, text } = await ask(hub().url, path);
    expect(status).toBe(404);
    expect(text).not.toContain('<html');
  });

  test.each(['/', '/panel/token', '/unknown-page', '/login?redirect=/panel/log%3Fmodel=gpt-4.1'])(
    'a page of the console is one: %s',
    async (path) => {
      expect((await ask(hub().url, path)).status).toBe(200);
    },
  );

  test.each(METHODS.filter((method) => method !== 'CONNECT'))(
    '%s is no fault of the server, wherever it asks',
    async (method) => {
      for (const path of ['/api/status', '/api/unknown', '/', '/healthz', '/.env', '/v1/models', '/v1/unknown']) {
        const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
        for (const rest of [
          '\r\n',
          'Content-Length: 2\r\n\r\n{}',
          'Content-Type: a/b\r\nContent-Length: 2\r\n\r\n{}',
        ]) {
          const answer = await raw(hub().url, head + rest);
          expect(Number(answer.slice(9, 12)), `${path} ${rest} ${answer}`).toBeLessThan(500);
          if (method === 'QUERY') expect(answer, `${path} ${rest}`).toMatch(/^HTTP\/1\.1 40[1345] /);
        }
      }
    },
  );

  test('a request that names two hosts is refused', async () => {
    for (const head of ['GET /api/status', 'GET /v1/models', 'GET /', 'GET /v1/realtime?model=m'])
      for (const more of ['Host: y', 'host: x', 'HOST: x\r\nUpgrade: websocket\r\nConnection: upgrade']) {
        const answer = await raw(hub().url, `${head} HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n`);
        expect(answer, `${head} ${more}`).toMatch(/^HTTP\/1\.1 400[^]*"code":"request\.malformed"/);
      }
  });

  test('file names, cookies and redirect targets cannot inject headers', async () => {
    const { root, url } = hub();
    const bad = 'x\r\nx-injected: 1';
    await root.try(optionApi.set, { body: { key: 'SystemName', value: bad } });
    for (const path of [
      '/api/log/export?language=x%0d%0ax-injected:1',
      '/login?redirect=%0d%0ax-injected:1',
      '/%0d%0ax-injected:1',
    ]) {
      const response = await fetch(url + path, { headers: { cookie: root.cookie }, redirect: 'manual' });
      expect(response.headers.has('x-injected'), path).toBe(false);
      await response.body?.cancel();
    }
    const login = await root.send('POST', '/api/user/login', { username: bad, password: bad });
    expect(login.headers.has('x-injected')).toBe(false);
    await root.signIn('root', ROOT_PASSWORD);
  });

  test('no address redirects to another site', async () => {
    for (const path of ['//evil.example', '/\\evil.example', '/login?redirect=//evil.example', '/%2f%2fevil.example']) {
      const response = await fetch(hub().url + path, { redirect: 'manual' });
      expect(response.headers.get('location') ?? '', path).not.toContain('evil');
      expect([200, 400, 404]).toContain(response.status);
      await response.body?.cancel();
    }
  });

  test('a forged Host header is never repeated', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    for (const path of ['/', '/api/status', '/api/user/reset', '/login', '/api/openapi.json']) {
      const { text } = await ask(hub().url, path, headers);
      expect(text, path).not.toContain('evil.example');
    }
  });

  describe('searches', () => {
    test('a pattern is text', async () => {
      const { root } = hub();
      await addToken(hub(), { name: '100%_sure\\' });
      const named = async (keyword: string) =>
        (await root.call(tokenApi.list, { query: { keyword, size: 100 } })).data.map(({ name }) => name);
      expect(await named('100%_')).toEqual(['100%_sure\\']);
      for (const keyword of ['%', '_', '\\', '%%', '__']) {
        for (const name of await named(keyword)) expect(name).toContain(keyword);
      }
      expect(await named("' or 1=1 --")).toEqual([]);
    });

    test('a pattern made to be slow is fast, and a longer one is refused', async () => {
      const { db } = hub().server.deps;
      const name = 'a'.repeat(30);
      await db.updateTable('tokens').set({ name }).where('name', '=', 'test').execute();
      // Matched as a pattern, this would not end.
      for (const pattern of ['%a'.repeat(90), '_%'.repeat(90), `${'a%'.repeat(90)}b`]) {
        const answer = await hub().root.send('GET', `/api/token/?keyword=${encodeURIComponent(pattern)}`);
        expect(answer.status).toBe(200);
      }
      const { status } = await hub().root.send('GET', `/api/log/?model_name=${'x'.repeat(201)}`);
      expect(status).toBe(400);
    });

    test.each<[string, number, (size: number) => object]>([
      ['an address', 480, (size) => ({ base_url: `http://${'a'.repeat(size)}!` })],
      ['a list of models', 8000, (size) => ({ models: `${'gpt-4*,'.repeat(size)}!` })],
      ['a proxy', 200, (size) => ({ proxy: `socks5://${'a:'.repeat(size)}` })],
      ['headers', 50_000, (size) => ({ model_headers: `{"${'a'.repeat(size)}` })],
    ])('%s that is made to be slow to check is not', async (_, most, bodyOf) => {
      await expectLinear(most, async (size) => {
        const { status } = await hub().root.send('PUT', '/api/channel/', { id: channel, ...bodyOf(size) });
        expect(status).toBeLessThan(500);
      });
    });
  });

  test('a planted session is invalid, before and after sign-in', async () => {
    const { client } = await addPerson(hub());
    const planted = `session=${'A'.repeat(43)}`;
    client.cookie = planted;
    expect((await client.try(userApi.self)).status).toBe(401);
    await client.signIn('root', ROOT_PASSWORD);
    expect(client.cookie).not.toBe(planted);
    const [current] = await client.call(profileApi.sessions);
    expect(current).toBeDefined();
    client.cookie = planted;
    expect((await client.try(userApi.self)).status).toBe(401);
  });

  test('scripts are removed from the operator’s texts when saved', async () => {
    const { root } = hub();
    const html = '<p onclick=alert(1)>hi<script>alert(1)</script></p><a href="javascript:alert(1)">x</a>';
    for (const name of ['Notice', 'About', 'HomePageContent', 'Footer'])
      await root.call(optionApi.set, { body: { key: name, value: html } });
    const { rows } = { rows: await hub().server.deps.db.selectFrom('options').selectAll().execute() };
    const told = [await root.call(siteApi.notice), await root.call(siteApi.about), await root.call(siteApi.home)];
    const texts = [...rows.map(({ value }) => value), ...told, (await root.call(siteApi.status)).footer_html];
    expect(texts.join('\n')).toContain('<p>hi</p>');
    for (const text of texts) expect(text).not.toMatch(/onclick|<script|javascript:/);
    for (const name of ['Notice', 'About', 'HomePageContent', 'Footer'])
      await root.call(optionApi.set, { body: { key: name, value: '' } });
  });

  test('a key in an upstream’s error appears in no response and no row', async () => {
    const message = 'bad key sk-upstream-key-0001 for org-abcdefghijkl';
    upstream().next({ status: 400, error: { error: { message, type: 'invalid_request_error' } } });
    const answer = await chat(hub(), key);
    expect(answer.text).toContain('bad key');
    expect(answer.text).not.toMatch(/sk-upstream-key-0001|org-abcdefghijkl/);
    expect(JSON.stringify(await hub().root.call(logApi.list))).not.toMatch(/sk-upstream-key-0001|org-abcdefghijkl/);
  });
});
