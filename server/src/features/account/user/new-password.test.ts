import { auditApi, profileApi, registerApi, role, tokenApi, tokenStatus, userAdminApi } from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chat, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { linkIn, type Mailbox, sendThrough, startMailbox } from '#testing/mailbox.ts';
import { addPasskey, addPerson, type TestPerson, PASSWORD } from '#testing/people.ts';

const NEW = 'a-new-password';

onEveryDatabase('a new password and the API keys', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let mailbox: Mailbox;
  let admin: TestPerson;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url);
    admin = await addPerson(hub(), { role: role.admin });
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, { ServerAddress: 'https://hub.example.org', SystemName: 'Our Hub' });
  });
  afterAll(async () => mailbox?.close());

  let count = 0;
  /** An account with two enabled tokens, a disabled one, and an address. */
  async function owner() {
    const email = `owner-${++count}@example.org`;
    const person = await addPerson(hub(), { quota: 1_000_000, email });
    const keys = [await tokenOf(person.client), await tokenOf(person.client)] as const;
    const { id: off } = await tokenOf(person.client);
    await setStatus(person.client, off, tokenStatus.disabled);
    for (const { key } of keys) expect((await chat(hub(), key)).status).toBe(200);
    return { ...person, email, keys };
  }
  const setStatus = (client: ApiClient, id: number, status: 1 | 2) =>
    client.call(tokenApi.update, { query: { status_only: 'true' }, body: { id, status } });
  const works = async (keys: readonly { key: string }[]) =>
    Promise.all(keys.map(async ({ key }) => (await chat(hub(), key)).status));
  const resetLink = async (email: string) => {
    await new ApiClient(hub().url).call(registerApi.askReset, { query: { email } });
    const link = linkIn(await mailbox.next(email)).searchParams;
    return { email, token: link.get('token') ?? '', password: NEW };
  };

  test('one set by an administrator leaves production alone, and ends the sessions', async () => {
    const { id, client, email, keys } = await owner();
    const answer = await admin.client.call(userAdminApi.update, { body: { id, password: NEW } });
    expect(answer).toMatchObject({ id, disabled_tokens: 0 });
    expect(await works(keys)).toEqual([200, 200]);
    expect((await client.try(profileApi.security)).status).toBe(401);
    expect((await mailbox.next(email)).text).toContain('Tokens disabled: 0.');
  });

  test('one set by an administrator disables the tokens on request, is mailed and audited', async () => {
    const { id, email, username, keys } = await owner();
    const answer = await admin.client.call(userAdminApi.update, {
      body: { id, password: NEW, disable_tokens: true, display_name: 'x' },
    });
    expect(answer).toMatchObject({ id, disabled_tokens: 2 });
    expect(await works(keys)).toEqual([401, 401]);
    const mail = await mailbox.next(email);
    expect(mail.subject).toBe('An administrator changed your Our Hub password');
    expect(mail.text).toContain('Tokens disabled: 2.');
    expect(linkIn(mail).href).toBe('https://hub.example.org/panel/token');
    const { data } = await hub().root.call(auditApi.list, { query: { object_id: String(id) } });
    const entry = await hub().root.call(auditApi.get, { params: { id: data[0]!.id } });
    expect(entry).toMatchObject({ actor_name: admin.username, before: { enabled_tokens: 2 } });
    expect(entry).toMatchObject({ after: { enabled_tokens: 0, display_name: 'x' } });
    // The owner can enable them again; the disabled one stays disabled.
    const back = await new ApiClient(hub().url).signIn(username, NEW);
    for (const token of keys) await setStatus(back, token.id, tokenStatus.enabled);
    expect(await works(keys)).toEqual([200, 200]);
    expect(await back.call(profileApi.security)).toMatchObject({ enabled_tokens: 2 });
  });

  test('the mail lists the remaining sign-in methods, which the new password keeps', async () => {
    const { id, email } = await owner();
    const { db } = hub().server.deps;
    await addPasskey(hub(), id);
    const identity = { user_id: id, subject: `${id}`, created_time: 1 };
    await db
      .insertInto('identities')
      .values({ ...identity, provider: 'telegram' })
      .execute();
    await admin.client.call(userAdminApi.update, { body: { id, password: NEW } });
    // Telegram is no way in.
    expect((await mailbox.next(email)).text).toContain('with passkeys (1) and connected accounts (0)');
    expect(await db.selectFrom('passkeys').where('user_id', '=', id).select('id').execute()).toHaveLength(1);
  });

  test('other changes of an administrator leave them alone', async () => {
    const { id, keys } = await owner();
    const answer = await admin.client.call(userAdminApi.update, { body: { id, display_name: 'x', password: '' } });
    expect(answer).not.toHaveProperty('disabled_tokens');
    expect(await works(keys)).toEqual([200, 200]);
  });

  test('one set through a mailed link disables the tokens, is mailed and audited', async () => {
    const { id, email, username, keys } = await owner();
    const answer = await new ApiClient(hub().url).call(registerApi.reset, { body: await resetLink(email) });
    expect(answer).toEqual({ disabled_tokens: 2 });
    expect(await works(keys)).toEqual([401, 401]);
    expect(await mailbox.next(email)).toMatchObject({ subject: 'Your Our Hub password was changed' });
    const { data } = await admin.client.call(auditApi.list, { query: { object_id: String(id) } });
    expect(data).toMatchObject([{ actor_id: id, actor_name: username, via: 'mail_link', object_name: username }]);
    const { input } = await admin.client.call(auditApi.get, { params: { id: data[0]!.id } });
    expect(input).toEqual({ disabled_tokens: 2 });
  });

  describe('the own one', () => {
    const change = (client: ApiClient, more: { disable_tokens?: boolean } = {}) =>
      client.call(profileApi.update, { body: { password: NEW, current_password: PASSWORD, ...more } });

    test.each([{}, { disable_tokens: true }])('switches them off: %o', async (more) => {
      const { client, email, keys } = await owner();
      expect(await change(client, more)).toMatchObject({ disabled_tokens: 2 });
      expect(await works(keys)).toEqual([401, 401]);
      expect((await mailbox.next(email)).text).toContain('Tokens disabled: 2.');
    });

    test('leaves them on where that is wished', async () => {
      const { client, email, keys } = await owner();
      expect(await change(client, { disable_tokens: false })).toMatchObject({ disabled_tokens: 0 });
      expect(await works(keys)).toEqual([200, 200]);
      expect((await mailbox.next(email)).text).toContain('Tokens disabled: 0.');
    });

    test('that is refused switches nothing off', async () => {
      const { client, keys } = await owner();
      const body = { password: NEW, current_password: 'wrong password' };
      expect(await client.try(profileApi.update, { body })).toMatchObject({ status: 400 });
      expect(await works(keys)).toEqual([200, 200]);
    });
  });

  test('a mail server that refuses undoes nothing', async () => {
    const { id, keys } = await owner();
    mailbox.refuseWith = 'no room';
    const body = { id, password: NEW, disable_tokens: true };
    expect(await admin.client.call(userAdminApi.update, { body })).toMatchObject({ id });
    expect(await works(keys)).toEqual([401, 401]);
    mailbox.refuseWith = undefined;
  });
});
