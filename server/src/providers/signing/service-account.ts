import { createPrivateKey, sign } from 'node:crypto';
import { isObject, parseJson, textOr } from '#chat/fields.ts';
import type { TokenExchange } from '../provider.ts';
import { BadKey } from './bad-key.ts';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const HOUR_SECONDS = 3600;

interface ServiceAccount {
  email: string;
  privateKey: string;
  keyId: string;
  /** Empty when the file tells none. */
  project: string;
  /** Where the file says that tokens are given, which not every cloud of Google's does in the same place. */
  tokenUrl: string;
}

/** What a Google service account's JSON file holds. Throws `BadKey`. */
export function serviceAccount(key: string): ServiceAccount {
  const json = parseJson(key);
  const { client_email, private_key, private_key_id, project_id, token_uri } = isObject(json) ? json : {};
  if (typeof client_email !== 'string' || typeof private_key !== 'string')
    throw new BadKey('The key must be the JSON file of a service account.');
  return {
    email: client_email,
    privateKey: private_key,
    keyId: textOr(private_key_id, ''),
    project: textOr(project_id, ''),
    tokenUrl: isAddress(token_uri) ? token_uri : TOKEN_URL,
  };
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value);

/**
 * A service account's key for an access token: a JWT of our own, signed with the key, is what Google takes for it.
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export const googleToken: TokenExchange = {
  ask(key, now) {
    const { email, privateKey, keyId, tokenUrl } = serviceAccount(key);
    const iat = Math.floor(now / 1000);
    const claims = { iss: email, scope: SCOPE, aud: tokenUrl, iat, exp: iat + HOUR_SECONDS };
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: jwt({ alg: 'RS256', typ: 'JWT', ...(keyId !== '' && { kid: keyId }) }, claims, privateKey),
    });
    return {
      url: tokenUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    };
  },
  read(reply, now) {
    if (!isObject(reply)) return undefined;
    const { access_token: value, expires_in: seconds } = reply;
    if (typeof value !== 'string' || value === '') return undefined;
    const lasts = typeof seconds === 'number' && seconds > 0 ? seconds : HOUR_SECONDS;
    return { value, expires: now + lasts * 1000 };
  },
};

function jwt(header: object, claims: object, privateKey: string): string {
  const unsigned = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  try {
    return `${unsigned}.${sign('sha256', Buffer.from(unsigned), createPrivateKey(privateKey)).toString('base64url')}`;
  } catch {
    throw new BadKey('The private key of the service account cannot be read.');
  }
}
