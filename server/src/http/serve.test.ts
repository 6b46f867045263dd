import { priceApi, profileApi, tokenApi, userGroupApi } from '@relay-hub/contract';
import { allEndpoints } from '@relay-hub/contract/registry';
import type * as z from 'zod/mini';
import { beforeAll, describe, expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { sendBeforeReading } from '#testing/network/deaf-caller.ts';
import { hubForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

const KEY = 'sk-typed-in-by-mistake-0123456789';
const token = { name: 'one' };

onOneDatabase('envelopes', (make) => {
  const hub = hubForSuite(make);

  const refusals: [
    why: string,
    method: string,
    path: string,
    body: unknown,
    status: number,
    refusal: { code: string; field?: string },
  ][] = [
    ['an unknown path', 'GET', '/api/nope', undefined, 404, { code: 'route.unknown' }],
    ['an unknown path below a known one', 'POST', '/api/token/1/2/3', {}, 404, { code: 'route.unknown' }],
    ['the bare prefix', 'GET', '/api/', undefined, 404, { code: 'route.unknown' }],
    ['a method that is not there', 'PATCH', '/api/token/', {}, 404, { code: 'route.unknown' }],
    ['a path that cannot be decoded', 'GET', '/api/%zz', undefined, 404, { code: 'route.unknown' }],
    ['a parameter that cannot be decoded', 'GET', '/api/token/%E0%A4%A', undefined, 404, { code: 'route.unknown' }],
    ['a parameter without end', 'GET', `/api/token/${'9'.repeat(400)}`, undefined, 404, { code: 'route.unknown' }],
    ['no JSON', 'POST', '/api/token/', '{"name": ', 400, { code: 'input.not_json' }],
    ['an empty body', 'POST', '/api/token/', '', 400, { code: 'input.invalid', field: 'name' }],
    ['no body at all', 'POST', '/api/token/', undefined, 400, { code: 'input.invalid', field: 'name' }],
    ['a list for an object', 'POST', '/api/token/', [token], 400, { code: 'input.invalid', field: 'body' }],
    ['a text for an object', 'POST', '/api/token/', '"name"', 400, { code: 'input.invalid', field: 'body' }],
    ['null for an object', 'POST', '/api/token/', 'null', 400, { code: 'input.invalid', field: 'name' }],
    ['a number for a text', 'POST', '/api/token/', { name: 5 }, 400, { code: 'input.invalid', field: 'name' }],
    ['null for a text', 'POST', '/api/token/', { name: null }, 400, { code: 'input.invalid', field: 'name' }],
    [
      'a text for a number',
      'POST',
      '/api/token/',
      { ...token, remain_quota: '5' },
      400,
      { code: 'input.invalid', field: 'remain_quota' },
    ],
    [
      'a fraction of a credit',
      'POST',
      '/api/token/',
      { ...token, remain_quota: 1.5 },
      400,
      { code: 'input.invalid', field: 'remain_quota' },
    ],
    [
      'more credits than can be counted',
      'POST',
      '/api/token/',
      { ...token, remain_quota: 2 ** 60 },
      400,
      { code: 'input.invalid', field: 'remain_quota' },
    ],
    [
      'a text for a flag',
      'POST',
      '/api/token/',
      { ...token, unlimited_quota: 'true' },
      400,
      { code: 'input.invalid', field: 'unlimited_quota' },
    ],
    [
      'a field within a field',
      'POST',
      '/api/prices/single',
      { model: 'm', type: 'tokens', channel_type: 1, input: 1, output: 1, extra_ratios: { cached_tokens_ratio: -1 } },
      400,
      { code: 'input.invalid', field: 'extra_ratios.cached_tokens_ratio' },
    ],
    [
      'a poisoned prototype',
      'POST',
      '/api/token/',
      '{"name":"one","__proto__":{"role":100}}',
      400,
      { code: 'input.not_json' },
    ],
    [
      'a poisoned constructor',
      'POST',
      '/api/token/',
      '{"name":"one","constructor":{"prototype":{"role":100}}}',
      400,
      { code: 'input.not_json' },
    ],
    ['a text with a NUL', 'POST', '/api/token/', { name: 'a\u0000b' }, 400, { code: 'input.invalid', field: 'name' }],
    [
      'a filter with a NUL',
      'GET',
      '/api/token/?keyword=a%00',
      undefined,
      400,
      { code: 'input.invalid', field: 'keyword' },
    ],
    [
      'a path with a NUL',
      'DELETE',
      '/api/prices/single/a%00',
      undefined,
      400,
      { code: 'input.invalid', field: 'model' },
    ],
    ['an endpoint that is turned off', 'GET', '/api/token/playground', undefined, 404, { code: 'route.off' }],
    ['an endpoint of a related program', 'GET', '/api/user/2fa/status?x=1', undefined, 404, { code: 'route.absent' }],
    ['its search, a word for an id', 'GET', '/api/channel/search', undefined, 404, { code: 'route.absent' }],
    ['a word for an id', 'GET', '/api/token/something', undefined, 404, { code: 'route.unknown' }],
    ['an id that is no number', 'GET', '/api/token/1abc', undefined, 400, { code: 'input.invalid', field: 'id' }],
    ['id 0', 'GET', '/api/token/0', undefined, 400, { code: 'input.invalid', field: 'id' }],
    ['half an id', 'GET', '/api/token/1.5', undefined, 400, { code: 'input.invalid', field: 'id' }],
    [
      'an id beyond counting',
      'GET',
      '/api/token/99999999999999999999',
      undefined,
      400,
      { code: 'input.invalid', field: 'id' },
    ],
    ['101 rows a page', 'GET', '/api/token/?size=101', undefined, 400, { code: 'input.invalid', field: 'size' }],
    ['no number of rows', 'GET', '/api/token/?size=many', undefined, 400, { code: 'input.invalid', field: 'size' }],
    ['no number of a page', 'GET', '/api/token/?page=abc', undefined, 400, { code: 'input.invalid', field: 'page' }],
    ['two pages', 'GET', '/api/token/?page=1&page=2', undefined, 400, { code: 'input.invalid', field: 'page' }],
    [
      'a column that is not the list’s',
      'GET',
      '/api/token/?order=key_hash',
      undefined,
      400,
      { code: 'list.order', field: 'order' },
    ],
    [
      'SQL for a column',
      'GET',
      '/api/token/?order=id;drop%20table%20users',
      undefined,
      400,
      { code: 'list.order', field: 'order' },
    ],
    [
      'a column twice reversed',
      'GET',
      '/api/token/?order=--id',
      undefined,
      400,
      { code: 'list.order', field: 'order' },
    ],
    ['an empty column', 'GET', '/api/token/?order=id,', undefined, 400, { code: 'list.order', field: 'order' }],
    [
      'a filter that is no number',
      'GET',
      '/api/token/?status=on',
      undefined,
      400,
      { code: 'input.invalid', field: 'status' },
    ],
    ...(
      [
        ['an object for a time', 'end_timestamp[year]=2026', 'end_timestamp'],
        ['an object beside a time', 'end_timestamp=1&end_timestamp[]=2', 'end_timestamp'],
        ['two times', 'end_timestamp=1&end_timestamp=2', 'end_timestamp'],
        ['a blank for a time', 'end_timestamp=%20', 'end_timestamp'],
        ['a list for a text', 'keyword[]=a', 'keyword'],
        ['two texts', 'keyword=a&keyword=b', 'keyword'],
      ] as const
    ).map(([why, query, field]): (typeof refusals)[number] => [
      `a download with ${why}`,
      'GET',
      `/api/redemption/export?${query}`,
      undefined,
      400,
      { code: 'input.invalid', field },
    ]),
    [
      'a list for a number of rows',
      'GET',
      '/api/prices/changes?size[]=5',
      undefined,
      400,
      { code: 'input.invalid', field: 'size' },
    ],
  ];

  test.each(refusals)('%s: %s %s', async (_, method, path, body, status, refusal) => {
    const answer = await hub().root.send(method, path, body);
    expect(answer).toMatchObject({ status, body: { success: false, ...refusal } });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { message } = answer.body;
    expect(message).not.toBe('');
    expect(JSON.stringify(answer.body)).not.toMatch(
      /\.ts\b|node_modules|node:|Error:|select |sqlite|postgres|\{\w+\}/i,
    );
    if (answer.body.success || answer.body.field === undefined || answer.body.code === 'list.order') return;
    expect(message).toMatch(new RegExp(`^${answer.body.field.replaceAll('.', '\\.')}: ./*`));
  });

  test('none of them created anything', async () => {
    expect(await hub().root.call(tokenApi.list)).toMatchObject({ data: [], total_count: 0 });
    expect((await hub().root.call(priceApi.list)).find(({ model }) => model === 'm')).toBeUndefined();
  });

  test.each(['/api/status', '/api/user/self', '/api/nonesuch', '/'])(
    '%s carries the id of the request',
    async (path) => {
      const ids = [await fetch(hub().url + path), await fetch(hub().url + path)].map(({ headers }) =>
        headers.get('x-oneapi-request-id'),
      );
      for (const id of ids) expect(id).toMatch(/^\d{23}[A-Za-z0-9]{8}$/);
      expect(new Set(ids).size).toBe(2);
    },
  );

  test('a body of more than 1 MiB is not read', async () => {
    const answer = await hub().root.send('POST', '/api/token/', { name: 'x'.repeat(1024 * 1024) });
    expect(answer).toMatchObject({
      status: 413,
      body: { success: false, code: 'body.too_large', message: 'The request body is larger than 1 MiB' },
    });
  });

  test('nor is the body of a client that reads only after sending', async () => {
    const asked = { url: hub().url, path: '/api/token/', headers: { cookie: hub().root.cookie }, mebibytes: 40 };
    // Closing a connection may or may not discard its response.
    for (const answer of await sendBeforeReading(asked, 6))
      expect(answer).toMatch(/^HTTP\/1\.1 413 .*body\.too_large/s);
  });

  test('a body just below 1 MiB is read', async () => {
    const answer = await hub().root.send('POST', '/api/token/', { name: 'x'.repeat(1024 * 1024 - 20) });
    expect(answer).toMatchObject({ status: 400, body: { field: 'name' } });
  });

  test.each([
    ['page=0', 1, 10],
    ['page=-3', 1, 10],
    ['page=', 1, 10],
    ['', 1, 10],
    ['page=2.9', 2, 10],
    ['size=0', 1, 10],
    ['size=-1', 1, 10],
    ['size=100', 1, 100],
  ])('the page of "%s" is %i, with %i rows', async (query, page, size) => {
    expect(await hub().root.send('GET', `/api/token/?${query}`)).toMatchObject({
      status: 200,
      body: { success: true, data: { page, size, total_count: 0 } },
    });
  });

  test.each(['1e300', '9007199254740991', '1000'])('page %s is empty', async (page) => {
    expect(await hub().root.send('GET', `/api/user_group/?size=100&page=${page}`)).toMatchObject({
      status: 200,
      body: { data: { data: [], total_count: 3 } },
    });
  });

  test('no list fails at a page that does not exist', async () => {
    const lists = allEndpoints.filter(({ method, path, query }) => {
      const { page } = (query as Partial<z.ZodMiniObject>).shape ?? {};
      return method === 'GET' && page !== undefined && !path.includes(':');
    });
    expect(lists.length).toBeGreaterThan(20);
    for (const { path } of lists) {
      const { status } = await hub().root.send('GET', `${path}?page=69202221279146120`);
      // The audit log has a last page and says so.
      expect(status, path).toBe(path === '/api/audit' ? 400 : 200);
    }
  });

  test('keys of a query that belong to no filter are ignored', async () => {
    const answer = await hub().root.send('GET', '/api/token/?p=0&__proto__[size]=1&constructor[x]=1&other[x]=1');
    expect(answer).toMatchObject({ status: 200, body: { data: { page: 1, size: 10 } } });
  });

  test('fields that a request does not take are named, at the top, in lists and in queries', async () => {
    const { root } = hub();
    const made = await root.send('POST', '/api/token/?dry_run=1', { ...token, qouta: 5, metadata: { any: 1 } });
    expect(made.body).toMatchObject({
      success: true,
      warnings: [
        { field: 'dry_run', message: expect.stringMatching(/^dry_run: ignored/) as string },
        { field: 'qouta', message: expect.stringMatching(/^qouta: ignored/) as string },
      ],
    });
    const price = { model: 'warned', type: 'tokens', channel_type: 1, input: 1, output: 1 };
    const prices = [
      { ...price, extra_ratios: { cached_ratio: 1 } },
      { ...price, model: 'warned-2', note: 'x' },
    ];
    expect((await root.send('PUT', '/api/prices/multiple', { prices })).body).toMatchObject({
      warnings: [{ field: 'prices.0.extra_ratios.cached_ratio' }, { field: 'prices.1.note' }],
    });
    await root.call(priceApi.remove, { params: { model: 'warned' } });
    await root.call(priceApi.remove, { params: { model: 'warned-2' } });
    expect((await root.send('GET', '/api/token/?page=1')).body).not.toHaveProperty('warnings');
    const odd = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}${'x'.repeat(200)}`, 1]));
    const { body } = await root.send('POST', '/api/token/', { ...token, ...odd });
    expect(body.success && body.warnings).toHaveLength(20);
    expect(JSON.stringify(body).length).toBeLessThan(7000);
  });

  const limits = { caps: [{ measure: 'credits', period: 'day', amount: 5 }] };
  const group = { id: 1, name: 'x', ratio: 1, api_rate: 600, public: false };
  const strict: [why: string, method: string, path: string, body: object, field: string][] = [
    ['a limit', 'POST', '/api/token/', { ...token, limits: { ...limits, model: ['x'] } }, 'limits.model'],
    ['a cap', 'POST', '/api/token/', { ...token, limits: { caps: [{ ...limits.caps[0], a: 1 }] } }, 'limits.caps.0.a'],
    ['an edit', 'PUT', '/api/token/', { id: 1, limits: { budgets: [] } }, 'limits.budgets'],
    ['an administrator’s edit', 'PUT', '/api/token/all/1', { limits: { budgets: [] } }, 'limits.budgets'],
    ['a group', 'PUT', '/api/user_group/', { ...group, token_limits: { ceiling: [] } }, 'token_limits.ceiling'],
    [
      'the limits of a group',
      'PUT',
      '/api/user_group/',
      { ...group, token_limits: { defaults: { cap: [] } } },
      'token_limits.defaults.cap',
    ],
    [
      'a bulk change',
      'POST',
      '/api/channel/batch/preview',
      { scope: { ids: [1] }, change: { verb: 'edit', wieght: 5 } },
      'change.wieght',
    ],
  ];
  test.each(strict)('an unknown field in %s is refused: %s %s', async (_, method, path, body, field) => {
    const answer = await hub().root.send(method, path, body);
    expect(answer).toMatchObject({ status: 400, body: { success: false, code: 'input.invalid', field } });
  });

  describe('languages', () => {
    const languages: [header: string | undefined, nobody: string, problem: RegExp][] = [
      [undefined, 'Sign in to continue', /^name: [a-z]/],
      ['zh-CN,zh;q=0.9,en;q=0.8', '请先登录', /^name：/],
      ['zh-Hans-HK', '请先登录', /^name：/],
      ['zh-HK,zh;q=0.9,en;q=0.8', '請先登入', /^name：/],
      ['zh-TW', '請先登入', /^name：/],
      ['zh-Hant', '請先登入', /^name：/],
      ['en-US,en;q=0.9', 'Sign in to continue', /^name: [a-z]/],
      ['en', 'Sign in to continue', /^name: [a-z]/],
      ['fr-FR,en;q=0.5', 'Sign in to continue', /^name: [a-z]/],
      ['fr', 'Sign in to continue', /^name: [a-z]/],
      ['*', 'Sign in to continue', /^name: [a-z]/],
    ];

    test.each(languages)('%s', async (header, nobody, problem) => {
      const ask = async (path: string, init: RequestInit): Promise<{ message: string }> => {
        const headers = { ...(init.headers as Record<string, string>), 'accept-language': header ?? '' };
        return (await (await fetch(hub().url + path, { ...init, headers })).json()) as { message: string };
      };
      expect((await ask('/api/user/self', { headers: {} })).message).toBe(nobody);
      const json = { 'content-type': 'application/json', cookie: hub().root.cookie };
      expect((await ask('/api/token/', { method: 'POST', body: '{"name":""}', headers: json })).message).toMatch(
        problem,
      );
    });

    test('a caller that names no language gets that of its account, by session and by access token', async () => {
      const { id, client } = await addPerson(hub());
      const accessToken = await client.call(profileApi.makeAccessToken);
      await hub().server.deps.db.updateTable('users').set({ language: 'ja_JP' }).where('id', '=', id).execute();
      for (const credentials of [{ cookie: client.cookie }, { authorization: accessToken }]) {
        const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', ...credentials } };
        const answer = await fetch(`${hub().url}/api/token/`, init);
        expect(await answer.json()).toMatchObject({ message: 'name：必須です' });
        const refused = await fetch(`${hub().url}/api/option/`, { headers: credentials });
        expect(((await refused.json()) as { message: string }).message).toMatch(/権限/);
      }
    });

    test('the contract’s own rules have their texts in both', async () => {
      const body = { symbol: 'not allowed!', name: 'x' };
      const say = async (language: string) =>
        (await hub().root.send('POST', '/api/user_group/', body, { 'accept-language': language })).body.message;
      expect(await say('en')).toBe('symbol: must contain only letters a–z, digits, _ and -');
      expect(await say('zh')).toBe('symbol：只能使用字母、数字、下划线和连字符');
    });
  });

  test.each([
    ['{"name":5}', 'name: must be text'],
    ['{}', 'name: is required'],
    ['{"name":"x","remain_quota":"5"}', 'remain_quota: must be a number'],
    ['{"name":"x","remain_quota":1.5}', 'remain_quota: must be a whole number'],
    ['[]', 'body: must be an object'],
  ])('%s names the expected type', async (body, message) => {
    const answer = await hub().root.send('POST', '/api/token/', body, { 'accept-language': 'en' });
    expect(answer).toMatchObject({ status: 400, body: { message } });
  });

  test('an error does not repeat the input', async () => {
    for (const body of [
      { type: KEY, name: 'x', key: KEY, models: 'm' },
      { type: 8, name: 'x', key: [KEY], models: 'm' },
      `{"key":"${KEY}"`,
    ]) {
      const answer = await hub().root.send('POST', '/api/channel/', body);
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).not.toContain('0123456789');
    }
  });

  describe('a server that fails', () => {
    beforeAll(async () => {
      await hub().server.deps.db.schema.alterTable('model_owners').renameTo('gone').execute();
    });

    test('returns an error without details', async () => {
      const answer = await hub().root.send('GET', '/api/ownedby');
      expect(answer).toMatchObject({
        status: 500,
        body: { success: false, message: 'Internal server error. Contact the administrator', code: 'server.failed' },
      });
      expect(Object.keys(answer.body).toSorted()).toEqual(['code', 'message', 'success']);
    });

    test('still serves other endpoints', async () => {
      expect((await hub().root.call(userGroupApi.list)).total_count).toBe(3);
    });
  });
});
