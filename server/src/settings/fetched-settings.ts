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
]);
