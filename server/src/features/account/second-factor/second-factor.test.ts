import {
  accessKeyApi,
  optionApi,
  profileApi,
  proofApi,
  role,
  secondStepApi,
  totpApi,
  userAdminApi,
  userApi,
} from '@relay-hub/contract';
import { Secret, TOTP } from 'otpauth';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { countCodeTry } from '#features/account/user/login-throttle.ts';
import { browserFrom, nextAddress } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite, type TestHub } from '#testing/hub.ts';
import { setOptions } from '#testing/mailbox.ts';
import { addAccount, addPerson, PASSWORD, type TestPerson } from '#testing/people.ts';

const PERIOD_MS = 30_000;

/** The app's code of a period relative to now. */
const codeOf = (secret: string, periods = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + periods * PERIOD_MS });

interface Guarded extends TestPerson {
  secret: string;
  recovery: string[];
}

/** An account with two-step verification, enabled with the code of the previous period. */
async function addGuarded(hub: TestHub, more: Parameters<typeof addPerson>[1] = {}): Promise<Guarded> {
  const person = await addPerson(hub, more);
  const { secret } = await person.client.call(totpApi.begin);
  const { recovery_codes: recovery } = await person.client.call(totpApi.enable, {
    body: { code: codeOf(secret, -1) },
  });
  return { ...person, secret, recovery };
}

/** A browser that has passed the password. */
async function firstStep(hub: TestHub, { username }: { username: string }, ip?: string): Promise<ApiClient> {
  const client = ip === undefined ? new ApiClient(hub.url) : browserFrom(hub, ip);
  const answer = await client.try(userApi.login, { body: { username, password: PASSWORD } });
  expect(answer).toMatchObject({ status: 200, body: { success: false, code: 'login.second_factor' } });
  return client;
}

const take = (client: ApiClient, code: string) => client.try(secondStepApi.take, { body: { code } });

