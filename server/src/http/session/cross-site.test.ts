import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { channelApi, optionApi, profileApi, siteApi, tokenApi, userApi } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { allEndpoints } from '@relay-hub/contract/registry';
import { anyPath } from '#testing/endpoints.ts';
import { addChannel, addToken, hubForSuite, ROOT_PASSWORD, upstreamForSuite } from '#testing/hub.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { errorText } from '#i18n/language.ts';
import { refuseCrossSite } from './cross-site.ts';

const foreign: [string, Record<string, string>][] = [
  ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
  ['a page of a sister domain', { 'sec-fetch-site': 'same-site' }],
  ['another site, whatever else is said', { 'sec-fetch-site': 'cross-site', origin: 'http://hub.example' }],
  ['an older browser on another site', { origin: 'https://evil.example' }],
  ['an older browser on another port', { origin: 'http://hub.example:81' }],
  ['a sandboxed frame', { origin: 'null' }],
  ['a picture in an older browser on another site', { referer: 'https://evil.example/page' }],
  [
    'an older browser on another site, by an address of its own',
    { origin: 'https://evil.example', referer: 'http://hub.example/' },
  ],
  ['a referrer that is no address', { referer: 'nowhere' }],
  ['a picture on a page of ours', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' }],
  ['a link on a page of ours', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }],
];

function caught(act: () => void): AppError {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('nothing was refused');
}

describe('the rule', () => {
  const trustedProxies = new BlockList();
  trustedProxies.addAddress('127.0.0.1');
  const ask =
    (headers: Record<string, string>, { peer = '127.0.0.1', address = '' } = {}) =>
    () => {
      const request = { headers: { host: 'hub.example', ...headers }, socket: { remoteAddress: peer } };
      // The parts of a request and of the dependencies that are used.
      const deps = { config: { trustedProxies }, live: { settings: { ServerAddress: address } } };
      refuseCrossSite(request as unknown as IncomingMessage, deps as unknown as Deps);
    };

  test.each(foreign)('%s is refused', (_, headers) => {
    expect(ask(headers)).toThrow('request.cross_site');
  });

  test.each<[string, Record<string, string>]>([
    ['the console itself', { 'sec-fetch-site': 'same-origin', origin: 'http://hub.example' }],
    ['a fetch of the console', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }],
    ['an address typed in', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }],
    ['the console in an older browser', { origin: 'http://hub.example' }],
    ['the console behind a proxy that speaks TLS', { origin: 'https://hub.example' }],
    ['a GET of the console in an older browser', { referer: 'http://hub.example/panel/token?page=2' }],
    ['a program', {}],
  ])('%s is let through', (_, headers) => {
    expect(ask(headers)).not.toThrow();
  });

  // nginx with `Host $host` drops the port; without a Host line it passes the address of the hub.
  const page = 'http://hub.lan:4184';
  const proxied: [string, Record<string, string>, boolean, { peer?: string; address?: string }?][] = [
    ['the port is dropped', { host: 'hub.lan' }, false],
    ['the port comes in a header', { host: 'hub.lan', 'x-forwarded-port': '4184' }, true],
    ['another port comes in a header', { host: 'hub.lan', 'x-forwarded-port': '4185' }, false],
    ['the host comes in a header', { host: '127.0.0.1:3000', 'x-forwarded-host': 'hub.lan:4184' }, true],
    ['host and port come in headers', { host: 'hub', 'x-forwarded-host': 'hub.lan', 'x-forwarded-port': '4184' }, true],
    ['the first of several hosts is meant', { 'x-forwarded-host': 'hub.lan:4184, inner' }, true],
    ['a header of somebody else names the host', { 'x-forwarded-host': 'hub.lan:4184' }, false, { peer: '10.0.0.9' }],
    ['the header is wrong, but the host is right', { host: 'hub.lan:4184', 'x-forwarded-host': 'hub.lan' }, true],
    ['the server address is this', { host: 'hub.lan' }, true, { address: `${page}/hub` }],
    ['the server address has another scheme', { host: 'hub' }, false, { address: 'https://hub.lan:4184' }],
    ['the server address has no port', { host: 'hub' }, false, { address: 'http://hub.lan' }],
  ];
  test.each(proxied)('behind a proxy on plain HTTP, when %s', (_, headers, passes, around) => {
    for (const said of [{ origin: page }, { referer: `${page}/panel` }]) {
      const sent = ask({ ...said, ...headers }, around);
      if (passes) expect(sent).not.toThrow();
      else expect(sent).toThrow('request.cross_site');
    }
  });

  test.each<[Record<string, string>, string, string]>([
    [{ host: 'hub.lan', origin: page }, `Origin: ${page}`, 'Origin: https://hub.example.com / http://hub.lan'],
    [
      { host: 'hub.lan', referer: `${page}/x` },
      `Referer: ${page}/x`,
      'Origin: https://hub.example.com / http://hub.lan',
    ],
    [{ 'sec-fetch-site': 'same-site' }, 'Sec-Fetch-Site: same-site', 'Sec-Fetch-Site: same-origin'],
  ])('the error of %j names both sides', (headers, said, expected) => {
    const { values } = caught(ask(headers, { address: 'https://hub.example.com' }));
    expect(values).toEqual({ said, expected });
    for (const language of ['zh_CN', 'zh_HK', 'en_US', 'ja_JP'] as const) {
      const text = errorText(new AppError('request.cross_site', values), language);
      expect(text).toContain(said);
      expect(text).toContain(expected);
    }
  });
});

