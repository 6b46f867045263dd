import { get } from 'node:http';
import { profileApi, registerApi, role, userApi, userStatus } from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserFrom, nextAddress } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite, ROOT_PASSWORD } from '#testing/hub.ts';
import { linkIn, type Mailbox, sendThrough, setOptions, startMailbox } from '#testing/mailbox.ts';
import { addAccount, addPerson, PASSWORD } from '#testing/people.ts';
import { until } from '#testing/until.ts';

const NEW = 'the-password-that-its-owner-chose';

onEveryDatabase('a forgotten password', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  let mailbox: Mailbox;

  const ask = (email: string, browser = browserFrom(hub())) => browser.try(registerApi.askReset, { query: { email } });
  /** The status for a forged Host header, which `fetch` cannot send. */
  const askAs = (host: string, email: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { host, 'x-forwarded-host': host, 'x-forwarded-for': nextAddress() };
      get(`${hub().url}/api/reset_password?email=${email}`, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      }).on('error', reject);
    });
  const reset = (body: object) => browserFrom(hub()).send('POST', '/api/user/reset', body);
  const linkFor = async (email: string) => {
    await ask(email);
    const link = linkIn(await mailbox.next(email));
    return { email: link.searchParams.get('email')!, token: link.searchParams.get('token')! };
  };

  beforeAll(async () => {
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, { ServerAddress: 'https://hub.example.org', SystemName: 'Our Hub' });
  });
  afterAll(async () => mailbox?.close());

  test('a link comes by mail, in the reader’s language, with the address spelled for an address bar', async () => {
    await addAccount(hub(), { email: 'a+b@example.org' });
    await ask('A+B@example.org');
    const mail = await mailbox.next('a+b@example.org');
    expect(mail).toMatchObject({
      fromName: 'Our Hub',
      from: 'hub@mail.example',
      subject: 'Reset your Our Hub password',
    });
    expect(mail.headers['auto-submitted']).toBe('auto-generated');
    const link = linkIn(mail);
    expect(link.origin + link.pathname).toBe('https://hub.example.org/user/reset');
    expect(link.href).toContain('email=a%2Bb%40example.org');
    expect(link.searchParams.get('token')).toMatch(/^[0-9a-f]{32}$/);
    expect(mail.html).toContain('lang="en-US"');
    const chinese = browserFrom(hub());
    await chinese.send('GET', '/api/reset_password?email=a%2Bb@example.org', undefined, { 'accept-language': 'zh-HK' });
    expect((await mailbox.next('a+b@example.org')).subject).toBe('重新設定 Our Hub 的密碼');
  });

  test('its owner chooses the new one; sessions and the access token end, and no password is handed out', async () => {
    const { client, username } = await addPerson(hub(), { email: 'owner@example.org' });
    const token = await client.call(profileApi.makeAccessToken);
    const link = await linkFor('owner@example.org');
    const answer = await reset({ ...link, password: NEW });
    expect(answer.body).toEqual({ success: true, message: '', data: { disabled_tokens: 0 } });
    expect((await client.try(userApi.self)).status).toBe(401);
    const byToken = await new ApiClient(hub().url).send('GET', '/api/user/self', undefined, { authorization: token });
    expect(byToken.status).toBe(401);
    const login = (password: string) => browserFrom(hub()).try(userApi.login, { body: { username, password } });
    expect((await login(PASSWORD)).body.success).toBe(false);
    expect((await login(NEW)).body.success).toBe(true);
  });

  test('without a chosen password nothing happens: none is made up', async () => {
    const { client } = await addPerson(hub(), { email: 'older@example.org' });
    const link = await linkFor('older@example.org');
    expect(await reset(link)).toMatchObject({ status: 400, body: { field: 'password' } });
    for (const password of ['short', 'password1', 'older@example.org'])
      expect(await reset({ ...link, password })).toMatchObject({ status: 400, body: { field: 'password' } });
    expect((await client.try(userApi.self)).status).toBe(200);
  });

  test('a link works once, also for two who race, and ends those sent before', async () => {
    await addAccount(hub(), { email: 'once@example.org' });
    const [older, link] = [await linkFor('once@example.org'), await linkFor('once@example.org')];
    const answers = await Promise.all([1, 2, 3].map((n) => reset({ ...link, password: `${NEW}-${n}` })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    expect((await reset({ ...older, password: NEW })).body).toMatchObject({ code: 'reset.link', field: 'token' });
  });

  test('a link ends after ten minutes, with the address it was sent to, and with the account', async () => {
    const { db, now } = hub().server.deps;
    const good = async (link: { email: string; token: string }) =>
      (await browserFrom(hub()).call(registerApi.checkReset, { body: link })).valid;
    const { id } = await addAccount(hub(), { email: 'ends@example.org' });
    const late = await linkFor('ends@example.org');
    expect(await good(late)).toBe(true);
    expect(await good({ ...late, email: 'other@example.org' })).toBe(false);
    const row = await db.selectFrom('mail_codes').selectAll().where('user_id', '=', id).executeTakeFirstOrThrow();
    expect(row.expires_time - now()).toBeGreaterThan(590);
    expect(JSON.stringify(row)).not.toContain(late.token);
    await db.updateTable('mail_codes').set({ expires_time: 1 }).where('user_id', '=', id).execute();
    expect(await good(late)).toBe(false);
    expect((await reset({ ...late, password: NEW })).status).toBe(400);

    const moved = await linkFor('ends@example.org');
    await db.updateTable('users').set({ email: 'moved@example.org' }).where('id', '=', id).execute();
    expect((await reset({ ...moved, password: NEW })).status).toBe(400);
    const closed = await linkFor('moved@example.org');
    await db.updateTable('users').set({ status: userStatus.disabled }).where('id', '=', id).execute();
    expect((await reset({ ...closed, password: NEW })).status).toBe(400);
  });

  describe('the account of the super administrator, which has no address', () => {
    test.each([{ email: '' }, { email: '   ' }, {}])('is not reached through an empty one: %o', async (body) => {
      expect((await browserFrom(hub()).send('GET', `/api/reset_password?email=${body.email ?? ''}`)).status).toBe(400);
      expect((await reset({ ...body, token: '', password: NEW })).status).toBe(400);
      expect((await reset({ ...body, token: 'x', password: NEW })).status).toBe(400);
      // A former bug: a token stored for an empty address.
      const planted = {
        purpose: 'reset',
        email: '',
        holder: 'x',
        code_hash: 'x',
        expires_time: 4_000_000_000,
      } as const;
      await hub()
        .server.deps.db.insertInto('mail_codes')
        .values(planted)
        .onConflict((c) => c.doNothing())
        .execute();
      expect((await reset({ ...body, token: 'x', password: NEW })).status).toBe(400);
      const root = await browserFrom(hub()).signIn('root', ROOT_PASSWORD);
      expect(await root.call(userApi.self)).toMatchObject({ role: role.root, email: '' });
    });

    test('gets no code to sign in with, either', async () => {
      const answer = await browserFrom(hub()).send('POST', '/api/user/login/mail', { email: '' });
      expect(answer).toMatchObject({ status: 400, body: { field: 'email' } });
      expect((await browserFrom(hub()).send('POST', '/api/user/login/code', { email: '', code: '' })).status).toBe(400);
    });
  });

  test('a forged host leads no link astray', async () => {
    await addAccount(hub(), { email: 'host@example.org' });
    expect(await askAs('evil.example', 'host@example.org')).toBe(200);
    expect(linkIn(await mailbox.next('host@example.org')).host).toBe('hub.example.org');
  });

  describe('who has an account is not told', () => {
    const asks = [
      ['for a new password', (email: string) => ask(email)],
      [
        'for a code to an address',
        (email: string) => browserFrom(hub()).try(registerApi.sendCode, { query: { email } }),
      ],
      [
        'for a code to sign in',
        (email: string) => browserFrom(hub()).try(registerApi.sendLoginCode, { body: { email } }),
      ],
    ] as const;

    test.each(asks)('by the answer to who asks %s', async (_, send) => {
      await addAccount(hub(), { email: `told-${_.length}@example.org` });
      await addAccount(hub(), { email: `off-${_.length}@example.org`, status: userStatus.disabled });
      const plain = async (email: string) => {
        const { status, headers, body } = await send(email);
        const names = [...headers.keys()].filter((name) => name !== 'date').toSorted();
        return { status, names, body };
      };
      const known = await plain(`told-${_.length}@example.org`);
      expect(known.body).toEqual({ success: true, message: '' });
      expect(await plain(`nobody-${_.length}@example.org`)).toEqual(known);
      expect(await plain(`off-${_.length}@example.org`)).toEqual(known);
    });

    test.each(asks)('by how long it takes, to who asks %s', async (_, send) => {
      const known = `timed-${_.length}@example.org`;
      const unknown = `un${known}`;
      await addAccount(hub(), { email: known });
      const { promise, resolve: accept } = Promise.withResolvers<void>();
      mailbox.until = promise;
      try {
        const answers = [known, unknown].map((email) => send(email));
        // Either both wait for their mail, or both are answered while the mail server still holds it.
        if (_ === 'for a code to an address') {
          await until(
            'both mails are on their way',
            () => mailbox.held.includes(known) && mailbox.held.includes(unknown),
          );
          const early = Promise.race([...answers, new Promise((resolve) => setImmediate(resolve, 'none'))]);
          expect(await early, 'answered before its mail').toBe('none');
        } else {
          await Promise.all(answers);
          await until('the mail is on its way', () => mailbox.held.includes(known));
        }
        accept();
        await Promise.all(answers);
        expect((await mailbox.next(known)).to).toBe(known);
      } finally {
        accept();
        mailbox.until = undefined;
      }
    });

    test('an address with an account gets word of it instead of a code', async () => {
      const { id } = await addAccount(hub(), { email: 'has-one@example.org' });
      const browser = browserFrom(hub());
      await browser.call(registerApi.sendCode, { query: { email: 'has-one@example.org' } });
      const mail = await mailbox.next('has-one@example.org');
      expect(mail.subject).toBe('You already have an account at Our Hub');
      expect(mail.text).not.toMatch(/^\d{6}$/m);
      expect(linkIn(mail).pathname).toBe('/login');
      expect(id).toBeGreaterThan(0);
    });
  });

  test('without a mail server, or when it refuses, that is said', async () => {
    mailbox.refuseWith = 'no room';
    const answer = await browserFrom(hub()).try(registerApi.sendCode, { query: { email: 'full@example.org' } });
    expect(answer).toMatchObject({ status: 502, body: { code: 'mail.failed' } });
    mailbox.refuseWith = undefined;
    await setOptions(hub().root, { SMTPServer: '' });
    expect(await ask('any@example.org')).toMatchObject({ status: 503, body: { code: 'mail.not_set_up' } });
    await sendThrough(hub().root, mailbox, { ServerAddress: '' });
    expect(await askAs('evil.example', 'any@example.org')).toBe(503);
    expect(await askAs('127.0.0.1.evil.example', 'any@example.org')).toBe(503);
    expect((await ask('any@example.org')).status).toBe(200);
    await setOptions(hub().root, { ServerAddress: 'https://hub.example.org' });
  });

  test('no inbox is flooded: five mails in ten minutes per network, thirty an hour per address', async () => {
    const browser = browserFrom(hub());
    for (let i = 0; i < 5; i++) expect((await ask('flood@example.org', browser)).status).toBe(200);
    const sixth = await ask('flood@example.org', browser);
    expect(sixth).toMatchObject({ status: 429, body: { code: 'request.too_many' } });
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(500);
    // Other networks are not limited.
    for (let i = 5; i < 29; i++) expect((await ask('flood@example.org')).status).toBe(200);
    expect((await ask('flood@example.org')).status).toBe(200);
    expect((await ask('flood@example.org')).status).toBe(429);
  });
});
