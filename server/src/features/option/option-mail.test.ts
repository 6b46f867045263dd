import { optionApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { MAIL_ACCOUNT, MAIL_PASSWORD, type Mailbox, startMailbox } from '#testing/mailbox.ts';

onEveryDatabase('the test mail', (make) => {
  const hub = hubForSuite(make);
  let mailbox: Mailbox;
  beforeAll(async () => {
    mailbox = await startMailbox();
  });
  afterAll(() => mailbox.close());
  const send = (to: string) => hub().root.try(optionApi.testMail, { body: { to } });

  test('is not sent while no mail server is set', async () => {
    expect(await send('somebody@a.example')).toMatchObject({ status: 409, body: { code: 'option.mail_first' } });
  });

  test('goes to port 587 unless another is set', async () => {
    const port = (await hub().root.call(optionApi.list)).find(({ key }) => key === 'SMTPPort');
    expect(port).toMatchObject({ value: '587', is_set: false });
    expect(hub().server.deps.live.settings.SMTPPort).toBe(587);
  });

  test('is sent with the stored settings; a refusal by the mail server is reported', async () => {
    const values = {
      SMTPServer: '127.0.0.1',
      SMTPPort: String(mailbox.port),
      SMTPAccount: MAIL_ACCOUNT,
      SMTPToken: MAIL_PASSWORD,
    };
    await hub().root.call(optionApi.setMany, { body: { values } });
    expect((await send('somebody@a.example')).status).toBe(200);
    expect((await mailbox.next('somebody@a.example')).from).toBe(MAIL_ACCOUNT);
    await hub().root.call(optionApi.set, { body: { key: 'SMTPToken', value: 'not-the-password' } });
    const refused = await send('other@a.example');
    expect(refused).toMatchObject({ status: 502, body: { code: 'mail.auth' } });
    expect(refused.body.message).toContain('535');
    expect(JSON.stringify(refused.body)).not.toContain('not-the-password');
  });

  test.each(['nobody', 'a@b, c@d', 'a@b\r\nBcc: c@d', '<a@b>'])('%o is no address', async (to) => {
    expect(await send(to)).toMatchObject({ status: 400, body: { code: 'input.invalid', field: 'to' } });
  });
});
