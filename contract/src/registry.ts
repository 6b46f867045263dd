import * as z from 'zod/mini';
import { accessKeySchemas } from './account/access-key.ts';
import { oauthSchemas } from './account/oauth.ts';
import { passkeySchemas } from './account/passkey.ts';
import { profileSchemas } from './account/profile.ts';
import { totpSchemas, secondStepSchemas, proofSchemas } from './account/totp.ts';
import { registerSchemas } from './account/user-register.ts';
import {
  accessKeyApi,
  oauthApi,
  passkeyApi,
  profileApi,
  totpApi,
  secondStepApi,
  proofApi,
  registerApi,
} from './account/endpoints.ts';
import { activitySchemas } from './activity/activity.ts';
import { activityApi } from './activity/endpoints.ts';
import { analyticsSchemas } from './analytics/analytics.ts';
import { cockpitSchemas } from './analytics/cockpit.ts';
import { dashboardSchemas } from './analytics/dashboard.ts';
import { notificationApi } from './notification/endpoints.ts';
import { notificationSchemas } from './notification/notification.ts';
import { analyticsApi, cockpitApi, dashboardApi } from './analytics/endpoints.ts';
import { announcementSchemas } from './announcement/announcement.ts';
import { announcementApi } from './announcement/endpoints.ts';
import { auditSchemas } from './audit/audit.ts';
import { auditApi } from './audit/endpoints.ts';
import { backupSchemas } from './backup/backup.ts';
import { backupApi } from './backup/endpoints.ts';
import { blockSchemas } from './block/block.ts';
import { blockApi } from './block/endpoints.ts';
import { replyCacheApi } from './reply-cache/endpoints.ts';
import { replyCacheSchemas } from './reply-cache/reply-cache.ts';
import { booksSchemas } from './books/books.ts';
import { billSchemas } from './books/bill.ts';
import { billSourceSchemas } from './books/bill-source.ts';
import { billApi, billSourceApi, booksApi, usageExportApi, whatIfApi } from './books/endpoints.ts';
import { usageExportSchemas } from './books/usage-export.ts';
import { whatIfSchemas } from './books/what-if.ts';
import { channelBatchSchemas } from './channel/channel-batch.ts';
import { channelCheckSchemas } from './channel/channel-check.ts';
import { channelJobSchemas } from './channel/channel-job.ts';
import { channelKeySchemas } from './channel/channel-key.ts';
import { channelTagSchemas } from './channel/channel-tag.ts';
import { channelSchemas } from './channel/channel.ts';
import { purchasePriceSchemas } from './channel/purchase-price.ts';
import { routeSchemas } from './channel/route.ts';
import {
  channelBatchApi,
  channelCheckApi,
  channelJobApi,
  channelKeyApi,
  channelTagApi,
  channelApi,
  purchasePriceApi,
  routeApi,
} from './channel/endpoints.ts';
import { guardApi } from './guard/endpoints.ts';
import { guardSchemas } from './guard/guard.ts';
import { incidentApi, wayApi } from './incident/endpoints.ts';
import { incidentSchemas } from './incident/incident.ts';
import { waySchemas } from './incident/way.ts';
import { ledgerSchemas } from './ledger/ledger.ts';
import { statementSchemas } from './ledger/statement.ts';
import { ledgerApi, statementApi } from './ledger/endpoints.ts';
import { limitApi } from './limit/endpoints.ts';
import { limitSchemas } from './limit/limit.ts';
import { logArchiveSchemas, logCleanupSchemas } from './log/log-cleanup.ts';
import { logSchemas } from './log/log.ts';
import { logArchiveApi, logCleanupApi, logApi } from './log/endpoints.ts';
import { newApi } from './new-api/endpoints.ts';
import { newApiSchemas } from './new-api/new-api.ts';
import { planAdminApi, planApi } from './plan/endpoints.ts';
import { planAdminSchemas, planSchemas } from './plan/plan.ts';
import { paymentSchemas } from './payment/gateway.ts';
import { orderSchemas, ownOrderSchemas } from './payment/order.ts';
import { reconciliationSchemas } from './payment/reconciliation.ts';
import { orderApi, ownOrderApi, paymentApi, reconciliationApi } from './payment/endpoints.ts';
import { priceChangeSchemas } from './price/price-change.ts';
import { priceUpdateSchemas } from './price/price-update.ts';
import { priceSchemas } from './price/price.ts';
import { priceChangeApi, priceUpdateApi, priceApi } from './price/endpoints.ts';
import { redemptionSchemas } from './redemption/redemption.ts';
import { redemptionApi } from './redemption/endpoints.ts';
import { launchSchemas } from './site/launch.ts';
import { systemSchemas } from './site/system.ts';
import { modelOwnerSchemas } from './site/model-owner.ts';
import { optionSchemas } from './site/option.ts';
import { siteSchemas } from './site/site.ts';
import { launchApi, modelOwnerApi, optionApi, siteApi, systemApi } from './site/endpoints.ts';
import { statusPageApi } from './status-page/endpoints.ts';
import { statusPageSchemas } from './status-page/status-page.ts';
import { midjourneySchemas, taskSchemas } from './task/task.ts';
import { scimApi } from './scim/endpoints.ts';
import { scimSchemas } from './scim/scim.ts';
import { teamAdminApi, teamApi } from './team/endpoints.ts';
import { teamAdminSchemas, teamSchemas } from './team/team.ts';
import { midjourneyApi, taskApi } from './task/endpoints.ts';
import { botSchemas } from './telegram/telegram.ts';
import { botApi } from './telegram/endpoints.ts';
import { virtualModelApi } from './virtual-model/endpoints.ts';
import { virtualModelSchemas } from './virtual-model/virtual-model.ts';
import { tokenAdminSchemas } from './token/token-admin.ts';
import { tokenSchemas } from './token/token.ts';
import { tokenAdminApi, tokenApi } from './token/endpoints.ts';
import { userAdminSchemas } from './user/user-admin.ts';
import { userGroupSchemas } from './user/user-group.ts';
import { userSchemas } from './user/user.ts';
import { userAdminApi, userGroupApi, userApi } from './user/endpoints.ts';
import type { Audience, Endpoint, Method, SchemasByEndpoint } from './endpoint.ts';

