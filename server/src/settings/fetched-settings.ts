import type { SettingKey } from '#settings.ts';

/** Settings with an address that this server itself asks. */
export const fetchedSettings: ReadonlySet<SettingKey> = new Set<SettingKey>([
  'GitHubAddress',
  'GitHubApiAddress',
  'OIDCIssuer',
  'LarkAddress',
  'WeChatServerAddress',
  'TelegramApiAddress',
  'TelegramProxy',
  'TurnstileAddress',
  'UpdateSource',
  'CFWorkerImageUrl',
]);

/**
 * Those where an address of a local network that is written out is meant, as in a channel: allowing that network instead
 * would allow it to callers, too.
 */
export const connectedSettings: ReadonlySet<SettingKey> = new Set<SettingKey>(['ChatImageRequestProxy']);
