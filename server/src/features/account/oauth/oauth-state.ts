import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { isSecure } from '#http/client-ip.ts';
import type { Viewer } from '#http/session/session.ts';
import { fingerprint, randomText } from '#secrets.ts';

const LIFETIME_S = 600;
/** How often one may come back with the same state when the provider does not answer. */
const MOST_TRIES = 3;

type Provider = 'github' | 'lark' | 'oidc';

/** Whose browser it is that begins or comes back. */
interface Traveller {
  request: FastifyRequest;
  reply: FastifyReply;
  viewer: Viewer | undefined;
}

/** What the way back is checked with. */
export interface Kept {
  issuer?: string;
  redirectUri?: string;
  nonce?: string;
  verifier?: string;
}

/** Each journey has a cookie of its own: two tabs do not disturb each other, and no value is taken over. */
const cookieOf = (state: string): string => `oauth_${state.slice(0, 8)}`;

/**
 * Begins a journey to a provider: a state that only this browser can come back with, as the same somebody or nobody,
 * once, within ten minutes. `provider` is undefined for clients that do not say whether it is GitHub or Lark.
 */
export async function begin(
  { request, reply, viewer }: Traveller,
  { db, now, config, secrets }: Deps,
  provider: Provider | undefined,
  kept: Kept = {},
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
  setCookie(
    reply,
    `${cookieOf(state)}=${browser}; Max-Age=${LIFETIME_S}`,
    isSecure(request.raw, config.trustedProxies),
  );
  return state;
}

/**
 * Ends the journey that a state stands for, and does the work of its end. The state is used up by coming back, and is
 * there again only where the provider did not answer. Throws `oauth.state` for a state of nobody, of another browser,
 * account or provider, used or expired.
 */
export async function comeBack<T>(
  { request, reply, viewer }: Traveller,
  { db, now, config, secrets }: Deps,
  { provider, state }: { provider: Provider; state: string },
  work: (kept: Kept) => Promise<T>,
): Promise<T> {
  const browser = cookieValue(request, cookieOf(state));
  ensure(browser !== undefined, 'oauth.state');
  const row = await db
    .deleteFrom('oauth_states')
    .where('state_hash', '=', fingerprint(state))
    // Another browser cannot even spoil it.
    .where('browser_hash', '=', fingerprint(browser))
    .returningAll()
    .executeTakeFirst();
  const isFor = row && (row.provider === provider || (row.provider === '' && provider !== 'oidc'));
  ensure(isFor && row.expires_time > now() && row.user_id === (viewer?.id ?? null), 'oauth.state');
  try {
    const done = await work(JSON.parse(secrets.decrypt(row.kept)) as Kept); // written by `begin` alone
    setCookie(reply, `${cookieOf(state)}=; Max-Age=0`, isSecure(request.raw, config.trustedProxies));
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

/** Sent to this site's own pages only, and to nothing but the routes that need it. */
function setCookie(reply: FastifyReply, cookie: string, secure: boolean): void {
  void reply.header('set-cookie', `${cookie}; Path=/api/oauth; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`);
}

function cookieValue({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
