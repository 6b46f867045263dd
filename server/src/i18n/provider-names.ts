import type { IdentityProvider, Language } from '@relay-hub/contract';
import { serverTexts } from './texts.ts';

const names: Record<IdentityProvider, string> = {
  github: 'GitHub',
  oidc: 'OpenID Connect',
  lark: 'Lark',
  wechat: 'WeChat',
  telegram: 'Telegram',
};

/** Name of an identity provider in a language; other values are returned unchanged. */
export const providerName = (provider: string, language: Language): string =>
  ({ ...names, ...serverTexts(language).providers } as Record<string, string | undefined>)[provider] ?? provider;
