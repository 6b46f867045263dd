import type { Texts } from '#i18n/texts.ts';

export type SettingName = keyof Texts['settingNames'];
export type GroupName = keyof Texts['setting']['groups'];
export type SettingUnit = keyof Texts['setting']['units'];

export const settingTabs = ['operation', 'system', 'other'] as const;
export type SettingTab = (typeof settingTabs)[number];

export type Kind =
  | 'switch'
  | 'text'
  | 'number'
  | 'credits'
  | 'secret'
  | 'language'
  | 'choice'
  | 'lines'
  | 'json'
  | 'domains'
  | 'networks'
  | 'picture'
  | 'chat'
  | 'discounts'
  | 'teamGroups'
  | 'notice'
  | 'page'
  | 'footer';

export type Choice = keyof Texts['setting']['choices'];

export interface SettingField {
  key: SettingName;
  kind: Kind;
  unit?: SettingUnit;
  decimal?: true;
  min?: number;
  /** Values of the kind `choice`. */
  choices?: readonly Choice[];
  placeholder?: string;
  /** Read-only; its description says why. */
  fixed?: true;
}

export interface SettingGroup {
  id: GroupName;
  tab: SettingTab;
  fields: readonly SettingField[];
  /** Shown above the fields. */
  intro?: 'oidc';
  /** Shown below the fields. */
  extra?: 'cleanup' | 'replies' | 'mail' | 'update' | 'backup' | 'oidc' | 'scim' | 'usage';
  /** Callback path to register with the provider. */
  callback?: string;
}

const onOff = (key: SettingName): SettingField => ({ key, kind: 'switch' });
const text = (key: SettingName, placeholder?: string): SettingField => ({
  key,
  kind: 'text',
  ...(placeholder !== undefined && { placeholder }),
});
const secret = (key: SettingName): SettingField => ({ key, kind: 'secret' });
const credits = (key: SettingName): SettingField => ({ key, kind: 'credits', min: 0 });
const number = (key: SettingName, unit: SettingUnit, more: Partial<SettingField> = {}): SettingField => ({
  key,
  kind: 'number',
  unit,
  min: 0,
  ...more,
});
const json = (key: SettingName): SettingField => ({ key, kind: 'json' });

const networks = (key: SettingName): SettingField => ({ key, kind: 'networks' });

