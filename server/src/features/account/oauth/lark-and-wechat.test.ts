import { oauthApi, userApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserFrom } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { type LocalLark, startLark } from '#testing/elsewhere/local-lark.ts';
import { type LocalWeChat, startWeChat } from '#testing/elsewhere/local-wechat.ts';
import { openHubForSuite } from '#testing/elsewhere/ways-in.ts';
import { addAccount } from '#testing/people.ts';

onEveryDatabase('signing in with Lark', (make) => {
  const hub = openHubForSuite(make);
  let lark: LocalLark;
  beforeAll(async () => {
    lark = await startLark();
    await hub.set({
      LarkAddress: lark.url,
      LarkClientId: lark.appId,
      LarkClientSecret: lark.appSecret,
      LarkAuthEnabled: 'true',
    });
  });
  afterAll(async () => lark?.close());

  const via = async (browser = hub.browser(), code = lark.code()) => {
    const state = await browser.call(oauthApi.state, { query: { provider: 'lark' } });
    return browser.try(oauthApi.lark, { query: { code, state } });
  };

  test('a stranger gets an account, comes back to it, and binds', async () => {
    const browser = hub.browser();
    const { body } = await via(browser);
    expect(body).toMatchObject({ success: true, data: { display_name: '张三' } });
    const self = await browser.call(userApi.self);
    expect(self).toMatchObject({ lark_id: 'ou_1', username: expect.stringMatching(/^lark_\w{5}$/) as string });
    expect((await via()).body).toMatchObject({ data: { id: self.id } });
    lark.user = { open_id: 'ou_2', name: '李四' };
    const other = await hub.signedIn((await addAccount(hub())).username);
    expect((await via(other)).body).toEqual({ success: true, message: 'bind' });
    expect(await other.call(oauthApi.identities)).toMatchObject([{ provider: 'lark', name: '李四' }]);
  });

  test('what Lark refuses makes no account without a subject', async () => {
    const before = await hub.identities();
    expect(await via(hub.browser(), 'made-up')).toMatchObject({ status: 400, body: { code: 'oauth.refused' } });
    for (const open_id of ['', '  ']) {
      lark.user = { open_id, name: 'Nobody' };
      expect(await via()).toMatchObject({ status: 400, body: { code: 'oauth.refused' } });
    }
    lark.user = { open_id: 'ou_3', name: 'Somebody' };
    await hub.set({ LarkClientSecret: 'wrong' });
    expect(await via()).toMatchObject({ status: 400, body: { code: 'oauth.refused' } });
    await hub.set({ LarkClientSecret: lark.appSecret });
    expect(await hub.identities()).toEqual(before);
  });
});

onEveryDatabase('signing in with a code of WeChat', (make) => {
  const hub = openHubForSuite(make);
  let wechat: LocalWeChat;
  beforeAll(async () => {
    wechat = await startWeChat();
    await hub.set({
      WeChatServerAddress: wechat.url,
      WeChatServerToken: wechat.token,
      WeChatAuthEnabled: 'true',
    });
  });
  afterAll(async () => wechat?.close());

  const via = (code: string, browser = hub.browser()) => browser.try(oauthApi.wechat, { query: { code } });

  test('a stranger gets an account, comes back to it, and binds', async () => {
    const { body } = await via(wechat.answer('openid-1'));
    expect(body).toMatchObject({
      success: true,
      data: { username: expect.stringMatching(/^wechat_\w{4,5}$/) as string },
    });
    const id = body.success ? body.data?.id : undefined;
    expect((await via(wechat.answer('openid-1'))).body).toMatchObject({ data: { id } });
    const browser = await hub.signedIn((await addAccount(hub())).username);
    const bind = (code: string) => browser.try(oauthApi.wechatBind, { query: { code } });
    expect((await bind(wechat.answer('openid-1'))).body).toMatchObject({ code: 'oauth.bound_elsewhere' });
    expect((await bind(wechat.answer('openid-2'))).body).toEqual({ success: true, message: '' });
    expect(await browser.call(userApi.self)).toMatchObject({ wechat_id: 'openid-2' });
  });

  test('a wrong or used code is reported at its field, and creates no account', async () => {
    const wrong = { status: 400, body: { success: false, code: 'oauth.code', field: 'code' } };
    const before = await hub.identities();
    expect(await via('000000')).toMatchObject(wrong);
    const code = wechat.answer('openid-1');
    await via(code);
    expect(await via(code)).toMatchObject(wrong);
    expect(await via(wechat.answer('  '))).toMatchObject(wrong);
    await hub.set({ WeChatServerToken: 'wrong' });
    expect(await via(wechat.answer('openid-9'))).toMatchObject(wrong);
    await hub.set({ WeChatServerToken: wechat.token });
    expect(await hub.identities()).toEqual(before);
  });

  test('another site cannot make a browser sign in, or connect, with its own code', async () => {
    const there = { 'sec-fetch-site': 'cross-site' };
    for (const path of ['/api/oauth/wechat', '/api/oauth/wechat/bind']) {
      const browser = await hub.signedIn((await addAccount(hub())).username);
      const session = browser.cookies.get('session');
      const code = wechat.answer('openid-evil');
      const { status } = await browser.send('GET', `${path}?code=${code}`, undefined, there);
      expect(status).toBe(403);
      expect(browser.cookies.get('session')).toBe(session);
    }
    expect((await hub.identities()).map(({ subject }) => subject)).not.toContain('openid-evil');
  });

  test('codes cannot be tried one after the other', async () => {
    const answers: number[] = [];
    for (let tries = 0; tries < 25; tries++) answers.push((await via(String(tries))).status);
    expect(answers).toContain(429);
    expect(answers.filter((status) => status === 400).length).toBeLessThanOrEqual(20);
    // Addresses of one IPv6 network count together.
    const spread: number[] = [];
    for (let tries = 0; tries < 25; tries++)
      spread.push((await via(String(tries), browserFrom(hub(), `2001:db8::${tries.toString(16)}`))).status);
    expect(spread.filter((status) => status === 400).length).toBeLessThanOrEqual(20);
    expect((await via('000000', browserFrom(hub(), '2001:db8:1::1'))).status).toBe(400);
    await hub.set({ CriticalRateLimit: '1000' });
  });
});
