import type { Configuration, CustomFetchOptions } from 'openid-client';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { ask, type IdentityProviderDeps } from './ask.ts';
import type { Identity } from '#features/account/identity/identity.ts';
import { type Claims, identityOf } from './oidc-claims.ts';
import type { CallbackSecrets } from './oauth-state.ts';

const provider = 'oidc';
/** How long a provider's discovery document is cached. */
const KNOWN_MS = 10 * 60_000;

interface Known {
  /** Hash of the settings that it was loaded for. */
  key: string;
  untilMs: number;
  configuration: Configuration;
}
const known = new WeakMap<Deps['live'], Known>();

/** Loaded on first use, since many installations never use OIDC. */
const load = () => import('openid-client');

/** Where to send the visitor, and the values (`kept`) that verify the callback. */
export interface Departure {
  kept: CallbackSecrets;
  address(state: string): string;
}

/** Starts a sign-in at the identity provider. Throws `oauth.unreachable`, `oauth.refused`. */
export async function departToOidc(asking: IdentityProviderDeps, redirectUri: string): Promise<Departure> {
  const openid = await load();
  const configuration = await discover(asking);
  const verifier = openid.randomPKCECodeVerifier();
  const nonce = openid.randomNonce();
  const code_challenge = await openid.calculatePKCECodeChallenge(verifier);
  const scope = [...new Set(['openid', ...scopesOf(asking)])].join(' ');
  return {
    kept: { issuer: configuration.serverMetadata().issuer, redirectUri, nonce, verifier },
    address: (state) =>
      openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope,
        state,
        nonce,
        code_challenge,
        code_challenge_method: 'S256',
      }).href,
  };
}

const scopesOf = ({ live }: IdentityProviderDeps): string[] =>
  live.settings.OIDCScopes.length > 0 ? live.settings.OIDCScopes : ['profile', 'email'];

/**
 * Exchanges the code for an identity and verifies the ID token's signature, issuer, audience, times and nonce. Throws
 * `oauth.refused`, `oauth.unreachable`.
 */
export async function identifyByOidc(
  asking: IdentityProviderDeps,
  { code, state, iss }: { code: string; state: string; iss: string | undefined },
  { issuer = '', redirectUri = '', nonce = '', verifier = '' }: CallbackSecrets,
): Promise<Identity> {
  const openid = await load();
  const configuration = await discover(asking);
  // The provider may have been replaced since the sign-in began.
  ensure(configuration.serverMetadata().issuer === issuer, 'oauth.state');
  const back = new URL(redirectUri);
  // One-hub style clients do not forward `iss`; only one provider is configured, so it can be filled in.
  back.search = new URLSearchParams({ code, state, iss: iss ?? issuer }).toString();
  return telling(asking, async () => {
    const tokens = await openid.authorizationCodeGrant(configuration, back, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const proved = tokens.claims();
    ensure(proved, 'oauth.refused', { provider });
    const more = configuration.serverMetadata().userinfo_endpoint
      ? await openid.fetchUserInfo(configuration, tokens.access_token, proved.sub)
      : {};
    const claims: Claims = { ...more, ...proved };
    return identityOf(claims, { issuer: proved.iss, subject: proved.sub }, asking.live.settings);
  });
}

/** The provider's discovery document for the current settings. */
async function discover(asking: IdentityProviderDeps): Promise<Configuration> {
  const { OIDCIssuer: issuer, OIDCClientId: id, OIDCClientSecret: secret } = asking.live.settings;
  const key = JSON.stringify([issuer, id, secret]);
  const found = known.get(asking.live);
  if (found?.key === key && found.untilMs > Date.now()) return found.configuration;
  const openid = await load();
  const url = URL.parse(issuer);
  ensure(url, 'oauth.refused', { provider });
  const configuration = await telling(asking, () =>
    openid.discovery(url, id, secret, clientAuth(openid, secret), {
      [openid.customFetch]: guarded(asking),
      // Plain HTTP is allowed on loopback only.
      execute: [openid.enableNonRepudiationChecks, ...(isLoopback(url) ? [openid.allowInsecureRequests] : [])],
    }),
  );
  known.set(asking.live, { key, configuration, untilMs: Date.now() + KNOWN_MS });
  return configuration;
}

/** client_secret_basic unless the provider only lists the form variant; basic is the default of the specification. */
function clientAuth(openid: Awaited<ReturnType<typeof load>>, secret: string): ReturnType<typeof openid.None> {
  const [inHeader, inForm] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const auth = methods.includes('client_secret_basic') ? inHeader : inForm;
    auth(server, ...rest);
  };
}

/** Whether an issuer on this machine may use plain HTTP. */
export const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** Routes all of the library's requests through the outbound guard. */
function guarded(asking: IdentityProviderDeps) {
  return async (address: string, { method, headers, body }: CustomFetchOptions): Promise<Response> => {
    const sent = typeof body === 'string' || body instanceof URLSearchParams ? body.toString() : undefined;
    const answer = await ask(asking, 'oidc', address, { method, headers, body: sent });
    const text = answer.status === 204 || answer.status === 304 ? null : new Uint8Array(answer.body);
    return new Response(text, { status: answer.status, headers: { 'content-type': answer.contentType } });
  };
}

/** Translates the library's errors into refusals and writes the reason to the process log. */
async function telling<T>(asking: IdentityProviderDeps, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const own = ownError(error);
    if (own) throw own;
    const { code = '', message } = error as Error & { code?: string }; // the library throws only errors
    asking.log.warn({ provider: 'oidc', code, reason: message }, 'identity provider refused');
    throw new AppError('oauth.refused', { provider });
  }
}

function ownError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  return error instanceof Error && error.cause !== undefined ? ownError(error.cause) : undefined;
}
