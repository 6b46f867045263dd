import { isSecret, type SettingKey } from '#settings.ts';
import { fetchedSettings } from './fetched-settings.ts';

/**
 * Settings that receive secrets without being fetched: the mail server gets its password, links in mails point to
 * `ServerAddress`, and backups and archives are written to folders.
 */
const ledTo: ReadonlySet<SettingKey> = new Set<SettingKey>([
  'SMTPServer',
  'ServerAddress',
  'BackupFolder',
  'LogArchiveFolder',
]);
/** Lets access tokens act without a proof. */
const waivesProof: SettingKey = 'FamilyMode';
/** Fetched without any secret. */
const harmless: ReadonlySet<SettingKey> = new Set<SettingKey>(['UpdateSource']);

/**
 * Whether changing a setting needs a fresh proof of identity. Otherwise a person at an unlocked browser could have a
 * write-only secret sent to their own address.
 */
export const isGuarded = (key: SettingKey): boolean =>
  isSecret(key) || key === waivesProof || ledTo.has(key) || (fetchedSettings.has(key) && !harmless.has(key));
