import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

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

const markdown = (path: string, summary: string) =>
  endpoint({ method: 'GET', path, audience: 'public', summary, reply: z.string() });

export const siteApi = {
  status: endpoint({
    method: 'GET',
    path: '/api/status',
    audience: 'public',
    summary: 'Site information',
    reply: siteInfo,
  }),
  notice: markdown('/api/notice', 'Announcement, markdown; empty when there is none'),
  about: markdown('/api/about', 'About page: markdown, HTML or an address; empty when unset'),
  home: markdown('/api/home_page_content', 'Home page: markdown, HTML or an address; empty when unset'),
  owners: endpoint({
    method: 'GET',
    path: '/api/model_ownedby/',
    audience: 'public',
    summary: 'Who makes the models, as a list',
    reply: z.array(modelOwner),
  }),
  ownerMap: endpoint({
    method: 'GET',
    path: '/api/ownedby',
    audience: 'public',
    summary: 'Who makes the models, by id',
    reply: z.record(z.string(), modelOwner),
  }),
};
