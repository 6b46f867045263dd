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

/** Settings with an address that this server connects to without fetching from it. */
export const connectedSettings: ReadonlySet<SettingKey> = new Set<SettingKey>(['ChatImageRequestProxy', 'SMTPServer']);

/** Settings that say which private networks may be connected to. */
export const networkSettings = ['OutboundPrivateNetworks', 'ChatImagePrivateNetworks'] as const;
