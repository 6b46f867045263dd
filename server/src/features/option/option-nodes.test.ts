import { isDeepStrictEqual } from 'node:util';
import { optionApi, siteApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onEveryDatabase, type EmptyDatabase } from '#testing/databases.ts';
import type { SettingKey, Settings } from '#settings.ts';
import { startHub, type TestHub } from '#testing/hub.ts';
import { until } from '#testing/until.ts';

onEveryDatabase('settings of two nodes', (make) => {
  let database: EmptyDatabase;
  let here: TestHub;
  let there: TestHub;
  beforeAll(async () => {
    database = await make();
    here = await startHub(database);
    there = await startHub(database);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    await database?.remove();
  });

  const heard = (isSo: () => Promise<boolean> | boolean) => until('the change is in force on the other node', isSo);

  test('a change, a secret and a change that is taken back are soon in force on the other', async () => {
    await here.root.call(optionApi.setMany, { body: { values: { SystemName: 'Two', SMTPToken: 'a-mail-password' } } });
    const told = async () => (await there.root.call(siteApi.status)).system_name;
    await heard(async () => (await told()) === 'Two');
    expect(there.server.deps.live.settings.SMTPToken).toBe('a-mail-password');
    const { data } = await there.root.call(optionApi.history, { query: { key: 'SystemName' } });
    await there.root.call(optionApi.restore, { params: { id: data[0]!.id } });
    await heard(() => here.server.deps.live.settings.SystemName === 'Relay Hub');
  });

  test('settings of every kind are soon in force on the other', async () => {
    const told: { [K in SettingKey]?: [value: string, inForce: Settings[K]] } = {
      RegisterEnabled: ['false', false],
      QuotaPerUnit: ['400000', 400_000],
      RetryTimes: ['4', 4],
      ChannelDisableThreshold: ['7.5', 7.5],
      QuotaForNewUser: ['1234', 1234],
      TopUpLink: ['https://shop.example.org', 'https://shop.example.org'],
      RechargeDiscount: ['{"100":0.9}', { '100': 0.9 }],
      DisableChannelKeywords: ['no credit\nblocked', 'no credit\nblocked'],
      EmailDomainWhitelist: ['example.org,example.com', ['example.org', 'example.com']],
      Language: ['ja_JP', 'ja_JP'],
      Footer: ['<b>ours</b><script>x</script>', '<b>ours</b>'],
      TurnstileSecretKey: ['a-secret-of-somebody', 'a-secret-of-somebody'],
    };
    const values = Object.fromEntries(Object.entries(told).map(([key, [value]]) => [key, value]));
    await here.root.call(optionApi.setMany, { body: { values } });
    const inForce = Object.fromEntries(Object.entries(told).map(([key, [, expected]]) => [key, expected]));
    const { live } = there.server.deps;
    await heard(() => isDeepStrictEqual({ ...live.settings, ...inForce }, live.settings));
  });

  test('of two changes at the same time neither breaks the rules between settings', async () => {
    await here.root.call(optionApi.setMany, { body: { values: { LarkClientId: 'id', LarkClientSecret: 's' } } });
    await Promise.all([
      here.root.try(optionApi.set, { body: { key: 'LarkAuthEnabled', value: 'true' } }),
      there.root.try(optionApi.set, { body: { key: 'LarkClientId', value: '' } }),
    ]);
    const stored = new Map((await here.root.call(optionApi.list)).map(({ key, value }) => [key, value]));
    expect(stored.get('LarkAuthEnabled') === 'true' && stored.get('LarkClientId') === '').toBe(false);
  });
});
