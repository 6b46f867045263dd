import * as z from 'zod/mini';
import { AppError } from '#errors.ts';
import { askJson, type Asking, bearer, get, post } from './ask.ts';
import type { Identity } from './identity.ts';

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
 * Who a code of GitHub stands for. The numeric id is the subject: names are given up and taken by others.
 * Throws `oauth.refused`, `oauth.unreachable`. https://docs.github.com/apps/oauth-apps
 */
export async function identifyByGitHub(asking: Asking, code: string): Promise<Identity> {
  const { settings } = asking.live;
  const { GitHubClientId: client_id, GitHubClientSecret: client_secret, GitHubApiAddress: api } = settings;
  const { access_token: token, scope } = await askJson(asking, 'github', granted, [
    `${settings.GitHubAddress}/login/oauth/access_token`,
    // It answers a form unless it is asked for JSON.
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

async function verifiedEmail(asking: Asking, address: string, headers: Record<string, string>): Promise<string> {
  try {
    const list = await askJson(asking, 'github', addresses, [address, get(headers)]);
    return list.find(({ primary, verified }) => primary && verified)?.email ?? '';
  } catch (error) {
    // Who it is, is known without.
    if (error instanceof AppError) return '';
    throw error;
  }
}
