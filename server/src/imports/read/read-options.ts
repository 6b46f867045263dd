import { isSettingKey, parseSetting, settings, type SettingKey } from '#settings.ts';
import { unstorable } from '../old-row.ts';
import { isHubLine, type OldWorld } from './old-world.ts';
import { mapIn } from './read-groups.ts';
import { issuerOf } from './read-users.ts';

export interface ArrivingOption {
  key: SettingKey;
  text: string;
  /** Taken over only on request. */
  guarded: boolean;
}

/** Settings with the same name and meaning in all four programs. */
const shared = new Set<string>(
  `PasswordLoginEnabled PasswordRegisterEnabled RegisterEnabled EmailVerificationEnabled EmailDomainRestrictionEnabled
  EmailDomainWhitelist GitHubOAuthEnabled GitHubClientId GitHubClientSecret WeChatAuthEnabled WeChatServerAddress
  WeChatServerToken WeChatAccountQRCodeImageURL TurnstileCheckEnabled TurnstileSiteKey TurnstileSecretKey SMTPServer
  SMTPPort SMTPAccount SMTPFrom SMTPToken AutomaticDisableChannelEnabled AutomaticEnableChannelEnabled
  ChannelDisableThreshold QuotaForNewUser QuotaForInviter QuotaForInvitee QuotaRemindThreshold PreConsumedQuota
  QuotaPerUnit RetryTimes TopUpLink DisplayInCurrencyEnabled SystemName Logo Footer Notice About HomePageContent
  ServerAddress LarkClientId LarkClientSecret`.split(/\s+/),
);

/** Settings of one-hub and done-hub besides these. Others of ours were never set there. */
const ofHubLine = new Set<string>(
  `RetryTimeOut RetryCooldownSeconds ApproximateTokenEnabled MjNotifyEnabled ClaudeAPIEnabled GeminiAPIEnabled
  ChatImageRequestProxy CFWorkerImageUrl CFWorkerImageKey LogConsumeEnabled PaymentUSDRate PaymentMinAmount
  RechargeDiscount ChatLink ChatLinks DisableChannelKeywords ChannelTestFrequency LarkAuthEnabled OIDCAuthEnabled
  OIDCClientId OIDCClientSecret OIDCIssuer OIDCScopes OIDCUsernameClaims TelegramBotEnabled TelegramBotName
  TelegramBotToken`.split(/\s+/),
);

/**
 * Settings that are taken over without a question. All others decide who gets in, what new users get, where requests,
 * keys and mails go, or what runs in a page.
 */
const harmless = new Set<SettingKey>([
  'SystemName',
  'QuotaPerUnit',
  'DisplayInCurrencyEnabled',
  'PreConsumedQuota',
  'QuotaRemindThreshold',
  'PaymentUSDRate',
  'PaymentMinAmount',
  'RechargeDiscount',
  'RetryTimes',
  'RetryTimeOut',
  'RetryCooldownSeconds',
  'ChannelDisableThreshold',
  'AutomaticDisableChannelEnabled',
  'AutomaticEnableChannelEnabled',
  'DisableChannelKeywords',
  'ChannelTestFrequency',
  'ApproximateTokenEnabled',
  'LogConsumeEnabled',
  'ClaudeAPIEnabled',
  'GeminiAPIEnabled',
  'MjNotifyEnabled',
]);

/** Kept elsewhere, or without meaning here. */
const silent = new Set([
  'ModelRatio',
  'CompletionRatio',
  'ModelPrice',
  'CacheRatio',
  'CreateCacheRatio',
  'ImageRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'GroupRatio',
  'UserUsableGroups',
  'AudioTokenJson',
  'ExtraTokenPriceJson',
  'OldTokenMaxId',
  'OidcWellKnown',
  'oidc.well_known',
  'Chats',
  'monitor_setting.auto_test_channel_enabled',
  'monitor_setting.auto_test_channel_minutes',
  'ModelRequestRateLimitEnabled',
  'ModelRequestRateLimitCount',
  'ModelRequestRateLimitDurationMinutes',
  'ModelRequestRateLimitGroup',
  'GitHubOldIdCloseEnabled',
  'billing_setting.billing_mode',
  'billing_setting.billing_expr',
  'PayAddress',
  'EpayId',
  'EpayKey',
  'PayMethods',
  'StripeApiSecret',
  'StripeWebhookSecret',
  'passkey.rp_id',
]);

