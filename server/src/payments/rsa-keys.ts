import { createPrivateKey, createPublicKey, type KeyObject, sign, verify, X509Certificate } from 'node:crypto';

const SMALLEST_MODULUS = 1024;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A key text that cannot be used. The message is for the operator and never contains the text. */
export class KeyTextError extends Error {}

/** Reads an RSA private key: PKCS#8 or PKCS#1, as PEM or as bare base64. Throws `KeyTextError`. */
export function rsaPrivateKey(text: string): KeyObject {
  if (text.includes('ENCRYPTED')) throw new KeyTextError('the key is protected by a passphrase');
  if (text.includes('PUBLIC KEY') || text.includes('CERTIFICATE')) throw new KeyTextError('this is not a private key');
  const der = derOf(text);
  return firstKey(['pkcs8', 'pkcs1'], (type) => createPrivateKey({ key: der, format: 'der', type }));
}

/** Reads an RSA public key: SPKI or PKCS#1, as PEM or as bare base64. Throws `KeyTextError`. */
export function rsaPublicKey(text: string): KeyObject {
  if (text.includes('CERTIFICATE')) throw new KeyTextError('this is a certificate, not a public key');
  const der = publicDerOf(text);
  return firstKey(['spki', 'pkcs1'], (type) => createPublicKey({ key: der, format: 'der', type }));
}

/** Reads what `rsaPublicKey` reads, or the RSA key of a certificate. Throws `KeyTextError`. */
export function rsaCertificateKey(text: string): KeyObject {
  const der = publicDerOf(text);
  return firstKey(['spki', 'pkcs1', 'x509'], (type) =>
    type === 'x509' ? new X509Certificate(der).publicKey : createPublicKey({ key: der, format: 'der', type }),
  );
}

/** The key in PEM, whatever form it was read from. */
export const pemOf = (key: KeyObject): string =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' });

function publicDerOf(text: string): Buffer {
  if (text.includes('PRIVATE KEY')) throw new KeyTextError('this is a private key');
  const der = derOf(text);
  if (isPrivate(der)) throw new KeyTextError('this is a private key');
  return der;
}

/** Whether two keys are of one pair, or the same key. */
export const isPair = (privateKey: KeyObject, publicKey: KeyObject): boolean =>
  createPublicKey(privateKey).equals(publicKey);

/** RSASSA-PKCS1-v1_5 with SHA-256, in base64. */
export const rsaSignature = (text: string, key: KeyObject): string =>
  sign('sha256', Buffer.from(text), key).toString('base64');

export const isRsaSignature = (text: string, signature: string, key: KeyObject): boolean =>
  base64.test(signature) && verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64'));

/** The armour is ignored: operators often paste a key under the armour of another format, or with literal `\n`. */
function derOf(text: string): Buffer {
  const lines = text.replaceAll(String.raw`\n`, '\n');
  // Exports of PKCS#12 have attributes around the block.
  const block = /-----BEGIN [A-Z0-9 ]+-----([\s\S]*?)-----END/.exec(lines)?.[1] ?? lines;
  const body = block.replaceAll(/-----[A-Z0-9 ]+-----/g, '').replaceAll(/[\s\u200B\uFEFF]/g, '');
  if (!base64.test(body)) throw new KeyTextError('the key is neither PEM nor base64');
  return Buffer.from(body, 'base64');
}

/** Node.js derives the public key of a private one, and the field of a public key is not a secret. */
const isPrivate = (der: Buffer): boolean =>
  (['pkcs8', 'pkcs1'] as const).some((type) => {
    try {
      return createPrivateKey({ key: der, format: 'der', type }).type === 'private';
    } catch {
      return false; // not this format
    }
  });

function firstKey<T extends string>(types: readonly T[], read: (type: T) => KeyObject): KeyObject {
  for (const type of types) {
    try {
      const key = read(type);
      if (key.asymmetricKeyType !== 'rsa') continue;
      if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < SMALLEST_MODULUS)
        throw new KeyTextError('the key is too short');
      return key;
    } catch (error) {
      if (error instanceof KeyTextError) throw error;
      // Another format; the next one is tried.
    }
  }
  throw new KeyTextError('the text is not an RSA key');
}
