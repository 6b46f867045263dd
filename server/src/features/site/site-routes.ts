import { siteApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { version } from '#version.ts';

export function siteRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live } = deps;

  serve(app, deps, siteApi.status, async () => {
    const { settings } = live;
    return {
      version,
      start_time: deps.startedTime,
      system_name: settings.SystemName,
      logo: settings.Logo,
      footer_html: settings.Footer,
      server_address: settings.ServerAddress,
      language: settings.Language,
      quota_per_unit: settings.QuotaPerUnit,
      display_in_currency: settings.DisplayInCurrencyEnabled,
      chat_link: settings.ChatLink,
      chat_links: JSON.stringify(settings.ChatLinks ?? []),
      top_up_link: settings.TopUpLink,
      PaymentUSDRate: settings.PaymentUSDRate,
      PaymentMinAmount: settings.PaymentMinAmount,
      RechargeDiscount: '',
      // Ways to sign in that this server does not offer yet are told as off.
      email_verification: false,
      github_oauth: false,
      github_client_id: '',
      oidc_auth: false,
      lark_login: false,
      lark_client_id: '',
      wechat_login: false,
      wechat_qrcode: '',
      turnstile_check: false,
      turnstile_site_key: '',
      telegram_bot: '',
      mj_notify_enabled: false,
    };
  });

  serve(app, deps, siteApi.notice, async () => live.settings.Notice);
  serve(app, deps, siteApi.about, async () => live.settings.About);
  serve(app, deps, siteApi.home, async () => live.settings.HomePageContent);

  const owners = () => db.selectFrom('model_owners').selectAll().orderBy('id').execute();
  serve(app, deps, siteApi.owners, owners);
  serve(app, deps, siteApi.ownerMap, async () =>
    Object.fromEntries((await owners()).map((owner) => [owner.id, owner])),
  );
}
