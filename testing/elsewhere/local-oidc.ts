import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AccountClaims } from 'oidc-provider';

export interface LocalOidc {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Claims by sign-in name; `sub` defaults to the name. */
  people: Map<string, Omit<AccountClaims, 'sub'>>;
  /** The user signed in without a prompt; undefined shows a page that asks for a name. */
  user: string | undefined;
  close(): Promise<void>;
}

/** A real OpenID Connect provider on this machine, with one client that redirects to `redirectUri`. */
export async function startOidc(redirectUri: string): Promise<LocalOidc> {
  const { Provider } = await import('oidc-provider');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on a TCP port
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const oidc: LocalOidc = {
    issuer,
    clientId: 'relay-hub',
    clientSecret: randomBytes(32).toString('hex'),
    people: new Map(),
    user: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: oidc.clientId,
        client_secret: oidc.clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [{ ...key, alg: 'RS256', use: 'sig', kid: 'local' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    claims: {
      profile: ['preferred_username', 'name', 'nickname', 'picture', 'groups'],
      email: ['email', 'email_verified'],
    },
    pkce: { required: () => true },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...oidc.people.get(sub), sub }) }),
    // Consent is granted automatically.
    async loadExistingGrant({ oidc: { client, session, params } }) {
      if (!client || !session?.accountId) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      const scope = params?.['scope'];
      grant.addOIDCScope(typeof scope === 'string' ? scope : 'openid');
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  server.on('request', (request, response) => {
    void (async () => {
      if (!request.url?.startsWith('/interaction/')) return callback(request, response);
      const name = request.method === 'POST' ? new URLSearchParams(await text(request)).get('name') : oidc.user;
      if (name) return provider.interactionFinished(request, response, { login: { accountId: name } });
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<form method="post"><label>Name <input name="name"></label><button>Sign in</button></form>');
    })();
  });
  return oidc;
}
