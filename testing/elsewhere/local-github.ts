import { randomBytes } from 'node:crypto';
import { type LocalSite, startSite } from './local-site.ts';

export interface GitHubUser {
  id: number;
  login: string;
  name?: string | null;
  avatar_url?: string;
  emails?: { email: string; primary: boolean; verified: boolean }[];
}

export interface LocalGitHub extends LocalSite {
  clientId: string;
  clientSecret: string;
  /** The signed-in user, who grants every request; may be changed. */
  user: GitHubUser;
  /** The granted scope, which an app's owner may restrict. */
  scope: string;
  /** A code for the callback. */
  code(): string;
}

/** A simulated GitHub for OAuth sign-in: https://docs.github.com/apps/oauth-apps. */
export async function startGitHub(callback: () => string): Promise<LocalGitHub> {
  const codes = new Map<string, GitHubUser>();
  const tokens = new Map<string, GitHubUser>();
  const one = (kept: Map<string, GitHubUser>, user: GitHubUser): string => {
    const value = randomBytes(10).toString('hex');
    kept.set(value, user);
    return value;
  };

  const site = await startSite(({ method, path, query, headers, body }) => {
    if (path === '/login/oauth/authorize') {
      const back = new URLSearchParams({ code: github.code(), state: query.get('state') ?? '' });
      return { status: 302, headers: { location: `${callback()}?${back.toString()}` } };
    }
    if (path === '/login/oauth/access_token' && method === 'POST') {
      // GitHub replies with a form unless asked for JSON.
      if (headers.accept !== 'application/json') return { headers: { 'content-type': 'text/plain' }, body: 'a form' };
      const user = codes.get(String(body['code']));
      codes.delete(String(body['code']));
      const isClient = body['client_id'] === github.clientId && body['client_secret'] === github.clientSecret;
      // GitHub's errors have status 200.
      if (!isClient) return { body: { error: 'incorrect_client_credentials' } };
      if (!user) return { body: { error: 'bad_verification_code' } };
      return { body: { access_token: one(tokens, user), token_type: 'bearer', scope: github.scope } };
    }
    const user = tokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '');
    if (!path.startsWith('/user')) return undefined;
    if (!user) return { status: 401, body: { message: 'Bad credentials' } };
    if (path === '/user') {
      const { emails: _, ...profile } = user;
      return { body: { name: null, avatar_url: '', email: null, ...profile } };
    }
    if (path !== '/user/emails') return undefined;
    return github.scope.includes('user:email')
      ? { body: user.emails ?? [] }
      : { status: 404, body: { message: 'Not Found' } };
  });
  const github: LocalGitHub = Object.assign(site, {
    clientId: 'Iv1.local',
    clientSecret: 'a-secret-of-github',
    user: { id: 1, login: 'octocat' },
    scope: 'user:email',
    code: () => one(codes, github.user),
  });
  return github;
}