/** An endpoint with all the server needs to mount and document it; absent schemas are `z.undefined()`. */
export interface DeclaredEndpoint {
  /** `operationId` of the API reference: the noun and the endpoint's name, such as `tokenList`. Clients rely on it. */
  name: string;
  noun: string;
  method: Method;
  path: string;
  audience: Audience;
  summary: string;
  params: z.ZodMiniType;
  query: z.ZodMiniType;
  body: z.ZodMiniType;
  reply: z.ZodMiniType;
  changes: boolean;
  file: string | undefined;
}

const nothing = z.undefined();
const registry = new Map<Endpoint, DeclaredEndpoint>();

/** Joins endpoints with their schemas, for `declarationOf`, under names that start with the noun; returns the endpoints. */
export function register<S extends SchemasByEndpoint>(
  noun: string,
  endpoints: { readonly [K in keyof S]: Endpoint<S[K]> },
  schemas: S,
): { readonly [K in keyof S]: Endpoint<S[K]> } {
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    const { audience, summary, changes, file, ...declared } = schemas[name]!; // the types give both the same keys
    registry.set(endpoint, {
      noun,
      name: `${noun}${name[0]!.toUpperCase()}${name.slice(1)}`, // names are not empty
      method: endpoint.method,
      path: endpoint.path,
      audience,
      summary,
      params: declared.params ?? nothing,
      query: declared.query ?? nothing,
      body: declared.body ?? nothing,
      reply: declared.reply ?? nothing,
      changes: changes ?? endpoint.method !== 'GET',
      file,
    });
  }
  return endpoints;
}

