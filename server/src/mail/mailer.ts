import { isIP } from 'node:net';
import type { Logger } from 'pino';
import type { BaseDeps } from '#base-deps.ts';
import { AppError, ensure } from '#errors.ts';
import { isPublic } from '#http/outbound/outbound-address.ts';
import { addressesOf } from '#http/outbound/outbound-lookup.ts';
import { operatorReach, PrivateAddress, privateRefusal, type Rules } from '#http/outbound/reach.ts';
import { hostIn } from '#http/outbound/typed-address.ts';
import { masked } from '#secrets.ts';
import type { Settings } from '#settings.ts';
import type { Email } from './write-mail.ts';

const TIMEOUT_MS = 15_000;
const LONGEST_REPLY = 300;

/** Where TLS begins with the first byte, and where nothing is said before STARTTLS. */
const usualPorts = { tls: 465, startTls: 587 };

/** Sends mail as the operator has set it up. */
export interface Mailer {
  /** Whether there is a server to send through. */
  isSetUp(): boolean;
  /** Hands a mail to the server. Throws `mail.not_set_up`, and `mail.failed` when the server does not take it. */
  send(to: string, letter: Email): Promise<void>;
  /**
   * The same for the operator, who is told what was wrong. Throws `mail.not_set_up`, `outbound.private`,
   * `outbound.never`, `mail.unreachable`, `mail.certificate`, `mail.no_tls`, `mail.auth`, `mail.refused`.
   */
  trySend(to: string, letter: Email): Promise<void>;
}

/** A mailer that goes by the settings in force, whenever it sends. */
export function openMailer(
  rules: Pick<Rules, 'config'> & Pick<BaseDeps, 'live'>,
  log: Logger,
  ports = usualPorts,
): Mailer {
  const { live } = rules;
  const sender = (): string => live.settings.SMTPFrom || live.settings.SMTPAccount;
  const isSetUp = (): boolean => live.settings.SMTPServer !== '' && sender().includes('@');
  const trySend = async (to: string, letter: Email): Promise<void> => {
    ensure(isSetUp(), 'mail.not_set_up');
    const { SMTPServer: host, SMTPPort: port, SystemName: name } = live.settings;
    const from = sender().includes('<') ? sender() : { name, address: sender() };
    // An address stands for itself: a text would be read as a list of them.
    const mail = { from, to: { name: '', address: to }, ...letter, headers: automatic };
    try {
      const addresses = await addressesOf(hostIn(host) ?? host, operatorReach(rules));
      await sendTo(addresses, mail);
    } catch (error) {
      if (error instanceof PrivateAddress) throw privateRefusal({ verdict: error.verdict, host }, 'SMTPServer');
      const refusal = error as MailError;
      const { code = '', originalCode = '', responseCode = 0 } = refusal;
      log.warn({ host, port, code, originalCode, responseCode }, 'mail could not be sent');
      throw reasonOf(refusal, host, port);
    }
  };
  /** Only to addresses that were checked: nothing looks the name up a second time. */
  const sendTo = async ([address = '', ...others]: readonly string[], mail: object): Promise<void> => {
    // Not loaded by the many servers that send no mail.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      ...connectionTo(live.settings, address, ports),
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await transport.sendMail(mail);
    } catch (error) {
      if (others.length === 0 || !isUnreached(error as MailError)) throw error;
      await sendTo(others, mail);
    } finally {
      transport.close();
    }
  };
  return {
    isSetUp,
    trySend,
    async send(to, letter) {
      try {
        await trySend(to, letter);
      } catch (error) {
        throw error instanceof AppError && error.code !== 'mail.not_set_up' ? new AppError('mail.failed') : error;
      }
    },
  };
}

/** So that no absence notice comes back (RFC 3834). */
const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

type Connection = Pick<Settings, 'SMTPServer' | 'SMTPPort' | 'SMTPAccount' | 'SMTPToken'>;

/**
 * How the server is reached. Certificates are always checked. A password goes in the open only within this machine or a
 * local network: whoever sits in between needs only to leave STARTTLS out of what the server says.
 */
function connectionTo(
  { SMTPServer: host, SMTPPort: port, SMTPAccount: user, SMTPToken: pass }: Connection,
  address: string,
  ports: typeof usualPorts,
) {
  const hasPassword = user !== '' && pass !== '';
  const name = host.replace(/^\[|\]$/g, '');
  return {
    host: address,
    // Whose certificate is expected.
    ...(isIP(name) === 0 && { servername: name }),
    port,
    secure: port === ports.tls,
    requireTLS: port === ports.startTls || (hasPassword && !isNear(host)),
    ...(hasPassword && { auth: { user, pass } }),
  };
}

/** This machine, an address of a local network, or a name without a dot, which only a local network knows. */
export function isNear(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? !bare.includes('.') : !isPublic(bare);
}

/** What nodemailer throws. */
interface MailError {
  code?: string;
  /** Of the system, or of TLS. */
  originalCode?: string;
  response?: string;
  responseCode?: number;
}

/** Whether the next address of the server may do: nothing was said to this one. */
const isUnreached = ({ code = '', originalCode = '' }: MailError): boolean =>
  /^(ESOCKET|ECONNECTION|EDNS)$/.test(code) &&
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/.test(originalCode);

const certificateCode = /CERT|ISSUER|SIGNATURE/;

function reasonOf(
  { code = '', originalCode = '', response = '', responseCode = 0 }: MailError,
  host: string,
  port: number,
) {
  const reason = originalCode || code;
  if (certificateCode.test(originalCode)) return new AppError('mail.certificate', { host, reason });
  if (code === 'ETLS') return new AppError('mail.no_tls', { host, port });
  const reply = masked(response).slice(0, LONGEST_REPLY);
  if (code === 'EAUTH') return new AppError('mail.auth', { reply: reply || reason });
  if (responseCode > 0) return new AppError('mail.refused', { reply });
  return new AppError('mail.unreachable', { host, port, reason });
}
