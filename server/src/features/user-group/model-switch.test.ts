import { priceApi, routeApi, userGroupApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { addCaller } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

onEveryDatabase('models switched off for a user group', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let key: string;
  beforeAll(async () => {
    await addChannel(hub(), upstream().url, {
      models: 'gpt-4o,gpt-4o-mini,text-embedding-3-small',
      group: 'default,vip',
    });
    ({ key } = await addCaller(hub().server.deps.db));
  });

  const set = async (model_switch: { allow?: string[]; deny?: string[] } | null) => {
    const { data } = await hub().root.call(userGroupApi.list, { query: { size: 100 } });
    const group = data.find(({ symbol }) => symbol === 'default')!;
    return hub().root.call(userGroupApi.update, { body: { ...group, model_switch } });
  };
  const models = async () => {
    const response = await fetch(`${hub().url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  };

  test.each<[string, Parameters<typeof set>[0], string[]]>([
    ['no list allows all', null, ['gpt-4o', 'gpt-4o-mini', 'text-embedding-3-small']],
    ['a denied model', { deny: ['gpt-4o'] }, ['gpt-4o-mini', 'text-embedding-3-small']],
    ['a denied family', { deny: ['gpt-*'] }, ['text-embedding-3-small']],
    ['allowed models', { allow: ['gpt-4o*'] }, ['gpt-4o', 'gpt-4o-mini']],
    ['denial is stronger', { allow: ['gpt-*'], deny: ['*-mini'] }, ['gpt-4o']],
  ])('%s', async (_, lists, expected) => {
    await set(lists);
    expect(await models()).toEqual(expected);
  });

  test.each([
    ['/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }],
    ['/v1/messages', { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 }],
    ['/v1/messages/count_tokens', { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }],
    ['/v1/responses', { model: 'gpt-4o', input: 'hi' }],
    ['/v1/embeddings', { model: 'text-embedding-3-small', input: 'hi' }],
    ['/gemini/v1beta/models/gpt-4o:generateContent', { contents: [{ parts: [{ text: 'hi' }] }] }],
    ['/v1/models/gpt-4o', undefined],
  ])('%s is refused by name, and the other group is served', async (path, body) => {
    await set({ deny: ['gpt-4o', 'text-*'] });
    const other = await addCaller(hub().server.deps.db, { group: 'vip' });
    const call = async (by: string) => {
      const response = await fetch(hub().url + path, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
      });
      return { status: response.status, text: await response.text() };
    };
    const refused = await call(key);
    expect(refused.status).toBe(403);
    expect(refused.text).toMatch(/switched off for the user group 'default'/);
    expect((await call(other.key)).status).toBe(200);
  });

  test('the price list leaves it out, and the route explainer names it', async () => {
    await set({ deny: ['gpt-4o'] });
    const { client } = await addPerson(hub());
    expect(Object.keys(await client.call(priceApi.available))).not.toContain('gpt-4o');
    const { refused, candidates } = await hub().root.call(routeApi.explain, { body: { model: 'gpt-4o' } });
    expect(refused).toContain('switched off');
    expect(candidates).toMatchObject([{ skipped: 'model_off' }]);
  });

  test('an update without the field keeps it, and a misspelt one is refused', async () => {
    const { id, name } = await set({ deny: ['gpt-4o'] });
    const body = { id, name, ratio: 1, api_rate: 600, public: true };
    expect(await hub().root.call(userGroupApi.update, { body })).toMatchObject({
      model_switch: { allow: [], deny: ['gpt-4o'] },
    });
    for (const model_switch of [{ denied: ['x'] }, { deny: ['*'] }, { allow: ['a,b'] }])
      expect(await hub().root.send('PUT', '/api/user_group/', { ...body, model_switch })).toMatchObject({
        status: 400,
        body: { code: 'input.invalid' },
      });
  });
});
