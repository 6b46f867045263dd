import { profileApi, tokenApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { linkIn, type Mailbox, sendThrough, startMailbox } from '#testing/mailbox.ts';
import { addPerson } from '#testing/people.ts';
import { remindExpiry } from './remind-expiry.ts';

const DAY_S = 86_400;

onEveryDatabase('the reminder of an expiry', (make) => {
  const hub = hubForSuite(make);
  let mailbox: Mailbox;
  let names = 0;
  beforeAll(async () => {
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, { ServerAddress: 'https://hub.example' });
  });
  afterAll(async () => mailbox?.close());

  const deps = () => hub().server.deps;
  /** Expiries and rounds are counted from here, however long a test takes. */
  const start = Math.floor(Date.now() / 1000);
  const round = (later = 0) => remindExpiry({ ...deps(), now: () => start + later });
  async function person() {
    const email = `expiry-${++names}@example.org`;
    const added = await addPerson(hub());
    await deps().db.updateTable('users').set({ email, language: 'en_US' }).where('id', '=', added.id).execute();
    return { ...added, email };
  }
  const mailsTo = (email: string) => mailbox.mails.filter(({ to }) => to === email);

  test('names the tokens that expire within the chosen days, once per expiry', async () => {
    const { client, email } = await person();
    const expires = start + 20 * DAY_S;
    const { id } = await tokenOf(client, { name: 'ci-runner', expired_time: expires });
    await tokenOf(client, { name: 'nightly', expired_time: expires + 60 });
    await tokenOf(client, { name: 'forever' });
    await tokenOf(client, { name: 'for-today', expired_time: start + DAY_S });
    expect(await round()).toBe(0);
    expect(await round(13 * DAY_S - 5)).toBe(0);
    expect(await round(13 * DAY_S + 120)).toBe(1);
    const mail = await mailbox.next(email);
    expect(mail.subject).toBe('A Relay Hub token expires soon');
    const day = new Date(expires * 1000).toISOString().slice(0, 10);
    expect(mail.text).toMatch(new RegExp(String.raw`Token ci-runner expires at ${day} \d\d:\d\d UTC\.`));
    expect(mail.text).toContain('nightly');
    expect(mail.text).not.toMatch(/forever|for-today/);
    expect(linkIn(mail).href).toBe('https://hub.example/panel/token');
    expect(await round(14 * DAY_S)).toBe(0);
    await client.call(tokenApi.update, { body: { id, expired_time: expires + 10 * DAY_S } });
    expect(await round(14 * DAY_S)).toBe(0);
    expect(await round(24 * DAY_S)).toBe(1);
    expect(mailsTo(email)).toHaveLength(2);
  });

  test('two nodes at once send one mail; disabled tokens and users who turned it off get none', async () => {
    const both = await person();
    await tokenOf(both.client, { expired_time: start + 20 * DAY_S });
    const off = await person();
    await tokenOf(off.client, { expired_time: start + 20 * DAY_S });
    await off.client.call(profileApi.update, { body: { expiry_mail_days: 0 } });
    const disabled = await person();
    const { id } = await tokenOf(disabled.client, { expired_time: start + 20 * DAY_S });
    await disabled.client.call(tokenApi.update, { query: { status_only: '1' }, body: { id, status: 2 } });
    await Promise.all([round(15 * DAY_S), round(15 * DAY_S)]);
    expect([both, off, disabled].map(({ email }) => mailsTo(email).length)).toEqual([1, 0, 0]);
  });

  test('the user chooses how many days before', async () => {
    const early = await person();
    await early.client.call(profileApi.update, { body: { expiry_mail_days: 30 } });
    await tokenOf(early.client, { expired_time: start + 40 * DAY_S });
    expect(await round(9 * DAY_S)).toBe(0);
    expect(await round(11 * DAY_S)).toBe(1);
  });
});
