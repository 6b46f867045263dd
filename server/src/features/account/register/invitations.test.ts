import { ledgerApi, logApi, registerApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserFrom } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { codeIn, type Mailbox, sendThrough, setOptions, startMailbox } from '#testing/mailbox.ts';
import { addAccount, addPerson, PASSWORD } from '#testing/people.ts';

onEveryDatabase('invitations', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  let mailbox: Mailbox;
  const register = async (username: string, aff_code?: string) => {
    const browser = browserFrom(hub());
    const email = `${username}@example.org`;
    await browser.call(registerApi.sendCode, { query: { email } });
    const verification_code = codeIn(await mailbox.next(email));
    const body = { username, password: PASSWORD, email, verification_code, aff_code };
    return browser.send('POST', '/api/user/register', body);
  };
  const account = (username: string) =>
    hub()
      .server.deps.db.selectFrom('users')
      .where('username', '=', username)
      .select(['id', 'quota', 'inviter_id'])
      .executeTakeFirstOrThrow();

  beforeAll(async () => {
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, { EmailVerificationEnabled: 'true' });
    await setOptions(hub().root, { QuotaForNewUser: '1000', QuotaForInviter: '300', QuotaForInvitee: '70' });
  });
  afterAll(async () => mailbox?.close());

  test('a code is made when it is asked for, stays the same, and is one’s own', async () => {
    const [one, two] = [await addPerson(hub()), await addPerson(hub())];
    expect(await one.client.call(registerApi.invitations)).toMatchObject({ aff_code: '', invited: 0, earned: 0 });
    const codes = await Promise.all([1, 2, 3].map(() => one.client.call(registerApi.affCode)));
    expect(new Set(codes).size).toBe(1);
    expect(codes[0]).toMatch(/^[A-Za-z0-9]{4}$/);
    expect(await one.client.call(registerApi.makeAffCode)).toBe(codes[0]);
    expect(await two.client.call(registerApi.affCode)).not.toBe(codes[0]);
  });

  test('gift and rewards are posted to the ledger once, and told in the log of whom they are for', async () => {
    const inviter = await addPerson(hub());
    const code = await inviter.client.call(registerApi.affCode);
    expect((await register('invited', code.toLowerCase())).status).toBe(200);
    const newcomer = await account('invited');
    expect(newcomer).toMatchObject({ quota: 1070, inviter_id: inviter.id });
    const entries = await hub().root.call(ledgerApi.list, { query: { user_id: newcomer.id } });
    expect(entries.data.map(({ kind, credits, reference }) => ({ kind, credits, reference }))).toEqual([
      { kind: 'reward', credits: 70, reference: `invited:${newcomer.id}` },
      { kind: 'gift', credits: 1000, reference: `gift:${newcomer.id}` },
    ]);
    const own = await inviter.client.call(ledgerApi.ownList);
    expect(own.data).toMatchObject([
      { kind: 'reward', credits: 300, reference: `inviter:${newcomer.id}`, actor: 'system' },
    ]);
    expect(await inviter.client.call(registerApi.invitations)).toEqual({
      aff_code: code,
      invited: 1,
      rewarded: 1,
      waiting: 0,
      earned: 300,
      inviter_reward: 300,
      share_percent: 0,
      share_days: 14,
      share_waiting: 0,
      invitee_reward: 70,
    });
    const rows = await inviter.client.call(logApi.ownList);
    expect(rows.data).toMatchObject([{ type: 4, quota: 300 }]);
    // The new user's address is not shown to the inviter.
    expect(JSON.stringify(rows.data)).not.toContain('198.51.');
  });

  test('each note is in the language of whom it is for', async () => {
    const inviter = await addPerson(hub());
    const { db } = hub().server.deps;
    await db.updateTable('users').set({ language: 'ja_JP' }).where('id', '=', inviter.id).execute();
    expect((await register('english', await inviter.client.call(registerApi.affCode))).status).toBe(200);
    const { id } = await account('english');
    const notes = await db.selectFrom('logs').where('user_id', 'in', [id, inviter.id]).select('content').execute();
    expect(notes.map(({ content }) => content).toSorted()).toEqual([
      'Invitation reward',
      'New account gift',
      '招待特典',
    ]);
  });

  test('an account that was not made gives nothing, however many race for its name', async () => {
    const inviter = await addPerson(hub());
    const code = await inviter.client.call(registerApi.affCode);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => register('contested', code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await inviter.client.call(registerApi.invitations)).toMatchObject({ invited: 1, earned: 300 });
    expect(await account('contested')).toMatchObject({ quota: 1070 });
  });

  test('many who come at once with one code each give their reward', async () => {
    const inviter = await addPerson(hub());
    const code = await inviter.client.call(registerApi.affCode);
    await Promise.all(Array.from({ length: 8 }, (_, i) => register(`crowd-${i}`, code)));
    expect(await inviter.client.call(registerApi.invitations)).toMatchObject({ invited: 8, earned: 2400 });
  });

  test('an unknown code, or one of a disabled account, is ignored', async () => {
    const gone = await addAccount(hub(), { aff_code: 'Gone', status: 2 });
    for (const [name, code] of [
      ['stray-1', 'nope'],
      ['stray-2', 'Gone'],
      ['stray-3', ''],
      ['stray-4', "' or 1=1"],
    ] as const) {
      expect((await register(name, code)).status).toBe(200);
      expect(await account(name)).toMatchObject({ quota: 1000, inviter_id: null });
    }
    expect(gone.id).toBeGreaterThan(0);
  });
});
