import { oauthApi, userApi } from '@relay-hub/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Browser } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { gitHubForSuite, openHubForSuite, viaGitHub } from '#testing/elsewhere/ways-in.ts';
import { addAccount } from '#testing/people.ts';

const refused = { status: 403, body: { success: false, code: 'oauth.state' } };

onEveryDatabase('the way back from a provider', (make) => {
  const hub = openHubForSuite(make);
  const github = gitHubForSuite(hub);
  const begin = (browser: Browser) => browser.call(oauthApi.state, { query: { provider: 'github' } });
  const back = (browser: Browser, state: string) =>
    browser.try(oauthApi.github, { query: { code: github().code(), state } });
  /** Whether GitHub was asked about a code since the start of the test. */
  const askedGitHub = () => github().requests.includes('/login/oauth/access_token');

  beforeEach(() => void (github().requests.length = 0));

  test('the state is for this browser only, and out of reach of scripts', async () => {
    const browser = hub.browser();
    const { headers, body } = await browser.try(oauthApi.state, { query: { provider: 'github' } });
    const state = body.success ? body.data! : '';
    expect(state).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^oauth_\w{8}=[\w-]{43}; Path=\/api\/oauth; Max-Age=600; HttpOnly; SameSite=Strict$/),
    ]);
    expect(await back(browser, state)).toMatchObject({ status: 200, body: { success: true } });
    expect(browser.cookies.names()).toEqual(['session']);
  });

  describe('a forged way back is refused, and GitHub is not asked', () => {
    test('with no state that was ever given out', async () => {
      const browser = hub.browser();
      await begin(browser);
      expect(await back(browser, 'x'.repeat(32))).toMatchObject(refused);
      expect(await browser.try(oauthApi.github, { query: { code: 'code', state: '' } })).toMatchObject({ status: 400 });
      expect(askedGitHub()).toBe(false);
    });

    test('with the state of another browser, the victim is not signed in to the attacker’s account', async () => {
      const attacker = hub.browser();
      const state = await begin(attacker);
      const victim = hub.browser();
      expect(await back(victim, state)).toMatchObject(refused);
      await begin(victim);
      expect(await back(victim, state)).toMatchObject(refused);
      // Even with a cookie of the right name, which a neighbouring site may have set.
      victim.cookies.set(`oauth_${state.slice(0, 8)}`, 'p'.repeat(43));
      expect(await back(victim, state)).toMatchObject(refused);
      expect(victim.cookies.get('session')).toBeUndefined();
      expect(askedGitHub()).toBe(false);
      // The first browser's state is still valid.
      expect(await back(attacker, state)).toMatchObject({ status: 200 });
    });

    test('from a page of another site', async () => {
      const browser = hub.browser();
      const state = await begin(browser);
      const path = `/api/oauth/github?code=${github().code()}&state=${state}`;
      const { status, body } = await browser.send('GET', path, undefined, { 'sec-fetch-site': 'cross-site' });
      expect({ status, body }).toMatchObject({ status: 403, body: { code: 'request.cross_site' } });
    });
  });

  test('a state is good once, however many come back with it at once', async () => {
    const browser = hub.browser();
    const state = await begin(browser);
    const answers = await Promise.all(Array.from({ length: 10 }, () => back(browser, state)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(9).fill(403)]);
    expect(await back(browser, state)).toMatchObject(refused);
  });

  test('a refused code uses it up as well', async () => {
    const browser = hub.browser();
    const state = await begin(browser);
    expect(await browser.try(oauthApi.github, { query: { code: 'no', state } })).toMatchObject({ status: 400 });
    expect(await back(browser, state)).toMatchObject(refused);
  });

  test('it expires after ten minutes, and is swept away', async () => {
    const { db, now } = hub().server.deps;
    const browser = hub.browser();
    const state = await begin(browser);
    const [row] = await db.selectFrom('oauth_states').select('expires_time').execute();
    expect(row!.expires_time - now()).toBeGreaterThan(590);
    await db.updateTable('oauth_states').set({ expires_time: now() }).execute();
    expect(await back(browser, state)).toMatchObject(refused);
    await begin(browser);
    await db
      .updateTable('oauth_states')
      .set({ expires_time: now() - 1 })
      .execute();
    await begin(browser);
    expect(await db.selectFrom('oauth_states').select('provider').execute()).toHaveLength(1);
  });

  test('nothing in the database says what the state or the cookie is', async () => {
    const browser = hub.browser();
    const state = await begin(browser);
    const cookie = browser.cookies.get(`oauth_${state.slice(0, 8)}`)!;
    const rows = JSON.stringify(await hub().server.deps.db.selectFrom('oauth_states').selectAll().execute());
    expect(rows).not.toContain(state);
    expect(rows).not.toContain(cookie);
  });

  describe('a state is for one provider', () => {
    test('of GitHub it is not taken by Lark, nor by OpenID Connect', async () => {
      await hub.set({
        LarkClientId: 'cli',
        LarkClientSecret: 'secret',
        LarkAddress: github().url,
        LarkAuthEnabled: 'true',
        OIDCIssuer: github().url,
        OIDCClientId: 'x',
        OIDCClientSecret: 'x',
        OIDCScopes: 'openid',
        OIDCUsernameClaims: 'name',
        OIDCAuthEnabled: 'true',
      });
      for (const other of [oauthApi.lark, oauthApi.oidc]) {
        const browser = hub.browser();
        const state = await begin(browser);
        expect(await browser.try(other, { query: { code: 'code', state } })).toMatchObject(refused);
        // The failed attempt consumed the state.
        expect(await back(browser, state)).toMatchObject(refused);
      }
      const browser = hub.browser();
      const unsaid = await browser.call(oauthApi.state, { query: {} });
      expect(await browser.try(oauthApi.oidc, { query: { code: 'code', state: unsaid } })).toMatchObject(refused);
      expect(github().requests).toEqual([]);
    });

    test('clients that do not say which get one for GitHub or Lark', async () => {
      const browser = hub.browser();
      expect(await back(browser, await browser.call(oauthApi.state, { query: {} }))).toMatchObject({ status: 200 });
    });
  });

  describe('a state is valid only for the browser that started it', () => {
    test('started without a session, it connects nothing to the user who has signed in meanwhile', async () => {
      const { username } = await addAccount(hub());
      const browser = await hub.signedIn(username);
      const anonymous = hub.browser();
      const state = await begin(anonymous);
      browser.cookies.set(`oauth_${state.slice(0, 8)}`, anonymous.cookies.get(`oauth_${state.slice(0, 8)}`)!);
      expect(await back(browser, state)).toMatchObject(refused);
      expect(await browser.call(oauthApi.identities)).toEqual([]);
    });

    test('started by one account, it connects nothing to another, and signs in no one', async () => {
      const first = await hub.signedIn((await addAccount(hub())).username);
      const second = await hub.signedIn((await addAccount(hub())).username);
      const state = await begin(first);
      const name = `oauth_${state.slice(0, 8)}`;
      second.cookies.set(name, first.cookies.get(name)!);
      expect(await back(second, state)).toMatchObject(refused);
      const again = await begin(first);
      await first.call(userApi.logout);
      expect(await back(first, again)).toMatchObject(refused);
      expect(first.cookies.get('session')).toBeUndefined();
    });
  });

  test('no cookie that was planted is taken over', async () => {
    const { username } = await addAccount(hub());
    const attacker = await hub.signedIn(username);
    const planted = attacker.cookies.get('session')!;
    const victim = hub.browser();
    victim.cookies.set('oauth_planted0', 'p'.repeat(43));
    const state = await begin(victim);
    const own = victim.cookies.get(`oauth_${state.slice(0, 8)}`);
    expect(own).not.toBe('p'.repeat(43));
    const { body } = await back(victim, state);
    expect(body).toMatchObject({ success: true });
    const signedIn = victim.cookies.get('session');
    // The next sign-in does not use a cookie that was planted afterwards.
    victim.cookies.set('session', planted);
    await victim.call(userApi.logout);
    await viaGitHub(victim, github());
    expect([planted, signedIn]).not.toContain(victim.cookies.get('session'));
  });

  test('where GitHub does not answer, one may come back again, three times in all', async () => {
    const browser = hub.browser();
    const state = await begin(browser);
    github().failing = 2;
    const unreachable = { status: 502, body: { code: 'oauth.unreachable' } };
    expect(await back(browser, state)).toMatchObject(unreachable);
    expect(await back(browser, state)).toMatchObject(unreachable);
    expect(await back(browser, state)).toMatchObject({ status: 200 });
    const other = hub.browser();
    const second = await begin(other);
    github().failing = 3;
    for (let tries = 0; tries < 3; tries++) expect(await back(other, second)).toMatchObject(unreachable);
    expect(await back(other, second)).toMatchObject(refused);
  });

  test('too many wrong callbacks cause a pause', async () => {
    await hub.set({ CriticalRateLimit: '1' });
    const browser = hub.browser();
    await back(browser, 'wrong');
    expect(await back(browser, 'wrong')).toMatchObject({ status: 429, body: { code: 'request.too_many' } });
    await hub.set({ CriticalRateLimit: '1000' });
  });
});
