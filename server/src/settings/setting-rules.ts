import type { SettingKey, Settings } from '#settings.ts';

/** A setting that only works with others: where `when` holds, every one of `needs` must be filled in. */
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
  on('OIDCAuthEnabled', 'OIDCClientId', 'OIDCClientSecret', 'OIDCIssuer', 'OIDCScopes', 'OIDCUsernameClaims'),
  on('LarkAuthEnabled', 'LarkClientId', 'LarkClientSecret'),
  on('WeChatAuthEnabled', 'WeChatServerAddress', 'WeChatServerToken'),
  on('TelegramBotEnabled', 'TelegramBotName', 'TelegramBotToken'),
  on('TurnstileCheckEnabled', 'TurnstileSiteKey', 'TurnstileSecretKey'),
];

/** What does as well where the other is empty: mail goes out under the one or the other. */
const insteadOf: Partial<Record<SettingKey, SettingKey>> = { SMTPAccount: 'SMTPFrom' };

const otherSignIns = ['GitHubOAuthEnabled', 'OIDCAuthEnabled', 'LarkAuthEnabled', 'WeChatAuthEnabled'] as const;

const isEmpty = (value: Settings[SettingKey]): boolean => value === '' || (Array.isArray(value) && value.length === 0);

/** What is missing for a setting, and where it is to be told: at the setting itself, or at what was emptied under it. */
export interface Missing {
  field: SettingKey;
  key: SettingKey;
  needs: readonly SettingKey[];
  /** One of several would do. */
  any?: true;
}

/** The first rule between settings that a change breaks; rules that it does not touch are left alone. */
export function missingFor(settings: Settings, changed: ReadonlySet<string>): Missing | undefined {
  for (const { key, when, needs } of rules) {
    const touched = [key, ...needs, ...needs.map((name) => insteadOf[name] ?? name)];
    if (!when(settings) || !touched.some((name) => changed.has(name))) continue;
    const missing = needs.filter((name) => isEmpty(settings[name]) && isEmpty(settings[insteadOf[name] ?? name]));
    if (missing.length > 0) return { field: missing.find((name) => changed.has(name)) ?? key, key, needs: missing };
  }
  return lockedOut(settings, changed);
}

/** Without passwords there must be another way in. */
function lockedOut(settings: Settings, changed: ReadonlySet<string>): Missing | undefined {
  const field = withoutPasswords(settings, changed);
  if (otherSignIns.some((name) => settings[name])) return undefined;
  return field && { field, key: 'PasswordLoginEnabled', needs: otherSignIns, any: true };
}

/** Which of the settings that were changed decides who gets in, while nobody does with a password; undefined for none. */
export function withoutPasswords(settings: Settings, changed: ReadonlySet<string>): SettingKey | undefined {
  if (settings.PasswordLoginEnabled) return undefined;
  return (['PasswordLoginEnabled', ...otherSignIns] as const).find((name) => changed.has(name));
}
