import { registerApi, userApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserFrom } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { codeIn, type Mailbox, sendThrough, startMailbox } from '#testing/mailbox.ts';
import { addAccount, PASSWORD } from '#testing/people.ts';

onEveryDatabase('an address of one’s own', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  let mailbox: Mailbox;

  beforeAll(async () => {
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox);
  });
  afterAll(async () => mailbox?.close());

  const person = async (more: Parameters<typeof addAccount>[1] = {}) => {
    const account = await addAccount(hub(), more);
    return { ...account, browser: await browserFrom(hub()).signIn(account.username, PASSWORD) };
  };
  const codeFor = async (browser: ReturnType<typeof browserFrom>, email: string) => {
    await browser.call(registerApi.sendCode, { query: { email } });
    return codeIn(await mailbox.next(email));
  };

  test('is bound with the code that came to it, and signs in then', async () => {
    const { id, browser } = await person();
    const code = await codeFor(browser, 'Mine@example.org');
    const wrong = { email: 'Mine@example.org', code: '000000x' };
    expect((await browser.try(registerApi.bindEmail, { body: wrong })).body).toMatchObject({ field: 'code' });
    await browser.call(registerApi.bindEmail, { body: { email: 'Mine@example.org', code } });
    expect(await browser.call(userApi.self)).toMatchObject({ id, email: 'Mine@example.org' });
    expect(await browserFrom(hub()).signIn('mine@example.org', PASSWORD)).toBeDefined();
  });

  test('is bound as older clients do it; not because another site says so', async () => {
    const { browser } = await person();
    const query = { email: 'older@example.org', code: await codeFor(browser, 'older@example.org') };
    const path = `/api/oauth/email/bind?${new URLSearchParams(query).toString()}`;
    const crossed = await browser.send('GET', path, undefined, { 'sec-fetch-site': 'cross-site' });
    expect(crossed).toMatchObject({ status: 403, body: { code: 'request.cross_site' } });
    expect((await browser.send('GET', path)).body.success).toBe(true);
    expect(await browser.call(userApi.self)).toMatchObject({ email: 'older@example.org' });
  });

  test('is not another user’s, even when both were sent a code', async () => {
    const [one, two] = [await person(), await person()];
    const codes = [await codeFor(one.browser, 'both@example.org'), await codeFor(two.browser, 'both@example.org')];
    const answers = await Promise.all(
      [one, two].map(({ browser }, i) =>
        browser.try(registerApi.bindEmail, { body: { email: 'BOTH@example.org', code: codes[i]! } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: 'record.exists', field: 'email' });
  });

  test('is changed only by who has proved a moment ago who they are', async () => {
    const { id, browser } = await person();
    const code = await codeFor(browser, 'stale@example.org');
    await hub().server.deps.db.updateTable('sessions').set({ proved_time: 1 }).where('user_id', '=', id).execute();
    const answer = await browser.try(registerApi.bindEmail, { body: { email: 'stale@example.org', code } });
    expect(answer.body).toMatchObject({ success: false, code: 'session.proof' });
    expect(await browser.call(userApi.self)).toMatchObject({ email: '' });
  });

  test('once changed, links to the one before are worth nothing', async () => {
    const { id, browser } = await person({ email: 'before@example.org' });
    await browserFrom(hub()).call(registerApi.askReset, { query: { email: 'before@example.org' } });
    await mailbox.next('before@example.org');
    const { db } = hub().server.deps;
    const links = () => db.selectFrom('mail_codes').selectAll().where('user_id', '=', id).execute();
    expect(await links()).toHaveLength(1);
    const code = await codeFor(browser, 'after@example.org');
    await browser.call(registerApi.bindEmail, { body: { email: 'after@example.org', code } });
    expect(await links()).toEqual([]);
  });
});
