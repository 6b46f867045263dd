import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';

/** Site information for every page, with the field names of the product family. */
export const siteInfo = z.object({
  /** The version that clients of the product family compare with; the product's is below. */
  version: z.string(),
  product_version: z.string(),
  start_time: z.int(),
  system_name: z.string(),
  logo: z.string(),
  /** Icon of the browser's tab; empty: the built-in one. */
  favicon: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  language: z.string(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  chat_link: z.string(),
  /** JSON text: array of `{name, url, show, sort}`; placeholders `{key}` and `{server}`. */
  chat_links: z.string(),
  top_up_link: z.string(),
  email_verification: z.boolean(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  /** Base URLs of GitHub and Lark. */
  github_address: z.string(),
  lark_address: z.string(),
  oidc_auth: z.boolean(),
  lark_login: z.boolean(),
  lark_client_id: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  /** Origin of the Turnstile widget. */
  turnstile_address: z.string(),
  /** Whether registration, registration with a password, and sign-in with a password are allowed. */
  register_enabled: z.boolean(),
  password_register: z.boolean(),
  /** Everyone may create teams, not only administrators. */
  teams_by_users: z.boolean(),
  password_login: z.boolean(),
  /** Whether the server can send mail: sign-in codes and reset links. */
  mail: z.boolean(),
  telegram_bot: z.string(),
  mj_notify_enabled: z.boolean(),
  /** Whether there is a status page, for everyone or for some groups. */
  status_page: z.boolean(),
  /** Whether tokens can have their replies cached. */
  reply_cache: z.boolean(),
  /** Percentages of successful attempts: below the first is a warning, below the second an error. */
  success_rate_fine: z.number(),
  success_rate_poor: z.number(),
  PaymentUSDRate: z.number(),
  PaymentMinAmount: z.int(),
  RechargeDiscount: z.string(),
});
export type SiteInfo = z.infer<typeof siteInfo>;

export const modelOwner = z.object({ id: z.int(), name: z.string(), icon: z.string() });
export type ModelOwner = z.infer<typeof modelOwner>;

const markdown = (summary: string) => ({ audience: 'public', summary, reply: z.string() }) as const;

export const siteSchemas = {
  status: {
    audience: 'public',
    summary: 'Site information',
    reply: siteInfo,
  },
  notice: markdown('Announcement in Markdown; empty if none'),
  about: markdown('About page: Markdown, HTML or a URL; empty if unset'),
  home: markdown('Home page: Markdown, HTML or a URL; empty if unset'),
  owners: {
    audience: 'public',
    summary: 'List model owners',
    reply: z.array(modelOwner),
  },
  ownerMap: {
    audience: 'public',
    summary: 'Model owners by id',
    reply: z.record(z.string(), modelOwner),
  },
} as const satisfies SchemasByEndpoint;
