import { hostname } from 'node:os';
import { asError } from '#caught-error.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { operatorAddresses } from '#mail/operator-addresses.ts';
import { sendMail } from '#mail/send-mail.ts';
import { MOST_ATTEMPTS } from './backup-schedule.ts';

type FailureDeps = Pick<Deps, 'config' | 'db' | 'live' | 'log' | 'mailer'>;

const LONGEST_REASON = 500;

/**
 * Mails the operators that a scheduled backup failed: of its attempts (from 1), the first and the last. Never rejects.
 */
export async function notifyFailedBackup(deps: FailureDeps, failure: unknown, attempt: number): Promise<void> {
  const { live, mailer, log } = deps;
  if (!mailer.isSetUp() || (attempt !== 1 && attempt !== MOST_ATTEMPTS)) return;
  const base = live.settings.ServerAddress;
  const values = {
    host: hostname(),
    reason: asError(failure).message.slice(0, LONGEST_REASON),
    attempt,
    attempts: MOST_ATTEMPTS,
  };
  try {
    for (const { email, language } of await operatorAddresses(deps))
      await sendMail(deps, email, [language], {
        kind: 'backupFailed',
        values,
        ...(base !== '' && { link: `${base}/panel/setting#BackupEnabled` }),
      });
  } catch (error) {
    log.warn(error instanceof AppError ? { code: error.code } : { err: error }, 'notice of a failed backup not sent');
  }
}
