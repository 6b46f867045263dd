import type { IdentityProvider, Language } from '@relay-hub/contract';

type Names = Record<IdentityProvider, string>;

const international: Names = {
  github: 'GitHub',
  oidc: 'OpenID Connect',
  lark: 'Lark',
  wechat: 'WeChat',
  telegram: 'Telegram',
};
const languages: Record<Language, Names> = {
  zh_CN: { ...international, lark: '飞书', wechat: '微信' },
  zh_HK: { ...international, lark: '飛書', wechat: '微信' },
  en_US: international,
  ja_JP: international,
};

/** Name of an identity provider in a language; other values are returned unchanged. */
export const providerName = (provider: string, language: Language): string =>
  (languages[language] as Record<string, string | undefined>)[provider] ?? provider;
