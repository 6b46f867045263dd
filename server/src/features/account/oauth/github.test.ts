import { oauthApi, userApi, userAdminApi, userStatus } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { gitHubForSuite, openHubForSuite, viaGitHub } from '#testing/elsewhere/ways-in.ts';
import { addAccount } from '#testing/people.ts';

onEveryDatabase('signing in with GitHub', (make) => {
  const hub = openHubForSuite(make);
  const github = gitHubForSuite(hub);

  test('a stranger gets an account, and comes back to it under whatever name', async () => {
    const { id } = github().user;
    github().user = { id, login: 'octocat', name: 'The Octocat', avatar_url: 'https://example.org/cat.png' };
    const first = hub.browser();
    const { body } = await viaGitHub(first, github());
    expect(body).toMatchObject({
      success: true,
      message: '',
      data: { username: 'octocat', display_name: 'The Octocat' },
    });
    const self = await first.call(userApi.self);
    expect(self).toMatchObject({ username: 'octocat', avatar_url: 'https://example.org/cat.png', role: 1, quota: 0 });
    github().user = { id, login: 'renamed', name: null };
    const second = hub.browser();
    expect((await viaGitHub(second, github())).body).toMatchObject({ data: { id: self.id, username: 'octocat' } });
    expect(await hub.identities()).toContainEqual(
      expect.objectContaining({ user_id: self.id, provider: 'github', subject: String(id), name: 'renamed' }),
    );
  });

  describe('only the number links', () => {
    test('no address at GitHub is not the empty address of root', async () => {
      github().user = { ...github().user, emails: [] };
      const { body } = await viaGitHub(hub.browser(), github());
      expect(body).toMatchObject({ success: true, data: { role: 1 } });
      expect(body.success && body.data?.username).not.toBe('root');
    });

    test('a person who takes over a released name gets a separate account', async () => {
      const { body: before } = await viaGitHub(hub.browser(), github());
      const { login } = github().user;
      github().user = { id: 900_001, login };
      const { body: after } = await viaGitHub(hub.browser(), github());
      expect(after).toMatchObject({ success: true });
      const ids = [before, after].map((body) => (body.success ? body.data?.id : undefined));
      expect(new Set(ids).size).toBe(2);
    });

    test('an account with the same user name belongs to another person', async () => {
      const { username, id } = await addAccount(hub());
      github().user = { ...github().user, login: username };
      const { body } = await viaGitHub(hub.browser(), github());
      expect(body).toMatchObject({ success: true });
      expect(body.success && body.data).not.toMatchObject({ id });
      github().user = { id: 900_002, login: 'ROOT' };
      const again = await viaGitHub(hub.browser(), github());
      expect(again.body).toMatchObject({ success: true, data: { role: 1 } });
    });

    test('an account with the same address is reported, not entered', async () => {
      await addAccount(hub(), { email: 'owner@example.org' });
      github().user = { ...github().user, emails: [{ email: 'Owner@example.org', primary: true, verified: true }] };
      const browser = hub.browser();
      const { status, body } = await viaGitHub(browser, github());
      expect({ status, body }).toMatchObject({ status: 409, body: { success: false, code: 'oauth.email_taken' } });
      expect(browser.cookies.get('session')).toBeUndefined();
    });

    test('an address that GitHub has not verified is not kept, nor told of', async () => {
      await addAccount(hub(), { email: 'victim@example.org' });
      github().user = { ...github().user, emails: [{ email: 'victim@example.org', primary: true, verified: false }] };
      const browser = hub.browser();
      expect((await viaGitHub(browser, github())).body).toMatchObject({ success: true });
      expect((await browser.call(userApi.self)).email).toBe('');
    });
  });

  test('what the operator has switched off stays off', async () => {
    await hub.set({ RegisterEnabled: 'false' });
    const known = github().user;
    expect((await viaGitHub(hub.browser(), github())).body).toMatchObject({ success: false, code: 'register.closed' });
    await hub.set({
      RegisterEnabled: 'true',
      EmailDomainRestrictionEnabled: 'true',
      EmailDomainWhitelist: 'corp.example',
    });
    expect((await viaGitHub(hub.browser(), github())).body).toMatchObject({ code: 'register.email_domain' });
    github().user = { ...known, emails: [{ email: 'a@corp.example.evil.org', primary: true, verified: true }] };
    expect((await viaGitHub(hub.browser(), github())).body).toMatchObject({ code: 'register.email_domain' });
    github().user = { ...known, emails: [{ email: 'a@Corp.example', primary: true, verified: true }] };
    expect((await viaGitHub(hub.browser(), github())).body).toMatchObject({ success: true });
    await hub.set({ RegisterEnabled: 'false', EmailDomainRestrictionEnabled: 'false' });
    expect((await viaGitHub(hub.browser(), github())).body).toMatchObject({ success: true });
    await hub.set({ GitHubOAuthEnabled: 'false' });
    const { status, body } = await hub.browser().try(oauthApi.state, { query: { provider: 'github' } });
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'oauth.off' } });
    await hub.set({ GitHubOAuthEnabled: 'true', RegisterEnabled: 'true' });
  });

  test('a new account has its gift, and an invitation its rewards', async () => {
    await hub.set({ QuotaForNewUser: '100', QuotaForInvitee: '20', QuotaForInviter: '3' });
    const inviter = await addAccount(hub(), { aff_code: 'Qx7A' });
    const browser = hub.browser();
    // Inviters are paid for verified addresses.
    const emails = [{ email: 'invited@example.org', primary: true, verified: true }];
    github().user = { id: 900_009, login: 'invited', emails };
    await viaGitHub(browser, github(), { aff: 'Qx7A' });
    expect((await browser.call(userApi.self)).quota).toBe(120);
    github().user = { id: 900_010, login: 'without' };
    const other = hub.browser();
    await viaGitHub(other, github(), { aff: 'null' });
    expect((await other.call(userApi.self)).quota).toBe(100);
    const { quota } = await hub().root.call(userAdminApi.get, { params: { id: inviter.id } });
    expect(quota).toBe(3);
    await hub.set({ QuotaForNewUser: '0', QuotaForInvitee: '0', QuotaForInviter: '0' });
  });

  test('ten tabs of a stranger make one account', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => viaGitHub(hub.browser(), github())));
    const ids = answers.map(({ body }) => (body.success ? body.data?.id : body.code));
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toBeTypeOf('number');
  });

  test('a disabled account stays out; a deleted one leaves its GitHub account free', async () => {
    const { body } = await viaGitHub(hub.browser(), github());
    const id = body.success ? body.data!.id : 0;
    await hub().root.call(userAdminApi.manage, { body: { id, action: 'disable' } });
    const browser = hub.browser();
    expect(await viaGitHub(browser, github())).toMatchObject({ status: 403, body: { code: 'oauth.disabled' } });
    expect(browser.cookies.get('session')).toBeUndefined();
    await hub().root.call(userAdminApi.manage, { body: { id, action: 'delete' } });
    const again = await viaGitHub(hub.browser(), github());
    expect(again.body).toMatchObject({ success: true, data: { status: userStatus.enabled } });
    expect(again.body.success && again.body.data?.id).not.toBe(id);
  });

  test('an account with two-step verification owes its second step here as well', async () => {
    const { body } = await viaGitHub(hub.browser(), github());
    const user_id = body.success ? body.data!.id : 0;
    await hub().server.deps.db.insertInto('totp').values({ user_id, seed_cipher: '', confirmed_time: 1 }).execute();
    const browser = hub.browser();
    expect((await viaGitHub(browser, github())).body).toMatchObject({ success: false, code: 'login.second_factor' });
    expect(browser.cookies.get('session')).toBeUndefined();
    expect(browser.cookies.get('login_step')).toBeDefined();
  });

  test('a code that GitHub does not know, or credentials, are refused', async () => {
    const browser = hub.browser();
    const state = await browser.call(oauthApi.state, { query: { provider: 'github' } });
    const { status, body } = await browser.try(oauthApi.github, { query: { code: 'made-up', state } });
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'oauth.refused' } });
    await hub.set({ GitHubClientSecret: 'another' });
    expect((await viaGitHub(hub.browser(), github())).body).toMatchObject({ code: 'oauth.refused' });
    await hub.set({ GitHubClientSecret: github().clientSecret });
  });
});
