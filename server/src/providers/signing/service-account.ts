import { createPrivateKey } from 'node:crypto';
import { isObject, parseJson, textOr } from '#chat/fields.ts';
import type { TokenExchange } from '../provider.ts';
import { BadKey } from './bad-key.ts';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const HOUR_MS = 3_600_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

interface ServiceAccount {
  email: string;
  privateKey: string;
  /** Empty when the file tells none. */
  project: string;
  /** Where the file says that tokens are given, which not every cloud of Google's does in the same place. */
  tokenUrl: string;
}

/** What a Google service account's JSON file holds. Throws `BadKey`. */
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
 * A service account's key for an access token, by Google's own library; what it asks goes where and how the channel's
 * calls go. https://developers.google.com/identity/protocols/oauth2/service-account
 */
export const googleToken: TokenExchange = async (key, ask) => {
  const { email, privateKey, tokenUrl } = serviceAccount(key);
  checkPrivateKey(privateKey);
  // Loaded where somebody has such a key.
  const { JWT } = await import('google-auth-library');
  let failure: unknown;
  let status = 0;
  const client = new JWT({
    email,
    key: privateKey,
    scopes: [SCOPE],
    // The library knows one cloud of Google's alone.
    additionalClaims: { aud: tokenUrl },
    transporterOptions: {
      // Whoever asks for the token decides whether another channel comes first.
      retryConfig: { retry: 0 },
      adapter: async (config) => {
        try {
          const form = config.data as URLSearchParams; // as the library makes it
          const answer = await ask({ url: tokenUrl, headers: FORM, body: form.toString() });
          status = answer.status;
          const data = answer.json as never; // the library looks at it itself
          return Object.assign(new Response(null, { status }), { config, data });
        } catch (error) {
          failure = error;
          throw error;
        }
      },
    },
  });
  const tokens = await client.authorize().catch(() => undefined);
  if (failure !== undefined) throw failure;
  const { access_token: value, expiry_date: expires } = tokens ?? {};
  if (typeof value !== 'string' || value === '')
    throw new Error(`the provider gave no token for the key (status ${status})`);
  const now = Date.now();
  // Where the answer does not tell, the library takes it to have expired.
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
