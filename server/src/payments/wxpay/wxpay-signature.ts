import { createDecipheriv, type KeyObject, sign, verify } from 'node:crypto';

export interface SignedRequest {
  method: string;
  /** Path and query string, exactly as sent. */
  path: string;
  timestamp: number;
  nonce: string;
  /** Empty if none. */
  body: string;
}

/** Base64 signature of a request: RSA-SHA256 over five lines. */
export function requestSignature({ method, path, timestamp, nonce, body }: SignedRequest, key: KeyObject): string {
  const message = `${method}\n${path}\n${timestamp}\n${nonce}\n${body}\n`;
  return sign('sha256', Buffer.from(message), key).toString('base64');
}

/** Headers that sign a response or a notification. */
export interface SignatureHeaders {
  timestamp: string;
  nonce: string;
  serial: string;
  signature: string;
}

export const signatureHeaders = (headers: Readonly<Record<string, string>>): SignatureHeaders => ({
  timestamp: headers['wechatpay-timestamp'] ?? '',
  nonce: headers['wechatpay-nonce'] ?? '',
  serial: headers['wechatpay-serial'] ?? '',
  signature: headers['wechatpay-signature'] ?? '',
});

/** Whether the platform signed a body with this key. */
export function isSigned({ timestamp, nonce, signature }: SignatureHeaders, body: Buffer, key: KeyObject): boolean {
  const message = Buffer.concat([Buffer.from(`${timestamp}\n${nonce}\n`), body, Buffer.from('\n')]);
  return verify('sha256', message, key, Buffer.from(signature, 'base64'));
}

/** Largest difference between a signature's time and ours. */
const WINDOW_S = 300;

/** Why a signature need not be verified at all; empty if it has to be. */
export function signatureProblem({ timestamp, serial, signature }: SignatureHeaders, now: number): string {
  if (signature === '' || serial === '') return 'the signature headers are missing';
  // Deliberate probes: a merchant that accepts them is warned by WeChat Pay.
  if (signature.startsWith('WECHATPAY/SIGNTEST/')) return 'a signature test of WeChat Pay';
  if (!/^\d{1,12}$/.test(timestamp)) return 'the timestamp is not a number';
  if (Math.abs(now - Number(timestamp)) >= WINDOW_S) return 'the timestamp is too old or in the future';
  return '';
}

export interface EncryptedResource {
  nonce: string;
  /** Base64 of the data and a tag of 16 bytes. */
  ciphertext: string;
  associatedData: string;
}

/** Decrypts with AES-256-GCM. Throws for another key or altered data. */
export function decryptResource({ nonce, ciphertext, associatedData }: EncryptedResource, apiKey: string): string {
  const bytes = Buffer.from(ciphertext, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(apiKey), Buffer.from(nonce), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(associatedData));
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8');
}
