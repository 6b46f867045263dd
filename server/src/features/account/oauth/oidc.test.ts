import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { oauthApi, optionApi, type SessionUser, teamApi, userApi } from '@relay-hub/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Browser } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { type LocalOidc, startOidc } from '#testing/elsewhere/local-oidc.ts';
import { openHubForSuite } from '#testing/elsewhere/ways-in.ts';
import type { ApiAnswer } from '#testing/hub.ts';
import { groupsIn } from './oidc-claims.ts';
import { addAccount } from '#testing/people.ts';

const unlimited = { name: 'of a team', remain_quota: 0, unlimited_quota: true, expired_time: -1 };
const refused = { status: 400, body: { success: false, code: 'oauth.refused' } };

onEveryDatabase('signing in through OpenID Connect', (make) => {
  const hub = openHubForSuite(make);
  let oidc: LocalOidc;
  let other: LocalOidc;
  let last = 0;

  const settingsOf = ({ issuer, clientId, clientSecret }: LocalOidc) => ({
    OIDCIssuer: issuer,
    OIDCClientId: clientId,
    OIDCClientSecret: clientSecret,
  });

  beforeAll(async () => {
    const redirectUri = `${hub().url}/oauth/oidc`;
    [oidc, other] = await Promise.all([startOidc(redirectUri), startOidc(redirectUri)]);
    await hub.set({
      ...settingsOf(oidc),
      OIDCScopes: 'openid,profile,email',
      OIDCUsernameClaims: 'preferred_username',
      OIDCAuthEnabled: 'true',
      CriticalRateLimit: '1000',
    });
  });
  beforeEach(async () => {
    oidc.user = `person-${++last}`;
    other.user = oidc.user;
    await hub.set(settingsOf(oidc));
  });
  afterAll(async () => {
    await oidc?.close();
    await other?.close();
  });

  const back = (browser: Browser, at: URL): Promise<ApiAnswer<SessionUser | undefined>> =>
    browser.send('GET', `/api/oauth/oidc${at.search}`);
  const via = async (browser: Browser) => back(browser, await browser.travel(await browser.call(oauthApi.endpoint)));
  const knows = (claims: Record<string, unknown>) => void oidc.people.set(oidc.user!, claims);

  test('the journey is guarded by state, nonce and PKCE, and leads back here', async () => {
    const browser = hub.browser();
    const address = new URL(await browser.call(oauthApi.endpoint));
    expect(address.origin).toBe(oidc.issuer);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: oidc.clientId,
      redirect_uri: `${hub().url}/oauth/oidc`,
      response_type: 'code',
      scope: 'openid profile email',
      state: expect.stringMatching(/^\w{32}$/) as string,
      nonce: expect.stringMatching(/.{40}/) as string,
      code_challenge: expect.stringMatching(/.{40}/) as string,
      code_challenge_method: 'S256',
    });
    await hub.set({ ServerAddress: 'https://hub.example' });
    const public_ = new URL(await browser.call(oauthApi.endpoint));
    expect(public_.searchParams.get('redirect_uri')).toBe('https://hub.example/oauth/oidc');
    await hub.set({ ServerAddress: '' });
  });

  test('a new visitor gets an account with the provider’s claims, and returns to it', async () => {
    knows({ preferred_username: 'liu.wei', name: '刘伟', email: 'liu.wei@corp.example', email_verified: true });
    const browser = hub.browser();
    expect((await via(browser)).body).toMatchObject({ success: true, message: '', data: { username: 'liu.wei' } });
    const self = await browser.call(userApi.self);
    expect(self).toMatchObject({ display_name: '刘伟', email: 'liu.wei@corp.example', oidc_id: oidc.user });
    knows({ preferred_username: 'renamed', email: 'other@corp.example', email_verified: true });
    expect((await via(hub.browser())).body).toMatchObject({ data: { id: self.id, username: 'liu.wei' } });
  });

  describe('only issuer and subject link', () => {
    test('an identity with an administrator’s name is not that administrator', async () => {
      knows({ preferred_username: 'root', email: 'root@corp.example', email_verified: false });
      const { body } = await via(hub.browser());
      expect(body).toMatchObject({ success: true, data: { role: 1 } });
      expect(body.success && body.data?.username).not.toBe('root');
    });

    test('an account with the same address is reported, not entered', async () => {
      const { id } = await addAccount(hub(), { email: 'taken@corp.example' });
      knows({ preferred_username: 'someone', email: 'Taken@corp.example', email_verified: true });
      const browser = hub.browser();
      expect(await via(browser)).toMatchObject({ status: 409, body: { code: 'oauth.email_taken' } });
      knows({ preferred_username: 'someone', email: 'taken@corp.example', email_verified: false });
      const { body } = await via(browser);
      expect(body).toMatchObject({ success: true });
      expect(body.success && body.data?.id).not.toBe(id);
    });

    test('an imported account that waits for its name is bound once, and by subject from then on', async () => {
      const { db } = hub().server.deps;
      const { id } = await addAccount(hub());
      await db.insertInto('awaited_identities').values({ provider: 'oidc', name: 'imported', user_id: id }).execute();
      knows({ preferred_username: 'Imported' });
      expect((await via(hub.browser())).body).toMatchObject({ data: { id } });
      expect((await via(hub.browser())).body).toMatchObject({ data: { id } });
      oidc.user = `another-${last}`;
      knows({ preferred_username: 'Imported' });
      const { body } = await via(hub.browser());
      expect(body.success && body.data?.id).not.toBe(id);
    });

    test('the same subject of another issuer is another identity', async () => {
      const first = await via(hub.browser());
      await hub.set(settingsOf(other));
      const second = await via(hub.browser());
      const [a, b] = [first, second].map(({ body }) => (body.success ? body.data?.id : undefined));
      expect([a, b].every(Number.isInteger)).toBe(true);
      expect(a).not.toBe(b);
    });
  });

  test('claims of a wrong kind, or none, do no harm', async () => {
    knows({
      preferred_username: ['an', 'array'],
      name: 7,
      email: { not: 'a text' },
      email_verified: 'yes',
      picture: 1,
    });
    const browser = hub.browser();
    expect(await via(browser)).toMatchObject({ status: 200, body: { success: true } });
    expect(await browser.call(userApi.self)).toMatchObject({ email: '', avatar_url: '' });
    oidc.user = 'bare';
    expect(await via(hub.browser())).toMatchObject({ status: 200, body: { success: true } });
  });

  test('changed settings are in force for the next sign-in', async () => {
    await via(hub.browser());
    await hub.set({ OIDCClientSecret: 'a-wrong-one' });
    expect(await via(hub.browser())).toMatchObject(refused);
    await hub.set(settingsOf(oidc));
    expect(await via(hub.browser())).toMatchObject({ status: 200 });
  });

  describe('what was tampered with is refused', () => {
    test('a code that was given to another browser’s journey', async () => {
      const attacker = hub.browser();
      const stolen = (await attacker.travel(await attacker.call(oauthApi.endpoint))).searchParams.get('code')!;
      const victim = hub.browser();
      const own = await victim.travel(await victim.call(oauthApi.endpoint));
      own.searchParams.set('code', stolen);
      expect(await back(victim, own)).toMatchObject(refused);
      expect(victim.cookies.get('session')).toBeUndefined();
    });

    test('an ID token with the nonce of another journey', async () => {
      const browser = hub.browser();
      const address = new URL(await browser.call(oauthApi.endpoint));
      address.searchParams.set('nonce', 'n'.repeat(43));
      expect(await back(browser, await browser.travel(address.href))).toMatchObject(refused);
    });

    test('an answer that another issuer claims', async () => {
      const browser = hub.browser();
      const at = await browser.travel(await browser.call(oauthApi.endpoint));
      at.searchParams.set('iss', other.issuer);
      expect(await back(browser, at)).toMatchObject(refused);
    });

    test('a journey that was begun before the provider was replaced', async () => {
      const browser = hub.browser();
      const at = await browser.travel(await browser.call(oauthApi.endpoint));
      await hub.set(settingsOf(other));
      expect(await back(browser, at)).toMatchObject({ status: 403, body: { code: 'oauth.state' } });
    });

    test('a state that has been used, or is Github’s', async () => {
      const browser = hub.browser();
      const at = await browser.travel(await browser.call(oauthApi.endpoint));
      expect(await back(browser, at)).toMatchObject({ status: 200 });
      expect(await back(browser, at)).toMatchObject({ status: 403, body: { code: 'oauth.state' } });
      await hub.set({ GitHubClientId: 'x', GitHubClientSecret: 'x', GitHubOAuthEnabled: 'true' });
      const second = await browser.travel(await browser.call(oauthApi.endpoint));
      const state = second.searchParams.get('state')!;
      const answer = await browser.try(oauthApi.github, { query: { code: 'code', state } });
      expect(answer).toMatchObject({ status: 403, body: { code: 'oauth.state' } });
    });
  });

  test('clients that pass only code and state on are served', async () => {
    const browser = hub.browser();
    const at = await browser.travel(await browser.call(oauthApi.endpoint));
    at.searchParams.delete('iss');
    expect(await back(browser, at)).toMatchObject({ status: 200 });
  });

  test('a signed-in user connects the identity', async () => {
    const { username, id } = await addAccount(hub());
    const browser = await hub.signedIn(username);
    expect((await via(browser)).body).toEqual({ success: true, message: 'bind' });
    expect((await via(hub.browser())).body).toMatchObject({ data: { id } });
  });

  describe('groups of the provider', () => {
    const team = async (name: string) => (await hub().root.call(teamApi.create, { body: { name } })).id;
    const signIn = async (groups: unknown) => {
      knows({ preferred_username: oidc.user, groups });
      const { body } = await via(hub.browser());
      return (body.success && body.data?.id) || 0;
    };
    const rolesOf = async (user: number) =>
      Object.fromEntries(
        (
          await hub()
            .server.deps.db.selectFrom('team_members')
            .where('user_id', '=', user)
            .select(['team_id', 'role'])
            .execute()
        ).map(({ team_id: id, role }) => [id, role]),
      );

    test('give, change and take memberships at each sign-in, and their keys stop', async () => {
      const [red, blue] = [await team('red-team'), await team('blue-team')];
      const rows = [
        { group: 'leads', team: red, role: 'admin' },
        { group: 'staff', team: red, role: 'member' },
        { group: 'staff', team: blue, role: 'billing' },
        { group: 'staff', team: 987_654, role: 'member' },
      ];
      await hub.set({ TeamsOfGroups: JSON.stringify(rows) });
      const user = await signIn(['staff', 'others']);
      expect(await rolesOf(user)).toEqual({ [red]: 'member', [blue]: 'billing' });
      const browser = hub.browser();
      await via(browser);
      const made = await browser.send('POST', '/api/token/', unlimited, { 'x-account': String(red) });
      const { key } = (made.body as { data: { key: string } }).data;
      const models = () => fetch(`${hub().url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      expect((await models()).status).toBe(200);
      // The first row of a team decides, in whichever order the provider lists the groups.
      expect(await signIn(['staff', 'leads'])).toBe(user);
      expect(await rolesOf(user)).toEqual({ [red]: 'admin', [blue]: 'billing' });
      await signIn('leads');
      expect(await rolesOf(user)).toEqual({ [red]: 'admin' });
      await signIn([]);
      expect(await rolesOf(user)).toEqual({});
      expect((await models()).status).toBe(401);
      const { data } = await hub().root.call(teamApi.audit, { params: { id: red } });
      expect(data.filter(({ path }) => path === '/api/oauth/oidc')).toHaveLength(3);
    });

    test('leave memberships alone that people gave, owners, and everything while the claim is not read', async () => {
      const [given, owned] = [await team('given-team'), await team('owned-team')];
      const user = await signIn([]);
      const { db, now } = hub().server.deps;
      const base = { user_id: user, cost_centre: '', invited_by: 1, created_time: now() };
      await db
        .insertInto('team_members')
        .values({ ...base, team_id: given, role: 'billing' })
        .execute();
      const rows = [given, owned].map((id) => ({ group: 'staff', team: id, role: 'member' }));
      await hub.set({ TeamsOfGroups: JSON.stringify(rows) });
      await signIn(['staff']);
      expect(await rolesOf(user)).toEqual({ [given]: 'billing', [owned]: 'member' });
      const change = { params: { id: owned, user }, body: { role: 'admin' as const } };
      expect(await hub().root.try(teamApi.updateMember, change)).toMatchObject({ body: { code: 'team.managed' } });
      await hub().root.call(teamApi.offer, { params: { id: owned }, body: { user_id: user } });
      const browser = hub.browser();
      await via(browser);
      await browser.call(teamApi.accept, { params: { id: owned } });
      await signIn([]);
      expect(await rolesOf(user)).toEqual({ [given]: 'billing', [owned]: 'owner' });
      await hub.set({ OIDCGroupsClaim: '' });
      const third = await team('third-team');
      await hub.set({ TeamsOfGroups: JSON.stringify([{ group: 'staff', team: third, role: 'member' }]) });
      await signIn(['staff']);
      expect(await rolesOf(user)).not.toHaveProperty(String(third));
      await hub.set({ OIDCGroupsClaim: 'groups' });
    });

    test.each([
      [{ groups: ['a', 7, '', 'b'] }, 'groups', ['a', 'b']],
      [{ groups: 'a' }, 'groups', ['a']],
      [{}, 'groups', []],
      [{ groups: { a: 1 } }, 'groups', []],
      [{ 'https://hub.example/groups': ['a'] }, 'https://hub.example/groups', ['a']],
      [{ resource_access: { hub: { roles: ['a'] } } }, 'resource_access.hub.roles', ['a']],
      [{ groups: ['a'] }, '', undefined],
      [{ _claim_names: { groups: 'src1' } }, 'groups', undefined],
    ])('in %j under %j are %j', (claims, name, expected) => {
      expect(groupsIn(claims, name)).toEqual(expected);
    });
  });

  test('an unreachable provider, or one in a forbidden network, is reported without details', async () => {
    await hub.set({ OIDCIssuer: 'http://127.0.0.1:1', OIDCClientSecret: 'another' });
    const away = {
      status: 502,
      body: { code: 'oauth.unreachable', message: expect.not.stringContaining('127') as string },
    };
    expect(await hub.browser().try(oauthApi.endpoint)).toMatchObject(away);
    await hub.set({ OIDCIssuer: 'https://2130706433', OIDCClientSecret: 'another' });
    expect(await hub.browser().try(oauthApi.endpoint)).toMatchObject({ body: { code: 'oauth.unreachable' } });
    for (const issuer of ['http://127.0.0.2:1', 'https://169.254.169.254', 'https://[::1]']) {
      await expect(hub.set({ OIDCIssuer: issuer, OIDCClientSecret: 'another' })).rejects.toThrow('outbound.never');
      // Set while its network was allowed.
      const { db, live } = hub().server.deps;
      await db.updateTable('options').set({ value: issuer }).where('key', '=', 'OIDCIssuer').execute();
      await live.changed('settings');
      expect(await hub.browser().try(oauthApi.endpoint)).toMatchObject({ body: { code: 'oauth.unreachable' } });
    }
    // Plain HTTP on loopback only.
    await hub.set({ OIDCIssuer: 'http://example.org', OIDCClientSecret: 'another' });
    expect(await hub.browser().try(oauthApi.endpoint)).toMatchObject(refused);
  });

  describe('the check of an issuer', () => {
    const check = (issuer: string, more: { scopes?: string; claims?: string } = {}) =>
      hub().root.try(optionApi.checkOidc, {
        body: { issuer, scopes: 'openid,profile,email', claims: 'preferred_username', ...more },
      });

    test('finds the endpoints of a provider without showing it a credential', async () => {
      const { body } = await check(`${other.issuer}/.well-known/openid-configuration`);
      expect(body).toMatchObject({ success: true, data: { issuer: other.issuer, findings: [] } });
      const endpoints = (body.success && body.data?.endpoints) || [];
      expect(endpoints.map(({ name }) => name)).toEqual(['authorization', 'token', 'userinfo', 'jwks']);
      expect(endpoints.every(({ address }) => address.startsWith(other.issuer))).toBe(true);
    });

    test('reports scopes and claims that the provider does not list', async () => {
      const { body } = await check(oidc.issuer, { scopes: 'openid,groups', claims: 'login,upn' });
      expect(body.success && body.data?.findings).toEqual([
        { problem: 'scopes', blocking: false, detail: 'groups' },
        { problem: 'claims', blocking: false, detail: 'login, upn' },
      ]);
      // One of several claims is enough.
      const enough = await check(oidc.issuer, { claims: 'login,name' });
      expect(enough.body).toMatchObject({ data: { findings: [] } });
    });

    test('reports a page, an issuer of another name and missing parts as reasons for failure', async () => {
      const seen: (string | undefined)[] = [];
      const site = createServer((request, response) => {
        seen.push(request.url, request.headers.authorization);
        const document = { issuer: 'https://id.example/', response_types_supported: ['id_token'] };
        response.end(request.url?.startsWith('/realms/') ? JSON.stringify(document) : '<!doctype html>');
      });
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
      const { port } = site.address() as AddressInfo; // listening on a TCP port
      try {
        const page = await check(`http://127.0.0.1:${port}`);
        expect(page).toMatchObject({ status: 502, body: { code: 'option.oidc_document' } });
        seen.length = 0;
        const { body } = await check(`http://127.0.0.1:${port}/realms/a/`);
        expect(seen).toEqual(['/realms/a/.well-known/openid-configuration', undefined]);
        expect(body.success && body.data?.findings).toEqual([
          { problem: 'issuer', blocking: true, detail: 'https://id.example/' },
          { problem: 'endpoint', blocking: true, detail: 'authorization_endpoint' },
          { problem: 'endpoint', blocking: true, detail: 'token_endpoint' },
          { problem: 'endpoint', blocking: true, detail: 'jwks_uri' },
          { problem: 'flow', blocking: true, detail: '' },
        ]);
      } finally {
        site.close();
      }
    });

    test.each([
      ['http://127.0.0.1:1', 502, 'outbound.failed'],
      ['http://169.254.169.254', 400, 'outbound.never'],
      ['https://{host}/realms/{realm}', 400, 'input.invalid'],
      ['', 400, 'input.invalid'],
    ])('%s is refused', async (issuer, status, code) => {
      expect(await check(issuer)).toMatchObject({ status, body: { success: false, code } });
    });
  });

  test('the slash after the path of an issuer belongs to its name', async () => {
    const set = (OIDCIssuer: string) => hub.set({ OIDCIssuer, OIDCClientSecret: 'another' });
    await set('https://id.example/application/o/hub/');
    expect(hub().server.deps.live.settings.OIDCIssuer).toBe('https://id.example/application/o/hub/');
    await set('https://id.example//');
    expect(hub().server.deps.live.settings.OIDCIssuer).toBe('https://id.example');
  });
});
