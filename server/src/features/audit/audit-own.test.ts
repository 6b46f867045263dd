import {
  auditApi,
  type AuditEntry,
  oauthApi,
  passkeyApi,
  profileApi,
  proofApi,
  role,
  tokenApi,
  totpApi,
  userAdminApi,
  userApi,
} from '@relay-hub/contract';
import { Secret, TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { addAccount, addPasskey, addPerson, PASSWORD } from '#testing/people.ts';

const newToken = { name: 'of an admin', remain_quota: 0, unlimited_quota: true, expired_time: -1 };

onEveryDatabase('the audit log of what administrators do with their own accounts', (make) => {
  const hub = hubForSuite(make);

  const of = async (actor: string): Promise<AuditEntry[]> =>
    (await hub().root.call(auditApi.list, { query: { actor, size: 100 } })).data;
  const detailOf = async (entry: AuditEntry | undefined) =>
    hub().root.call(auditApi.get, { params: { id: entry?.id ?? 0 } });
  const addAdmin = () => addPerson(hub(), { role: role.admin });

  test('records a new name and a new password with their changes, and no secrets', async () => {
    const { client, id, username } = await addAdmin();
    await client.call(profileApi.update, { body: { display_name: 'New name' } });
    await client.call(profileApi.update, { body: { password: 'another-password-1', current_password: PASSWORD } });
    const [password, name] = await of(username);
    expect(await detailOf(name)).toMatchObject({
      kind: 'user',
      object_id: String(id),
      object_name: username,
      via: 'session',
      before: { display_name: '' },
      after: { display_name: 'New name' },
    });
    const told = await detailOf(password);
    expect(told).toMatchObject({ method: 'PUT', path: '/api/user/self', before: { password_time: 0 } });
    expect(told.after).not.toMatchObject({ password_time: 0 });
    expect(JSON.stringify(told)).not.toContain('another-password-1');
    expect(JSON.stringify(told)).not.toContain(PASSWORD);
  });

  test('records access tokens, second factors, passkeys and sessions', async () => {
    const { client, id, username } = await addAdmin();
    const token = await client.call(profileApi.makeAccessToken);
    const { secret } = await client.call(totpApi.begin);
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    const { recovery_codes: codes } = await client.call(totpApi.enable, { body: { code } });
    await client.call(totpApi.renew);
    await client.call(totpApi.disable);
    const passkey = await addPasskey(hub(), id);
    await client.call(passkeyApi.rename, { params: { id: passkey }, body: { name: 'On my desk' } });
    await client.call(passkeyApi.remove, { params: { id: passkey } });
    await client.call(profileApi.endOtherSessions);
    await client.call(profileApi.removeAccessToken);
    const entries = await of(username);
    expect(entries.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'DELETE /api/user/token',
      'DELETE /api/user/sessions',
      'DELETE /api/user/self/passkeys/:id',
      'PUT /api/user/self/passkeys/:id',
      'DELETE /api/user/self/totp',
      'POST /api/user/self/totp/recovery',
      'POST /api/user/self/totp',
      'POST /api/user/token',
    ]);
    expect(entries.every(({ object_id }) => object_id === String(id))).toBe(true);
    const of1 = (path: string) => detailOf(entries.find((entry) => `${entry.method} ${entry.path}` === path));
    expect(await of1('POST /api/user/self/totp')).toMatchObject({
      before: { two_step: 0, recovery_codes: 0 },
      after: { two_step: 1, recovery_codes: 10 },
    });
    expect(await of1('DELETE /api/user/self/passkeys/:id')).toMatchObject({
      before: { passkeys: 1 },
      after: { passkeys: 0 },
    });
    const rows = await hub().server.deps.db.selectFrom('audit').where('actor_id', '=', id).selectAll().execute();
    for (const hidden of [token, secret, code, ...codes]) expect(JSON.stringify(rows)).not.toContain(hidden);
  });

  test('records connected and disconnected identities, and a refused address', async () => {
    const { client, id, username } = await addAdmin();
    const { db, now } = hub().server.deps;
    await db
      .insertInto('identities')
      .values({ user_id: id, provider: 'github', subject: String(id), created_time: now() })
      .execute();
    await client.call(oauthApi.unbind, { params: { provider: 'github' } });
    await client.send('POST', '/api/oauth/email/bind', { email: 'somebody@example.com', code: '123456' });
    const [email, unbound] = await of(username);
    expect(email).toMatchObject({ path: '/api/oauth/email/bind', object_id: String(id) });
    expect(email?.code).not.toBe('');
    expect(await detailOf(unbound)).toMatchObject({
      input: { params: { provider: 'github' } },
      before: { identities: 1 },
      after: { identities: 0 },
    });
  });

  test('records own tokens: created, changed, revealed and deleted', async () => {
    const { client, username } = await addAdmin();
    const { token: made } = await client.call(tokenApi.create, { body: newToken });
    await client.call(tokenApi.update, { body: { ...newToken, id: made.id, name: 'renamed' } });
    const { key } = await client.call(tokenApi.reveal, { params: { id: made.id } });
    await client.call(tokenApi.remove, { params: { id: made.id } });
    const entries = await of(username);
    expect(entries.map(({ method }) => method)).toEqual(['DELETE', 'POST', 'PUT', 'POST']);
    for (const entry of entries) expect(entry).toMatchObject({ kind: 'token', object_id: String(made.id) });
    const told = await Promise.all(entries.map((entry) => detailOf(entry)));
    expect(told[2]).toMatchObject({ before: { name: 'of an admin' }, after: { name: 'renamed' } });
    expect(JSON.stringify(told)).not.toContain(key.replace(/^sk-/, ''));
  });

  describe('holds nothing', () => {
    test('of plain users, whatever they do with theirs', async () => {
      const { client, id } = await addPerson(hub());
      await client.call(profileApi.update, { body: { display_name: 'Somebody' } });
      await client.call(profileApi.makeAccessToken);
      await client.call(tokenApi.create, { body: newToken });
      await client.try(tokenApi.remove, { params: { id: 987_654 } });
      await client.send('GET', '/api/oauth/github?code=x&state=y');
      const noted = await hub()
        .server.deps.db.selectFrom('audit')
        .where('actor_id', 'in', [id, 0])
        .selectAll()
        .execute();
      expect(noted).toEqual([]);
    });

    test('of questions, beginnings and proofs', async () => {
      const { client, username } = await addAdmin();
      await client.call(userApi.self);
      await client.call(totpApi.begin);
      await client.call(proofApi.prove, { body: { password: PASSWORD } });
      expect(await of(username)).toEqual([]);
    });

    test('hides another user’s record when the access was refused', async () => {
      const { client, username } = await addAdmin();
      const owner = await addPerson(hub());
      const { token } = await owner.client.call(tokenApi.create, { body: { ...newToken, name: 'a name not to tell' } });
      expect((await client.try(tokenApi.remove, { params: { id: token.id } })).status).toBe(404);
      const peer = await addAccount(hub(), { role: role.admin, email: 'not-to-tell@example.com' });
      expect((await client.try(userAdminApi.remove, { params: { id: peer.id } })).status).toBe(403);
      const entries = await of(username);
      expect(entries.map(({ code }) => code)).toEqual(['user.rank', 'record.not_found']);
      const told = await Promise.all(entries.map((entry) => detailOf(entry)));
      expect(told).toMatchObject([
        { before: null, after: null },
        { before: null, after: null },
      ]);
      expect(JSON.stringify(told)).not.toContain('not-to-tell');
      expect(JSON.stringify(told)).not.toContain('a name not to tell');
    });
  });
});