export const settingGroups: readonly SettingGroup[] = [
  {
    id: 'general',
    tab: 'operation',
    fields: [
      number('QuotaPerUnit', 'perDollar', { min: 1 }),
      onOff('DisplayInCurrencyEnabled'),
      onOff('ApproximateTokenEnabled'),
      onOff('ClaudeAPIEnabled'),
      onOff('GeminiAPIEnabled'),
      onOff('MjNotifyEnabled'),
      onOff('StatusPageEnabled'),
      text('StatusPageGroups', 'vip,partners'),
      onOff('FamilyMode'),
    ],
  },
  {
    id: 'retry',
    tab: 'operation',
    fields: [
      number('RetryTimes', 'times'),
      number('RetryCooldownSeconds', 'seconds'),
      number('RetryTimeOut', 'seconds'),
      { key: 'ChannelPreference', kind: 'choice', choices: ['weight', 'latency', 'cost'] },
      onOff('ProviderWishes'),
    ],
  },
  {
    id: 'monitor',
    tab: 'operation',
    fields: [
      onOff('AutomaticDisableChannelEnabled'),
      onOff('AutomaticEnableChannelEnabled'),
      number('ChannelDisableThreshold', 'seconds', { decimal: true }),
      number('ChannelTestFrequency', 'minutes'),
      number('SuccessRateFine', 'percent', { decimal: true }),
      number('SuccessRatePoor', 'percent', { decimal: true }),
      { key: 'DisableChannelKeywords', kind: 'lines' },
    ],
  },
  {
    id: 'quota',
    tab: 'operation',
    fields: [
      credits('QuotaForNewUser'),
      credits('PreConsumedQuota'),
      { key: 'StreamQuotaEnd', kind: 'choice', choices: ['length', 'error'] },
      { key: 'UnpricedTiers', kind: 'choice', choices: ['remove', 'refuse', 'pass'] },
      { key: 'UnpricedTools', kind: 'choice', choices: ['refuse', 'remove', 'pass'] },
      onOff('CostInReplies'),
      credits('QuotaForInviter'),
      credits('QuotaForInvitee'),
      number('InviterSharePercent', 'percent', { decimal: true }),
      number('InviterShareDays', 'days'),
      credits('QuotaRemindThreshold'),
    ],
  },
  {
    id: 'payment',
    tab: 'operation',
    fields: [
      number('PaymentUSDRate', 'perUsd', { decimal: true, min: 0.01 }),
      number('PaymentMinAmount', 'dollars', { min: 1 }),
      text('TopUpLink', 'https://'),
      { key: 'RechargeDiscount', kind: 'discounts' },
    ],
  },
  { id: 'ratios', tab: 'operation', fields: [json('GroupRatio'), json('DefaultPrice'), json('AudioTokenJson')] },
  { id: 'chat', tab: 'operation', fields: [text('ChatLink', 'https://'), { key: 'ChatLinks', kind: 'chat' }] },
  {
    id: 'pictures',
    tab: 'operation',
    fields: [
      text('ChatImageRequestProxy', 'socks5://proxy:1080'),
      text('CFWorkerImageUrl', 'https://'),
      secret('CFWorkerImageKey'),
      networks('ChatImagePrivateNetworks'),
    ],
  },
  {
    id: 'responses',
    tab: 'operation',
    fields: [number('ResponseStoreHours', 'hours', { min: 0 })],
  },
  {
    id: 'replyCache',
    tab: 'operation',
    fields: [
      onOff('ReplyCacheEnabled'),
      number('ReplyCacheMinutes', 'minutes', { min: 1 }),
      number('ReplyCachePercent', 'percent'),
      { key: 'ReplyCacheScope', kind: 'choice', choices: ['user', 'site'] },
      { key: 'ReplyCachePace', kind: 'choice', choices: ['once', 'original'] },
      number('ReplyCacheMiB', 'mib', { min: 1 }),
      number('ReplyCacheReplyKiB', 'kib', { min: 1 }),
    ],
    extra: 'replies',
  },
  {
    id: 'contentLog',
    tab: 'operation',
    fields: [
      { key: 'ContentLog', kind: 'choice', choices: ['none', 'tagged', 'all'] },
      text('ContentLogTag'),
      { key: 'ContentLogPatterns', kind: 'lines' },
      number('ContentLogDays', 'days', { min: 1 }),
      number('ContentLogKiB', 'kib', { min: 1 }),
    ],
  },
  { id: 'usageExport', tab: 'operation', fields: [], extra: 'usage' },
  {
    id: 'taskFiles',
    tab: 'operation',
    fields: [
      { key: 'TaskMediaStore', kind: 'choice', choices: ['off', 'disk', 's3'] },
      number('TaskMediaDiskGiB', 'gib', { min: 1 }),
      number('TaskMediaDays', 'days', { min: 1 }),
      number('TaskMediaLinkHours', 'hours', { min: 1 }),
      text('TaskMediaS3Endpoint', 'https://s3.us-east-1.amazonaws.com'),
      text('TaskMediaS3Region', 'us-east-1'),
      text('TaskMediaS3Bucket', 'relay-hub'),
      text('TaskMediaS3Prefix', 'tasks'),
      onOff('TaskMediaS3PathStyle'),
      text('TaskMediaS3AccessKey'),
      secret('TaskMediaS3SecretKey'),
      onOff('TaskNotifyEnabled'),
    ],
  },
  {
    id: 'log',
    tab: 'operation',
    fields: [
      { key: 'LogConsumeEnabled', kind: 'switch', fixed: true },
      number('LogKeepDays', 'days'),
      number('RefusedKeepDays', 'days'),
      number('LedgerFoldDays', 'days'),
      number('CleanupHour', 'oclock'),
      onOff('LogArchiveEnabled'),
      text('LogArchiveFolder', '/var/lib/relay-hub/archive'),
    ],
    extra: 'cleanup',
  },
  {
    id: 'backup',
    tab: 'operation',
    fields: [
      onOff('BackupEnabled'),
      number('BackupHour', 'oclock'),
      text('BackupFolder', '/var/backups/relay-hub'),
      number('BackupKeepCount', 'backups'),
      number('BackupKeepDays', 'days'),
      onOff('BackupMedia'),
      secret('BackupPassphrase'),
    ],
    extra: 'backup',
  },
  {
    id: 'address',
    tab: 'system',
    fields: [text('ServerAddress', 'https://hub.example.com'), networks('OutboundPrivateNetworks')],
  },
  {
    id: 'signIn',
    tab: 'system',
    fields: [
      onOff('PasswordLoginEnabled'),
      onOff('AdminTwoStepRequired'),
      onOff('RegisterEnabled'),
      onOff('PasswordRegisterEnabled'),
      onOff('TeamsByUsers'),
      onOff('ImportedUsersWait'),
      onOff('EmailVerificationEnabled'),
      onOff('EmailDomainRestrictionEnabled'),
      { key: 'EmailDomainWhitelist', kind: 'domains' },
    ],
  },
  {
    id: 'mail',
    tab: 'system',
    fields: [
      text('SMTPServer', 'smtp.example.com'),
      number('SMTPPort', 'none', { min: 1 }),
      text('SMTPAccount', 'hub@example.com'),
      text('SMTPFrom', 'Relay Hub <hub@example.com>'),
      secret('SMTPToken'),
    ],
    extra: 'mail',
  },
  {
    id: 'github',
    tab: 'system',
    fields: [
      onOff('GitHubOAuthEnabled'),
      text('GitHubClientId'),
      secret('GitHubClientSecret'),
      { key: 'GitHubOldIdCloseEnabled', kind: 'switch', fixed: true },
      text('GitHubAddress'),
      text('GitHubApiAddress'),
    ],
    callback: '/oauth/github',
  },
  {
    id: 'oidc',
    tab: 'system',
    fields: [
      onOff('OIDCAuthEnabled'),
      text('OIDCIssuer', 'https://id.example.com'),
      text('OIDCClientId'),
      secret('OIDCClientSecret'),
      text('OIDCScopes', 'openid,profile,email'),
      text('OIDCUsernameClaims', 'preferred_username'),
    ],
    callback: '/oauth/oidc',
    intro: 'oidc',
    extra: 'oidc',
  },
  {
    id: 'scim',
    tab: 'system',
    fields: [text('OIDCGroupsClaim', 'groups'), { key: 'TeamsOfGroups', kind: 'teamGroups' }],
    extra: 'scim',
  },
  {
    id: 'lark',
    tab: 'system',
    fields: [onOff('LarkAuthEnabled'), text('LarkClientId'), secret('LarkClientSecret'), text('LarkAddress')],
    callback: '/oauth/lark',
  },
  {
    id: 'wechat',
    tab: 'system',
    fields: [
      onOff('WeChatAuthEnabled'),
      text('WeChatServerAddress', 'https://'),
      secret('WeChatServerToken'),
      { key: 'WeChatAccountQRCodeImageURL', kind: 'picture', placeholder: 'https://' },
    ],
  },
  {
    id: 'telegram',
    tab: 'system',
    fields: [
      onOff('TelegramBotEnabled'),
      text('TelegramBotName', 'relay_hub_bot'),
      secret('TelegramBotToken'),
      secret('TelegramWebhookSecret'),
      text('TelegramApiAddress'),
      text('TelegramProxy', 'http://proxy:8080'),
    ],
  },
  {
    id: 'turnstile',
    tab: 'system',
    fields: [
      onOff('TurnstileCheckEnabled'),
      text('TurnstileSiteKey'),
      secret('TurnstileSecretKey'),
      text('TurnstileAddress'),
    ],
  },
  {
    id: 'limits',
    tab: 'system',
    fields: [
      number('GlobalApiRateLimit', 'per3', { min: 60 }),
      number('GlobalWebRateLimit', 'per3', { min: 60 }),
      number('CriticalRateLimit', 'per20', { min: 1 }),
    ],
  },
  {
    id: 'site',
    tab: 'other',
    fields: [
      text('SystemName'),
      { key: 'Logo', kind: 'picture', placeholder: 'https://' },
      { key: 'Favicon', kind: 'picture', placeholder: 'https://' },
      { key: 'Language', kind: 'language' },
    ],
  },
  {
    id: 'texts',
    tab: 'other',
    fields: [
      { key: 'Notice', kind: 'notice' },
      { key: 'HomePageContent', kind: 'page' },
      { key: 'About', kind: 'page' },
      { key: 'Footer', kind: 'footer' },
    ],
  },
  { id: 'update', tab: 'other', fields: [text('UpdateSource', 'https://')], extra: 'update' },
];

/** Fields whose control takes the full width, below its label. */
export const isWide = ({ kind }: SettingField): boolean =>
  ['lines', 'json', 'domains', 'networks', 'chat', 'discounts', 'teamGroups', 'notice', 'page', 'footer'].includes(
    kind,
  );

export const groupOf = (key: string): SettingGroup | undefined =>
  settingGroups.find(({ fields }) => fields.some((field) => field.key === key));
