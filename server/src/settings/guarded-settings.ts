import { isSecret, type SettingKey } from '#settings.ts';
import { fetchedSettings } from './fetched-settings.ts';

/** Where secrets are sent that are not fetched from: the mail server gets its password, and links in mails lead here. */
const ledTo: ReadonlySet<SettingKey> = new Set<SettingKey>(['SMTPServer', 'ServerAddress']);
/** Asked without any secret. */
const harmless: ReadonlySet<SettingKey> = new Set<SettingKey>(['UpdateSource']);

/**
 * Whether a change takes a proof of who makes it: a secret that is never shown would otherwise be had by whoever finds a
 * browser open, by having it sent to an address of their own.
 */
export const isGuarded = (key: SettingKey): boolean =>
  isSecret(key) || ledTo.has(key) || (fetchedSettings.has(key) && !harmless.has(key));
