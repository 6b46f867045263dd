import { registerApi, userApi, userStatus } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserFrom } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { type ApiClient, hubForSuite } from '#testing/hub.ts';
import { codeIn, type Mailbox, sendThrough, startMailbox } from '#testing/mailbox.ts';
import { addAccount } from '#testing/people.ts';

let count = 0;

onEveryDatabase('a code to sign in with', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  let mailbox: Mailbox;

  beforeAll(async () => {
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox);
  });
  afterAll(async () => mailbox?.close());

  /** A browser that has requested a code, and the code. */
  const asked = async () => {
    const email = `code-${++count}@example.org`;
    const { id } = await addAccount(hub(), { email });
    const browser = browserFrom(hub());
    await browser.call(registerApi.sendLoginCode, { body: { email } });
    return { id, email, browser, code: codeIn(await mailbox.next(email)) };
  };
  const enter = (browser: ApiClient, email: string, code: string) =>
    browser.try(registerApi.loginByCode, { body: { email, code } });

  test('signs in, once, in the browser that asked, with blanks and in any case', async () => {
    const { id, email, browser, code } = await asked();
    const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
    expect((await enter(browser, email.toUpperCase(), spaced)).body).toMatchObject({ success: true, data: { id } });
    expect(await browser.call(userApi.self)).toMatchObject({ id, email });
    expect((await enter(browser, email, code)).body).toMatchObject({ code: 'mail.code', field: 'code' });
  });

  test('is invalid in another browser', async () => {
    const { email, browser, code } = await asked();
    expect((await enter(browserFrom(hub()), email, code)).body).toMatchObject({ code: 'mail.code' });
    expect((await enter(browser, email, code)).body.success).toBe(true);
  });

  test('dies after five wrong tries of its browser; those of strangers do not count', async () => {
    const { email, browser, code } = await asked();
    const strangers = browserFrom(hub());
    for (let i = 0; i < 8; i++) await enter(strangers, email, '000000');
    for (let i = 0; i < 5; i++)
      expect((await enter(browser, email, 'wrong!')).body).toMatchObject({ code: 'mail.code' });
    expect((await enter(browser, email, code)).body).toMatchObject({ code: 'mail.code' });
  });

  test('lasts three minutes', async () => {
    const { email, browser, code } = await asked();
    const { db, now } = hub().server.deps;
    const row = await db.selectFrom('mail_codes').selectAll().where('email', '=', email).executeTakeFirstOrThrow();
    expect(row.expires_time - now()).toBeGreaterThan(170);
    expect(row.expires_time - now()).toBeLessThanOrEqual(180);
    await db.updateTable('mail_codes').set({ expires_time: now() }).where('email', '=', email).execute();
    expect((await enter(browser, email, code)).body).toMatchObject({ code: 'mail.code' });
  });

  test('of many who race with it one signs in', async () => {
    const { email, browser, code } = await asked();
    const answers = await Promise.all([1, 2, 3, 4].map(() => enter(browser, email, code)));
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
  });

  test('is none for an account that was disabled meanwhile', async () => {
    const { id, email, browser, code } = await asked();
    await hub().server.deps.db.updateTable('users').set({ status: userStatus.disabled }).where('id', '=', id).execute();
    expect((await enter(browser, email, code)).body).toMatchObject({ code: 'mail.code' });
  });

  test('guesses in many browsers are paused', async () => {
    const { email } = await asked();
    const ip = '192.0.2.44';
    for (let i = 0; i < 10; i++) expect((await enter(browserFrom(hub(), ip), email, '123456')).status).toBe(400);
    const { status, headers } = await enter(browserFrom(hub(), ip), email, '123456');
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(1000);
  });
});
