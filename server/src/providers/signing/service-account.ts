import { createPrivateKey } from 'node:crypto';
import { isObject, parseJson, textOr } from '#json.ts';
import type { TokenExchange } from '../provider.ts';
import { BadKey } from './bad-key.ts';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const HOUR_MS = 3_600_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

interface ServiceAccount {
  email: string;
  privateKey: string;
  /** Empty if the file has none. */
  project: string;
  /** Token endpoint by the file; it differs between Google's clouds. */
  tokenUrl: string;
}

/** Parses a Google service account's JSON file. Throws `BadKey`. */
export function serviceAccount(key: string): ServiceAccount {
  const json = parseJson(key);
  const { client_email, private_key, project_id, token_uri } = isObject(json) ? json : {};
  if (typeof client_email !== 'string' || typeof private_key !== 'string')
    throw new BadKey('The key must be the JSON file of a service account.');
  return {
    email: client_email,
    privateKey: private_key,
    project: textOr(project_id, ''),
    tokenUrl: isAddress(token_uri) ? token_uri : TOKEN_URL,
  };
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value);

/**
 * Exchanges a service account's key for an access token with Google's library; its requests go through `ask`, like the
 * channel's calls. https://developers.google.com/identity/protocols/oauth2/service-account
 */
export const googleToken: TokenExchange = async (key, ask) => {
  const { email, privateKey, tokenUrl } = serviceAccount(key);
  checkPrivateKey(privateKey);
  // Loaded on first use.
  const { JWT } = await import('google-auth-library');
  let failure: unknown;
  let status = 0;
  const client = new JWT({
    email,
    key: privateKey,
    scopes: [SCOPE],
    // The library's default audience fits only one of Google's clouds.
    additionalClaims: { aud: tokenUrl },
    transporterOptions: {
      // The caller decides about retries and other channels.
      retryConfig: { retry: 0 },
      adapter: async (config) => {
        try {
          const form = config.data as URLSearchParams; // always set by the library
          const answer = await ask({ url: tokenUrl, headers: FORM, body: form.toString() });
          status = answer.status;
          const data = answer.json as never; // validated by the library
          return Object.assign(new Response(null, { status }), { config, data });
        } catch (error) {
          failure = error;
          throw error;
        }
      },
    },
  });
  // The adapter kept the cause; a reply without a token is refused below.
  const tokens = await client.authorize().catch(() => undefined);
  if (failure !== undefined) throw failure;
  const { access_token: value, expiry_date: expires } = tokens ?? {};
  if (typeof value !== 'string' || value === '')
    throw new Error(`the provider gave no token for the key (status ${status})`);
  const now = Date.now();
  // Without an expiry, the library reports the token as expired.
  return { value, expires: expires && expires > now ? expires : now + HOUR_MS };
};

/** Throws `BadKey`. */
function checkPrivateKey(privateKey: string): void {
  try {
    createPrivateKey(privateKey);
  } catch {
    throw new BadKey('The private key of the service account cannot be read.');
  }
}