/** The schemas of an endpoint. Throws for one that is not registered. */
export function declarationOf(endpoint: Endpoint): DeclaredEndpoint {
  const declared = registry.get(endpoint);
  if (!declared) throw new Error(`${endpoint.method} ${endpoint.path} is not in the registry of the contract`);
  return declared;
}

register('accessKey', accessKeyApi, accessKeySchemas);
register('activity', activityApi, activitySchemas);
register('analytics', analyticsApi, analyticsSchemas);
register('announcement', announcementApi, announcementSchemas);
register('audit', auditApi, auditSchemas);
register('backup', backupApi, backupSchemas);
register('block', blockApi, blockSchemas);
register('books', booksApi, booksSchemas);
register('bill', billApi, billSchemas);
register('billSource', billSourceApi, billSourceSchemas);
register('usageExport', usageExportApi, usageExportSchemas);
register('whatIf', whatIfApi, whatIfSchemas);
register('replyCache', replyCacheApi, replyCacheSchemas);
register('bot', botApi, botSchemas);
register('channel', channelApi, channelSchemas);
register('channelBatch', channelBatchApi, channelBatchSchemas);
register('channelCheck', channelCheckApi, channelCheckSchemas);
register('channelJob', channelJobApi, channelJobSchemas);
register('channelKey', channelKeyApi, channelKeySchemas);
register('channelTag', channelTagApi, channelTagSchemas);
register('purchasePrice', purchasePriceApi, purchasePriceSchemas);
register('dashboard', dashboardApi, dashboardSchemas);
register('cockpit', cockpitApi, cockpitSchemas);
register('notification', notificationApi, notificationSchemas);
register('guard', guardApi, guardSchemas);
register('incident', incidentApi, incidentSchemas);
register('launch', launchApi, launchSchemas);
register('system', systemApi, systemSchemas);
register('ledger', ledgerApi, ledgerSchemas);
register('statement', statementApi, statementSchemas);
register('log', logApi, logSchemas);
register('logCleanup', logCleanupApi, logCleanupSchemas);
register('logArchive', logArchiveApi, logArchiveSchemas);
register('midjourney', midjourneyApi, midjourneySchemas);
register('modelOwner', modelOwnerApi, modelOwnerSchemas);
register('newApi', newApi, newApiSchemas);
register('oauth', oauthApi, oauthSchemas);
register('option', optionApi, optionSchemas);
register('order', orderApi, orderSchemas);
register('ownOrder', ownOrderApi, ownOrderSchemas);
register('passkey', passkeyApi, passkeySchemas);
register('payment', paymentApi, paymentSchemas);
register('price', priceApi, priceSchemas);
register('priceChange', priceChangeApi, priceChangeSchemas);
register('priceUpdate', priceUpdateApi, priceUpdateSchemas);
register('profile', profileApi, profileSchemas);
register('proof', proofApi, proofSchemas);
register('reconciliation', reconciliationApi, reconciliationSchemas);
register('limit', limitApi, limitSchemas);
register('plan', planApi, planSchemas);
register('planAdmin', planAdminApi, planAdminSchemas);
register('redemption', redemptionApi, redemptionSchemas);
register('account', registerApi, registerSchemas);
register('route', routeApi, routeSchemas);
register('secondStep', secondStepApi, secondStepSchemas);
register('site', siteApi, siteSchemas);
register('statusPage', statusPageApi, statusPageSchemas);
register('task', taskApi, taskSchemas);
register('scim', scimApi, scimSchemas);
register('team', teamApi, teamSchemas);
register('teamAdmin', teamAdminApi, teamAdminSchemas);
register('token', tokenApi, tokenSchemas);
register('tokenAdmin', tokenAdminApi, tokenAdminSchemas);
register('totp', totpApi, totpSchemas);
register('user', userAdminApi, userAdminSchemas);
register('user', userApi, userSchemas);
register('userGroup', userGroupApi, userGroupSchemas);
register('virtualModel', virtualModelApi, virtualModelSchemas);
register('way', wayApi, waySchemas);

/** Every endpoint of the management API. */
export const allEndpoints: readonly DeclaredEndpoint[] = [...registry.values()];
