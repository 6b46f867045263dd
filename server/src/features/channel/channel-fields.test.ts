import type { Channel } from '@relay-hub/contract';
import { channelApi, keptSecret } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';

const valid = { type: 8, name: 'one', key: 'sk-1', base_url: 'http://127.0.0.1:9', models: 'a-model' };

const every = {
  other: 'x',
  group: 'default,vip',
  tag: 'eu',
  priority: 5,
  weight: 7,
  model_mapping: '{"a":"+b"}',
  test_model: 'a-model',
  only_chat: true,
  pre_cost: 3,
  plugin: { customize: { 1: '/chat', 3: 'disable' } },
  excluded: ['images', 'streaming'],
  disabled_stream: ['o1', 'o3*'],
  connect_timeout: 3,
  first_token_timeout: 20,
  idle_timeout: 30,
  total_timeout: 600,
  on_client_gone: 'limit',
  gone_seconds: 40,
  gone_tokens: 5000,
} as const;

const defaults = {
  proxy: '',
  plugin: {},
  excluded: [],
  disabled_stream: [],
  connect_timeout: 0,
  first_token_timeout: 0,
  idle_timeout: 0,
  total_timeout: 0,
  on_client_gone: 'drain',
  gone_seconds: 300,
  gone_tokens: 0,
  key_count: 1,
  keys_off: 0,
  balance_currency: 'USD',
  frozen_until: 0,
  trouble: null,
};

const option = (name: string, values: object) => ({ plugin: { [name]: values } });

