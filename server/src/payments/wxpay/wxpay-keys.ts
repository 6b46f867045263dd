import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

/** Reads an RSA private key: PKCS#8 or PKCS#1, as PEM or bare base64. Throws with a reason for the operator. */
export function readMerchantKey(text: string): KeyObject {
  const { label, der } = armourOf(text);
  if (label.includes('CERTIFICATE')) throw new Error('this is a certificate; the key is in apiclient_key.pem');
  if (label.includes('PUBLIC')) throw new Error('this is a public key');
  if (label.includes('ENCRYPTED')) throw new Error('the key is protected by a passphrase');
  const key = firstOf(
    () => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
    () => createPrivateKey({ key: der, format: 'der', type: 'pkcs1' }),
  );
  return rsaOnly(key, 'this is not an RSA private key');
}

/** Reads an RSA public key: SPKI, PKCS#1 or a certificate, as PEM or bare base64. */
export function readPlatformKey(text: string): KeyObject {
  const { label, der } = armourOf(text);
  if (label.includes('PRIVATE')) throw new Error('this is a private key');
  const key = firstOf(
    () => createPublicKey({ key: der, format: 'der', type: 'spki' }),
    () => createPublicKey({ key: der, format: 'der', type: 'pkcs1' }),
    () => new X509Certificate(der).publicKey,
  );
  return rsaOnly(key, 'this is not an RSA public key');
}

/** Canonical PEM text of a key. */
export const pemOf = (key: KeyObject): string =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' });

/** The PEM label, empty for bare base64, and the bytes. JSON files hold line ends as `\n`. */
function armourOf(text: string): { label: string; der: Buffer } {
  const clean = text.replaceAll(String.raw`\n`, '\n');
  const pem = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END/.exec(clean);
  if (!pem) return { label: '', der: Buffer.from(clean.replaceAll(/\s/g, ''), 'base64') };
  const [, label = '', body = ''] = pem;
  if (body.includes('Proc-Type')) throw new Error('the key is protected by a passphrase');
  return { label, der: Buffer.from(body.replaceAll(/\s/g, ''), 'base64') };
}

function firstOf(...readers: (() => KeyObject)[]): KeyObject | undefined {
  for (const read of readers) {
    try {
      return read();
    } catch {
      // Another encoding is tried next.
    }
  }
  return undefined;
}

function rsaOnly(key: KeyObject | undefined, problem: string): KeyObject {
  if (key?.asymmetricKeyType !== 'rsa') throw new Error(problem);
  return key;
}
