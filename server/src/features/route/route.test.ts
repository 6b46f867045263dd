import {
  type InputOf,
  keptSecret,
  optionApi,
  priceApi,
  routeApi,
  type UserGroup,
  userGroupApi,
} from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCaller } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

onEveryDatabase('explaining a route', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const live = () => hub().server.deps.live;
  const ids: Record<string, number> = {};

  beforeAll(async () => {
    const add = async (name: string, more: object) =>
      void (ids[name] = await addChannel(hub(), upstream().url, { name, models: 'gpt-4o', ...more }));
    await add('heavy', { priority: 5, weight: 3 });
    await add('light', { priority: 5, weight: 1 });
    await add('spare', { priority: 1 });
    await add('chat-only', { priority: 9, only_chat: true });
    await add('mapped', { priority: 9, model_mapping: '{"gpt-4o":"nobody-has-priced-this"}' });
    await add('off', { priority: 9, status: 2 });
    await hub().root.call(userGroupApi.create, { body: { symbol: 'half', name: 'half', public: true, ratio: 0.5 } });
    await add('half', { group: 'half', models: 'gpt-4o,other-*' });
    await hub().root.call(priceApi.create, {
      body: { model: 'other-*', type: 'times', channel_type: 1, input: 2, output: 0 },
    });
  });

  const explain = (body: {
    model: string;
    group?: string;
    token_id?: number;
    stream?: boolean;
    tools?: boolean;
    images?: boolean;
  }) => hub().root.call(routeApi.explain, { body });
  const shares = async (body: Parameters<typeof explain>[0]) =>
    Object.fromEntries(
      (await explain(body)).candidates.map(({ channel_name, share, skipped }) => [channel_name, skipped || share]),
    );

  test('every channel with its share, or why it is not used, and nothing is sent', async () => {
    const before = upstream().requests.total;
    expect(await shares({ model: 'gpt-4o', tools: true })).toEqual({
      heavy: 0.75,
      light: 0.25,
      spare: 'lower_priority',
      'chat-only': 'only_chat',
      mapped: 'unpriced',
      off: 'switched_off',
    });
    expect(upstream().requests.total).toBe(before);
    const { candidates } = await explain({ model: 'gpt-4o' });
    expect(candidates[0]).toMatchObject({
      channel_id: ids['chat-only'],
      share: 1,
      upstream_model: 'gpt-4o',
      billed_model: 'gpt-4o',
      price: { model: 'gpt-4o', type: 'tokens', input: 1.25, output: 5 },
    });
  });

  test('what the request has counts: streaming, tools, images', async () => {
    await addChannel(hub(), upstream().url, { name: 'whole only', models: 'seen', disabled_stream: ['see*'] });
    await addChannel(hub(), upstream().url, { name: 'blind', models: 'seen', plugin: {}, only_chat: true });
    await hub().root.call(priceApi.create, {
      body: { model: 'seen', type: 'times', channel_type: 1, input: 2, output: 0 },
    });
    expect(await shares({ model: 'seen' })).toEqual({ 'whole only': 0.5, blind: 0.5 });
    expect(await shares({ model: 'seen', stream: true })).toEqual({ 'whole only': 'excluded_feature', blind: 1 });
    expect(await shares({ model: 'seen', tools: true })).toEqual({ 'whole only': 1, blind: 'only_chat' });
  });

  test('what has failed is frozen or closed until then', async () => {
    const now = Date.now();
    live().health.failed(ids['chat-only']!, 'gpt-4o', { cooldownMs: 60_000, now });
    live().health.failed(ids['heavy']!, 'gpt-4o', { cooldownMs: 5_000, retryAfterMs: 30_000, now });
    try {
      expect(await shares({ model: 'gpt-4o' })).toMatchObject({ 'chat-only': 'frozen', heavy: 'closed', light: 1 });
      const { candidates } = await explain({ model: 'gpt-4o' });
      expect(candidates.find(({ channel_name }) => channel_name === 'heavy')?.until).toBe(now + 30_000);
    } finally {
      live().health.forget(ids['chat-only']!);
      live().health.forget(ids['heavy']!);
    }
  });

  describe('for a token', () => {
    test('its group, and what would refuse it before any channel is chosen', async () => {
      const who = await addCaller(hub().server.deps.db, { tokenGroup: 'half' });
      expect(await explain({ model: 'other-1', token_id: who.tokenId })).toMatchObject({
        group: 'half',
        group_ratio: 0.5,
        refused: '',
        candidates: [{ channel_name: 'half', channel_type: 8, share: 1, price: { type: 'times', input: 2 } }],
      });
      await hub().server.deps.db.updateTable('tokens').set({ status: 2 }).where('id', '=', who.tokenId).execute();
      expect((await explain({ model: 'other-1', token_id: who.tokenId })).refused).toMatch(/disabled/);
    });

    test('one that is not there, and a group that is not', async () => {
      const { try: attempt } = { try: hub().root.try.bind(hub().root) };
      expect(await attempt(routeApi.explain, { body: { model: 'gpt-4o', token_id: 999_999 } })).toMatchObject({
        status: 404,
        body: { field: 'token_id' },
      });
      expect(await attempt(routeApi.explain, { body: { model: 'gpt-4o', group: 'nobody' } })).toMatchObject({
        status: 400,
        body: { field: 'group' },
      });
      expect((await explain({ model: 'nobody-serves-this' })).candidates).toEqual([]);
    });
  });

  describe('the rules of a channel', () => {
    type Input = Omit<InputOf<typeof routeApi.explain>['body'], 'model'>;
    const rulesOf = async (more: Input) => {
      const { candidates } = await hub().root.call(routeApi.explain, { body: { model: 'ruled', ...more } });
      const shown = new Map(candidates.map(({ channel_name, rules }) => [channel_name, rules]));
      const json = (text = '') => (text === '' ? undefined : (JSON.parse(text) as object));
      return (name: string) => {
        const rules = shown.get(name);
        return rules && { ...rules, before: json(rules.before), after: json(rules.after) };
      };
    };

    beforeAll(async () => {
      const set = (field: string, value: unknown) => ({ action: 'set' as const, field, value });
      const more = { models: 'ruled', key: 'sk-never-shown', model_headers: '{"x-team":"never-shown"}' };
      const body: Parameters<typeof addChannel>[2][] = [
        { name: 'plain' },
        {
          name: 'changed',
          request_rules: [
            { ...set('top_k', 1), endpoints: ['chat'] },
            { action: 'rename', field: 'max_tokens', to: 'limit' },
            { ...set('x-team', 'red'), target: 'header', when: [{ field: 'limit', test: 'present' }] },
          ],
        },
        { name: 'broken', request_rules: [{ ...set('messages', []), before_conversion: true }] },
        { name: 'mapped to', model_mapping: '{"ruled":"sent"}', request_rules: [{ ...set('a', 1), models: ['sent'] }] },
      ];
      for (const one of body) await addChannel(hub(), upstream().url, { ...more, ...one });
    });

    test('are shown as the request before and after, with headers that are set', async () => {
      const rules = await rulesOf({ body: '{"messages":[{"role":"user","content":"Hi"}],"max_tokens":5}' });
      expect(rules('plain')).toBeNull();
      const messages = [{ role: 'user', content: 'Hi' }];
      expect(rules('changed')).toEqual({
        before: { model: 'ruled', messages, max_tokens: 5 },
        after: { model: 'ruled', messages, limit: 5, top_k: 1 },
        headers: [{ name: 'x-team', before: keptSecret, after: 'red' }],
        problem: '',
      });
      expect(rules('mapped to')).toMatchObject({ before: { model: 'sent' }, after: { model: 'sent', a: 1 } });
      expect(JSON.stringify(await explain({ model: 'ruled' }))).not.toContain('never-shown');
    });

    test.each([
      ['chat', { top_k: 1 }],
      ['responses', null],
      ['messages', { limit: 1024 }],
      ['gemini', null],
    ] as const)('are shown with a short request of the API %s', async (api, after) => {
      const rules = await rulesOf({ api });
      expect(rules('changed')).toEqual(
        after && expect.objectContaining({ after: expect.objectContaining(after) as object }),
      );
    });

    test('that make an invalid request are told', async () => {
      const rules = await rulesOf({});
      expect(rules('broken')).toMatchObject({ problem: expect.stringContaining("'messages'") as string });
      expect((await rulesOf({ operation: 'embeddings' }))('mapped to')).toMatchObject({
        after: { input: 'Hello', a: 1 },
      });
    });

    test.each(['{', '[]', '{"messages":"x"}'])('are not shown with the sample %s', async (body) => {
      const answer = await hub().root.try(routeApi.explain, { body: { model: 'ruled', body } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'route.sample', field: 'body' } });
    });
  });

  describe('with a preference of the site', () => {
    const prefer = (value: string) => hub().root.call(optionApi.set, { body: { key: 'ChannelPreference', value } });
    let thrifty: UserGroup;
    beforeAll(async () => {
      thrifty = await hub().root.call(userGroupApi.create, {
        body: { symbol: 'thrifty', name: 'thrifty', channel_preference: 'cost' },
      });
      const group = 'default,thrifty';
      for (const [name, more] of [
        ['near', { cost_ratio: 2 }],
        ['cheap', { cost_ratio: 0.5 }],
        ['listed', {}],
        ['later', { priority: 0, cost_ratio: 0.1 }],
      ] as const)
        ids[name] = await addChannel(hub(), upstream().url, { name, group, models: 'preferred', priority: 1, ...more });
      await hub().root.call(priceApi.create, {
        body: { model: 'preferred', type: 'tokens', channel_type: 1, input: 1, output: 3 },
      });
      for (let i = 0; i < 4; i++) {
        live().speeds.note(ids['near']!, 'preferred', { firstMs: 100, ms: 200, tokens: 9 });
        live().speeds.note(ids['cheap']!, 'preferred', { firstMs: 200, ms: 200, tokens: 9 });
      }
    });
    afterAll(() => prefer('weight'));

    const figures = async (group = '') => {
      const { candidates, preference } = await explain({ model: 'preferred', group });
      const shown = candidates.map(({ channel_name, share, skipped, figure }) => [
        channel_name,
        skipped || Math.round(share * 100),
        figure,
      ]);
      return { preference, shown };
    };

    test('shows figure and share of each channel, within the highest priority', async () => {
      await prefer('cost');
      expect(await figures()).toEqual({
        preference: 'cost',
        shown: [
          ['cheap', 100, 0.004],
          ['near', 'less_preferred', 0.016],
          ['listed', 'less_preferred', 0.008],
          ['later', 'lower_priority', 0.0008],
        ],
      });
      await prefer('latency');
      expect(await figures()).toEqual({
        preference: 'latency',
        shown: [
          ['near', 65, 100],
          ['cheap', 18, 200],
          ['listed', 18, null],
          ['later', 'lower_priority', null],
        ],
      });
    });

    test('which a group can replace', async () => {
      for (const [site, own, shown] of [
        ['latency', undefined, 'cost'],
        ['weight', undefined, 'cost'],
        ['cost', 'weight', 'weight'],
        ['latency', null, 'latency'],
      ] as const) {
        await prefer(site);
        if (own !== undefined)
          await hub().root.call(userGroupApi.update, { body: { ...thrifty, channel_preference: own } });
        const { preference, shown: rows } = await figures('thrifty');
        const [first] = rows;
        expect([preference, first?.[0]], `site ${site}`).toEqual([
          shown,
          shown === 'latency' ? 'near' : expect.anything(),
        ]);
        if (shown === 'cost') expect(first).toEqual(['cheap', 100, 0.004]);
        expect((await figures()).preference).toBe(site);
      }
    });
  });

  test('only administrators may ask', async () => {
    const person = await addPerson(hub());
    expect((await person.client.try(routeApi.explain, { body: { model: 'gpt-4o' } })).status).toBe(403);
  });
});
