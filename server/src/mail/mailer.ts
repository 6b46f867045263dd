import type { Logger } from 'pino';
import { AppError, ensure } from '#errors.ts';
import type { Live } from '#live/live.ts';
import type { Letter } from './write-mail.ts';

const TIMEOUT_MS = 15_000;

/** Sends mail as the operator has set it up. */
export interface Mailer {
  /** Whether there is a server to send through. */
  isSetUp(): boolean;
  /** Hands a mail to the server. Throws `mail.not_set_up`, and `mail.failed` when the server does not take it. */
  send(to: string, letter: Letter): Promise<void>;
}

/** A mailer that goes by the settings in force, whenever it sends. */
export function openMailer(live: Pick<Live, 'settings'>, log: Logger): Mailer {
  const sender = (): string => live.settings.SMTPFrom || live.settings.SMTPAccount;
  const isSetUp = (): boolean => live.settings.SMTPServer !== '' && sender().includes('@');
  return {
    isSetUp,
    async send(to, letter) {
      ensure(isSetUp(), 'mail.not_set_up');
      const { SMTPServer: host, SMTPPort: port, SMTPAccount: user, SMTPToken: pass, SystemName: name } = live.settings;
      // Not loaded by the many servers that send no mail.
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        host,
        port,
        secure: port === 465,
        requireTLS: port === 587,
        ...(user !== '' && pass !== '' && { auth: { user, pass } }),
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        const from = sender().includes('<') ? sender() : { name, address: sender() };
        // An address stands for itself: a text would be read as a list of them.
        await transport.sendMail({ from, to: { name: '', address: to }, ...letter, headers: automatic });
      } catch (error) {
        const { code = '', responseCode = 0 } = error as { code?: string; responseCode?: number };
        log.warn({ host, port, code, responseCode }, 'mail could not be sent');
        throw new AppError('mail.failed');
      } finally {
        transport.close();
      }
    },
  };
}

/** So that no absence notice comes back (RFC 3834). */
const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
