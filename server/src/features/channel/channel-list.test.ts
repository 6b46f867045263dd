import type { InputOf } from '@relay-hub/contract';
import { channelApi, channelColumns, userGroupApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';

type Query = Partial<InputOf<typeof channelApi.list>['query']>;

onEveryDatabase('the list of channels', (make) => {
  const hub = hubForSuite(make);
  const names = async (query: Query): Promise<string[]> =>
    (await hub().root.call(channelApi.list, { query })).data.map(({ name }) => name);

  beforeAll(async () => {
    const { root } = hub();
    for (const symbol of ['Pro', 'pro', 'pro_2', 'proX2'])
      await root.call(userGroupApi.create, { body: { symbol, name: symbol } });
    const rows = [
      {
        name: 'Alpha',
        type: 8,
        models: 'gpt-4o,gpt-4o-mini',
        base_url: 'http://one.example',
        group: 'default',
        tag: 'eu',
        priority: 1,
        weight: 5,
        key: 'sk-alpha-key-0Ab1\nsk-alpha-key-0Ab2',
        one_channel: true,
      },
      {
        name: 'beta',
        type: 8,
        models: 'claude-3',
        base_url: 'http://two.example',
        group: 'default,vip',
        tag: 'us',
        priority: 3,
        weight: 4,
        status: 2 as const,
        key: 'beta|of-three|parts-0Ab2',
      },
      {
        name: '100%',
        type: 1,
        models: 'o1_mini',
        test_model: 'o1_mini',
        base_url: '',
        group: 'svip,Pro',
        tag: 'eu',
        priority: 2,
        weight: 3,
      },
      { name: 'Ärger Канал', type: 1, models: 'o1', base_url: '', group: 'pro', tag: '', priority: 0, weight: 2 },
      {
        name: 'under_score',
        type: 1,
        models: 'o3',
        other: 'v1-beta',
        base_url: '',
        group: 'pro_2',
        tag: '',
        priority: 0,
        weight: 1,
      },
      { name: 'underXscore', type: 1, models: 'o3', base_url: '', group: 'proX2', tag: '', priority: 0, weight: 1 },
    ];
    for (const row of rows) await root.call(channelApi.create, { body: { key: 'sk-1', ...row } });
  });

  test.each<[Query, string[]]>([
    [{ keyword: 'alp' }, ['Alpha']],
    [{ keyword: 'ALPHA' }, ['Alpha']],
    [{ keyword: 'claude' }, ['beta']],
    [{ keyword: 'two.example' }, ['beta']],
    [{ keyword: 'us' }, ['beta']],
    [{ keyword: '%' }, ['100%']],
    [{ keyword: 'r_s' }, ['under_score']],
    [{ keyword: '1_m' }, ['100%']],
    [{ keyword: '\\' }, []],
    [{ keyword: "'" }, []],
    [{ keyword: 'Ärger' }, ['Ärger Канал']],
    [{ keyword: 'Канал' }, ['Ärger Канал']],
    [{ name: 'ETA' }, ['beta']],
    [{ models: 'mini' }, ['100%', 'Alpha']],
    [{ group: 'vip' }, ['beta']],
    [{ group: 'default' }, ['beta', 'Alpha']],
    [{ group: 'Pro' }, ['100%']],
    [{ group: 'pro' }, ['Ärger Канал']],
    [{ group: 'pro_2' }, ['under_score']],
    [{ group: 'ip' }, []],
    [{ tag: 'eu' }, ['100%', 'Alpha']],
    [{ tag: 'e' }, []],
    [{ type: 8 }, ['beta', 'Alpha']],
    [{ status: 2 }, ['beta']],
    [{ type: 8, status: 1 }, ['Alpha']],
    [
      { type: 0, status: 0, keyword: '', group: '' },
      ['underXscore', 'under_score', 'Ärger Канал', '100%', 'beta', 'Alpha'],
    ],
    [{ type: 77 }, []],
    [{ test_model: 'O1' }, ['100%']],
    [{ test_model: '1_mini' }, []],
    [{ other: 'V1' }, ['under_score']],
    [{ other: 'beta' }, []],
    [{ key: 'sk-alpha-key-0Ab1' }, ['Alpha']],
    [{ key: 'sk-alpha-key-0ab1' }, []],
    [{ key: '0Ab1' }, ['Alpha']],
    [{ key: '0ab1' }, []],
    [{ key: 'Ab1' }, []],
    [{ key: '0Ab2' }, ['beta', 'Alpha']],
    [{ filter_tag: '1' }, ['underXscore', 'under_score', 'Ärger Канал']],
    [{ filter_tag: '2' }, ['100%', 'beta', 'Alpha']],
    [{ name: 'a', models: 'gpt' }, ['Alpha']],
  ])('%o finds %o', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test.each(channelColumns)('can be ordered by %s, both ways', async (column) => {
    const forth = await names({ order: column });
    const back = await names({ order: `-${column}` });
    expect(forth).toHaveLength(6);
    expect(back).toEqual(forth.toReversed());
  });

  test.each<[string, string[]]>([
    ['priority,-weight', ['Ärger Канал', 'under_score', 'underXscore', 'Alpha', '100%', 'beta']],
    ['-priority', ['beta', '100%', 'Alpha', 'underXscore', 'under_score', 'Ärger Канал']],
  ])('ordered by %s', async (order, expected) => {
    expect(await names({ order })).toEqual(expected);
  });

  test('pages hold every row once', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => hub().root.call(channelApi.list, { query: { page, size: 2, order: 'priority' } })),
    );
    for (const { total_count: total } of pages) expect(total).toBe(6);
    expect(pages.map(({ data }) => data.length)).toEqual([2, 2, 2, 0]);
    expect(new Set(pages.flatMap(({ data }) => data.map(({ id }) => id))).size).toBe(6);
  });
});
