import { channelApi, channelJobApi, channelKeyApi, optionApi } from '@relay-hub/contract';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { linkIn, type Mailbox, sendThrough, setOptions, startMailbox } from '#testing/mailbox.ts';
import { addAccount } from '#testing/people.ts';
import { hello, post } from '#testing/relay-calls.ts';

onOneDatabase('news of channels', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const deps = () => hub().server.deps;
  let mailbox: Mailbox;
  let email: string;
  let id: number;
  let count = 0;

  beforeAll(async () => {
    mailbox = await startMailbox();
  });
  afterAll(async () => mailbox?.close());
  beforeEach(async () => {
    mailbox.refuseWith = undefined;
    await sendThrough(hub().root, mailbox, {
      ServerAddress: 'https://hub.example',
      AutomaticDisableChannelEnabled: 'true',
      AutomaticEnableChannelEnabled: 'true',
    });
    email = `root-${++count}@example.org`;
    await deps().db.updateTable('users').set({ email, language: 'en_US' }).where('username', '=', 'root').execute();
    id = await addChannel(hub(), upstream().url, { name: '<b>Kanal</b>', test_model: 'gpt-4o' });
  });
  afterEach(async () => {
    upstream().behaviour = {};
    await hub().root.call(channelApi.remove, { params: { id } });
  });

  const mails = () => mailbox.mails.filter(({ to }) => to === email);
  const told = async () => {
    await deps().autoSwitcher.settled();
    await deps().notices.flush();
  };
  const refuse = (message: string) => {
    upstream().behaviour = { status: 401, error: { error: { message, type: 'authentication_error', code: null } } };
  };
  const call = async () => post(hub(), (await addCaller(deps().db)).key, hello);

  test('that the server switches off and on go to the super administrator once, and nobody else', async () => {
    await addAccount(hub(), { email: `other-${count}@example.org`, role: 10 });
    refuse('Your key <i>has</i> had its day');
    // The second call may find the channel already disabled.
    for (const { status } of await Promise.all([call(), call()])) expect([502, 503]).toContain(status);
    await told();
    const mail = await mailbox.next(email);
    expect(mail.subject).toBe('Relay Hub: channel updates');
    expect(mail.text).toContain(`Channel <b>Kanal</b> (${id}) was disabled: `);
    expect(mail.text).toContain('Your key <i>has</i> had its day');
    expect(mail.html).not.toMatch(/<b>Kanal|<i>has/);
    expect(linkIn(mail).href).toBe('https://hub.example/panel/channel');

    upstream().behaviour = {};
    await hub().root.call(channelApi.test, { params: { id } });
    await told();
    expect((await mailbox.next(email)).text).toContain(`Channel <b>Kanal</b> (${id}) works again`);
    await told();
    expect(mails()).toHaveLength(2);
    expect(mailbox.mails.filter(({ to }) => to.startsWith('other'))).toEqual([]);
  });

  test('gather in one mail, in the language of whoever gets it, and are bounded', async () => {
    await deps().db.updateTable('users').set({ language: 'zh_CN' }).where('username', '=', 'root').execute();
    for (let key = 1; key <= 60; key++)
      deps().notices.add({ kind: 'keyOff', channel: id, values: { key, reason: 'x' } });
    await told();
    const { text } = await mailbox.next(email);
    expect(text.match(/的密钥/g)).toHaveLength(50);
    expect(text).toContain('10');
    expect(mails()).toHaveLength(1);
  });

  test('are told of keys too, and of a test of all that somebody began', async () => {
    await hub().root.call(channelKeyApi.add, { params: { id }, body: { keys: 'sk-second-key-0002' } });
    refuse('no more');
    await call();
    await told();
    expect((await mailbox.next(email)).text).toMatch(new RegExp(`A key \\(\\d+\\) of channel .*\\(${id}\\) was`));
    upstream().behaviour = {};
    await hub().root.call(channelJobApi.testAll);
    await expect
      .poll(async () => (await hub().root.call(channelJobApi.list)).find(({ kind }) => kind === 'test')?.state)
      .toBe('done');
    await told();
    expect((await mailbox.next(email)).text).toMatch(/Channel test finished: 1 passed, 0 failed/);
  });

  test('hold nothing up when the mail server takes none, or there is none', async () => {
    mailbox.refuseWith = 'not today';
    refuse('no more');
    expect((await call()).status).toBe(502);
    await told();
    await setOptions(hub().root, { SMTPServer: '' });
    deps().notices.add({ kind: 'channelOff', channel: id, values: { reason: 'x' } });
    mailbox.refuseWith = undefined;
    await hub().root.call(optionApi.set, { body: { key: 'SMTPServer', value: '127.0.0.1' } });
    await told();
    expect(mails()).toEqual([]);
  });
});

onOneDatabase('news of channels with NOTIFY_EMAIL', (make) => {
  const told = hubForSuite(make, { NOTIFY_EMAIL: 'ops@hub.example' });
  const silent = hubForSuite(make, { NOTIFY_EMAIL: 'off' });
  let mailbox: Mailbox;

  beforeAll(async () => {
    mailbox = await startMailbox();
  });
  afterAll(async () => mailbox?.close());

  test('go to that address instead, or to nobody', async () => {
    for (const hub of [silent, told]) {
      const { db, notices } = hub().server.deps;
      await sendThrough(hub().root, mailbox);
      await db.updateTable('users').set({ email: 'root@hub.example' }).where('username', '=', 'root').execute();
      notices.add({ kind: 'channelOff', channel: 0, values: { reason: 'a reason' } });
      await notices.flush();
    }
    expect(mailbox.mails.map(({ to }) => to)).toEqual(['ops@hub.example']);
    expect(mailbox.mails[0]!.text).toContain('a reason');
  });
});
