import { siteApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { productVersion, version } from '#version.ts';
import { chatLinksAt } from './chat-links.ts';

/** Clients of the family show an icon by its address; here it may also be the name of a mark of the console. */
const iconAddress = (icon: string, basePath: string): string =>
  /^[a-z0-9]+$/.test(icon) ? `${basePath}/icons/${icon}.svg` : icon;

export function siteRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live } = deps;

  serve(app, deps, siteApi.status, async () => {
    const { settings } = live;
    return {
      version,
      product_version: productVersion,
      start_time: deps.startedTime,
      system_name: settings.SystemName,
      logo: settings.Logo,
      favicon: settings.Favicon,
      footer_html: settings.Footer,
      server_address: settings.ServerAddress,
      language: settings.Language,
      quota_per_unit: settings.QuotaPerUnit,
      display_in_currency: settings.DisplayInCurrencyEnabled,
      chat_link: settings.ChatLink,
      chat_links: JSON.stringify(chatLinksAt(settings.ChatLinks ?? [], settings.ChatLink)),
      top_up_link: settings.TopUpLink,
      PaymentUSDRate: settings.PaymentUSDRate,
      PaymentMinAmount: settings.PaymentMinAmount,
      RechargeDiscount: JSON.stringify(settings.RechargeDiscount),
      email_verification: settings.EmailVerificationEnabled,
      github_oauth: settings.GitHubOAuthEnabled,
      github_client_id: settings.GitHubClientId,
      github_address: settings.GitHubAddress,
      lark_address: settings.LarkAddress,
      oidc_auth: settings.OIDCAuthEnabled,
      lark_login: settings.LarkAuthEnabled,
      lark_client_id: settings.LarkClientId,
      wechat_login: settings.WeChatAuthEnabled,
      wechat_qrcode: settings.WeChatAccountQRCodeImageURL,
      turnstile_check: settings.TurnstileCheckEnabled,
      turnstile_site_key: settings.TurnstileSiteKey,
      turnstile_address: settings.TurnstileAddress,
      register_enabled: settings.RegisterEnabled,
      password_register: settings.PasswordRegisterEnabled,
      teams_by_users: settings.TeamsByUsers,
      password_login: settings.PasswordLoginEnabled,
      mail: deps.mailer.isSetUp(),
      telegram_bot: settings.TelegramBotEnabled ? settings.TelegramBotName : '',
      mj_notify_enabled: settings.MjNotifyEnabled,
      status_page: settings.StatusPageEnabled,
      reply_cache: settings.ReplyCacheEnabled,
      success_rate_fine: settings.SuccessRateFine,
      success_rate_poor: settings.SuccessRatePoor,
    };
  });

  serve(app, deps, siteApi.notice, async () => live.settings.Notice);
  serve(app, deps, siteApi.about, async () => live.settings.About);
  serve(app, deps, siteApi.home, async () => live.settings.HomePageContent);

  const owners = () => db.selectFrom('model_owners').selectAll().orderBy('id').execute();
  serve(app, deps, siteApi.owners, owners);
  serve(app, deps, siteApi.ownerMap, async () =>
    Object.fromEntries(
      (await owners()).map((owner) => [owner.id, { ...owner, icon: iconAddress(owner.icon, deps.config.basePath) }]),
    ),
  );
}
