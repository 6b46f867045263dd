import { channelJobApi, notificationApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { linkIn, type Mailbox, sendThrough, startMailbox } from '#testing/mailbox.ts';
import { until } from '#testing/until.ts';

onOneDatabase('news of channels', (make) => {
  const told = hubForSuite(make, { NOTIFY_EMAIL: 'ops@hub.example' });
  const silent = hubForSuite(make, { NOTIFY_EMAIL: 'off' });
  const upstream = upstreamForSuite();
  let mailbox: Mailbox;

  beforeAll(async () => {
    mailbox = await startMailbox();
  });
  afterAll(async () => mailbox?.close());

  test('the result of a test of all channels is mailed to the operators, unless they want no mail', async () => {
    for (const hub of [silent, told]) {
      await sendThrough(hub().root, mailbox, { ServerAddress: 'https://hub.example' });
      await addChannel(hub(), upstream().url, { name: 'first', test_model: 'gpt-4o' });
      await hub().root.call(channelJobApi.testAll);
      await until(
        'the end of the test',
        async () => (await hub().root.call(channelJobApi.list)).find(({ kind }) => kind === 'test')?.state === 'done',
      );
    }
    const mail = await mailbox.next('ops@hub.example');
    for (const hub of [silent, told]) await hub().server.deps.notices.settled();
    expect(linkIn(mail).href).toBe('https://hub.example/panel/channel');
    expect(mailbox.mails).toHaveLength(1);
  });

  test('a notice that cannot be mailed does not keep the next one from the console', async () => {
    const { notices } = told().server.deps;
    mailbox.refuseWith = 'not today';
    const channel = await addChannel(told(), upstream().url, { name: 'second' });
    notices.add({ kind: 'testDone', values: { succeeded: 1, failed: 0, skipped: 0, off: 0, on: 0 } });
    notices.add({ kind: 'channelOff', channel, values: { reason: 'x' } });
    await notices.settled();
    const { data } = await told().root.call(notificationApi.list);
    expect(data.filter(({ kind }) => kind === 'channelOff')).toMatchObject([{ object_id: channel }]);
  });
});
