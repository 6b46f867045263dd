import { channelApi, optionApi, profileApi, role, tokenApi, userAdminApi, userApi } from '@relay-hub/contract';
import { afterEach, expect, test } from 'vitest';
import { chat } from '#testing/chat.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson, PASSWORD, type TestPerson } from '#testing/people.ts';

onOneDatabase('family mode', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const mode = (on: boolean) => hub().root.call(optionApi.set, { body: { key: 'FamilyMode', value: String(on) } });
  /** A program with an access token, of the scope `family` or of none. */
  const programOf = async ({ client }: Pick<TestPerson, 'client'>, scope: '' | 'family') => {
    const authorization = await client.call(profileApi.makeAccessToken);
    if (scope !== '') await client.call(profileApi.setAccessTokenScope, { body: { scope } });
    const program = new ApiClient(hub().url);
    return (method: string, path: string, body?: unknown) => program.send(method, path, body, { authorization });
  };
  const forget = (id: number) =>
    hub().server.deps.db.updateTable('sessions').set({ proved_time: 1 }).where('user_id', '=', id).execute();

  afterEach(() => mode(false));

  test('is off by default, and changes no refusal then', async () => {
    const answer = await hub().root.send('GET', '/api/token/999999');
    expect(answer).toMatchObject({ status: 404, body: { success: false, code: 'record.not_found' } });
    expect((await hub().root.send('GET', '/api/token/playground')).status).toBe(404);
  });

  test('makes refusals of /api a 200, except where clients of the family look at the status', async () => {
    await mode(true);
    const { root, url } = hub();
    const visitor = new ApiClient(url);
    expect(await root.send('GET', '/api/token/999999')).toMatchObject({
      status: 200,
      body: { success: false, code: 'record.not_found', message: expect.stringMatching(/./) },
    });
    const { client: user } = await addPerson(hub());
    const statuses = [
      (await user.send('GET', '/api/channel/')).status,
      (await root.send('POST', '/api/token/', { name: 5 })).status,
      (await visitor.send('GET', '/api/user/self', undefined, { authorization: 'f'.repeat(32) })).status,
      (await visitor.send('GET', '/api/user/self')).status,
      (await visitor.send('GET', '/api/oauth/github?code=a&state=b')).status,
      (await root.send('GET', '/api/nonesuch')).status,
      (await root.send('PUT', '/api/option/', '{')).status,
      (await root.send('DELETE', '/api/token/1', undefined, { 'sec-fetch-site': 'cross-site' })).status,
    ];
    expect(statuses).toEqual([200, 200, 200, 401, expect.toBeOneOf([200, 403]), 404, 400, 403]);
    // Clients of AI providers act by status.
    expect((await chat(hub(), 'sk-unknown')).status).toBe(401);
  });

  test('a header decides the form of one call, and nothing else', async () => {
    const { root } = hub();
    const ask = async (form: string) =>
      (await root.send('GET', '/api/token/999999', undefined, { 'x-relay-envelope': form })).status;
    expect([await ask('family'), await ask('native'), await ask('other')]).toEqual([200, 404, 404]);
    await mode(true);
    expect([await ask('family'), await ask('native'), await ask('other')]).toEqual([200, 404, 200]);
    await mode(false);
    const playground = await root.send('GET', '/api/token/playground', undefined, { 'x-relay-envelope': 'family' });
    expect(playground).toMatchObject({ status: 404, body: { code: 'route.off' } });
  });

  test('an access token of the scope acts without a proof, only while the mode is on and the scope given', async () => {
    const person = await addPerson(hub(), { role: role.root });
    const guarded = { key: 'SMTPServer', value: 'mail.example' };
    expect(await person.client.try(profileApi.setAccessTokenScope, { body: { scope: 'family' } })).toMatchObject({
      status: 409,
      body: { code: 'family.off' },
    });
    await mode(true);
    const plain = await programOf(person, '');
    expect(await plain('PUT', '/api/option/', guarded)).toMatchObject({ body: { code: 'session.proof' } });
    // A token does not widen itself.
    expect(await plain('PUT', '/api/user/token/scope', { scope: 'family' })).toMatchObject({
      body: { code: 'session.proof' },
    });
    const old = await programOf(person, 'family');
    expect(await old('PUT', '/api/option/', guarded)).toMatchObject({ status: 200, body: { success: true } });
    await forget(person.id);
    const bySession = await person.client.try(optionApi.set, { body: guarded });
    expect(bySession).toMatchObject({ status: 200, body: { success: false, code: 'session.proof' } });
    await mode(false);
    expect(await old('PUT', '/api/option/', guarded)).toMatchObject({ status: 403, body: { code: 'session.proof' } });
    await mode(true);
    expect(await old('PUT', '/api/option/', guarded)).toMatchObject({ body: { success: true } });
    expect(await old('PUT', '/api/user/token/scope', { scope: '' })).toMatchObject({ body: { success: true } });
    expect(await old('PUT', '/api/option/', guarded)).toMatchObject({ body: { code: 'session.proof' } });
  });

  test('such a token beside a session cookie does not skip the proof', async () => {
    await mode(true);
    const person = await addPerson(hub(), { role: role.root });
    const authorization = await person.client.call(profileApi.makeAccessToken);
    await person.client.call(profileApi.setAccessTokenScope, { body: { scope: 'family' } });
    await forget(person.id);
    const both = await person.client.send(
      'PUT',
      '/api/option/',
      { key: 'SMTPServer', value: 'x.example' },
      {
        authorization,
      },
    );
    expect(both).toMatchObject({ body: { success: false, code: 'session.proof' } });
  });

  test('such a token renews itself with its scope; a session makes one without', async () => {
    await mode(true);
    const person = await addPerson(hub());
    const old = await programOf(person, 'family');
    const renewed = (await old('GET', '/api/user/token')).body as { data: string };
    expect(await old('GET', '/api/user/self')).toMatchObject({ body: { success: false } });
    const again = await new ApiClient(hub().url).send('GET', '/api/user/token', undefined, {
      authorization: renewed.data,
    });
    expect(again).toMatchObject({ body: { success: true } });
    await person.client.call(profileApi.makeAccessToken);
    expect(await person.client.call(profileApi.security)).toMatchObject({
      family_mode: true,
      access_token: { scope: '' },
    });
  });

  test('a password changes without the current one by such a token, never by a session', async () => {
    await mode(true);
    const person = await addPerson(hub());
    expect(await person.client.try(profileApi.update, { body: { password: 'another-password' } })).toMatchObject({
      body: { success: false, code: 'user.current_password' },
    });
    const plain = await programOf(person, '');
    expect(await plain('PUT', '/api/user/self', { password: 'another-password' })).toMatchObject({
      body: { success: false, code: 'user.current_password' },
    });
    const old = await programOf(person, 'family');
    expect(await old('PUT', '/api/user/self', { password: 'another-password' })).toMatchObject({
      body: { success: true },
    });
    const signIn = (password: string) =>
      new ApiClient(hub().url).try(userApi.login, { body: { username: person.username, password } });
    expect(await signIn(PASSWORD)).toMatchObject({ body: { success: false } });
    expect(await signIn('another-password')).toMatchObject({ body: { success: true } });
  });

  test('a copied channel keeps its key by reference, for the same destination only', async () => {
    const { root } = hub();
    const id = await addChannel(hub(), upstream().url, { name: 'original', key: 'sk-original-key-123456' });
    const load = async () => (await root.send<{ key: string }>('GET', `/api/channel/${id}`)).body;
    expect(await load()).toMatchObject({ data: { key: '' } });
    await mode(true);
    const loaded = (await load()) as { data: Record<string, unknown> };
    expect(JSON.stringify(loaded)).not.toContain('original-key');
    const { id: _, ...record } = loaded.data;
    const copy = (more: object) => root.send('POST', '/api/channel/', { ...record, name: 'original_copy', ...more });
    expect(await copy({})).toMatchObject({ body: { success: true } });
    expect(await copy({ key: '', id })).toMatchObject({ body: { success: true } });
    for (const away of [{ base_url: 'http://127.0.0.1:9' }, { proxy: 'http://127.0.0.1:9' }])
      expect(await copy(away)).toMatchObject({ body: { success: false, code: 'channel.key_again' } });
    const { live } = hub().server.deps;
    const copies = live.routes.channelsFor('default', 'gpt-4o').filter(({ name }) => name === 'original_copy');
    expect(copies.map(({ key }) => key)).toEqual(['sk-original-key-123456', 'sk-original-key-123456']);
    // A loaded record sent back keeps the key, and a mask is none.
    for (const key of [record['key'], '••••••••3456', 'sk-••••••••3456'])
      expect(await root.send('PUT', '/api/channel/', { id, key, name: 'renamed' })).toMatchObject({
        body: { success: true },
      });
    expect(live.routes.channelsFor('default', 'gpt-4o').find(({ name }) => name === 'renamed')?.key).toBe(
      'sk-original-key-123456',
    );
    await root.call(channelApi.remove, { params: { id } });
  });

  test('the playground’s key is an ordinary token of its user, who can take it back', async () => {
    await mode(true);
    await addChannel(hub(), upstream().url);
    const { client } = await addPerson(hub(), { quota: 1_000_000 });
    const key = await client.call(tokenApi.playground);
    expect(key).toMatch(/^[A-Za-z0-9]{48}$/);
    expect(await client.call(tokenApi.playground)).toBe(key);
    expect((await chat(hub(), `sk-${key}`)).status).toBe(200);
    const [token] = (await client.call(tokenApi.list)).data;
    expect(token).toMatchObject({ name: 'sys_playground', unlimited_quota: true, group: '' });
    await client.call(tokenApi.update, { body: { id: token!.id, status: 2 }, query: { status_only: '1' } });
    expect(await client.try(tokenApi.playground)).toMatchObject({ body: { success: false, code: 'token.disabled' } });
    expect((await chat(hub(), `sk-${key}`)).status).toBe(401);
    await mode(false);
    expect((await client.try(tokenApi.playground)).status).toBe(404);
  });

  test('a user is made without a group, as old forms do', async () => {
    const made = await hub().root.call(userAdminApi.create, { body: { username: 'no-group', password: PASSWORD } });
    expect(made).toMatchObject({ group: 'default', aff_code: '', inviter_id: 0, aff_count: 0 });
  });
});
