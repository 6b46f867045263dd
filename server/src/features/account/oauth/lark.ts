import * as z from 'zod/mini';
import { ensure } from '#errors.ts';
import { askJson, type IdentityProviderDeps, bearer, get, post } from './ask.ts';
import type { Identity } from '#features/account/identity/identity.ts';

const some = z.string().check(z.minLength(1));
/** Lark replies 200 to everything; only `code` 0 means success. */
const yes = { code: z.literal(0) };
const app = z.object({ ...yes, app_access_token: some });
const granted = z.object({ ...yes, data: z.object({ access_token: some }) });
const profile = z.object({
  ...yes,
  data: z.object({
    open_id: some,
    name: z.nullish(z.string()),
    en_name: z.nullish(z.string()),
    avatar_url: z.nullish(z.string()),
    enterprise_email: z.nullish(z.string()),
  }),
});

/**
 * Exchanges a Lark code for an identity. Throws `oauth.refused`, `oauth.unreachable`.
 * https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/authen-v1/oidc-access_token/create
 */
export async function identifyByLark(asking: IdentityProviderDeps, code: string): Promise<Identity> {
  const { LarkClientId: app_id, LarkClientSecret: app_secret } = asking.live.settings;
  const api = `${asking.live.settings.LarkAddress}/open-apis`;
  const callLark = <T>(schema: z.ZodMiniType<T>, path: string, request: ReturnType<typeof get>) =>
    askJson(asking, 'lark', schema, [api + path, request]);
  const own = await callLark(app, '/auth/v3/app_access_token/internal/', post({ app_id, app_secret }));
  const { data: grant } = await callLark(
    granted,
    '/authen/v1/oidc/access_token',
    post({ grant_type: 'authorization_code', code }, bearer(own.app_access_token)),
  );
  const { data: user } = await callLark(profile, '/authen/v1/user_info', get(bearer(grant.access_token)));
  ensure(user.open_id.trim() !== '', 'oauth.refused', { provider: 'lark' });
  const name = user.name || user.en_name || '';
  return {
    provider: 'lark',
    issuer: '',
    subject: user.open_id,
    name: name || user.open_id,
    username: '',
    displayName: name,
    // Assigned by the company; the other address is unverified user input.
    email: user.enterprise_email ?? '',
    avatarUrl: user.avatar_url ?? '',
  };
}
