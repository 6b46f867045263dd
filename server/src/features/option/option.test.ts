import { optionApi, siteApi } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { settings } from '#settings.ts';
import { chat, lastLog } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';

onEveryDatabase('settings', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const set = (key: string, value: string) => hub().root.try(optionApi.set, { body: { key, value } });
  const get = async (key: string) =>
    (await hub().root.call(optionApi.list)).find((option) => option.key === key)?.value;

  test('are all listed, as texts, and nothing else that is stored', async () => {
    const options = await hub().root.call(optionApi.list);
    expect(options.map(({ key }) => key).toSorted()).toEqual([...Object.keys(settings), 'GroupRatio'].toSorted());
    expect(JSON.stringify(options)).not.toMatch(/v1\.|data-key/);
    expect(await get('QuotaPerUnit')).toBe('500000');
  });

  test('the site’s name is in its status at once', async () => {
    expect((await set('SystemName', 'My Hub')).body).toEqual({ success: true, message: '' });
    expect(await get('SystemName')).toBe('My Hub');
    expect((await hub().root.call(siteApi.status)).system_name).toBe('My Hub');
  });

  test.each<[string, keyof typeof siteApi]>([
    ['Notice', 'notice'],
    ['About', 'about'],
    ['HomePageContent', 'home'],
  ])('%s is what visitors read', async (key, endpoint) => {
    const text = '# Hello\n<b>world</b>';
    await set(key, text);
    expect(await hub().root.call(siteApi[endpoint])).toBe(text);
    await set(key, '');
    expect(await hub().root.call(siteApi[endpoint])).toBe('');
  });

  test.each(['Nonsense', 'systemname', 'data-key-check', '__proto__', 'constructor', 'toString'])(
    'there is no setting %s',
    async (key) => {
      expect(await set(key, 'x')).toMatchObject({ status: 400, body: { code: 'option.unknown', field: 'key' } });
      const stored = await hub().server.deps.db.selectFrom('options').selectAll().where('key', '=', key).execute();
      expect(stored.map(({ value }) => value)).not.toContain('x');
    },
  );

  test.each<[key: string, good: string, bad: string[]]>([
    ['SystemName', 'Hub', ['', '   ', 'x'.repeat(61)]],
    ['QuotaPerUnit', '1000', ['0', '-1', '1.5', 'many', '', '1e3', '5 0', '99999999999999']],
    ['PaymentUSDRate', '7.1', ['0', '-7', 'seven', '', '7,1']],
    ['PaymentMinAmount', '2', ['0', '-1', '1.5', '']],
    ['PreConsumedQuota', '0', ['-1', '0.5', 'x']],
    ['DisplayInCurrencyEnabled', 'false', ['yes', '1', 'TRUE', '']],
    ['Language', 'ja_JP', ['de_DE', 'en', '']],
    ['ServerAddress', 'https://hub.example', ['hub.example', 'javascript:alert(1)', 'https://hub.example/?a']],
    ['ChatLinks', '[]', ['{', '{}', '[{"name":"x"}]', '[1]']],
    [
      'DefaultPrice',
      '{"input":1,"output":2}',
      ['{', '[]', '{"input":1}', '{"input":-1,"output":1}', '{"input":"1","output":1}'],
    ],
  ])('%s keeps its value when a new one is not valid', async (key, good, bad) => {
    const before = await hub().root.call(siteApi.status);
    expect((await set(key, good)).status).toBe(200);
    const status = await hub().root.call(siteApi.status);
    for (const value of bad) {
      const answer = await set(key, value);
      expect(answer, value).toMatchObject({
        status: 400,
        body: { success: false, code: 'option.invalid', field: key },
      });
      expect(answer.body.message).toMatch(new RegExp(`^${key}: .+`));
      expect(answer.body.message).not.toMatch(/json\.shape|address\.http/);
    }
    expect(await get(key)).toBe(good);
    expect(await hub().root.call(siteApi.status)).toEqual(status);
    expect((await set(key, settings[key as keyof typeof settings].fallback)).status).toBe(200);
    expect({ ...(await hub().root.call(siteApi.status)), system_name: '' }).toEqual({ ...before, system_name: '' });
  });

  test.each([
    { key: 'Notice' },
    { value: 'x' },
    { key: 'Notice', value: 5 },
    { key: 'Notice', value: true },
    { key: 'Notice', value: null },
  ])('%o is no change', async (body) => {
    expect(await hub().root.send('PUT', '/api/option/', body)).toMatchObject({
      status: 400,
      body: { code: 'input.invalid' },
    });
  });

  describe('the default price', () => {
    test('lets models through that have none', async () => {
      await addChannel(hub(), upstream().url, { models: 'brand-new' });
      const { key } = await addToken(hub());
      const refused = await chat(hub(), key, 'brand-new');
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('model_not_priced');
      await set('DefaultPrice', '{"input":15,"output":30}');
      expect((await chat(hub(), key, 'brand-new')).status).toBe(200);
      expect((await lastLog(hub())).metadata).toMatchObject({ input_ratio: 15, output_ratio: 30, price_version: 0 });
      await set('DefaultPrice', '');
      expect((await chat(hub(), key, 'brand-new')).status).toBe(400);
    });
  });
});