onEveryDatabase('what a channel can be told', (make) => {
  const hub = hubForSuite(make);
  const body = { excluded: [...every.excluded], disabled_stream: [...every.disabled_stream] };

  test('every field is stored, told, and changed one by one', async () => {
    const { root } = hub();
    const [made] = await root.call(channelApi.create, { body: { ...valid, ...every, ...body } });
    expect(made).toMatchObject(every);
    const [plain] = await root.call(channelApi.create, { body: valid });
    expect(plain).toMatchObject(defaults);
    for (const [field, value] of Object.entries({ ...every, ...body })) {
      // The limits belong to their policy.
      const more = field === 'on_client_gone' ? { gone_seconds: 40, gone_tokens: 5000 } : {};
      const changed = await root.call(channelApi.update, { body: { id: plain!.id, [field]: value, ...more } });
      expect(changed, field).toMatchObject({ [field]: value });
    }
    const rest = { id: 0, created_time: 0 };
    expect({ ...(await root.call(channelApi.get, { params: { id: plain!.id } })), ...rest }).toEqual({
      ...made,
      ...rest,
    });
  });

  test('calls go by it from the next one on', async () => {
    const [made] = await hub().root.call(channelApi.create, {
      body: { ...valid, ...every, ...body, models: 'told-model', proxy: 'socks5://me:pass@127.0.0.1:1080' },
    });
    const live = () => hub().server.deps.live.routes.channelsFor('default', 'told-model')[0];
    expect(live()).toMatchObject({
      id: made!.id,
      tag: 'eu',
      other: 'x',
      proxy: 'socks5://me:pass@127.0.0.1:1080',
      preCost: 3,
      onlyChat: true,
      plugin: every.plugin,
      excluded: new Set(every.excluded),
      disabledStream: every.disabled_stream,
      timeouts: { connectMs: 3000, firstTokenMs: 20_000, idleMs: 30_000, totalMs: 600_000 },
      onGone: { policy: 'limit', ms: 40_000, tokens: 5000 },
      key: 'sk-1',
      keys: [{ key: 'sk-1', headers: { authorization: 'Bearer sk-1' } }],
    });
    await hub().root.call(channelApi.update, { body: { id: made!.id, on_client_gone: 'abort', idle_timeout: 0 } });
    expect(live()).toMatchObject({ onGone: { policy: 'abort' }, timeouts: { idleMs: 0 } });
  });

  test('as the family sends it: options that are null, addresses line by line', async () => {
    const address = 'http://one.example/\n\n http://two.example ';
    const sent = { ...valid, plugin: null, key: 'k1\nk2\nk3', base_url: address };
    const made = await hub().root.send<Channel[]>('POST', '/api/channel/', sent);
    const { data } = made.body as { data: Channel[] };
    const [one, two] = ['http://one.example', 'http://two.example'];
    expect(data.map(({ base_url }) => base_url)).toEqual([one, two, one]);
    expect(data[0]!.plugin).toEqual({});
  });

  const invalid: [why: string, change: object, field: string, code?: string][] = [
    ['a time-out below 0', { idle_timeout: -1 }, 'idle_timeout'],
    ['half a time-out', { total_timeout: 0.5 }, 'total_timeout'],
    ['a time-out of days', { first_token_timeout: 100_000 }, 'first_token_timeout'],
    ['a policy that is not there', { on_client_gone: 'forget' }, 'on_client_gone'],
    [
      'a limit without time',
      { on_client_gone: 'limit', gone_seconds: 0, gone_tokens: 5 },
      'gone_seconds',
      'channel.gone_limit',
    ],
    ['a limit without amount', { on_client_gone: 'limit', gone_seconds: 5 }, 'gone_tokens', 'channel.gone_limit'],
    ['a feature that is not there', { excluded: ['dreams'] }, 'excluded.0'],
    ['a wildcard in the middle of a model that is not streamed', { disabled_stream: ['a*b'] }, 'disabled_stream.0'],
    ['a proxy of another kind', { proxy: 'ftp://host' }, 'proxy'],
    ['a proxy without a host', { proxy: 'socks5://' }, 'proxy'],
    ['a proxy with a path', { proxy: 'http://host/path' }, 'proxy'],
    ['a proxy that is a word', { proxy: 'host' }, 'proxy'],
    ['options that are a list', { plugin: [] }, 'plugin'],
    ['an option within an option', option('customize', { 1: { a: 1 } }), 'plugin.customize.1'],
    [
      'a path that would be another host',
      option('customize', { 1: '.evil.example/v1' }),
      'plugin',
      'channel.option_form',
    ],
    ['a path that would name a user', option('customize', { 1: '@evil.example' }), 'plugin', 'channel.option_form'],
    ['an address with a line break', { base_url: 'http://one\u2028two' }, 'base_url'],
    [
      'a secret to keep where there is none',
      { model_headers: `{"x":"${keptSecret}"}` },
      'model_headers',
      'channel.kept_unknown',
    ],
    ['a proxy to keep where there is none', { proxy: `http://me:${keptSecret}@host` }, 'proxy', 'channel.proxy_again'],
  ];
  describe('is refused otherwise', () => {
    test.each(invalid)('%s', async (_, change, field, code = 'input.invalid') => {
      const { root } = hub();
      const refused = { status: 400, body: { success: false, code, field } };
      expect(await root.send('POST', '/api/channel/', { ...valid, ...change })).toMatchObject(refused);
      const id = await addChannel(hub(), 'http://127.0.0.1:9');
      const before = await root.call(channelApi.get, { params: { id } });
      expect(await root.send('PUT', '/api/channel/', { id, weight: 9, ...change })).toMatchObject(refused);
      expect(await root.call(channelApi.get, { params: { id } })).toEqual(before);
    });
  });

  test('a limit can be set in two steps, and not be taken away under its policy', async () => {
    const { root } = hub();
    const id = await addChannel(hub(), 'http://127.0.0.1:9');
    const set = (change: object) => root.send('PUT', '/api/channel/', { id, ...change });
    expect((await set({ gone_seconds: 5, gone_tokens: 5 })).status).toBe(200);
    expect((await set({ on_client_gone: 'limit' })).status).toBe(200);
    expect(await set({ gone_tokens: 0 })).toMatchObject({ status: 400, body: { code: 'channel.gone_limit' } });
  });

  test.each(['http://user-%s:pass@host:80', 'https://host', 'socks5://127.0.0.1:1080/', ''])(
    '%j is a proxy',
    async (proxy) => {
      const answer = await hub().root.send('POST', '/api/channel/', { ...valid, proxy });
      expect(answer.status).toBe(200);
    },
  );

  test('a channel leaves its tag', async () => {
    const id = await addChannel(hub(), 'http://127.0.0.1:9', { tag: 'eu' });
    expect(await hub().root.call(channelApi.untag, { params: { id } })).toMatchObject({ id, tag: '' });
  });
});
