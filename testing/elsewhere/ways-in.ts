import { oauthApi, optionApi, type SessionUser } from '@relay-hub/contract';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { Browser } from '#testing/browser.ts';
import type { MakeDatabase } from '#testing/databases.ts';
import type { ApiAnswer, TestHub } from '#testing/hub.ts';
import { hubForSuite } from '#testing/hub.ts';
import { PASSWORD } from '#testing/people.ts';
import { type LocalGitHub, startGitHub } from './local-github.ts';

/** A hub that may reach this machine and change several settings at once. */
export interface OpenHub {
  (): TestHub;
  set(values: Record<string, string>): Promise<void>;
  browser(): Browser;
  signedIn(username: string): Promise<Browser>;
  /** Rows that the API does not return. */
  identities(): Promise<{ user_id: number; provider: string; issuer: string; subject: string; name: string }[]>;
}

export function openHubForSuite(make: MakeDatabase): OpenHub {
  const hub = hubForSuite(make, { OUTBOUND_PRIVATE: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' });
  return Object.assign(() => hub(), {
    set: (values: Record<string, string>) => hub().root.call(optionApi.setMany, { body: { values } }),
    browser: () => new Browser(hub().url),
    signedIn: async (username: string) => new Browser(hub().url).signIn(username, PASSWORD),
    identities: () =>
      hub()
        .server.deps.db.selectFrom('identities')
        .select(['user_id', 'provider', 'issuer', 'subject', 'name'])
        .orderBy('id')
        .execute(),
  });
}

/** A local GitHub enabled in the hub; each test starts with another GitHub user. */
export function gitHubForSuite(hub: OpenHub): () => LocalGitHub {
  let github: LocalGitHub;
  let last = 1000;
  beforeAll(async () => {
    github = await startGitHub(() => `${hub().url}/oauth/github`);
    await hub.set({
      GitHubAddress: github.url,
      GitHubApiAddress: github.url,
      GitHubClientId: github.clientId,
      GitHubClientSecret: github.clientSecret,
      GitHubOAuthEnabled: 'true',
      CriticalRateLimit: '1000',
    });
  });
  beforeEach(() => {
    const id = ++last;
    github.user = { id, login: `stranger${id}`, name: null };
    github.scope = 'user:email';
    github.failing = 0;
  });
  afterAll(async () => github?.close());
  return () => github;
}

/** Signs in at GitHub and returns, as the console does. */
export async function viaGitHub(
  browser: Browser,
  github: LocalGitHub,
  more: { aff?: string } = {},
): Promise<ApiAnswer<SessionUser | undefined>> {
  const state = await browser.call(oauthApi.state, { query: { provider: 'github' } });
  return browser.try(oauthApi.github, { query: { code: github.code(), state, ...more } });
}
