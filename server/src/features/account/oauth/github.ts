import * as z from 'zod/mini';
import { AppError } from '#errors.ts';
import { askJson, type IdentityProviderDeps, bearer, get, post } from './ask.ts';
import type { Identity } from '#features/account/identity/identity.ts';

const some = z.string().check(z.minLength(1));
const granted = z.object({ access_token: some, scope: z.nullish(z.string()) });
const profile = z.object({
  id: z.int().check(z.gte(1)),
  login: some,
  name: z.nullish(z.string()),
  avatar_url: z.nullish(z.string()),
});
const addresses = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/**
 * Exchanges a GitHub code for an identity. The subject is the numeric id, because user names can be released and
 * reused.
 * Throws `oauth.refused`, `oauth.unreachable`. https://docs.github.com/apps/oauth-apps
 */
export async function identifyByGitHub(asking: IdentityProviderDeps, code: string): Promise<Identity> {
  const { settings } = asking.live;
  const { GitHubClientId: client_id, GitHubClientSecret: client_secret, GitHubApiAddress: api } = settings;
  const { access_token: token, scope } = await askJson(asking, 'github', granted, [
    `${settings.GitHubAddress}/login/oauth/access_token`,
    // GitHub replies with a form unless asked for JSON.
    post({ client_id, client_secret, code }, { accept: 'application/json' }),
  ]);
  const headers = { ...bearer(token), accept: 'application/vnd.github+json' };
  const user = await askJson(asking, 'github', profile, [`${api}/user`, get(headers)]);
  const mayReadEmail = (scope ?? '').split(/[\s,]+/).includes('user:email');
  return {
    provider: 'github',
    issuer: '',
    subject: String(user.id),
    name: user.login,
    username: user.login,
    displayName: user.name ?? '',
    email: mayReadEmail ? await verifiedEmail(asking, `${api}/user/emails`, headers) : '',
    avatarUrl: user.avatar_url ?? '',
  };
}

async function verifiedEmail(
  asking: IdentityProviderDeps,
  address: string,
  headers: Record<string, string>,
): Promise<string> {
  try {
    const list = await askJson(asking, 'github', addresses, [address, get(headers)]);
    return list.find(({ primary, verified }) => primary && verified)?.email ?? '';
  } catch (error) {
    // The e-mail address is optional: the subject is known already.
    if (error instanceof AppError) return '';
    throw error;
  }
}
