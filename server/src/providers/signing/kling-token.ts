import { createHmac } from 'node:crypto';

const LIFE_S = 1800;
/** The vendor refuses tokens that its clock takes for future ones. */
const SKEW_S = 5;

/** Signs a token with a key of the form `AccessKey|SecretKey`; other keys are returned unchanged. `now` in milliseconds. */
export function klingToken(key: string, now: number): string {
  const [access = '', secret] = key.split('|').map((part) => part.trim());
  if (secret === undefined) return key;
  const nowS = Math.floor(now / 1000);
  const header = { alg: 'HS256', typ: 'JWT' };
  const claims = { iss: access, exp: nowS + LIFE_S, nbf: nowS - SKEW_S };
  const unsigned = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}`;
}
