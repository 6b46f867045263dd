import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger, FastifyInstance, FastifyServerFactory } from 'fastify';
import fastify, { LogController } from 'fastify';
import type { Deps } from './deps.ts';
import { activityRoutes } from './features/activity/activity-routes.ts';
import { analyticsRoutes } from './features/analytics/analytics-routes.ts';
import { announcementRoutes } from './features/announcement/announcement-routes.ts';
import { apiDocsRoutes } from './features/api-docs/api-docs-routes.ts';
import { auditRoutes } from './features/audit/audit-routes.ts';
import { backupRoutes } from './features/backup/backup-routes.ts';
import { blockRoutes } from './features/block/block-routes.ts';
import { refuseBlocked } from './features/block/refuse-blocked.ts';
import { replyCacheRoutes } from './features/reply-cache/reply-cache-routes.ts';
import { booksRoutes } from './features/books/books-routes.ts';
import { whatIfRoutes } from './features/what-if/what-if-routes.ts';
import { channelBatchRoutes } from '#features/channel/bulk/channel-batch-routes.ts';
import { channelCheckRoutes } from '#features/channel/checks/channel-check-routes.ts';
import { channelJobRoutes } from '#features/channel/checks/channel-job-routes.ts';
import { channelKeyRoutes } from '#features/channel/keys/channel-key-routes.ts';
import { purchasePriceRoutes } from '#features/channel/purchase-price-routes.ts';
import { channelRoutes } from './features/channel/channel-routes.ts';
import { knownModelsRoute } from '#features/channel/checks/known-models-route.ts';
import { cockpitRoutes } from './features/dashboard/cockpit-routes.ts';
import { dashboardRoutes } from './features/dashboard/dashboard-routes.ts';
import { guardRoutes } from './features/guard/guard-routes.ts';
import { incidentRoutes } from './features/incident/incident-routes.ts';
import { wayRoutes } from './features/incident/way-routes.ts';
import { launchRoutes } from './features/launch/launch-routes.ts';
import { systemRoutes } from './features/system/system-routes.ts';
import { ledgerRoutes, statementRoutes } from './features/ledger/ledger-routes.ts';
import { limitRoutes } from './features/limit/limit-routes.ts';
import { logCleanupRoutes } from './features/log/log-cleanup-routes.ts';
import { logRoutes } from './features/log/log-routes.ts';
import { modelOwnerRoutes } from './features/model-owner/model-owner-routes.ts';
import { newApiRoutes } from './features/new-api/new-api-routes.ts';
import { oauthRoutes } from '#features/account/oauth/oauth-routes.ts';
import { notificationRoutes } from './features/notification/notification-routes.ts';
import { optionRoutes } from './features/option/option-routes.ts';
import { noticeRoutes } from './features/order/notice-routes.ts';
import { orderRoutes } from './features/order/order-routes.ts';
import { ownOrderRoutes } from './features/order/own-order-routes.ts';
import { reconciliationRoutes } from './features/order/reconciliation-routes.ts';
import { passkeyRoutes } from '#features/account/passkey/passkey-routes.ts';
import { paymentRoutes } from './features/payment/payment-routes.ts';
import { planRoutes } from './features/plan/plan-routes.ts';
import { priceRoutes } from './features/price/price-routes.ts';
import { priceUpdateRoutes } from './features/price/price-update-routes.ts';
import { redemptionRoutes } from './features/redemption/redemption-routes.ts';
import { registerRoutes } from '#features/account/register/register-routes.ts';
import { routeRoutes } from './features/route/route-routes.ts';
import { secondFactorRoutes } from '#features/account/second-factor/second-factor-routes.ts';
import { iconRoutes } from './features/site/icon-routes.ts';
import { pictureRoutes } from './features/site/picture-routes.ts';
import { scimRoutes } from './features/scim/scim-routes.ts';
import { siteRoutes } from './features/site/site-routes.ts';
import { statusPageRoutes } from './features/status-page/status-page-routes.ts';
import { telegramRoutes } from '#features/account/telegram/telegram-routes.ts';
import { taskRoutes } from './features/task/task-routes.ts';
import { teamRoutes } from './features/team/team-routes.ts';
import { tokenAdminRoutes } from './features/token/token-admin-routes.ts';
import { tokenRoutes } from './features/token/token-routes.ts';
import { usageExportRoutes } from './features/usage-export/usage-export-routes.ts';
import { profileRoutes } from '#features/account/user/profile-routes.ts';
import { userAdminRoutes } from '#features/account/user/user-admin-routes.ts';
import { userRoutes } from '#features/account/user/user-routes.ts';
import { userGroupRoutes } from './features/user-group/user-group-routes.ts';
import { virtualModelRoutes } from './features/virtual-model/virtual-model-routes.ts';
import { keepCookiesBelow } from './http/base-path.ts';
import { errorRenderer } from './http/error-reply.ts';
import { answerMalformed } from './http/malformed-request.ts';
import { healthRoutes } from './http/health.ts';
import { acceptJson } from './http/json-body.ts';
import { modelInPath } from './http/model-in-path.ts';
import { packReplies } from '#http/console/pack-replies.ts';
import { limitRequests } from '#http/limits/request-rate.ts';
import { secureHeaders } from './http/security-headers.ts';
import { noteRoutes } from './http/serve.ts';
import { framedOrigins } from '#features/site/framed-origins.ts';
import { unknownRoute } from './http/unknown-route.ts';
import { serveConsole } from '#http/console/static-console.ts';
import { metricsRoutes } from './metrics/metrics-routes.ts';
import { newRequestId } from '#relay/reply/request-id.ts';

