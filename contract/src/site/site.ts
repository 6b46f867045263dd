import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';

/** What every page needs to know about this site. Names, capitals included, are those of the product family. */
export const siteInfo = z.object({
  version: z.string(),
  start_time: z.int(),
  system_name: z.string(),
  logo: z.string(),
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
  /** Where people sign in who do so with GitHub; the next one likewise for Lark. */
  github_address: z.string(),
  lark_address: z.string(),
  oidc_auth: z.boolean(),
  lark_login: z.boolean(),
  lark_client_id: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  /** Where the widget comes from. */
  turnstile_address: z.string(),
  /** Whether people may make accounts, and with a password; whether passwords sign in. */
  register_enabled: z.boolean(),
  password_register: z.boolean(),
  password_login: z.boolean(),
  /** Whether the server can send mail: codes to sign in with, links to a new password. */
  mail: z.boolean(),
  telegram_bot: z.string(),
  mj_notify_enabled: z.boolean(),
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
