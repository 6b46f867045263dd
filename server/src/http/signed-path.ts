import { createHmac, hkdfSync } from 'node:crypto';
import { isSameSecret } from '#secrets.ts';

const keys = new Map<string, Buffer>();

function signatureOf(secretKey: string, path: string, expires: number): string {
  let key = keys.get(secretKey);
  if (!key) keys.set(secretKey, (key = Buffer.from(hkdfSync('sha256', secretKey, 'relay-hub', 'signed paths', 32))));
  return createHmac('sha256', key).update(`${path}\n${expires}`).digest('base64url');
}

/**
 * A path that opens without a key for `validS` seconds, and for that path only. The expiry is rounded up, so that an
 * address stays the same for an hour.
 */
export function signedPath(secretKey: string, path: string, now: number, validS: number): string {
  const hour = 3600;
  const expires = Math.ceil((now + validS) / hour) * hour;
  return `${path}?expires=${expires}&sign=${signatureOf(secretKey, path, expires)}`;
}

/** Whether a query carries a valid signature of a path. */
export function isSignedPath(secretKey: string, path: string, query: URLSearchParams, now: number): boolean {
  const expires = Number(query.get('expires'));
  if (!Number.isSafeInteger(expires) || expires <= now) return false;
  return isSameSecret(query.get('sign') ?? undefined, signatureOf(secretKey, path, expires));
}