const BODY_LIMIT = 1024 * 1024;
const consoleFolder = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../console/dist');

/**
 * Fastify's schema compilers are replaced, because the contract validates requests (http/serve.ts). This keeps two JSON
 * schema compilers from being loaded.
 */
const noSchemas = () => (): never => {
  throw new Error('a route declares no JSON schema: the contract checks what comes in');
};

/** Routes that show roll-ups or sums of channels. */
const showsSums =
  /^\/api\/(?:activity|analytics|books\/bill|channel|channel_tag|dashboard(?!\/live)|ledger|log|status_page|user\/(?:dashboard|invoice|self\/(?:ledger|statement)))\b/;

/** The management API and the console. The caller listens: `serverFactory` puts the relay in front. */
export async function createApp(deps: Deps, serverFactory: FastifyServerFactory): Promise<FastifyInstance> {
  const renderError = errorRenderer(BODY_LIMIT, deps);
  // main.ts prints that the server listens; this logger only reports problems.
  const loggerInstance: FastifyBaseLogger = deps.log.child(
    {},
    { level: deps.log.level === 'silent' ? 'silent' : 'warn' },
  );
  const app = fastify({
    serverFactory,
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    genReqId: newRequestId,
    // Paths that cannot be decoded are refused before routing.
    frameworkErrors: (error, request, reply) => void renderError(error, request, reply),
    clientErrorHandler: (error, socket) => answerMalformed(error, socket, deps.connections),
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    rewriteUrl: ({ url = '/' }) => modelInPath(url),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
  });
  noteRoutes(app);
  acceptJson(app, deps.bodies, BODY_LIMIT);
  // As in the relay's responses. Errors are in the process log under this id.
  app.addHook('onRequest', async ({ id }, reply) => void reply.header('x-oneapi-request-id', id));
  secureHeaders(app, deps);
  keepCookiesBelow(app, deps.config.basePath);
  refuseBlocked(app, deps);
  limitRequests(app, deps);
  packReplies(app);
  app.setErrorHandler(renderError);

  // A charge may be waiting for the next batch; reads after a call must include it.
  app.addHook('onRequest', async ({ routeOptions: { url = '' } }) => {
    await deps.book.caughtUp();
    if (showsSums.test(url)) await deps.pendingSums.caughtUp();
  });

  healthRoutes(app, deps);
  metricsRoutes(app, deps);
  siteRoutes(app, deps);
  iconRoutes(app, deps, consoleFolder);
  pictureRoutes(app, deps);
  userRoutes(app, deps);
  registerRoutes(app, deps);
  oauthRoutes(app, deps);
  telegramRoutes(app, deps);
  profileRoutes(app, deps);
  secondFactorRoutes(app, deps);
  passkeyRoutes(app, deps);
  userAdminRoutes(app, deps);
  limitRoutes(app, deps);
  userGroupRoutes(app, deps);
  channelRoutes(app, deps);
  channelKeyRoutes(app, deps);
  purchasePriceRoutes(app, deps);
  channelBatchRoutes(app, deps);
  channelJobRoutes(app, deps);
  channelCheckRoutes(app, deps);
  knownModelsRoute(app, deps);
  teamRoutes(app, deps);
  await scimRoutes(app, deps);
  tokenRoutes(app, deps);
  tokenAdminRoutes(app, deps);
  newApiRoutes(app, deps);
  planRoutes(app, deps);
  priceRoutes(app, deps);
  priceUpdateRoutes(app, deps);
  taskRoutes(app, deps);
  redemptionRoutes(app, deps);
  paymentRoutes(app, deps);
  orderRoutes(app, deps);
  ownOrderRoutes(app, deps);
  reconciliationRoutes(app, deps);
  await noticeRoutes(app, deps);
  ledgerRoutes(app, deps);
  statementRoutes(app, deps);
  logRoutes(app, deps);
  notificationRoutes(app, deps);
  incidentRoutes(app, deps);
  wayRoutes(app, deps);
  routeRoutes(app, deps);
  logCleanupRoutes(app, deps);
  activityRoutes(app, deps);
  analyticsRoutes(app, deps);
  dashboardRoutes(app, deps);
  cockpitRoutes(app, deps);
  await announcementRoutes(app, deps);
  blockRoutes(app, deps);
  guardRoutes(app, deps);
  virtualModelRoutes(app, deps);
  statusPageRoutes(app, deps);
  booksRoutes(app, deps);
  usageExportRoutes(app, deps);
  whatIfRoutes(app, deps);
  replyCacheRoutes(app, deps);
  backupRoutes(app, deps);
  launchRoutes(app, deps);
  systemRoutes(app, deps);
  optionRoutes(app, deps);
  auditRoutes(app, deps);
  modelOwnerRoutes(app, deps);
  apiDocsRoutes(app, deps);
  for (const unknown of ['/api', '/api/*']) {
    app.all(unknown, async ({ method, url }) => {
      throw unknownRoute(method, url);
    });
  }
  serveConsole(app, deps, { folder: consoleFolder, framed: () => framedOrigins(deps.live.settings) });

  await app.ready();
  return app;
}
