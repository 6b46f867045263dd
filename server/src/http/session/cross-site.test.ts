import { channelApi, optionApi, profileApi, siteApi, tokenApi, userApi } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { allEndpoints } from '@relay-hub/contract/registry';
import { anyPath } from '#testing/endpoints.ts';
import { addChannel, addToken, hubForSuite, ROOT_PASSWORD, upstreamForSuite } from '#testing/hub.ts';
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

describe('the rule', () => {
  const ask = (headers: Record<string, string>) => () =>
    refuseCrossSite({ headers: { host: 'hub.example', ...headers } });

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