/** Our settings by the names of one-api and new-api. */
const renamed: Record<string, SettingKey> = {
  OidcEnabled: 'OIDCAuthEnabled',
  OidcClientId: 'OIDCClientId',
  OidcClientSecret: 'OIDCClientSecret',
  'oidc.enabled': 'OIDCAuthEnabled',
  'oidc.client_id': 'OIDCClientId',
  'oidc.client_secret': 'OIDCClientSecret',
  TelegramBotName: 'TelegramBotName',
  TelegramBotToken: 'TelegramBotToken',
  TelegramOAuthEnabled: 'TelegramBotEnabled',
  WorkerUrl: 'CFWorkerImageUrl',
  WorkerValidKey: 'CFWorkerImageKey',
  AutomaticDisableKeywords: 'DisableChannelKeywords',
  Price: 'PaymentUSDRate',
  MinTopUp: 'PaymentMinAmount',
  'payment_setting.amount_discount': 'RechargeDiscount',
  MjNotifyEnabled: 'MjNotifyEnabled',
  ChatLink: 'ChatLink',
};

/** Old defaults that differ from ours, and count where no row was saved. */
const oldDefaults: Partial<Record<SettingKey, string>> = { RetryTimes: '0' };

export function readOptions(world: OldWorld): ArrivingOption[] {
  const { options, report, program } = world;
  const arriving = new Map<SettingKey, string>();
  for (const [name, text] of options) {
    const key = settingFor(name, world);
    if (key === undefined) {
      if (!silent.has(name)) report.remark('option_lost', name);
      continue;
    }
    if (parseSetting(key, text).success && unstorable(text, key) === undefined) arriving.set(key, text);
    else report.remark('option_lost', `${name}: not valid here`);
  }
  for (const [key, text] of derived(world))
    if (!arriving.has(key) && parseSetting(key, text).success) arriving.set(key, text);
  for (const [key, text] of Object.entries({
    ...oldDefaults,
    // Of done-hub it is the same as ours.
    ...(program !== 'done-hub' && { QuotaRemindThreshold: '1000' }),
  }) as [SettingKey, string][]) {
    if (arriving.has(key)) continue;
    arriving.set(key, text);
    report.remark('option_default', `${key}: ${text} (ours: ${settings[key].fallback})`);
  }
  return [...arriving].map(([key, text]) => ({ key, text, guarded: !harmless.has(key) }));
}

function settingFor(name: string, world: OldWorld): SettingKey | undefined {
  const isKnown = shared.has(name) || (isHubLine(world) && ofHubLine.has(name));
  if (isKnown && isSettingKey(name)) return name;
  if (isHubLine(world)) return undefined;
  return renamed[name];
}

/** Settings that are spread over several old ones. */
function derived(world: OldWorld): [SettingKey, string][] {
  const { options } = world;
  const found: [SettingKey, string][] = [];
  const issuer = issuerOf(world);
  if (issuer !== '') found.push(['OIDCIssuer', issuer]);
  if (!isHubLine(world) && options.get('LarkClientId')) found.push(['LarkAuthEnabled', 'true']);
  const minutes = Number(options.get('monitor_setting.auto_test_channel_minutes') ?? 10);
  if (options.get('monitor_setting.auto_test_channel_enabled') === 'true')
    found.push(['ChannelTestFrequency', String(Math.max(1, Math.round(minutes)))]);
  const chats = listOf(options.get('Chats'));
  if (chats.length > 0) found.push(['ChatLinks', JSON.stringify(chats)]);
  return found;
}

/** New-api's chat clients: an array of `{name: address}`. */
function listOf(text: string | undefined): { name: string; url: string; show: boolean; sort: number }[] {
  const parsed = mapIn(`{"list":${text ?? 'null'}}`)?.['list'];
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((entry: unknown, i) =>
    Object.entries(typeof entry === 'object' && entry !== null ? entry : {}).flatMap(([name, url]) =>
      typeof url === 'string'
        ? { name, url: url.replaceAll('{address}', '{server}'), show: true, sort: parsed.length - i }
        : [],
    ),
  );
}
