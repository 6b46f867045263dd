import { optionApi, passkeyApi, proofApi, role, secondStepApi, totpApi, userApi } from '@relay-hub/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { Authenticator } from '#testing/authenticator.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { addAccount, PASSWORD } from '#testing/people.ts';

onEveryDatabase('passkeys', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });

  /** Passkeys are bound to names; the tests' usual address has none. */
  const origin = (): string => hub().url.replace('127.0.0.1', 'localhost');
  const site = () => ({ origin: origin(), host: 'localhost' });
  const browser = (): ApiClient => new ApiClient(origin());

  async function addHolder(more: Parameters<typeof addAccount>[1] = {}) {
    const account = await addAccount(hub(), more);
    const client = await browser().signIn(account.username, PASSWORD);
    const device = new Authenticator();
    const { challenge } = await client.call(passkeyApi.begin);
    const passkey = await client.call(passkeyApi.add, { body: device.make({ challenge, ...site() }, 'My phone') });
    return { ...account, client, device, passkey };
  }

  const refused = { status: 400, body: { success: false, code: 'passkey.failed' } };

  afterEach(async () => {
    await hub().root.call(optionApi.set, { body: { key: 'ServerAddress', value: '' } });
  });

  describe('adding one', () => {
    test('shows its name and host; it can be renamed and removed', async () => {
      const { client, passkey } = await addHolder();
      expect(passkey).toMatchObject({ name: 'My phone', host: 'localhost', synced: false, used_time: 0 });
      await client.call(passkeyApi.rename, { params: { id: passkey.id }, body: { name: 'Old phone' } });
      expect(await client.call(passkeyApi.list)).toMatchObject([{ id: passkey.id, name: 'Old phone' }]);
      await client.call(passkeyApi.remove, { params: { id: passkey.id } });
      expect(await client.call(passkeyApi.list)).toEqual([]);
    });

    test('takes a challenge of the same session, once, and for this', async () => {
      const { client, device } = await addHolder();
      const other = await addHolder();
      const { challenge } = await client.call(passkeyApi.begin);
      const fresh = new Authenticator();
      const body = fresh.make({ challenge, ...site() });
      expect(await other.client.try(passkeyApi.add, { body })).toMatchObject(refused);
      await client.call(passkeyApi.add, { body });
      expect(await client.try(passkeyApi.add, { body })).toMatchObject(refused);
      const proof = await client.call(proofApi.beginPasskey);
      const wrongKind = new Authenticator().make({ challenge: proof.challenge, ...site() });
      expect(await client.try(passkeyApi.add, { body: wrongKind })).toMatchObject(refused);
      const again = await client.call(passkeyApi.begin);
      expect(
        await client.try(passkeyApi.add, { body: device.make({ challenge: again.challenge, ...site() }) }),
      ).toMatchObject({ status: 409, body: { code: 'passkey.known' } });
    });

    test('of two at once with one challenge, one is added', async () => {
      const { client } = await addHolder();
      const { challenge } = await client.call(passkeyApi.begin);
      const answers = await Promise.all(
        [new Authenticator(), new Authenticator()].map((device) =>
          client.try(passkeyApi.add, { body: device.make({ challenge, ...site() }) }),
        ),
      );
      expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
    });

    test.each(['another origin', 'another host', 'nobody verified'])('is refused for %s', async (flaw) => {
      const { client } = await addHolder();
      const device = new Authenticator();
      device.verified = flaw !== 'nobody verified';
      const { challenge } = await client.call(passkeyApi.begin);
      const body = device.make({
        challenge,
        origin: flaw === 'another origin' ? 'https://evil.example' : origin(),
        host: flaw === 'another host' ? 'evil.example' : 'localhost',
      });
      expect(await client.try(passkeyApi.add, { body })).toMatchObject(refused);
    });

    test('needs a recent proof', async () => {
      const { client, id, passkey } = await addHolder();
      const { db } = hub().server.deps;
      await db.updateTable('sessions').set({ proved_time: 1 }).where('user_id', '=', id).execute();
      for (const answer of [
        await client.try(passkeyApi.begin),
        await client.try(passkeyApi.remove, { params: { id: passkey.id } }),
      ])
        expect(answer).toMatchObject({ status: 403, body: { code: 'session.proof' } });
    });
  });

  describe('signing in', () => {
    const signIn = async (device: Authenticator, client = browser()) => {
      const { challenge } = await client.call(passkeyApi.beginSignIn);
      return client.try(passkeyApi.signIn, { body: device.use({ challenge, ...site() }) });
    };

    test('takes the passkey alone, also where two-step verification is on', async () => {
      const { username, device, id } = await addHolder();
      const client = browser();
      expect(await signIn(device, client)).toMatchObject({ body: { data: { username } } });
      expect(await client.call(userApi.self)).toMatchObject({ id });
      await client.call(totpApi.begin);
      await hub().server.deps.db.updateTable('totp').set({ confirmed_time: 1 }).where('user_id', '=', id).execute();
      const second = browser();
      expect((await second.try(userApi.login, { body: { username, password: PASSWORD } })).body).toMatchObject({
        code: 'login.second_factor',
      });
      expect(await second.call(secondStepApi.get)).toMatchObject({ passkey: true });
      expect((await signIn(device, second)).body.success).toBe(true);
    });

    test('takes a challenge of the same browser, once', async () => {
      const { device } = await addHolder();
      const [mine, theirs] = [browser(), browser()];
      const { challenge } = await mine.call(passkeyApi.beginSignIn);
      await theirs.call(passkeyApi.beginSignIn);
      const body = device.use({ challenge, ...site() });
      expect(await theirs.try(passkeyApi.signIn, { body })).toMatchObject(refused);
      const held = mine.cookie;
      expect((await mine.try(passkeyApi.signIn, { body })).body.success).toBe(true);
      const replayed = browser();
      replayed.cookie = held;
      expect(await replayed.try(passkeyApi.signIn, { body })).toMatchObject(refused);
    });

    test('is refused for a cloned device with an old counter, a wrong signature, and an expired challenge', async () => {
      const { device } = await addHolder();
      device.counter = 5;
      expect((await signIn(device)).body.success).toBe(true);
      device.counter = 3;
      expect(await signIn(device)).toMatchObject(refused);
      const forged = new Authenticator();
      device.id.copy(forged.id);
      forged.counter = 100;
      expect(await signIn(forged)).toMatchObject(refused);
      expect(await signIn(new Authenticator())).toMatchObject(refused);
      const late = browser();
      const { challenge } = await late.call(passkeyApi.beginSignIn);
      const { db, now } = hub().server.deps;
      await db.updateTable('passkey_challenges').set({ expires_time: now() }).execute();
      device.counter = 200;
      expect(await late.try(passkeyApi.signIn, { body: device.use({ challenge, ...site() }) })).toMatchObject(refused);
    });

    test('is refused to a disabled account', async () => {
      const { device, id } = await addHolder();
      await hub().server.deps.db.updateTable('users').set({ status: 2 }).where('id', '=', id).execute();
      expect(await signIn(device)).toMatchObject({ status: 200, body: { success: false, code: 'login.failed' } });
    });
  });

  test('prove the identity of their own user only', async () => {
    const [one, other] = [await addHolder(), await addHolder({ role: role.admin })];
    const { db } = hub().server.deps;
    await db.updateTable('sessions').set({ proved_time: 1 }).where('user_id', 'in', [one.id, other.id]).execute();
    const ask = async () => (await one.client.call(proofApi.beginPasskey)).challenge;
    const ofOther = other.device.use({ challenge: await ask(), ...site() });
    expect(await one.client.try(proofApi.byPasskey, { body: ofOther })).toMatchObject(refused);
    expect((await one.client.try(totpApi.begin)).status).toBe(403);
    await one.client.call(proofApi.byPasskey, { body: one.device.use({ challenge: await ask(), ...site() }) });
    await one.client.call(totpApi.begin);
    expect((await other.client.try(totpApi.begin)).status).toBe(403);
  });

  describe('are of one site', () => {
    const options = (headers: Record<string, string> = {}, url = origin()) =>
      new ApiClient(url).send<{ rpId: string }>('POST', passkeyApi.beginSignIn.path, undefined, headers);

    test('by the host of the request, as reported by a trusted proxy', async () => {
      expect(await options()).toMatchObject({ body: { data: { rpId: 'localhost' } } });
      const forwarded = { 'x-forwarded-host': 'hub.example.com', 'x-forwarded-proto': 'https' };
      expect(await options(forwarded)).toMatchObject({ body: { data: { rpId: 'hub.example.com' } } });
    });

    test('by the server address where there is one, and not at any other', async () => {
      await hub().root.call(optionApi.set, { body: { key: 'ServerAddress', value: 'https://hub.example.com' } });
      expect(await options()).toMatchObject({ status: 400, body: { code: 'passkey.elsewhere' } });
      const forwarded = { 'x-forwarded-host': 'hub.example.com', 'x-forwarded-proto': 'https' };
      expect(await options(forwarded)).toMatchObject({ body: { data: { rpId: 'hub.example.com' } } });
    });

    test('that has a name', async () => {
      expect(await options({}, hub().url)).toMatchObject({ status: 400, body: { code: 'passkey.address' } });
    });
  });
});
