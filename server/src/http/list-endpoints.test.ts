import { redemptionApi, tokenApi, userGroupApi } from '@relay-hub/contract';
import { allEndpoints } from '@relay-hub/contract/registry';
import { beforeAll, describe, expect, test } from 'vitest';
import { anyPath } from '#testing/endpoints.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { objectOr } from '#json.ts';

/** Sums by address, which have no id. */
const withoutId: readonly string[] = ['/api/log/unknown_keys', '/api/user/invoice'];

const lists = allEndpoints.filter(({ method, query, file }) => {
  const fields = query.safeParse({}).data;
  return method === 'GET' && file === undefined && ['page', 'size', 'order'].every((name) => name in objectOr(fields));
});

/** The family's consoles send these parameters to every list. */
describe('lists take the family’s paging and its default order', () => {
  const hub = hubForSuite(newSqlite);

  beforeAll(async () => {
    const { root } = hub();
    for (const n of [1, 2, 3]) {
      await root.call(tokenApi.create, { body: { name: `t${n}` } });
      await root.call(redemptionApi.create, { body: { name: `r${n}`, quota: 1, count: 1 } });
      await addChannel(hub(), 'https://api.example.com', { name: `c${n}`, models: `m${n}`, tag: `tag${n}` });
      const group = { symbol: `g${n}`, name: `g${n}`, ratio: 1, api_rate: 10, public: true };
      await root.call(userGroupApi.create, { body: group });
    }
  });

  const pageAt = async (path: string, query: string) => {
    const { status, body } = await hub().root.send('GET', `${path}?${query}`);
    const { data, code } = objectOr(body);
    return { status, page: objectOr(data), code };
  };

  test.each(lists.map(({ path, ...endpoint }) => [path, anyPath({ path, ...endpoint })]))('%s', async (name, path) => {
    const order = withoutId.includes(name) ? '' : '-id';
    const usual = await pageAt(path, '');
    // A list of one record's parts: there is no such record.
    if (name.includes(':') && usual.status === 404) return;
    const asked = await pageAt(path, `page=1&size=10&order=${order}`);
    expect([asked.status, asked.code]).toEqual([200, undefined]);
    expect(asked.page).toMatchObject({ page: 1, size: 10 });
    expect(usual).toEqual(asked);
    const first = await pageAt(path, `page=0&size=1&order=${order}`);
    expect(first.page).toMatchObject({ page: 1, size: 1, total_count: asked.page['total_count'] });
    expect(first.page['data']).toEqual((asked.page['data'] as unknown[]).slice(0, 1));
    expect((await pageAt(path, 'size=101')).status).toBe(400);
    expect((await pageAt(path, 'order=password_hash')).status).toBe(400);
  });

  test('are all here', () => expect(lists.length).toBeGreaterThan(20));
});
