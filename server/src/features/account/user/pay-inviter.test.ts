import { ledgerApi, redemptionApi, registerApi, userAdminApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { browserFrom } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { codeIn, type Mailbox, sendThrough, setOptions, startMailbox } from '#testing/mailbox.ts';
import { addPerson, PASSWORD, type TestPerson } from '#testing/people.ts';

let names = 0;

onEveryDatabase('the reward of whoever invited, where addresses are not verified', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  let mailbox: Mailbox;
  beforeAll(async () => {
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, { QuotaForInviter: '300', QuotaForInvitee: '70' });
  });
  afterAll(async () => mailbox?.close());

  /** An invited account with its browser. */
  const invitedBy = async (inviter: TestPerson) => {
    const username = `guest-${++names}`;
    const aff_code = await inviter.client.call(registerApi.affCode);
    const browser = browserFrom(hub());
    await browser.call(registerApi.register, { body: { username, password: PASSWORD, aff_code } });
    await browser.signIn(username, PASSWORD);
    return { username, browser };
  };
  type Guest = Awaited<ReturnType<typeof invitedBy>>;
  const earnedBy = async ({ client }: TestPerson) => (await client.call(registerApi.invitations)).earned;
  const bind = async ({ browser }: Guest, email: string) => {
    await browser.call(registerApi.sendCode, { query: { email } });
    await browser.call(registerApi.bindEmail, { body: { email, code: codeIn(await mailbox.next(email)) } });
  };
  const makeCodes = (count: number) =>
    hub().root.call(redemptionApi.create, { body: { name: 'launch', quota: 10, count } });
  const redeem = ({ browser }: Guest, key: string) => browser.try(redemptionApi.redeem, { body: { key } });

  test('registering alone pays nothing, however often people invite themselves', async () => {
    const inviter = await addPerson(hub());
    for (let i = 0; i < 3; i++) await invitedBy(inviter);
    const none = { invited: 3, rewarded: 0, waiting: 3, earned: 0 };
    expect(await inviter.client.call(registerApi.invitations)).toMatchObject(none);
    expect((await inviter.client.call(ledgerApi.ownList)).data).toEqual([]);
  });

  test('is paid with the first address that is proved, and not with the next', async () => {
    const inviter = await addPerson(hub());
    const guest = await invitedBy(inviter);
    await bind(guest, `${guest.username}@example.org`);
    expect(await earnedBy(inviter)).toBe(300);
    await bind(guest, `${guest.username}-2@example.org`);
    const [code] = await makeCodes(1);
    expect((await redeem(guest, code!)).status).toBe(200);
    expect(await earnedBy(inviter)).toBe(300);
  });

  test('is paid with the first code that is redeemed, once, however many are at the same moment', async () => {
    const inviter = await addPerson(hub());
    const guest = await invitedBy(inviter);
    const codes = await makeCodes(6);
    const answers = await Promise.all(codes.map((code) => redeem(guest, code)));
    expect(answers.map(({ status }) => status)).toEqual(codes.map(() => 200));
    expect(await earnedBy(inviter)).toBe(300);
    await bind(guest, `${guest.username}@example.org`);
    expect(await earnedBy(inviter)).toBe(300);
    await expectBooksBalance(hub().server.deps.db);
  });

  test('waits for each invited account that can still verify an address or top up', async () => {
    const inviter = await addPerson(hub());
    const [verified, paying, disabled] = [await invitedBy(inviter), await invitedBy(inviter), await invitedBy(inviter)];
    await invitedBy(inviter);
    await bind(verified, `${verified.username}@example.org`);
    const [code] = await makeCodes(1);
    await redeem(paying, code!);
    await hub().root.call(userAdminApi.manage, { body: { username: disabled.username, action: 'disable' } });
    const counts = { invited: 4, rewarded: 2, waiting: 1, earned: 600 };
    expect(await inviter.client.call(registerApi.invitations)).toMatchObject(counts);
  });

  test('is not made up for later where there was none', async () => {
    const inviter = await addPerson(hub());
    const guest = await invitedBy(inviter);
    const [first, second] = await makeCodes(2);
    await setOptions(hub().root, { QuotaForInviter: '0' });
    await redeem(guest, first!);
    await setOptions(hub().root, { QuotaForInviter: '300' });
    await redeem(guest, second!);
    expect(await earnedBy(inviter)).toBe(0);
  });

  test('is not paid to an inviter who may not sign in any more, and blocks nothing', async () => {
    const inviter = await addPerson(hub());
    const guest = await invitedBy(inviter);
    await hub().root.call(userAdminApi.manage, { body: { username: inviter.username, action: 'disable' } });
    const [code] = await makeCodes(1);
    expect((await redeem(guest, code!)).status).toBe(200);
    const paid = await hub().root.call(ledgerApi.list, { query: { user_id: inviter.id } });
    expect(paid.data).toEqual([]);
  });
});
