import { auditApi, oauthApi, profileApi, role, userApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { gitHubForSuite, openHubForSuite, viaGitHub } from '#testing/elsewhere/ways-in.ts';
import { addAccount, addPasskey, addPerson } from '#testing/people.ts';

onEveryDatabase('binding accounts elsewhere', (make) => {
  const hub = openHubForSuite(make);
  const github = gitHubForSuite(hub);

  test('a signed-in user connects with the message `bind`, and signs in with it from then on', async () => {
    const { username, id } = await addAccount(hub());
    const browser = await hub.signedIn(username);
    const session = browser.cookies.get('session');
    const { status, body } = await viaGitHub(browser, github());
    expect({ status, body }).toEqual({ status: 200, body: { success: true, message: 'bind' } });
    expect(browser.cookies.get('session')).toBe(session);
    expect(await browser.call(oauthApi.identities)).toMatchObject([
      { provider: 'github', name: github().user.login, used_time: 0, last_way_in: false },
    ]);
    expect((await viaGitHub(hub.browser(), github())).body).toMatchObject({ message: '', data: { id, username } });
    expect((await viaGitHub(browser, github())).body).toMatchObject({ success: true, message: 'bind' });
    expect(await browser.call(userApi.self)).toMatchObject({ github_id: github().user.login });
  });

  test('an identity of another account is not taken over, and a second one is not added', async () => {
    await viaGitHub(hub.browser(), github());
    const browser = await hub.signedIn((await addAccount(hub())).username);
    expect(await viaGitHub(browser, github())).toMatchObject({ status: 409, body: { code: 'oauth.bound_elsewhere' } });
    github().user = { id: 910_001, login: 'first' };
    await viaGitHub(browser, github());
    github().user = { id: 910_002, login: 'second' };
    expect(await viaGitHub(browser, github())).toMatchObject({ status: 409, body: { code: 'oauth.bound_other' } });
    expect(await browser.call(oauthApi.identities)).toMatchObject([{ name: 'first' }]);
  });

  test('of ten accounts that bind the same one at once, one has it', async () => {
    const names = await Promise.all(Array.from({ length: 10 }, () => addAccount(hub())));
    const browsers = await Promise.all(names.map(({ username }) => hub.signedIn(username)));
    const answers = await Promise.all(browsers.map((browser) => viaGitHub(browser, github())));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(9).fill(409)]);
    const subject = String(github().user.id);
    expect((await hub.identities()).filter((identity) => identity.subject === subject)).toHaveLength(1);
  });

  test('binding needs a proof of who asks, and so does unbinding', async () => {
    const { username, id } = await addAccount(hub());
    const browser = await hub.signedIn(username);
    await viaGitHub(browser, github());
    const { db } = hub().server.deps;
    await db.updateTable('sessions').set({ proved_time: 1 }).where('user_id', '=', id).execute();
    const unproved = { status: 403, body: { code: 'session.proof' } };
    expect(await browser.try(oauthApi.state, { query: { provider: 'github' } })).toMatchObject(unproved);
    expect(await browser.try(oauthApi.unbind, { params: { provider: 'github' } })).toMatchObject(unproved);
  });

  test('an administrator disconnects identities of users below, and no others', async () => {
    const { id } = await addAccount(hub());
    const { db } = hub().server.deps;
    const above = await addAccount(hub(), { role: role.admin });
    for (const user_id of [id, above.id])
      await db
        .insertInto('identities')
        .values({ user_id, provider: 'wechat', subject: `of-${user_id}`, created_time: 1 })
        .execute();
    const { client: admin } = await addPerson(hub(), { role: role.admin });
    const unbind = (target: number, provider: 'wechat' | 'lark' = 'wechat') =>
      admin.try(oauthApi.unbindOf, { params: { id: target, provider } });
    expect(await unbind(above.id)).toMatchObject({ status: 403, body: { code: 'user.rank' } });
    const { id: own } = await hub().root.call(userApi.self);
    const ofOneself = await hub().root.try(oauthApi.unbindOf, { params: { id: own, provider: 'wechat' } });
    expect(ofOneself).toMatchObject({ status: 409, body: { code: 'user.self' } });
    expect(await unbind(id, 'lark')).toMatchObject({ status: 404 });
    expect(await unbind(987_654)).toMatchObject({ status: 404 });
    expect((await unbind(id)).body).toEqual({ success: true, message: '' });
    expect(await unbind(id)).toMatchObject({ status: 404 });
    expect((await hub.identities()).map(({ subject }) => subject)).toContain(`of-${above.id}`);
    const { data } = await hub().root.call(auditApi.list, { query: { object_id: String(id) } });
    expect(data[0]).toMatchObject({ kind: 'user', method: 'DELETE', status: 404 });
    expect(data.map(({ status }) => status)).toContain(200);
  });

  test('the last way in cannot be unbound', async () => {
    const browser = hub.browser();
    await viaGitHub(browser, github());
    expect(await browser.call(oauthApi.identities)).toMatchObject([{ provider: 'github', last_way_in: true }]);
    const params = { provider: 'github' as const };
    expect(await browser.try(oauthApi.unbind, { params })).toMatchObject({
      status: 409,
      body: { code: 'oauth.last_way_in' },
    });
    await browser.call(profileApi.update, { body: { password: 'a-password-of-my-own' } });
    await addPasskey(hub(), (await hub().root.call(userApi.self)).id);
    await hub.set({ PasswordLoginEnabled: 'false' });
    expect(await browser.try(oauthApi.unbind, { params })).toMatchObject({ status: 409 });
    await hub.set({ PasswordLoginEnabled: 'true' });
    await browser.call(oauthApi.unbind, { params });
    expect(await browser.call(oauthApi.identities)).toEqual([]);
    expect(await browser.try(oauthApi.unbind, { params })).toMatchObject({ status: 404 });
    const again = await viaGitHub(hub.browser(), github());
    expect(again.body).toMatchObject({ success: true, message: '' });
  });

  test('of two ways in that are unbound at once, one stays', async () => {
    await hub.set({ WeChatServerAddress: 'https://wechat.example', WeChatServerToken: 'x', WeChatAuthEnabled: 'true' });
    const browser = hub.browser();
    const { body } = await viaGitHub(browser, github());
    const user_id = body.success ? body.data!.id : 0;
    await hub()
      .server.deps.db.insertInto('identities')
      .values({ user_id, provider: 'wechat', subject: 'a-friend', created_time: 1 })
      .execute();
    const unbind = (provider: 'github' | 'wechat') => browser.try(oauthApi.unbind, { params: { provider } });
    const answers = await Promise.all([unbind('github'), unbind('wechat')]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await browser.call(oauthApi.identities)).toHaveLength(1);
  });
});
