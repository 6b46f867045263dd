import { profileApi, redemptionApi } from '@relay-hub/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { post } from '#quota/ledger.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { linkIn, MAIL_PASSWORD, type Mailbox, sendThrough, setOptions, startMailbox } from '#testing/mailbox.ts';
import { addAccount, addPerson } from '#testing/people.ts';
import { remindBalances } from './remind-balances.ts';

const THRESHOLD = 50_000;

onEveryDatabase('the reminder of a low balance', (make) => {
  const hub = hubForSuite(make);
  let mailbox: Mailbox;
  /** Seconds that have passed for the job. */
  let later: number;
  let names = 0;

  beforeAll(async () => {
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, { ServerAddress: 'https://hub.example' });
  });
  afterAll(async () => mailbox?.close());
  beforeEach(async () => {
    later = 0;
    mailbox.refuseWith = undefined;
    await setOptions(hub().root, { QuotaRemindThreshold: String(THRESHOLD) });
    // Accounts of earlier tests need no reminder.
    await hub().server.deps.db.updateTable('users').set({ email: '' }).execute();
  });

  const deps = () => ({ ...hub().server.deps, now: () => hub().server.deps.now() + later });
  const round = (failed?: Map<number, number>) => remindBalances(deps(), failed);
  const newEmail = () => `poor-${++names}@example.org`;
  const mailsTo = (email: string) => mailbox.mails.filter(({ to }) => to === email);
  const spendAll = (id: number) =>
    hub().server.deps.db.updateTable('users').set({ quota: 10 }).where('id', '=', id).execute();

  test('goes to whoever has fallen below it, in their language, with what is left and where to top up', async () => {
    const email = newEmail();
    const { username } = await addAccount(hub(), { email, quota: 49_999, used_quota: 1, language: 'en_US' });
    expect(await round()).toBe(1);
    const mail = await mailbox.next(email);
    expect(mail.subject).toBe('Your Relay Hub balance is low');
    expect(mail.text).toContain(username);
    expect(mail.text).toMatch(/\$0\.099998 left, .* \$0\.10\b/);
    expect(linkIn(mail).href).toBe('https://hub.example/panel/topup');
  });

  test.each([
    ['has enough', { quota: THRESHOLD }],
    ['has enough with what calls have reserved', { quota: 100, held: THRESHOLD }],
    ['has never made a call', { used_quota: 0 }],
    ['has no address', { email: '' }],
    ['was disabled', { status: 2 }],
    ['was deleted', { deleted_time: 1 }],
  ])('does not go to whoever %s', async (_, more) => {
    await addAccount(hub(), { email: newEmail(), quota: 5, used_quota: 1, ...more });
    expect(await round()).toBe(0);
  });

  test('of a team goes to its owner and finance members, in their languages, and leads to the team', async () => {
    const [owner, finance, member, gone] = [newEmail(), newEmail(), newEmail(), newEmail()];
    const team = await addAccount(hub(), { kind: 'team', quota: 10, used_quota: 1 });
    const add = async (role: 'owner' | 'billing' | 'member', account: Parameters<typeof addAccount>[1]) => {
      const { id } = await addAccount(hub(), { quota: THRESHOLD, ...account });
      const row = { team_id: team.id, user_id: id, role, cost_centre: '', invited_by: id, created_time: 1 };
      await hub().server.deps.db.insertInto('team_members').values(row).execute();
    };
    await add('owner', { email: owner, language: 'en_US' });
    await add('billing', { email: finance, language: 'ja_JP' });
    await add('billing', { email: gone, status: 2 });
    await add('member', { email: member });
    expect(await round()).toBe(1);
    const mail = await mailbox.next(owner);
    expect(mail.subject).toBe(`The balance of the team ${team.username} on Relay Hub is low`);
    expect(linkIn(mail).href).toBe(`https://hub.example/panel/team?team=${team.id}`);
    expect((await mailbox.next(finance)).subject).toContain('残高');
    expect([mailsTo(member), mailsTo(gone), await round()]).toEqual([[], [], 0]);
  });

  test('is off at zero, and without a mail server marks nobody', async () => {
    const email = newEmail();
    const { id } = await addAccount(hub(), { email, used_quota: 1 });
    await setOptions(hub().root, { QuotaRemindThreshold: '0' });
    expect(await round()).toBe(0);
    await setOptions(hub().root, { QuotaRemindThreshold: '1000', SMTPServer: '' });
    expect(await round()).toBe(0);
    // The password went with the address.
    await setOptions(hub().root, { SMTPServer: '127.0.0.1', SMTPToken: MAIL_PASSWORD });
    expect(await round()).toBe(1);
    expect(id).toBeGreaterThan(0);
  });

  test('follows the threshold of the account’s owner, also where the site has none', async () => {
    const [early, never, usual] = [newEmail(), newEmail(), newEmail()];
    await addAccount(hub(), { email: early, quota: 90_000, used_quota: 1, remind_quota: 100_000, language: 'en_US' });
    await addAccount(hub(), { email: never, used_quota: 1, remind_quota: 0 });
    await addAccount(hub(), { email: usual, used_quota: 1 });
    await setOptions(hub().root, { QuotaRemindThreshold: '0' });
    expect(await round()).toBe(1);
    expect((await mailbox.next(early)).text).toMatch(/\$0\.18 left, .* \$0\.20\b/);
    await setOptions(hub().root, { QuotaRemindThreshold: String(THRESHOLD) });
    expect(await round()).toBe(1);
    expect([early, never, usual].map((email) => mailsTo(email).length)).toEqual([1, 0, 1]);
  });

  test('goes out again for a new threshold that the balance falls below later', async () => {
    const email = newEmail();
    const person = await addPerson(hub(), { email, quota: 20_000, used_quota: 1 });
    expect(await round()).toBe(1);
    const remindBelow = (remind_quota: number | null) =>
      person.client.call(profileApi.update, { body: { remind_quota } });
    await remindBelow(30_000);
    expect(await round()).toBe(0);
    await remindBelow(15_000);
    expect(await round()).toBe(0);
    await spendAll(person.id);
    expect(await round()).toBe(1);
    await remindBelow(null);
    expect(await round()).toBe(0);
    expect(mailsTo(email)).toHaveLength(2);
    expect(await person.client.call(profileApi.security)).toMatchObject({
      remind_quota: null,
      site_remind_quota: THRESHOLD,
    });
    for (const remind_quota of [-1, 0.5, 1_000_000_000_001])
      expect((await person.client.try(profileApi.update, { body: { remind_quota } })).status).toBe(400);
  });

  test('goes out again after held credits of a dispute were released', async () => {
    const email = newEmail();
    const { id } = await addAccount(hub(), { email, quota: 10, used_quota: 1 });
    later = -60;
    expect(await round()).toBe(1);
    later = 0;
    const { db, now } = hub().server.deps;
    const entry = { user_id: id, kind: 'dispute', actor_id: id, remark: '', created_time: now() } as const;
    await db.transaction().execute((trx) => post(trx, { ...entry, credits: THRESHOLD, reference: `released:${id}` }));
    await spendAll(id);
    expect(await round()).toBe(1);
  });

  test('goes out once, also of two nodes at the same moment, and not again without a top-up', async () => {
    const email = newEmail();
    await addAccount(hub(), { email, used_quota: 1 });
    const sent = await Promise.all([round(), round(), round()]);
    expect(sent.toSorted()).toEqual([0, 0, 1]);
    later = 5 * 86_400;
    expect(await round()).toBe(0);
    expect(mailsTo(email)).toHaveLength(1);
  });

  test('goes out again after a top-up, though the balance had fallen again before anybody looked', async () => {
    const email = newEmail();
    const person = await addPerson(hub(), { email, used_quota: 1 });
    later = -60;
    expect(await round()).toBe(1);
    later = 0;
    const [small, large] = [
      await hub().root.call(redemptionApi.create, { body: { name: 'small', quota: 100 } }),
      await hub().root.call(redemptionApi.create, { body: { name: 'large', quota: THRESHOLD } }),
    ];
    await person.client.call(redemptionApi.redeem, { body: { key: small[0]! } });
    expect(await round()).toBe(0);
    await person.client.call(redemptionApi.redeem, { body: { key: large[0]! } });
    await spendAll(person.id);
    expect(await round()).toBe(1);
    expect(await round()).toBe(0);
    expect(mailsTo(email)).toHaveLength(2);
  });

  test('goes out once a day at most where the balance goes to and fro without a top-up', async () => {
    const email = newEmail();
    await addAccount(hub(), { email, quota: 2000, used_quota: 1 });
    expect(await round()).toBe(1);
    const toAndFro = async () => {
      await setOptions(hub().root, { QuotaRemindThreshold: '1000' });
      expect(await round()).toBe(0);
      await setOptions(hub().root, { QuotaRemindThreshold: String(THRESHOLD) });
      return round();
    };
    expect(await toAndFro()).toBe(0);
    later = 86_401;
    expect(await toAndFro()).toBe(1);
  });

  test('that was not taken is tried again later, and does not hold up the others for ever', async () => {
    const emails = [newEmail(), newEmail(), newEmail(), newEmail()];
    for (const email of emails) await addAccount(hub(), { email, used_quota: 1 });
    const failed = new Map<number, number>();
    mailbox.refuseWith = 'no such mailbox';
    expect(await round(failed)).toBe(0);
    expect(failed.size).toBe(3);
    mailbox.refuseWith = undefined;
    expect(await round(failed)).toBe(1);
    later = 3601;
    expect(await round(failed)).toBe(3);
    expect(emails.map((email) => mailsTo(email).length)).toEqual([1, 1, 1, 1]);
  });
});
