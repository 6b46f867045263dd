import { optionApi } from '@relay-hub/contract';
import { beforeEach, expect, test } from 'vitest';
import { secretDestinations } from '#settings/secret-destinations.ts';
import { isSecret, type SettingKey, settings } from '#settings.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';

/** Every secret with its destination setting. */
const sent: [secret: SettingKey, address: SettingKey][] = [
  ['SMTPToken', 'SMTPServer'],
  ['GitHubClientSecret', 'GitHubAddress'],
  ['OIDCClientSecret', 'OIDCIssuer'],
  ['LarkClientSecret', 'LarkAddress'],
  ['WeChatServerToken', 'WeChatServerAddress'],
  ['TelegramBotToken', 'TelegramApiAddress'],
  ['TelegramWebhookSecret', 'TelegramApiAddress'],
  ['TurnstileSecretKey', 'TurnstileAddress'],
  ['CFWorkerImageKey', 'CFWorkerImageUrl'],
  ['TaskMediaS3SecretKey', 'TaskMediaS3Endpoint'],
];

/** Secrets that stay on this server. */
const sentNowhere: SettingKey[] = ['BackupPassphrase'];

onEveryDatabase('a stored secret setting, when the address changes that it is sent to', (make) => {
  const hub = hubForSuite(make);
  const set = (values: Record<string, string | null>) => hub().root.try(optionApi.setMany, { body: { values } });
  const put = (key: string, value: string) => hub().root.try(optionApi.set, { body: { key, value } });
  const inForce = () => hub().server.deps.live.settings;
  const again = (field: string) => ({ status: 400, body: { success: false, code: 'option.secret_again', field } });
  const addressOf = (key: SettingKey, host: string) => (key === 'SMTPServer' ? host : `https://${host}`);

  beforeEach(async () => {
    const all = [...sent.flat(), 'ChatImageRequestProxy', 'TelegramProxy'];
    expect((await set(Object.fromEntries(all.map((key) => [key, null])))).status).toBe(200);
  });

  test('every secret setting says where it is sent', () => {
    const secrets = (Object.keys(settings) as SettingKey[])
      .filter(isSecret)
      .filter((key) => !sentNowhere.includes(key));
    expect([...secretDestinations.keys()].toSorted()).toEqual(secrets.toSorted());
    expect(sent.map(([secret]) => secret).toSorted()).toEqual(secrets.toSorted());
  });

  test.each(sent)('%s is entered again for another %s', async (secret, address) => {
    const [first, second] = [addressOf(address, 'first.example'), addressOf(address, 'second.example')];
    expect((await set({ [address]: first, [secret]: 'stored-secret' })).status).toBe(200);
    for (const blank of [{}, { [secret]: '' }, { [secret]: '  ' }])
      expect(await set({ [address]: second, ...blank }), JSON.stringify(blank)).toMatchObject(again(secret));
    expect(await put(address, second)).toMatchObject(again(secret));
    expect(inForce()).toMatchObject({ [address]: first, [secret]: 'stored-secret' });

    expect((await put(address, first.toUpperCase().replace('HTTPS', 'https'))).status, 'the same one').toBe(200);
    expect((await set({ [address]: second, [secret]: 'its-own-secret' })).status).toBe(200);
    expect(inForce()).toMatchObject({ [address]: second, [secret]: 'its-own-secret' });
  });

  test('an earlier address is not put back under a secret of a later one', async () => {
    await put('OIDCIssuer', 'https://first.example');
    await set({ OIDCIssuer: 'https://second.example', OIDCClientSecret: 'of-the-second' });
    const { data } = await hub().root.call(optionApi.history, { query: { key: 'OIDCIssuer', size: 1, order: '-id' } });
    const answer = await hub().root.try(optionApi.restore, { params: { id: data[0]!.id } });
    expect(answer).toMatchObject(again('OIDCClientSecret'));
    expect(inForce()).toMatchObject({ OIDCIssuer: 'https://second.example' });
  });

  test('a secret goes with its address, so that the next address does not get it', async () => {
    await set({ SMTPServer: 'first.example', SMTPToken: 'stored-secret' });
    expect((await put('SMTPServer', '')).status).toBe(200);
    expect(inForce().SMTPToken).toBe('');
    const { data } = await hub().root.call(optionApi.history, { query: { key: 'SMTPToken', size: 1, order: '-id' } });
    expect(data).toMatchObject([{ key: 'SMTPToken', after: null, actor: 'root' }]);
    expect((await put('SMTPServer', 'second.example')).status).toBe(200);
  });

  test('a secret that comes before its address belongs to the first one', async () => {
    await put('WeChatServerToken', 'entered-first');
    expect((await put('WeChatServerAddress', 'https://first.example')).status).toBe(200);
    expect(await put('WeChatServerAddress', 'https://second.example')).toMatchObject(again('WeChatServerToken'));
  });

  test('no proxy is put before an address in plain HTTP, where it would read the secret', async () => {
    const worker = { CFWorkerImageUrl: 'http://worker.example', CFWorkerImageKey: 'stored-secret' };
    expect((await set(worker)).status).toBe(200);
    const proxy = { ChatImageRequestProxy: 'http://proxy.example:3128' };
    expect(await set(proxy)).toMatchObject(again('CFWorkerImageKey'));
    expect((await set({ ...proxy, CFWorkerImageKey: 'entered-again' })).status).toBe(200);
  });
});
