import type { AddressInfo } from 'node:net';
import { optionApi } from '@relay-hub/contract';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { ApiClient } from './hub.ts';
import { until } from './until.ts';

/** A received mail. */
export interface Received {
  to: string;
  from: string;
  fromName: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}

export interface Mailbox {
  port: number;
  mails: Received[];
  /** Passwords that clients tried. */
  passwords: string[];
  /** The next or already received mail to an address; each is returned once. */
  next(to: string): Promise<Received>;
  /** If set, every mail is refused with this message. */
  refuseWith: string | undefined;
  /** If set, no mail is accepted before it resolves. */
  until: Promise<unknown> | undefined;
  /** Recipients of the mails that wait for it. */
  held: string[];
  close(): Promise<void>;
}

export const MAIL_ACCOUNT = 'hub@mail.example';
export const MAIL_PASSWORD = 'the-password-of-the-mail-server';

/** TLS from the first byte, or with STARTTLS; plain without either. */
interface MailboxTls {
  cert: string;
  key: string;
  atOnce?: boolean;
}

/** Starts an SMTP server that requires authentication and stores mails. */
export async function startMailbox(tls?: MailboxTls): Promise<Mailbox> {
  const mails: Received[] = [];
  const passwords: string[] = [];
  const given = new Set<Received>();
  const keep = async (to: string, bytes: Buffer, done: () => void) => {
    mails.push(await read(to, bytes));
    done();
  };
  const server = new SMTPServer({
    ...(tls ? { cert: tls.cert, key: tls.key, secure: tls.atOnce ?? false } : { disabledCommands: ['STARTTLS'] }),
    allowInsecureAuth: tls === undefined,
    onAuth: ({ username, password }, _, done) => {
      passwords.push(password ?? '');
      return username === MAIL_ACCOUNT && password === MAIL_PASSWORD
        ? done(null, { user: username })
        : done(new Error('wrong account or password'));
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        if (mailbox.refuseWith !== undefined) return done(new Error(mailbox.refuseWith));
        const to = session.envelope.rcptTo.map(({ address }) => address).join(',');
        mailbox.held.push(to);
        void Promise.resolve(mailbox.until).then(() => {
          mailbox.held.splice(mailbox.held.indexOf(to), 1);
          return keep(to, Buffer.concat(pieces), done);
        });
      });
    },
  });
  // A client that disconnects must not end the tests.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const mailbox: Mailbox = {
    port: (server.server.address() as AddressInfo).port,
    mails,
    passwords,
    refuseWith: undefined,
    until: undefined,
    held: [],
    async next(to) {
      const found = await until(`a mail to ${to}`, () => mails.find((mail) => mail.to === to && !given.has(mail)));
      given.add(found);
      return found;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailbox;
}

async function read(to: string, bytes: Buffer): Promise<Received> {
  const { from, subject = '', text = '', html = '', headers } = await PostalMime.parse(bytes);
  return {
    to,
    from: from?.address ?? '',
    fromName: from?.name ?? '',
    subject,
    text,
    html,
    headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
  };
}

/** Configures a hub's mail server, and other settings. */
export async function sendThrough(
  root: ApiClient,
  { port }: Pick<Mailbox, 'port'>,
  more: Record<string, string> = {},
): Promise<void> {
  await setOptions(root, {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(port),
    SMTPAccount: MAIL_ACCOUNT,
    SMTPToken: MAIL_PASSWORD,
    ...more,
  });
}

export async function setOptions(root: ApiClient, options: Record<string, string>): Promise<void> {
  await root.call(optionApi.setMany, { body: { values: options } });
}

/** The six digits in a mail. */
export const codeIn = ({ text }: Received): string => /^\d{6}$/m.exec(text)?.[0] ?? '';

/** The link in a mail. */
export const linkIn = ({ text }: Received): URL => new URL(/^http\S+$/m.exec(text)?.[0] ?? '');
