import type { SettingKey, Settings } from '#settings.ts';

/** A setting that depends on others: where `when` holds, each of `needs` must be set. */
interface Rule {
  key: SettingKey;
  when: (settings: Settings) => boolean;
  needs: SettingKey[];
}

const on = (key: SettingKey, ...needs: SettingKey[]): Rule => ({
  key,
  when: (settings) => settings[key] === true,
  needs,
});

const rules: Rule[] = [
  on('EmailVerificationEnabled', 'SMTPServer', 'SMTPAccount'),
  on('EmailDomainRestrictionEnabled', 'EmailDomainWhitelist'),
  on('GitHubOAuthEnabled', 'GitHubClientId', 'GitHubClientSecret'),
  on('OIDCAuthEnabled', 'OIDCClientId', 'OIDCClientSecret', 'OIDCIssuer'),
  on('LarkAuthEnabled', 'LarkClientId', 'LarkClientSecret'),
  on('WeChatAuthEnabled', 'WeChatServerAddress', 'WeChatServerToken'),
  on('TelegramBotEnabled', 'TelegramBotName', 'TelegramBotToken'),
  on('TurnstileCheckEnabled', 'TurnstileSiteKey', 'TurnstileSecretKey'),
  {
    key: 'TaskMediaStore',
    when: ({ TaskMediaStore }) => TaskMediaStore === 's3',
    needs: ['TaskMediaS3Endpoint', 'TaskMediaS3Bucket', 'TaskMediaS3AccessKey', 'TaskMediaS3SecretKey'],
  },
];

/** Alternative for an empty setting: mail is sent from the account or from the sender address. */
const insteadOf: Partial<Record<SettingKey, SettingKey>> = { SMTPAccount: 'SMTPFrom' };

const otherSignIns = ['GitHubOAuthEnabled', 'OIDCAuthEnabled', 'LarkAuthEnabled', 'WeChatAuthEnabled'] as const;

const isEmpty = (value: Settings[SettingKey]): boolean => value === '' || (Array.isArray(value) && value.length === 0);

/** Settings that a setting needs, and the field to report: the setting itself, or the field that was cleared. */
export interface Missing {
  field: SettingKey;
  key: SettingKey;
  needs: readonly SettingKey[];
  /** One of `needs` is enough. */
  any?: true;
}

/** The first rule between settings that a change breaks. Rules that the change does not touch are ignored. */
export function missingFor(settings: Settings, changed: ReadonlySet<string>): Missing | undefined {
  for (const { key, when, needs } of rules) {
    const touched = [key, ...needs, ...needs.map((name) => insteadOf[name] ?? name)];
    if (!when(settings) || !touched.some((name) => changed.has(name))) continue;
    const missing = needs.filter((name) => isEmpty(settings[name]) && isEmpty(settings[insteadOf[name] ?? name]));
    if (missing.length > 0) return { field: missing.find((name) => changed.has(name)) ?? key, key, needs: missing };
  }
  return lockedOut(settings, changed);
}

/** Pairs of settings of which the first may not be larger than the second. */
const ordered = [['SuccessRatePoor', 'SuccessRateFine']] as const satisfies (readonly [SettingKey, SettingKey])[];

/** The first changed setting that is beyond its counterpart. */
export function outOfOrder(
  settings: Settings,
  changed: ReadonlySet<string>,
): { field: SettingKey; low: SettingKey; high: SettingKey } | undefined {
  for (const [low, high] of ordered)
    if (settings[low] > settings[high] && (changed.has(low) || changed.has(high)))
      return { field: changed.has(low) ? low : high, low, high };
  return undefined;
}

/** With password sign-in off, another sign-in method must be on. */
function lockedOut(settings: Settings, changed: ReadonlySet<string>): Missing | undefined {
  const field = withoutPasswords(settings, changed);
  if (otherSignIns.some((name) => settings[name])) return undefined;
  return field && { field, key: 'PasswordLoginEnabled', needs: otherSignIns, any: true };
}

/** Which changed setting decides who can sign in while password sign-in is off; undefined for none. */
export function withoutPasswords(settings: Settings, changed: ReadonlySet<string>): SettingKey | undefined {
  if (settings.PasswordLoginEnabled) return undefined;
  return (['PasswordLoginEnabled', ...otherSignIns] as const).find((name) => changed.has(name));
}
