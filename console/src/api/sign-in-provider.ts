import { oauthApi, type IdentityProvider, type SiteInfo } from '@relay-hub/contract';
import { call } from './call.ts';
import { hubAddress } from './site.ts';
import { storage } from './storage.ts';

/** Providers whose sign-in is a redirect away from this site. */
export type RedirectProvider = 'github' | 'lark' | 'oidc';

/** Which sign-in providers this site offers. */
export const offeredProviders = (
  site: SiteInfo | undefined,
): Record<Exclude<IdentityProvider, 'telegram'>, boolean> => ({
  github: site !== undefined && site.github_oauth && site.github_client_id !== '',
  oidc: site?.oidc_auth ?? false,
  lark: site !== undefined && site.lark_login && site.lark_client_id !== '',
  wechat: site?.wechat_login ?? false,
});

/**
 * Goes to a provider's sign-in page. It returns to bind the account if there is a session, and to sign in otherwise.
 */
export async function goToProvider(provider: RedirectProvider, site: SiteInfo): Promise<void> {
  location.assign(await authorizeUrl(provider, site));
}

/** Address of a provider's sign-in page; its `state` ties the return to this browser. */
export async function authorizeUrl(provider: RedirectProvider, site: SiteInfo): Promise<string> {
  if (provider === 'oidc') return call(oauthApi.endpoint);
  const state = await call(oauthApi.state, { query: { provider } });
  if (provider === 'github') {
    const query = new URLSearchParams({ client_id: site.github_client_id, state, scope: 'user:email' });
    return `${site.github_address || 'https://github.com'}/login/oauth/authorize?${query}`;
  }
  const redirect_uri = `${hubAddress}/oauth/lark`;
  const query = new URLSearchParams({ app_id: site.lark_client_id, redirect_uri, state });
  return `${site.lark_address || 'https://open.feishu.cn'}/open-apis/authen/v1/authorize?${query}`;
}

/** Referral code of the inviter, stored by the register page. */
export const referralCode = (): string | undefined => storage.get('aff') || undefined;
