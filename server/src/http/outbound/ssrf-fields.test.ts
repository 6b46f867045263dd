import { channelApi, channelTagApi, guardApi, optionApi, priceUpdateApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { connectedSettings, fetchedSettings } from '#settings/fetched-settings.ts';
import { isSecret, parseSetting, type SettingKey, settings } from '#settings.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';

/** Spellings of loopback. */
const thisMachine = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0x7f000001',
  '0x7f.1',
  '127.0.0.1.',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'hub.localhost',
];
/** Spellings of link-local addresses and cloud metadata services. */
const never = [
  '169.254.169.254',
  '2852039166',
  '025177524776',
  '0251.0376.0251.0376',
  '0xa9fea9fe',
  '0xa9.254.0xa9fe',
  '169.254.169.254.',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[64:ff9b::a9fe:a9fe]',
  '100.100.100.200',
];
/** Other private networks. */
const inside = ['0.0.0.0', '0', '[::]', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '[fd12::1]'];
const nowhere = [...thisMachine, ...inside, ...never];
/** Used by browsers or in texts only. */
const notFetched: SettingKey[] = [
  'ServerAddress',
  'TopUpLink',
  'ChatLink',
  'Logo',
  'Favicon',
  'WeChatAccountQRCodeImageURL',
];

const accepts = (key: SettingKey, text: string): boolean => parseSetting(key, text).success;
const refusal = (field: string, host = '') => ({
  status: 400,
  body: { success: false, code: never.includes(host) ? 'outbound.never' : 'outbound.private', field },
});

onOneDatabase('an address that leads into a private network, in each field that takes one', (make) => {
  const hub = hubForSuite(make, {}, { networks: '' });

  test('every setting with an address is listed as fetched or not fetched', () => {
    const takesAddress = (key: SettingKey) =>
      !isSecret(key) &&
      ['https://a.example', 'socks5://a.example:1'].some((text) => accepts(key, text)) &&
      !accepts(key, 'word');
    const found = (Object.keys(settings) as SettingKey[]).filter(takesAddress);
    const connected = [...connectedSettings].filter((key) => key !== 'SMTPServer'); // it takes a name without a scheme
    expect(found.toSorted()).toEqual([...fetchedSettings, ...connected, ...notFetched].toSorted());
  });

  test.each([...fetchedSettings, ...connectedSettings])('the setting %s', async (key) => {
    const { root } = hub();
    const isName = key === 'SMTPServer';
    const set = (host: string) => root.try(optionApi.set, { body: { key, value: isName ? host : `http://${host}` } });
    for (const host of nowhere)
      expect({ host, ...(await set(host)) }, host).toMatchObject({ host, ...refusal(key, host) });
    const stored = (await root.call(optionApi.list)).find((option) => option.key === key);
    expect(stored).toMatchObject({ is_set: false });
    expect((await set('1.1.1.1')).status).toBe(200);
  });

  test('the address of a channel, when it is made, changed, and asked for its models', async () => {
    const { root } = hub();
    const id = await addChannel(hub(), 'https://api.example.com');
    const channel = { type: 8, name: 'inside', key: 'sk-upstream-key-0001', models: 'gpt-4o' };
    for (const host of nowhere) {
      const base_url = `http://${host}/v1`;
      const answers = [
        await root.try(channelApi.create, { body: { ...channel, base_url } }),
        await root.try(channelApi.create, { body: { ...channel, base_url: `https://api.example.com\n${base_url}` } }),
        await root.try(channelApi.update, { body: { id, base_url, key: 'sk-upstream-key-0002' } }),
        await root.try(channelApi.providerModels, { body: { type: 8, key: 'sk-upstream-key-0001', base_url } }),
      ];
      for (const answer of answers) expect(answer, base_url).toMatchObject(refusal('base_url', host));
    }
    expect(await root.call(channelApi.get, { params: { id } })).toMatchObject({ base_url: 'https://api.example.com' });
    expect((await root.call(channelApi.list)).total_count).toBe(1);
  });

  test('the proxy of a channel, when it is made, changed, and given to a tag', async () => {
    const { root } = hub();
    const id = await addChannel(hub(), 'https://api.example.com', { tag: 'abroad' });
    const channel = { type: 8, name: 'inside', key: 'sk-upstream-key-0001', models: 'gpt-4o' };
    for (const host of nowhere)
      for (const proxy of [`http://${host}:3128`, `socks5://user:word@${host}:1080`]) {
        const answers = [
          await root.try(channelApi.create, { body: { ...channel, base_url: 'https://api.example.com', proxy } }),
          await root.try(channelApi.update, { body: { id, proxy } }),
          await root.try(channelTagApi.update, { params: { tag: 'abroad' }, body: { proxy } }),
        ];
        for (const answer of answers) expect(answer, proxy).toMatchObject(refusal('proxy', host));
      }
    expect(await root.call(channelApi.get, { params: { id } })).toMatchObject({ proxy: '' });
  });

  test('the service of a guardrail', async () => {
    for (const host of nowhere) {
      const body = { name: 'inside', action: 'mask', hook: { url: `http://${host}/check` } } as const;
      expect(await hub().root.try(guardApi.create, { body }), host).toMatchObject(refusal('hook.url', host));
    }
  });

  test('the source of prices', async () => {
    for (const host of nowhere) {
      const body = { from: 'address', address: `http://${host}/prices.json` } as const;
      const answer = await hub().root.try(priceUpdateApi.preview, { body });
      // Some machines cannot resolve all of their names.
      const expected = /localhost/i.test(host) ? /^outbound\.(private|unresolved)$/ : /^outbound\.(private|never)$/;
      expect(answer.body, host).toMatchObject({ success: false, code: expect.stringMatching(expected) });
    }
  });
});

onOneDatabase('private networks that the operator allows', (make) => {
  const hub = hubForSuite(make, {}, { networks: '127.0.0.1, 169.0.0.0/8' });

  test('are accepted in any spelling, and others are still refused', async () => {
    const { root } = hub();
    const set = (value: string) => root.try(optionApi.set, { body: { key: 'OIDCIssuer', value } });
    for (const host of ['127.0.0.1', '0x7f000001', 'localhost'])
      expect((await set(`http://${host}`)).status, host).toBe(200);
    expect(await set('http://10.0.0.1')).toMatchObject(refusal('OIDCIssuer'));
    for (const host of never) expect(await set(`http://${host}`), host).toMatchObject(refusal('OIDCIssuer', host));
    expect(await addChannel(hub(), 'http://127.0.0.1')).toBeGreaterThan(0);
  });
});
