import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import pino from 'pino';
import { MAIL_ACCOUNT, MAIL_PASSWORD, type Mailbox, startMailbox } from '#testing/mailbox.ts';
import {
  certificateOfAnother,
  testCertificate,
  trustTestCertificate,
  untrustedCertificate,
} from '#testing/network/tls-for-tests.ts';
import { isNear, openMailer } from './mailer.ts';

const letter = { subject: 'A test', text: 'of the mail server', html: '<p>of the mail server</p>' };
const to = 'somebody@a.example';

const cases = [
  ['a certificate that is trusted', testCertificate, undefined],
  ['one that nobody has signed', untrustedCertificate, 'mail.certificate'],
  ['one of another name', certificateOfAnother, 'mail.certificate'],
] as const;

describe('a mail server', () => {
  const open: Mailbox[] = [];
  beforeAll(trustTestCertificate);
  afterAll(() => Promise.all(open.map((mailbox) => mailbox.close())));

  const start = async (...how: Parameters<typeof startMailbox>): Promise<Mailbox> => {
    const mailbox = await startMailbox(...how);
    open.push(mailbox);
    return mailbox;
  };
  const mailerTo = ({ port }: Mailbox, { host = 'localhost', pass = MAIL_PASSWORD, ports = {} } = {}) => {
    const settings = { SMTPServer: host, SMTPPort: port, SMTPAccount: MAIL_ACCOUNT, SMTPFrom: '', SMTPToken: pass };
    const live = { settings: { ...settings, SystemName: 'Relay Hub' } } as never; // all that it reads of them
    const config = { outboundPrivate: 'allow' } as const;
    return openMailer({ config, live }, pino({ level: 'silent' }), { tls: 0, startTls: 0, ...ports });
  };

  describe.each([
    ['with TLS from the first byte', true],
    ['with STARTTLS', false],
  ])('%s', (_, atOnce) => {
    test.each(cases)('and %s', async (__, { cert, key }, refusal) => {
      const mailbox = await start({ cert, key, atOnce });
      const sent = mailerTo(mailbox, { ports: atOnce ? { tls: mailbox.port } : {} }).trySend(to, letter);
      if (refusal === undefined) {
        await sent;
        expect(mailbox.mails).toMatchObject([{ to, subject: 'A test' }]);
        return;
      }
      await expect(sent).rejects.toMatchObject({ code: refusal, values: { host: 'localhost' } });
      expect(mailbox.mails).toEqual([]);
      expect(mailbox.passwords).toEqual([]);
    });
  });

  test('from whose words somebody in between took STARTTLS is told no password', async () => {
    const mailbox = await start();
    const mailer = mailerTo(mailbox, { ports: { startTls: mailbox.port } });
    await expect(mailer.trySend(to, letter)).rejects.toMatchObject({ code: 'mail.no_tls' });
    expect(mailbox.passwords).toEqual([]);
    const safe = await start(testCertificate);
    await mailerTo(safe, { ports: { startTls: safe.port } }).trySend(to, letter);
    expect(safe.mails).toHaveLength(1);
  });

  test.each([
    ['smtp.example.com', false],
    ['8.8.8.8', false],
    ['[2606:4700::1111]', false],
    ['mail.local', false],
    ['localhost', true],
    ['mailhog', true],
    ['127.0.0.1', true],
    ['192.168.1.9', true],
    ['[::1]', true],
  ])('%s is near enough for a password in the open: %s', (host, near) => {
    expect(isNear(host)).toBe(near);
  });

  test('of this machine or a local network needs no encryption', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const mailbox = await start();
      await mailerTo(mailbox, { host }).trySend(to, letter);
      expect(mailbox.passwords).toEqual([MAIL_PASSWORD]);
    }
  });

  test('that speaks in the open where TLS is to begin at once, or is not there, is not reached', async () => {
    const mailbox = await start();
    const refused = mailerTo(mailbox, { ports: { tls: mailbox.port } }).trySend(to, letter);
    await expect(refused).rejects.toMatchObject({ code: 'mail.unreachable', values: { port: mailbox.port } });
    expect(mailbox.passwords).toEqual([]);
    await mailbox.close();
    open.splice(open.indexOf(mailbox), 1);
    const gone = mailerTo(mailbox).trySend(to, letter);
    await expect(gone).rejects.toMatchObject({ code: 'mail.unreachable', values: { reason: 'ECONNREFUSED' } });
  });

  test('that refuses the password or the mail is quoted to the operator, and to nobody else', async () => {
    const mailbox = await start(testCertificate);
    const wrong = mailerTo(mailbox, { pass: 'not-the-password' });
    await expect(wrong.trySend(to, letter)).rejects.toMatchObject({ code: 'mail.auth' });
    await expect(wrong.send(to, letter)).rejects.toMatchObject({ code: 'mail.failed', values: {} });
    mailbox.refuseWith = 'the box is full';
    const refused = mailerTo(mailbox).trySend(to, letter);
    await expect(refused).rejects.toMatchObject({
      code: 'mail.refused',
      values: { reply: expect.stringContaining('the box is full') as string },
    });
  });
});
