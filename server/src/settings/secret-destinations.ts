import type { SettingKey, Settings } from '#settings.ts';
import { type Destination, destination } from '#stored-secrets.ts';

type DestinationOf = (settings: Settings) => Destination;

const telegram: DestinationOf = (settings) => destination(settings.TelegramApiAddress, settings.TelegramProxy);

/** Destination of each secret setting. */
export const secretDestinations: ReadonlyMap<SettingKey, DestinationOf> = new Map<SettingKey, DestinationOf>([
  ['SMTPToken', ({ SMTPServer }) => ({ target: SMTPServer.toLowerCase(), proxy: '' })],
  ['GitHubClientSecret', ({ GitHubAddress }) => destination(GitHubAddress)],
  ['OIDCClientSecret', ({ OIDCIssuer }) => destination(OIDCIssuer)],
  ['LarkClientSecret', ({ LarkAddress }) => destination(LarkAddress)],
  ['WeChatServerToken', ({ WeChatServerAddress }) => destination(WeChatServerAddress)],
  ['TelegramBotToken', telegram],
  ['TelegramWebhookSecret', telegram],
  ['TurnstileSecretKey', ({ TurnstileAddress }) => destination(TurnstileAddress)],
  ['TaskMediaS3SecretKey', ({ TaskMediaS3Endpoint }) => destination(TaskMediaS3Endpoint)],
  ['CFWorkerImageKey', (settings) => destination(settings.CFWorkerImageUrl, settings.ChatImageRequestProxy)],
]);

/** A stored secret and its destination before and after a change of settings. */
interface SentSecret {
  key: SettingKey;
  from: Destination;
  to: Destination;
}

/** Stored secrets that have a destination. A secret stored before its address belongs to the first address. */
export const sentSecrets = (before: Settings, after: Settings): SentSecret[] =>
  [...secretDestinations]
    .map(([key, of]) => ({ key, from: of(before), to: of(after) }))
    .filter(({ key, from }) => before[key] !== '' && from.target !== '');
