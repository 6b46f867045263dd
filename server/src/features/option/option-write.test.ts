import { optionApi, siteApi, userApi, userGroupApi } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { isSecret, type SettingKey, settings } from '#settings.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import type { ApiClient } from '#testing/hub.ts';
import { hubForSuite } from '#testing/hub.ts';

/** A value that every rule rejects: too long, and not a number, word or JSON. */
const impossible = 'y z\u0007'.repeat(50_000);
const keys = Object.keys(settings) as SettingKey[];
const secrets = keys.filter(isSecret);

onEveryDatabase('changes of settings', (make) => {
  const hub = hubForSuite(make);
  const root = (): ApiClient => hub().root;
  const set = (key: string, value: string) => root().try(optionApi.set, { body: { key, value } });
  const many = (values: Record<string, string | null>) => root().try(optionApi.setMany, { body: { values } });
  const get = async (key: string) => (await root().call(optionApi.list)).find((option) => option.key === key)!;
  const live = () => hub().server.deps.live.settings;
  const changes = async (key: string) => (await root().call(optionApi.history, { query: { key } })).data;

  test.each([...keys, 'GroupRatio'])('%s refuses a bad value and is named', async (key) => {
    const before = await get(key);
    for (const answer of [await set(key, impossible), await many({ [key]: impossible })])
      expect(answer).toMatchObject({ status: 400, body: { success: false, code: 'option.invalid', field: key } });
    expect(await get(key)).toEqual(before);
    expect(await changes(key)).toEqual([]);
  });

  test.each<[key: string, ...bad: string[]]>([
    ['RechargeDiscount', '{"100":0}', '{"100":1.5}', '{"100":-1}', '{"1.5":0.9}', '{"x":0.9}', '[]', '{'],
    [
      'AudioTokenJson',
      '{"m":{"input_audio_tokens_ratio":-1}}',
      '{"m":1}',
      '[]',
      '{"m":{"a":"1"}}',
      '{"m":{"input_audio":1}}',
    ],
    ['ChatLinks', '[{"name":"x","url":"javascript:alert(1)","show":true,"sort":1}]'],
    ['ChatLinks', '[{"name":"x","url":"JAVASCRIPT:alert(1)","show":true,"sort":1}]'],
    ['ChatLinks', '[{"name":"","url":"https://a.example","show":true,"sort":1}]'],
    ['ChatLinks', '[{"name":"x","url":"data:text/html,x","show":true,"sort":1}]'],
    ['ChatLinks', '[{"name":"x","url":"http://192.168.1.1/{key}","show":false,"sort":1}]'],
    ['ChatLinks', '[{"name":"x","url":"https://{key}.evil.example/","show":true,"sort":1}]'],
    ['ChatLinks', '[{"name":"x","url":"app://x?{authCode}","show":true,"sort":1}]'],
    ['ChatLinks', '[{"name":"x","url":"app://x?{key}","show":true,"sort":1,"embed":true}]'],
    ['TopUpLink', 'javascript:alert(1)', 'shop.example', 'data:text/html,x'],
    ['Logo', 'javascript:alert(1)', '//evil.example/x.png', 'data:text/html;base64,AAAA'],
    ['EmailDomainWhitelist', 'example', 'a b.com', '@example.com', 'https://example.com'],
    ['SMTPServer', 'smtp://mail.example', 'mail.example:25', 'a b'],
    ['SMTPPort', '0', '65536', 'x', '', '-1'],
    ['SMTPFrom', 'nobody', 'a@b\r\nBcc: c@d', 'A <nobody>'],
    ['OIDCIssuer', 'file:///etc/passwd', 'https://user:pw@id.example', 'https://id.example/?a=b'],
    ['GitHubAddress', '', 'github.com'],
    ['GitHubOldIdCloseEnabled', 'false'],
    ['TelegramBotName', '@bot', 'a', 'x y z a'],
    ['QuotaForNewUser', '-1', '1.5', '1e9', ''],
    ['GlobalApiRateLimit', '0', '-5', '', '59'],
    ['LogConsumeEnabled', 'false'],
    ['ChatImageRequestProxy', 'proxy.example:8080', 'ftp://proxy.example', 'http://me:secret@proxy.example'],
    ['CFWorkerImageUrl', 'worker.example', 'javascript:alert(1)'],
    ['CFWorkerImageKey', 'a key\u0007'],
    ['OldTokenMaxId', '5'],
    ['GroupRatio', '{"default":-1}', '{"default":"1"}', '[]', '{'],
  ])('%s refuses %s', async (key, ...bad) => {
    const before = await get(key);
    for (const value of bad)
      expect(await set(key, value), value).toMatchObject({ status: 400, body: { code: 'option.invalid', field: key } });
    expect(await get(key)).toEqual(before);
  });

  test.each([
    ['QuotaForNewUser', '-5', 'must be at least 0'],
    ['PaymentMinAmount', '0.5', 'must be a whole number'],
    ['PaymentMinAmount', 'x', 'Must be a number'],
    ['Language', 'xx', 'must be one of: zh_CN, zh_HK, en_US, ja_JP'],
    ['LogConsumeEnabled', 'maybe', 'must be one of: true, false'],
  ])('%s says what is wrong with %s', async (key, value, problem) => {
    expect((await set(key, value)).body.message).toBe(`${key}: ${problem}`);
  });

  test('a value that is no longer allowed is neither in force nor shown', async () => {
    const { db, live: held } = hub().server.deps;
    await db.insertInto('options').values({ key: 'LogConsumeEnabled', value: 'false' }).execute();
    await held.changed('settings');
    expect(live().LogConsumeEnabled).toBe(true);
    expect(await get('LogConsumeEnabled')).toMatchObject({ value: 'true', is_set: false });
    expect((await many({ LogConsumeEnabled: null })).status).toBe(200);
  });

  test('several are changed together, or none', async () => {
    const refused = await many({ SystemName: 'Half', RetryTimes: '3', PaymentUSDRate: '0' });
    expect(refused).toMatchObject({ status: 400, body: { field: 'PaymentUSDRate' } });
    expect([(await get('SystemName')).value, (await get('RetryTimes')).value]).toEqual(['Relay Hub', '2']);
    expect((await many({ SystemName: 'Whole', RetryTimes: '3' })).status).toBe(200);
    expect([live().SystemName, live().RetryTimes]).toEqual(['Whole', 3]);
    expect((await many({ SystemName: null, RetryTimes: null })).status).toBe(200);
    expect(await get('SystemName')).toMatchObject({ value: 'Relay Hub', is_set: false, changed_by: 'root' });
  });

  describe('what works only with others', () => {
    test.each<[key: string, needs: Record<string, string>]>([
      ['GitHubOAuthEnabled', { GitHubClientId: 'id', GitHubClientSecret: 'github-secret' }],
      ['LarkAuthEnabled', { LarkClientId: 'id', LarkClientSecret: 'lark-secret' }],
      ['WeChatAuthEnabled', { WeChatServerAddress: 'https://wx.example', WeChatServerToken: 'wechat-secret' }],
      ['TurnstileCheckEnabled', { TurnstileSiteKey: 'site', TurnstileSecretKey: 'turnstile-secret' }],
      ['TelegramBotEnabled', { TelegramBotName: 'hub_bot', TelegramBotToken: '1:telegram-secret' }],
      ['EmailDomainRestrictionEnabled', { EmailDomainWhitelist: 'example.com' }],
      ['EmailVerificationEnabled', { SMTPServer: 'mail.example', SMTPAccount: 'a@b.example' }],
      ['OIDCAuthEnabled', { OIDCClientId: 'id', OIDCClientSecret: 'oidc-secret', OIDCIssuer: 'https://id.example' }],
    ])('%s', async (key, needs) => {
      const names = Object.keys(needs);
      await many(Object.fromEntries(names.map((name) => [name, isSecret(name as SettingKey) ? null : ''])));
      expect(await set(key, 'true')).toMatchObject({ status: 409, body: { code: 'option.needs', field: key } });
      for (const left of names) {
        const part = { ...needs, [left]: isSecret(left as SettingKey) ? null : '' };
        expect(await many({ ...part, [key]: 'true' })).toMatchObject({ status: 409, body: { field: left } });
      }
      expect(live()[key as SettingKey]).toBe(false);
      expect((await many({ ...needs, [key]: 'true' })).status).toBe(200);
      for (const name of names)
        expect(await many({ [name]: isSecret(name as SettingKey) ? null : '' })).toMatchObject({
          status: 409,
          body: { code: 'option.needed', field: name },
        });
      expect(live()[key as SettingKey]).toBe(true);
      expect((await set(key, 'false')).status).toBe(200);
    });

    test('the limits of success rates keep their order', async () => {
      const refused = { status: 409, body: { code: 'option.order' } };
      expect(await set('SuccessRatePoor', '99.5')).toMatchObject({ ...refused, body: { field: 'SuccessRatePoor' } });
      expect(await set('SuccessRateFine', '94')).toMatchObject({ ...refused, body: { field: 'SuccessRateFine' } });
      expect(live()).toMatchObject({ SuccessRateFine: 99, SuccessRatePoor: 95 });
      expect((await set('SuccessRateFine', '100.1')).status).toBe(400);
      expect((await many({ SuccessRatePoor: '90', SuccessRateFine: '94' })).status).toBe(200);
      expect(await root().call(siteApi.status)).toMatchObject({ success_rate_fine: 94, success_rate_poor: 90 });
      expect((await many({ SuccessRatePoor: null, SuccessRateFine: null })).status).toBe(200);
    });

    test('turning off passwords needs another sign-in method', async () => {
      expect(await set('PasswordLoginEnabled', 'false')).toMatchObject({
        status: 409,
        body: { code: 'option.needs_one', field: 'PasswordLoginEnabled' },
      });
      await many({ GitHubClientId: 'id', GitHubClientSecret: 's', GitHubOAuthEnabled: 'true' });
      // The same applies to turning it off.
      const lockedOut = { status: 409, body: { code: 'option.own_way_in', field: 'PasswordLoginEnabled' } };
      const { db } = hub().server.deps;
      const { id: user_id } = await root().call(userApi.self);
      const bind = (provider: string) =>
        db.insertInto('identities').values({ user_id, provider, subject: 'x', created_time: 1 }).execute();
      expect(await set('PasswordLoginEnabled', 'false')).toMatchObject(lockedOut);
      // Neither is a sign-in method: one is off, the other is none.
      for (const provider of ['lark', 'telegram']) await bind(provider);
      expect(await set('PasswordLoginEnabled', 'false')).toMatchObject(lockedOut);
      expect(live().PasswordLoginEnabled).toBe(true);
      await bind('github');
      expect((await set('PasswordLoginEnabled', 'false')).status).toBe(200);
      expect(await set('GitHubOAuthEnabled', 'false')).toMatchObject({
        status: 409,
        body: { code: 'option.needs_one', field: 'GitHubOAuthEnabled' },
      });
      await many({ WeChatServerAddress: 'https://wx.example', WeChatServerToken: 's', WeChatAuthEnabled: 'true' });
      expect(await set('GitHubOAuthEnabled', 'false')).toMatchObject({
        status: 409,
        body: { code: 'option.own_way_in', field: 'GitHubOAuthEnabled' },
      });
      const off = { GitHubOAuthEnabled: 'false', WeChatAuthEnabled: 'false' };
      expect((await many({ PasswordLoginEnabled: 'true', ...off })).status).toBe(200);
      await db.deleteFrom('identities').execute();
    });
  });

  describe('secrets', () => {
    const plain = 'a-very-secret-value';

    test.each(secrets)('%s is kept encrypted, and never leaves', async (key) => {
      expect((await set(key, plain)).status).toBe(200);
      expect(live()[key]).toBe(plain);
      expect(await get(key)).toMatchObject({ value: '', secret: true, is_set: true });
      const row = await hub().server.deps.db.selectFrom('options').selectAll().where('key', '=', key).execute();
      expect(JSON.stringify(row)).not.toContain(plain);
      expect((await set(key, '')).status).toBe(200);
      expect(live()[key]).toBe(plain);
      const seen = [await root().call(optionApi.list), await changes(key), await root().call(siteApi.status)];
      expect(JSON.stringify(seen)).not.toMatch(/a-very-secret-value|v1\./);
      expect((await many({ [key]: null })).status).toBe(200);
      expect(live()[key]).toBe('');
      expect(await get(key)).toMatchObject({ is_set: false });
      const [cleared] = await changes(key);
      expect(cleared).toMatchObject({ secret: true, before: '••••••••', after: null });
      expect(await root().try(optionApi.restore, { params: { id: cleared!.id } })).toMatchObject({
        status: 409,
        body: { code: 'option.secret_history', field: key },
      });
    });
  });

  describe('history', () => {
    test('lists who changed what, and restores an earlier value', async () => {
      await set('TopUpLink', 'https://one.example');
      await set('TopUpLink', 'https://two.example');
      await set('TopUpLink', 'https://two.example');
      const [last, first] = await changes('TopUpLink');
      expect(await changes('TopUpLink')).toHaveLength(2);
      expect(first).toMatchObject({ before: null, after: 'https://one.example', actor: 'root' });
      expect(last).toMatchObject({ before: 'https://one.example', after: 'https://two.example' });
      await root().call(optionApi.restore, { params: { id: last!.id } });
      expect(live().TopUpLink).toBe('https://one.example');
      await root().call(optionApi.restore, { params: { id: first!.id } });
      expect(await get('TopUpLink')).toMatchObject({ value: '', is_set: false });
      expect(await changes('TopUpLink')).toHaveLength(4);
      expect((await root().try(optionApi.restore, { params: { id: 999_999 } })).status).toBe(404);
    });

    test('a value that the rules between settings forbid today is not put back', async () => {
      await many({ LarkClientId: 'id', LarkClientSecret: 's', LarkAuthEnabled: 'true' });
      await set('LarkAuthEnabled', 'false');
      await many({ LarkClientId: '' });
      const [off] = await changes('LarkAuthEnabled');
      expect(await root().try(optionApi.restore, { params: { id: off!.id } })).toMatchObject({ status: 409 });
      expect(live().LarkAuthEnabled).toBe(false);
    });
  });

  test('GroupRatio reads and writes the ratios of the groups', async () => {
    const groups = (await root().call(userGroupApi.list)).data;
    expect(JSON.parse((await get('GroupRatio')).value)).toEqual(
      Object.fromEntries(groups.map(({ symbol, ratio }) => [symbol, ratio])),
    );
    expect((await set('GroupRatio', '{"default": 0.5}')).status).toBe(200);
    expect(hub().server.deps.live.groups.get('default')?.ratio).toBe(0.5);
    expect(await set('GroupRatio', '{"default": 2, "nobody": 1}')).toMatchObject({
      status: 400,
      body: { code: 'group.unknown', field: 'GroupRatio' },
    });
    expect(hub().server.deps.live.groups.get('default')?.ratio).toBe(0.5);
    const [change] = await changes('GroupRatio');
    await root().call(optionApi.restore, { params: { id: change!.id } });
    expect(hub().server.deps.live.groups.get('default')?.ratio).toBe(1);
  });
});
