import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { clearCookie, type Cookie, cookieIn, setCookie } from '#http/session/cookies.ts';
import type { Viewer } from '#http/session/session.ts';
import { fingerprint, randomText } from '#secrets.ts';

const LIFETIME_S = 600;
/** How often a state may be retried while the provider does not respond. */
const MOST_TRIES = 3;

type OauthProvider = 'github' | 'lark' | 'oidc';

interface OauthVisit {
  request: FastifyRequest;
  reply: FastifyReply;
  viewer: Viewer | undefined;
}

/** Values that verify the callback. */
export interface CallbackSecrets {
  issuer?: string;
  redirectUri?: string;
  nonce?: string;
  verifier?: string;
}

/** One cookie per sign-in, so that two tabs do not interfere and no value is overwritten. */
const cookieOf = (state: string): Cookie => ({
  name: `oauth_${state.slice(0, 8)}`,
  // Of the routes that read it.
  path: '/api/oauth',
  lifetimeS: LIFETIME_S,
  sameSite: 'Strict',
});

/**
 * Starts a redirect to a provider. The state is valid once, for ten minutes, and only for the same browser and session.
 * `provider` is undefined for clients that do not say whether it is GitHub or Lark.
 */
export async function begin(
  { request, reply, viewer }: OauthVisit,
  { db, now, config, secrets }: Deps,
  provider: OauthProvider | undefined,
  kept: CallbackSecrets = {},
): Promise<string> {
  await db.deleteFrom('oauth_states').where('expires_time', '<=', now()).execute();
  const state = randomText(32);
  const browser = randomBytes(32).toString('base64url');
  await db
    .insertInto('oauth_states')
    .values({
      state_hash: fingerprint(state),
      provider: provider ?? '',
      browser_hash: fingerprint(browser),
      user_id: viewer?.id ?? null,
      kept: secrets.encrypt(JSON.stringify(kept)),
      expires_time: now() + LIFETIME_S,
    })
    .execute();
  setCookie(browser, cookieOf(state), { request, reply }, { config });
  return state;
}

/**
 * Completes the sign-in that a state belongs to and runs `work`. The state is consumed, and restored only when the
 * provider did not respond. Throws `oauth.state` for a state that is unknown, used, expired, or of another browser,
 * account or provider.
 */
export async function comeBack<T>(
  { request, reply, viewer }: OauthVisit,
  { db, now, secrets }: Deps,
  { provider, state }: { provider: OauthProvider; state: string },
  work: (kept: CallbackSecrets) => Promise<T>,
): Promise<T> {
  const browser = cookieIn(request, cookieOf(state));
  ensure(browser !== undefined, 'oauth.state');
  const row = await db
    .deleteFrom('oauth_states')
    .where('state_hash', '=', fingerprint(state))
    // Without a match on the browser, a third party could consume the state.
    .where('browser_hash', '=', fingerprint(browser))
    .returningAll()
    .executeTakeFirst();
  const isFor = row && (row.provider === provider || (row.provider === '' && provider !== 'oidc'));
  ensure(isFor && row.expires_time > now() && row.user_id === (viewer?.id ?? null), 'oauth.state');
  try {
    const done = await work(JSON.parse(secrets.decrypt(row.kept)) as CallbackSecrets); // only `begin` writes this column
    clearCookie(cookieOf(state), { request, reply });
    return done;
  } catch (error) {
    const again = error instanceof AppError && error.code === 'oauth.unreachable' && row.tries + 1 < MOST_TRIES;
    if (again)
      await db
        .insertInto('oauth_states')
        .values({ ...row, tries: row.tries + 1 })
        .execute();
    throw error;
  }
}