onOneDatabase('cross-site requests', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();

  test('change nothing, regardless of the method', async () => {
    const { root } = hub();
    const channel = await addChannel(hub(), upstream().url, { test_model: 'gpt-4o' });
    const token = await addToken(hub());
    const before = upstream().requests.total;
    const writes: [string, string, unknown?][] = [
      ['POST', '/api/token/', { name: 'planted' }],
      ['POST', `/api/token/${token.id}/reveal`],
      ['POST', `/api/token/${token.id}/rotate`, {}],
      ['PUT', '/api/option/', { key: 'SystemName', value: 'Defaced' }],
      ['DELETE', `/api/channel/${channel}`],
      ['DELETE', `/api/token/${token.id}`],
      ['GET', `/api/channel/test/${channel}`],
      ['GET', '/api/user/logout'],
      ['POST', '/api/user/login', { username: 'root', password: 'x' }],
    ];
    for (const [why, headers] of foreign) {
      for (const [method, path, body] of writes) {
        const answer = await root.send(method, path, body, headers);
        expect(answer, `${why}: ${method} ${path}`).toMatchObject({
          status: 403,
          body: { success: false, code: 'request.cross_site' },
        });
        expect(answer.body).not.toHaveProperty('data');
      }
    }
    expect((await root.call(tokenApi.list)).data.map(({ name }) => name)).toEqual(['test']);
    expect((await root.call(siteApi.status)).system_name).toBe('Relay Hub');
    expect(await root.call(channelApi.get, { params: { id: channel } })).toMatchObject({ id: channel });
    expect(upstream().requests.total).toBe(before);
    expect(await root.call(userApi.self)).toMatchObject({ username: 'root' });
  });

  test.each(allEndpoints.filter(({ changes }) => changes))(
    '$method $path asks where it comes from',
    async (endpoint) => {
      const body = endpoint.method === 'POST' || endpoint.method === 'PUT' ? {} : undefined;
      const there = { 'sec-fetch-site': 'cross-site' };
      expect(await hub().root.send(endpoint.method, anyPath(endpoint), body, there)).toMatchObject({
        status: 403,
        body: { success: false, code: 'request.cross_site' },
      });
    },
  );

  test.each(allEndpoints.filter(({ method, changes }) => method === 'GET' && changes))(
    'HEAD $path changes nothing: there is none',
    async (endpoint) => {
      const { db } = hub().server.deps;
      const users = () => db.selectFrom('users').selectAll().execute();
      const before = await users();
      const { status } = await fetch(hub().url + anyPath(endpoint), {
        method: 'HEAD',
        headers: { cookie: hub().root.cookie },
      });
      expect(status).toBe(404);
      expect(await users()).toEqual(before);
    },
  );

  test('every other method than GET counts as a change, and so do the state-changing GETs of older clients', () => {
    const read = allEndpoints.filter(({ method, changes }) => method !== 'GET' && !changes);
    expect(read).toEqual([]);
    const written = allEndpoints.filter(({ method, changes }) => method === 'GET' && changes).map(({ path }) => path);
    expect(written.toSorted()).toEqual(
      ['/api/channel/test', '/api/channel/test/:id', '/api/channel/update_balance', '/api/channel/update_balance/:id']
        .concat(['/api/oauth/email/bind', '/api/oauth/endpoint', '/api/oauth/github', '/api/oauth/lark'])
        .concat(['/api/oauth/oidc', '/api/oauth/state', '/api/oauth/wechat', '/api/oauth/wechat/bind'])
        .concat([
          '/api/reset_password',
          '/api/token/playground',
          '/api/user/aff',
          '/api/user/logout',
          '/api/user/token',
          '/api/verification',
        ]),
    );
  });

  test.each([
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
  ])('a body that a form could send (%s) is refused', async (type) => {
    const answer = await hub().root.send(
      'PUT',
      '/api/option/',
      JSON.stringify({ key: 'SystemName', value: 'Defaced' }),
      { 'content-type': type },
    );
    expect(answer).toMatchObject({ status: 415, body: { success: false, code: 'body.type' } });
    expect((await hub().root.call(siteApi.status)).system_name).toBe('Relay Hub');
  });

  test('a body without a type is refused', async () => {
    const response = await fetch(`${hub().url}/api/option/`, {
      method: 'PUT',
      headers: { cookie: hub().root.cookie },
      body: new TextEncoder().encode('{"key":"SystemName","value":"Defaced"}'),
    });
    expect(response.status).toBe(415);
  });

  test('a program may send JSON under the default type of curl, or none', async () => {
    const accessToken = await hub().root.call(profileApi.makeAccessToken);
    const send = (headers: Record<string, string>) =>
      fetch(`${hub().url}/api/option/`, {
        method: 'PUT',
        headers: { authorization: accessToken, ...headers },
        body: new TextEncoder().encode('{"key":"Notice","value":"by a program"}'),
      });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send(form)).status).toBe(200);
    expect((await send({})).status).toBe(200);
    // The marks of a browser; a text is what a form of another site can send without them in an old one.
    for (const headers of [
      { ...form, origin: 'https://evil.example' },
      { ...form, origin: 'null' },
      { ...form, referer: 'https://evil.example/' },
      { ...form, 'sec-fetch-site': 'cross-site' },
      { ...form, 'sec-fetch-site': 'none' },
      { ...form, cookie: 'theme=dark' },
      { ...form, cookie: hub().root.cookie },
      { 'content-type': 'text/plain' },
      { 'content-type': 'multipart/form-data; boundary=x' },
    ])
      expect((await send(headers)).status, JSON.stringify(headers)).toBe(415);
    const login = (headers: Record<string, string>) =>
      fetch(`${hub().url}/api/user/login`, {
        method: 'POST',
        headers: { ...form, ...headers },
        body: JSON.stringify({ username: 'root', password: ROOT_PASSWORD }),
      });
    expect((await login({})).headers.get('set-cookie')).toContain('session=');
    // A form of another site must not sign its visitor in to the attacker's account.
    expect((await login({ origin: 'https://evil.example' })).headers.has('set-cookie')).toBe(false);
  });

  test('a JSON type without a body is no body', async () => {
    const { id } = await addToken(hub());
    const type = { 'content-type': 'application/json' };
    expect((await hub().root.send('DELETE', `/api/token/${id}`, undefined, type)).status).toBe(200);
    expect((await hub().root.send('DELETE', `/api/token/${id}`, '', type)).status).toBe(404);
  });

  test('the console’s own writes pass at the server address, whatever Host a proxy sends', async () => {
    const { root } = hub();
    const signIn = () =>
      root.send('POST', '/api/user/login', { username: 'root', password: ROOT_PASSWORD }, { origin: 'http://hub.lan' });
    const refused = await signIn();
    expect(refused).toMatchObject({ status: 403, body: { code: 'request.cross_site' } });
    expect(refused.body.message).toContain(`“Origin: http://hub.lan”, this server expected “Origin: ${hub().url}”`);
    await root.call(optionApi.set, { body: { key: 'ServerAddress', value: 'http://hub.lan' } });
    expect((await signIn()).status).toBe(200);
    await root.call(optionApi.set, { body: { key: 'ServerAddress', value: '' } });
  });

  test('the console’s own writes pass', async () => {
    const { root, url } = hub();
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, { origin: url }]) {
      const answer = await root.send(optionApi.set.method, '/api/option/', { key: 'Notice', value: 'hello' }, headers);
      expect(answer.status).toBe(200);
    }
  });

  test('reading is not a change', async () => {
    expect((await hub().root.send('GET', '/api/user/self', undefined, { 'sec-fetch-site': 'cross-site' })).status).toBe(
      200,
    );
  });
});
