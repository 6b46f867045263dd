import { siteApi, type SiteInfo } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from './api-query.ts';
import { call } from './call.ts';
import { basePath } from '#base-path.ts';
import { isShaped, type Shape, storage } from './storage.ts';

const key = 'siteInfo';

/** The version that this console build expects from the server, as clients of the product family see it. */
export const consoleVersion = 'v0.14.8';

const defaultName = 'Relay Hub';

/** Site information; cached in local storage, so that pages look the same while the server is down. */
export const siteQuery = {
  ...apiQuery(siteApi.status),
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const info = await call(siteApi.status, { signal });
    remember(info);
    return info;
  },
  initialData: cachedSite,
  initialDataUpdatedAt: 0,
  staleTime: 5 * 60_000,
  // The root layout shows its failures.
  meta: { quiet: true },
};

/** Site information cached by an earlier visit. */
export function cachedSite(): SiteInfo | undefined {
  const cached = storage.getJson(key);
  return isShaped(cached, siteShape) ? cached : undefined;
}

const siteShape: Shape<SiteInfo> = {
  version: 'string',
  product_version: 'string',
  start_time: 'number',
  system_name: 'string',
  logo: 'string',
  favicon: 'string',
  footer_html: 'string',
  server_address: 'string',
  language: 'string',
  quota_per_unit: 'number',
  display_in_currency: 'boolean',
  chat_link: 'string',
  chat_links: 'string',
  top_up_link: 'string',
  email_verification: 'boolean',
  github_oauth: 'boolean',
  github_client_id: 'string',
  github_address: 'string',
  lark_address: 'string',
  oidc_auth: 'boolean',
  lark_login: 'boolean',
  lark_client_id: 'string',
  wechat_login: 'boolean',
  wechat_qrcode: 'string',
  turnstile_check: 'boolean',
  turnstile_site_key: 'string',
  turnstile_address: 'string',
  register_enabled: 'boolean',
  password_register: 'boolean',
  teams_by_users: 'boolean',
  password_login: 'boolean',
  mail: 'boolean',
  telegram_bot: 'string',
  mj_notify_enabled: 'boolean',
  status_page: 'boolean',
  reply_cache: 'boolean',
  success_rate_fine: 'number',
  success_rate_poor: 'number',
  PaymentUSDRate: 'number',
  PaymentMinAmount: 'number',
  RechargeDiscount: 'string',
};

function remember(info: SiteInfo): void {
  storage.set(key, JSON.stringify(info));
  storage.set('quota_per_unit', String(info.quota_per_unit));
  storage.set('display_in_currency', String(info.display_in_currency));
}

/** Site information; undefined only on a first visit until the server answers. */
export function useSite(): SiteInfo | undefined {
  return useQuery(siteQuery).data;
}

/** The site's name, or the product's until it is loaded. */
export function useSiteName(): string {
  return useSite()?.system_name || defaultName;
}

/** The address of this hub in the browser. */
export const hubAddress = `${globalThis.location?.origin}${basePath}`;

/** Base URL that API clients append `/v1` to. */
export function useServerAddress(): string {
  return useSite()?.server_address.replace(/\/+$/, '') || hubAddress;
}
