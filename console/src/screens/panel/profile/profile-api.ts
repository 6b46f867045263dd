import { oauthApi, profileApi, type AccessTokenScope, type IdentityProvider } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';

/** The cards show their own failures. */
const quiet = { meta: { quiet: true } };

export const securityQuery = queryOptions({ ...apiQuery(profileApi.security), ...quiet });
export const identitiesQuery = queryOptions({ ...apiQuery(oauthApi.identities), ...quiet });
export const sessionsQuery = queryOptions({ ...apiQuery(profileApi.sessions), ...quiet });

export const makeAccessToken = (): Promise<string> => call(profileApi.makeAccessToken);
export const removeAccessToken = () => call(profileApi.removeAccessToken);
export const setAccessTokenScope = (scope: AccessTokenScope) =>
  call(profileApi.setAccessTokenScope, { body: { scope } });
export const loadWebhookSecret = async (): Promise<string> => (await call(profileApi.webhookSecret)).secret;
export const endSession = (id: string) => call(profileApi.endSession, { params: { id } });
export const endOtherSessions = () => call(profileApi.endOtherSessions);
export const unbind = (provider: IdentityProvider) => call(oauthApi.unbind, { params: { provider } });
