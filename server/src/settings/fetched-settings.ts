import type { SettingKey } from '#settings.ts';

/** Settings with a URL that the server fetches. */
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
  'TaskMediaS3Endpoint',
]);

/** Settings with an address that the server connects to without fetching it. */
export const connectedSettings: ReadonlySet<SettingKey> = new Set<SettingKey>(['ChatImageRequestProxy', 'SMTPServer']);

/** Settings that list the private networks that may be connected to. */
export const networkSettings = ['OutboundPrivateNetworks', 'ChatImagePrivateNetworks'] as const;