onEveryDatabase('two-step verification', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });

  // The clock is stopped in the middle of a period: no code expires during a test.
  beforeEach(() => {
    const now = (Math.floor(Date.now() / PERIOD_MS) + 0.5) * PERIOD_MS;
    vi.useFakeTimers({ toFake: ['Date'], now });
  });
  afterEach(() => void vi.useRealTimers());

  /** As if the last proof were this old. */
  const unprove = (id: number) =>
    hub().server.deps.db.updateTable('sessions').set({ proved_time: 1 }).where('user_id', '=', id).execute();

  test('is on with a code of the seed, and not before', async () => {
    const { client, id } = await addPerson(hub());
    expect(await client.try(totpApi.enable, { body: { code: '123456' } })).toMatchObject({
      status: 409,
      body: { code: 'totp.none' },
    });
    const { secret, uri } = await client.call(totpApi.begin);
    expect(uri).toMatch(/^otpauth:\/\/totp\/Relay%20Hub:person-\d+\?/);
    expect(await client.call(totpApi.get)).toEqual({ enabled: false, enabled_time: 0, recovery_left: 0 });
    const wrong = String((Number(codeOf(secret)) + 1) % 1_000_000).padStart(6, '0');
    expect(await client.try(totpApi.enable, { body: { code: wrong } })).toMatchObject({ body: { code: 'totp.wrong' } });
    const { recovery_codes: codes } = await client.call(totpApi.enable, { body: { code: codeOf(secret) } });
    expect(new Set(codes).size).toBe(10);
    expect(await client.call(totpApi.get)).toMatchObject({ enabled: true, recovery_left: 10 });
    expect(await client.try(totpApi.begin)).toMatchObject({ status: 409, body: { code: 'totp.on' } });
    const stored = await hub().server.deps.db.selectFrom('totp').where('user_id', '=', id).selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(secret);
    const kept = await hub()
      .server.deps.db.selectFrom('recovery_codes')
      .where('user_id', '=', id)
      .selectAll()
      .execute();
    for (const code of codes) expect(JSON.stringify(kept)).not.toContain(code.replaceAll('-', ''));
  });

  test('required of administrators, opens what they may do as soon as it is on, also to their access keys', async () => {
    const { root } = hub();
    const guarded = await addGuarded(hub(), { role: role.admin });
    const admin = await addPerson(hub(), { role: role.admin });
    const user = await addPerson(hub());
    const { key } = await admin.client.call(accessKeyApi.create, { body: { name: 'script', scopes: ['users'] } });
    const ask = () => admin.client.try(userAdminApi.list);
    const askByKey = () =>
      new ApiClient(hub().url).send('GET', userAdminApi.list.path, undefined, { authorization: `Bearer ${key}` });
    await setOptions(root, { AdminTwoStepRequired: 'true' });
    const refused = { status: 403, body: { code: 'session.two_step' } };
    for (const answer of [await ask(), await askByKey()]) expect(answer).toMatchObject(refused);
    expect(await root.try(optionApi.list)).toMatchObject(refused);
    expect(await guarded.client.try(userAdminApi.list)).toMatchObject({ status: 200 });
    for (const [client, owes] of [
      [admin.client, true],
      [root, true],
      [guarded.client, false],
      [user.client, false],
    ] as const)
      expect(await client.call(userApi.self)).toMatchObject({ owes_two_step: owes });
    for (const client of [admin.client, root]) {
      const { secret } = await client.call(totpApi.begin);
      await client.call(totpApi.enable, { body: { code: codeOf(secret, -1) } });
    }
    expect(await ask()).toMatchObject({ status: 200 });
    expect(await askByKey()).toMatchObject({ status: 200 });
    await setOptions(root, { AdminTwoStepRequired: 'false' });
    await root.call(totpApi.disable);
  });

  describe('signing in', () => {
    test('takes the password and a code; a step alone opens nothing', async () => {
      const person = await addGuarded(hub());
      const client = await firstStep(hub(), person);
      const step = client.cookie;
      expect(step).toMatch(/^login_step=/);
      expect((await client.try(userApi.self)).status).toBe(401);
      expect((await client.try(profileApi.sessions)).status).toBe(401);
      expect((await client.try(totpApi.disable)).status).toBe(401);
      expect(await client.call(secondStepApi.get)).toMatchObject({ tries_left: 5, passkey: false });
      expect(await take(client, codeOf(person.secret))).toMatchObject({
        body: { data: { username: person.username } },
      });
      expect(client.cookie).toMatch(/^session=/);
      expect(await client.call(userApi.self)).toMatchObject({ id: person.id });
      client.cookie = step;
      expect(await take(client, person.recovery[0]!)).toMatchObject({ status: 409, body: { code: 'login.step_gone' } });
    });

    test('refuses a code that was taken before, and those before it', async () => {
      const person = await addGuarded(hub());
      const code = codeOf(person.secret);
      expect((await take(await firstStep(hub(), person), code)).body.success).toBe(true);
      const again = await firstStep(hub(), person);
      expect(await take(again, code)).toMatchObject({ status: 400, body: { code: 'totp.wrong', field: 'code' } });
      expect(await take(again, codeOf(person.secret, -1))).toMatchObject({ body: { code: 'totp.wrong' } });
      expect((await take(again, codeOf(person.secret, 1))).body.success).toBe(true);
    });

    test('of many at once with one code, one gets in', async () => {
      const person = await addGuarded(hub());
      const clients = [await firstStep(hub(), person), await firstStep(hub(), person), await firstStep(hub(), person)];
      const answers = await Promise.all(clients.map((client) => take(client, codeOf(person.secret))));
      expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
    });

    test('of many at once with one recovery code, one gets in', async () => {
      const person = await addGuarded(hub());
      const clients: ApiClient[] = [];
      for (let i = 0; i < 8; i++) clients.push(await firstStep(hub(), person));
      const answers = await Promise.all(clients.map((client) => take(client, person.recovery[3]!.toUpperCase())));
      expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
      expect((await person.client.call(totpApi.get)).recovery_left).toBe(9);
    });

    test('ends after five wrong codes, also when they come at once', async () => {
      const person = await addGuarded(hub());
      const client = await firstStep(hub(), person);
      const answers = await Promise.all(Array.from({ length: 12 }, () => take(client, 'aaaabbbbccccdddd')));
      expect(answers.filter(({ body }) => !body.success && body.code === 'totp.wrong')).toHaveLength(4);
      expect(await take(client, codeOf(person.secret))).toMatchObject({ body: { code: 'login.step_gone' } });
    });

    test('pauses a network after ten wrong codes, over all steps, and takes recovery codes still', async () => {
      const person = await addGuarded(hub());
      for (let i = 0; i < 10; i++) await take(await firstStep(hub(), person), '000000');
      const client = await firstStep(hub(), person);
      expect(await take(client, codeOf(person.secret))).toMatchObject({ status: 429 });
      expect((await take(client, person.recovery[0]!)).body.success).toBe(true);
    });

    test('wrong codes from everywhere lock no one out: other networks have one attempt, known ones keep theirs', async () => {
      const person = await addGuarded(hub());
      const home = nextAddress();
      expect((await take(await firstStep(hub(), person, home), codeOf(person.secret))).body.success).toBe(true);
      // Counted as wrong codes, without their steps.
      const attacker = nextAddress();
      for (const ip of [attacker, ...Array.from({ length: 12 }, () => nextAddress())])
        await countCodeTry(hub().server.deps, person.id, ip);
      expect(await take(await firstStep(hub(), person, attacker), '000000')).toMatchObject({ status: 429 });
      for (let i = 0; i < 5; i++)
        expect((await take(await firstStep(hub(), person, home), '000000')).body).toMatchObject({ code: 'totp.wrong' });
      const next = codeOf(person.secret, 1);
      expect((await take(await firstStep(hub(), person, nextAddress()), next)).body.success).toBe(true);
    });

    test('is over when the step has expired, and for an account that was disabled meanwhile', async () => {
      const person = await addGuarded(hub());
      const { db, now } = hub().server.deps;
      const late = await firstStep(hub(), person);
      await db.updateTable('login_steps').set({ expires_time: now() }).where('user_id', '=', person.id).execute();
      expect(await take(late, codeOf(person.secret))).toMatchObject({ body: { code: 'login.step_gone' } });
      const client = await firstStep(hub(), person);
      await hub().root.call(userAdminApi.manage, { body: { id: person.id, action: 'disable' } });
      expect(await take(client, codeOf(person.secret))).toMatchObject({ body: { code: 'login.step_gone' } });
      expect((await client.try(userApi.self)).status).toBe(401);
      // As if it were disabled between the two steps.
      const between = await addGuarded(hub());
      const begun = await firstStep(hub(), between);
      await db.updateTable('users').set({ status: 2 }).where('id', '=', between.id).execute();
      expect(await take(begun, codeOf(between.secret))).toMatchObject({ body: { code: 'login.failed' } });
      expect((await begun.try(userApi.self)).status).toBe(401);
    });
  });

  describe('a proof', () => {
    test('is wanted for what matters most, and lasts', async () => {
      const { client, id, secret } = await addGuarded(hub());
      await unprove(id);
      for (const endpoint of [
        profileApi.makeAccessToken,
        profileApi.makeAccessTokenByGet,
        totpApi.renew,
        totpApi.disable,
      ])
        expect(await client.try(endpoint)).toMatchObject({ status: 403, body: { code: 'session.proof' } });
      expect(await client.call(proofApi.get)).toMatchObject({ password: true, totp: true, passkey: false });
      expect(await client.try(proofApi.prove, { body: { password: 'not this one' } })).toMatchObject({
        status: 400,
        body: { code: 'proof.wrong', field: 'password' },
      });
      expect((await client.try(totpApi.disable)).status).toBe(403);
      await client.call(proofApi.prove, { body: { code: codeOf(secret) } });
      await client.call(profileApi.makeAccessToken);
      expect(await client.try(proofApi.prove, { body: { code: codeOf(secret) } })).toMatchObject({
        body: { code: 'proof.wrong' },
      });
      await unprove(id);
      await client.call(proofApi.prove, { body: { password: PASSWORD } });
      await client.call(totpApi.disable);
      expect(await client.call(totpApi.get)).toMatchObject({ enabled: false });
      await new ApiClient(hub().url).signIn((await client.call(userApi.self)).username, PASSWORD);
    });

    test('is of one session, and none is an access token', async () => {
      const { client, id, username } = await addPerson(hub());
      const token = await client.call(profileApi.makeAccessToken);
      const program = new ApiClient(hub().url);
      const headers = { authorization: token };
      expect((await program.send('GET', userApi.self.path, undefined, headers)).status).toBe(200);
      expect(await program.send('POST', profileApi.makeAccessToken.path, undefined, headers)).toMatchObject({
        status: 403,
        body: { code: 'session.proof' },
      });
      await unprove(id);
      await new ApiClient(hub().url).signIn(username, PASSWORD);
      expect((await client.try(profileApi.makeAccessToken)).status).toBe(403);
    });

    test.each(['password', 'code'] as const)(
      'by %s pauses a session after ten wrong ones, and no other',
      async (by) => {
        const person = await addGuarded(hub());
        const { client, username } = person;
        const right = () => ({ body: by === 'password' ? { password: PASSWORD } : { code: codeOf(person.secret, 1) } });
        for (let i = 0; i < 10; i++)
          await client.try(proofApi.prove, { body: { [by]: by === 'code' ? '000000' : 'no' } });
        expect(await client.try(proofApi.prove, right())).toMatchObject({ status: 429 });
        const elsewhere = await firstStep(hub(), { username });
        await elsewhere.call(secondStepApi.take, { body: { code: person.recovery[1]! } });
        await elsewhere.call(proofApi.prove, right());
      },
    );
  });

  test('new recovery codes end the old ones', async () => {
    const person = await addGuarded(hub());
    const { recovery_codes: fresh } = await person.client.call(totpApi.renew);
    const client = await firstStep(hub(), person);
    expect(await take(client, person.recovery[0]!)).toMatchObject({ body: { code: 'totp.wrong' } });
    expect((await take(client, fresh[0]!)).body.success).toBe(true);
  });

  test('is removed by an administrator of a higher role, and by no one else', async () => {
    const person = await addGuarded(hub());
    const admin = await addPerson(hub(), { role: role.admin });
    const other = await addAccount(hub(), { role: role.admin });
    const reset = (client: ApiClient, id: number) => client.try(totpApi.reset, { params: { id } });
    expect((await reset(person.client, person.id)).status).toBe(403);
    expect(await reset(admin.client, other.id)).toMatchObject({ body: { code: 'user.rank' } });
    const rootId = (await hub().root.call(userApi.self)).id;
    expect(await reset(hub().root, rootId)).toMatchObject({ body: { code: 'user.self' } });
    expect(await reset(admin.client, person.id)).toMatchObject({ body: { data: { totp: true, ended: 1 } } });
    expect((await person.client.try(userApi.self)).status).toBe(401);
    await new ApiClient(hub().url).signIn(person.username, PASSWORD);
  });
});
