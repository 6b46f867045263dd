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

/** Ports with TLS from the first byte, and with mandatory STARTTLS. */
const usualPorts = { tls: 465, startTls: 587 };

/** Sends mail with the settings in force. */
export interface Mailer {
  /** Whether a mail server is configured. */
  isSetUp(): boolean;
  /** Sends a mail. Throws `mail.not_set_up`, or `mail.failed` if the server refuses it. */
  send(to: string, letter: Email): Promise<void>;
  /**
   * Sends a mail and throws the exact reason, for operators: `mail.not_set_up`, `outbound.private`, `outbound.never`,
   * `mail.unreachable`, `mail.certificate`, `mail.no_tls`, `mail.auth`, `mail.refused`.
   */
  trySend(to: string, letter: Email): Promise<void>;
}

/** A mailer that reads the settings at each mail. */
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
    // An object, because a string would be parsed as a list of addresses.
    const mail = { from, to: { name: '', address: to }, ...letter, headers: { ...automatic, ...letter.headers } };
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
  /** Connects to the checked addresses only; the name is not resolved again. */
  const sendTo = async ([address = '', ...others]: readonly string[], mail: object): Promise<void> => {
    // Loaded on demand: many servers send no mail.
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

/** Prevents automatic replies (RFC 3834). */
const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

type Connection = Pick<Settings, 'SMTPServer' | 'SMTPPort' | 'SMTPAccount' | 'SMTPToken'>;

/**
 * Connection options. Certificates are always checked. A password is sent without TLS only within a local network,
 * because an attacker in between could strip STARTTLS.
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
    // The name expected in the certificate.
    ...(isIP(name) === 0 && { servername: name }),
    port,
    secure: port === ports.tls,
    requireTLS: port === ports.startTls || (hasPassword && !isNear(host)),
    ...(hasPassword && { auth: { user, pass } }),
  };
}

/** This machine, a private address, or a name without a dot, which only a local network resolves. */
export function isNear(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? !bare.includes('.') : !isPublic(bare);
}

/** Errors of nodemailer. */
interface MailError {
  code?: string;
  /** Of the system or TLS. */
  originalCode?: string;
  response?: string;
  responseCode?: number;
}

/** Whether to try the server's next address: nothing was sent to this one. */
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
