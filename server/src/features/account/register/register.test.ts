import { registerApi, userApi } from '@relay-hub/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserFrom } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite, ROOT_PASSWORD } from '#testing/hub.ts';
import { codeIn, type Mailbox, sendThrough, setOptions, startMailbox } from '#testing/mailbox.ts';
import { addAccount } from '#testing/people.ts';

const PASSWORD = 'a-password-of-a-newcomer';
const proxied = { TRUSTED_PROXIES: '127.0.0.1' };

onEveryDatabase('registration', (make) => {
  const hub = hubForSuite(make, proxied);
  let mailbox: Mailbox;

  const browser = () => browserFrom(hub());
  const register = (body: object, client = browser()) => client.send('POST', '/api/user/register', body);
  const db = () => hub().server.deps.db;
  const accountOf = (username: string) =>
    db().selectFrom('users').selectAll().where('username', '=', username).executeTakeFirst();
  const codeFor = async (email: string, client = browser()) => {
    await client.call(registerApi.sendCode, { query: { email } });
    return codeIn(await mailbox.next(email));
  };

  beforeAll(async () => {
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox);
  });
  afterAll(async () => mailbox?.close());

  describe('with a name and a password', () => {
    test('creates a plain user and signs in', async () => {
      const fresh = browser();
      const answer = await register({ username: 'newcomer', password: PASSWORD }, fresh);
      expect(answer).toMatchObject({
        status: 200,
        body: { success: true, message: '', data: { username: 'newcomer' } },
      });
      expect(await fresh.call(userApi.self)).toMatchObject({ username: 'newcomer', role: 1 });
      expect(await accountOf('newcomer')).toMatchObject({ role: 1, status: 1, group: 'default', quota: 0, email: '' });
      expect(await (await browser().signIn('newcomer', PASSWORD)).call(userApi.self)).toMatchObject({
        username: 'newcomer',
        display_name: 'newcomer',
      });
    });

    test('opens no session where one exists, or where passwords do not sign in', async () => {
      const admin = await browser().signIn('root', ROOT_PASSWORD);
      const made = await register({ username: 'by-admin', password: PASSWORD }, admin);
      expect(made.headers.getSetCookie()).toEqual([]);
      expect(await admin.call(userApi.self)).toMatchObject({ username: 'root' });
      const { db: tables, live } = hub().server.deps;
      // Set directly: the setting needs another way in for root.
      await tables.insertInto('options').values({ key: 'PasswordLoginEnabled', value: 'false' }).execute();
      await live.changed('settings');
      const answer = await register({ username: 'by-mail', password: PASSWORD });
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
      expect(answer.headers.getSetCookie()).toEqual([]);
      await tables.deleteFrom('options').where('key', '=', 'PasswordLoginEnabled').execute();
      await live.changed('settings');
    });

    test.each([
      [{ username: '', password: PASSWORD }, 'username'],
      [{ username: '   ', password: PASSWORD }, 'username'],
      [{ username: 'ab', password: PASSWORD }, 'username'],
      [{ username: 'a@example.org', password: PASSWORD }, 'username'],
      [{ username: 'a'.repeat(65), password: PASSWORD }, 'username'],
      [{ username: 'short-pass', password: '1234567' }, 'password'],
      [{ username: 'no-pass' }, 'password'],
      [{ username: 'common-pass', password: '1q2w3e4r' }, 'password'],
      [{ username: 'own-name-pass', password: 'Own-Name-Pass' }, 'password'],
    ])('refuses %o at its field', async (body, field) => {
      expect(await register(body)).toMatchObject({ status: 400, body: { field } });
    });

    test('stores no unverified address, and nothing that would raise a privilege', async () => {
      const more = {
        email: 'someone@example.org',
        role: 100,
        group: 'svip',
        quota: 5_000_000,
        inviter_id: 1,
        status: 2,
      };
      await register({ username: 'planter', password: PASSWORD, ...more });
      expect(await accountOf('planter')).toMatchObject({
        email: '',
        role: 1,
        group: 'default',
        quota: 0,
        inviter_id: null,
      });
    });

    test('of many who race for a name one gets it, whatever its case', async () => {
      const names = ['racer', 'Racer', 'RACER', 'racer', 'rAcer', 'racer'];
      const answers = await Promise.all(names.map((username) => register({ username, password: PASSWORD })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
        expect(status).toBe(409);
        expect(body).toMatchObject({ code: 'record.exists', field: 'username' });
      }
    });

    test('is refused while it is switched off, for everybody alike', async () => {
      await setOptions(hub().root, { RegisterEnabled: 'false' });
      expect(await register({ username: 'too-late', password: PASSWORD })).toMatchObject({
        status: 403,
        body: { code: 'register.closed' },
      });
      await setOptions(hub().root, { RegisterEnabled: 'true', PasswordRegisterEnabled: 'false' });
      expect(await register({ username: 'too-late', password: PASSWORD })).toMatchObject({
        body: { code: 'register.password_closed' },
      });
      await setOptions(hub().root, { PasswordRegisterEnabled: 'true' });
      expect(await accountOf('too-late')).toBeUndefined();
    });

    test('from one address goes on twenty times, then waits', async () => {
      const client = browser();
      // Refused ones count too.
      for (let i = 0; i < 20; i++) await register({ username: 'racer', password: PASSWORD }, client);
      const { status, headers } = await register({ username: 'racer2', password: PASSWORD }, client);
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(1000);
      expect((await register({ username: 'elsewhere', password: PASSWORD })).status).toBe(200);
    });
  });

  describe('where addresses are verified', () => {
    beforeAll(() => setOptions(hub().root, { EmailVerificationEnabled: 'true' }));
    afterAll(() => setOptions(hub().root, { EmailVerificationEnabled: 'false' }));
    afterEach(() => setOptions(hub().root, { EmailDomainRestrictionEnabled: 'false' }));

    test('takes the code that came, keeps the address, and the address signs in', async () => {
      const client = browser();
      const code = await codeFor('proved@example.org', client);
      expect(code).toMatch(/^\d{6}$/);
      const body = { username: 'proved', password: PASSWORD, email: 'proved@example.org', verification_code: code };
      expect((await register(body, client)).status).toBe(200);
      expect(await accountOf('proved')).toMatchObject({ email: 'proved@example.org', language: 'en_US' });
      expect(await browser().signIn('Proved@Example.org', PASSWORD)).toBeDefined();
    });

    test.each([
      ['zh-CN,zh;q=0.9', '邮箱验证码'],
      ['zh-HK', '電郵驗證碼'],
      ['ja-JP,ja;q=0.9,en;q=0.5', '確認コード'],
      ['en-GB', 'verification code'],
      // An unsupported language: the site's default.
      ['fr-FR', '邮箱验证码'],
    ])('a browser in %s gets the code in its language', async (accepts, words) => {
      const email = `reads-${crypto.randomUUID().slice(0, 8)}@example.org`;
      const path = `/api/verification?email=${email}`;
      const { status } = await browser().send('GET', path, undefined, { 'accept-language': accepts });
      expect(status).toBe(200);
      const mail = await mailbox.next(email);
      expect(mail.subject).toContain(words);
      expect(mail.subject).toContain(codeIn(mail));
    });

    test('needs an address and a code', async () => {
      const body = { username: 'no-code', password: PASSWORD };
      expect((await register(body)).body).toMatchObject({ code: 'mail.address', field: 'email' });
      const typed = { ...body, email: 'no-code@example.org', verification_code: '' };
      expect((await register(typed)).body).toMatchObject({ code: 'mail.code', field: 'verification_code' });
      expect(await accountOf('no-code')).toBeUndefined();
    });

    test('a code is for its address only, and works once', async () => {
      const client = browser();
      const code = await codeFor('one@example.org', client);
      const body = { username: 'once', password: PASSWORD, verification_code: code };
      expect((await register({ ...body, email: 'other@example.org' }, client)).status).toBe(400);
      expect((await register({ ...body, email: 'one@example.org' }, client)).status).toBe(200);
      const again = await register({ ...body, username: 'twice', email: 'one@example.org' }, client);
      expect(again.body).toMatchObject({ code: 'mail.code' });
    });

    test('of two who race with one code one gets an account', async () => {
      const client = browser();
      const code = await codeFor('race@example.org', client);
      const body = { password: PASSWORD, email: 'race@example.org', verification_code: code };
      const cookie = client.cookie;
      const answers = await Promise.all(
        ['race-a', 'race-b', 'race-c'].map((username) => {
          const same = browser();
          same.cookie = cookie;
          return register({ ...body, username }, same);
        }),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    });

    test('a code survives a name that is taken, and dies after five wrong tries', async () => {
      const client = browser();
      const code = await codeFor('tries@example.org', client);
      const body = { username: 'tries', password: PASSWORD, email: 'tries@example.org', verification_code: code };
      expect((await register({ ...body, username: 'root' }, client)).body).toMatchObject({ field: 'username' });
      for (let i = 0; i < 4; i++)
        expect((await register({ ...body, verification_code: '000000x' }, client)).status).toBe(400);
      expect((await register(body, client)).body).toMatchObject({ code: 'mail.code' });
    });

    test('what strangers try does not use up the tries of the browser that asked', async () => {
      const client = browser();
      const code = await codeFor('strangers@example.org', client);
      const body = { username: 'stranger', password: PASSWORD, email: 'strangers@example.org' };
      for (let i = 0; i < 12; i++) await register({ ...body, verification_code: '111111' });
      // A second requester gets another code; this one stays valid.
      await codeFor('strangers@example.org');
      expect((await register({ ...body, verification_code: code }, client)).status).toBe(200);
    });

    test('a code ends after ten minutes, and is stored by its keyed hash only', async () => {
      const client = browser();
      const code = await codeFor('late@example.org', client);
      const rows = await db().selectFrom('mail_codes').selectAll().where('email', '=', 'late@example.org').execute();
      expect(rows).toHaveLength(1);
      expect(JSON.stringify(rows)).not.toContain(code);
      const left = rows[0]!.expires_time - hub().server.deps.now();
      expect(left).toBeGreaterThan(590);
      expect(left).toBeLessThanOrEqual(600);
      await db().updateTable('mail_codes').set({ expires_time: 1 }).execute();
      const body = { username: 'late', password: PASSWORD, email: 'late@example.org', verification_code: code };
      expect((await register(body, client)).body).toMatchObject({ code: 'mail.code' });
    });

    test('only the domains of the list are welcome, each named whole', async () => {
      await setOptions(hub().root, { EmailDomainRestrictionEnabled: 'true', EmailDomainWhitelist: 'good.example' });
      const ask = (email: string) => browser().try(registerApi.sendCode, { query: { email } });
      expect((await ask('a@GOOD.example')).status).toBe(200);
      for (const email of ['a@bad.example', 'a@notgood.example', 'a@good.example.bad.example', 'a@sub.good.example'])
        expect((await ask(email)).body).toMatchObject({ code: 'register.email_domain', field: 'email' });
    });

    test('an address taken by another account meanwhile is reported at its field', async () => {
      const client = browser();
      const code = await codeFor('mean@example.org', client);
      await addAccount(hub(), { email: 'Mean@example.org' });
      const body = { username: 'mean', password: PASSWORD, email: 'mean@example.org', verification_code: code };
      expect((await register(body, client)).body).toMatchObject({ code: 'record.exists', field: 'email' });
    });
  });
});
