import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { testKey } from '#payment-simulator/test-key.ts';
import { newCertificate } from '#payment-simulator/wxpay-crypto.ts';
import {
  isPair,
  isRsaSignature,
  KeyTextError,
  rsaCertificateKey,
  rsaPrivateKey,
  rsaPublicKey,
  rsaSignature,
} from './rsa-keys.ts';

const pair = generateKeyPairSync('rsa', { modulusLength: 1024 });
const pkcs1 = pair.privateKey.export({ format: 'pem', type: 'pkcs1' });
const pkcs8 = pair.privateKey.export({ format: 'pem', type: 'pkcs8' });
const spki = pair.publicKey.export({ format: 'pem', type: 'spki' });
const publicPkcs1 = pair.publicKey.export({ format: 'pem', type: 'pkcs1' });
const bare = (pem: string) => pem.replaceAll(/-----.*-----|\n/g, '');

describe('a private key is read', () => {
  test.each([
    ['as PKCS#1', pkcs1],
    ['as PKCS#8', pkcs8],
    ['without armour', bare(pkcs1)],
    ['under the armour of the other format', pkcs1.replaceAll('RSA PRIVATE', 'PRIVATE')],
    ['with literal line ends', pkcs8.replaceAll('\n', String.raw`\n`)],
    ['with Windows line ends and blanks', ` ${pkcs8.replaceAll('\n', '\r\n ')}\uFEFF`],
    ['between the attributes of a PKCS#12 export', `Bag Attributes\n    localKeyID: 01\n${pkcs8}`],
  ])('%s', (_, text) => expect(rsaPrivateKey(text).equals(pair.privateKey)).toBe(true));
});

test.each([spki, publicPkcs1, bare(spki), publicPkcs1.replaceAll('RSA PUBLIC', 'PUBLIC')])(
  'a public key is read: %#',
  (text) => expect(isPair(pair.privateKey, rsaPublicKey(text))).toBe(true),
);

test('a certificate is read only where it may stand for a public key', () => {
  const { pem, privateKey } = newCertificate();
  for (const text of [pem, bare(pem).replaceAll('\n', '')])
    expect(isPair(privateKey, rsaCertificateKey(text))).toBe(true);
  expect(isPair(pair.privateKey, rsaCertificateKey(spki))).toBe(true);
  expect(() => rsaPublicKey(pem)).toThrow('certificate');
  expect(() => rsaCertificateKey(pkcs8)).toThrow('this is a private key');
});

const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
test.each([
  ['an empty text', ''],
  ['text', 'secret text'],
  ['base64 of something else', 'c2VjcmV0'],
  ['an elliptic key', elliptic.privateKey.export({ format: 'pem', type: 'pkcs8' })],
  [
    'a short key',
    generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
  ],
  [
    'an encrypted key',
    pair.privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-128-cbc', passphrase: 'x' }),
  ],
  ['a public key', spki],
])('%s is no private key, and the error does not contain it', (_, text) => {
  expect(() => rsaPrivateKey(text)).toThrow(KeyTextError);
  expect(() => rsaPrivateKey(text)).toThrow(
    expect.objectContaining({ message: expect.not.stringMatching('secret') as string }),
  );
});

test('a private key is not taken for a public one', () => {
  for (const text of [pkcs8, bare(pkcs8), bare(pkcs1)]) expect(() => rsaPublicKey(text)).toThrow(KeyTextError);
});

test('a signature is verified only for its text and key', () => {
  const signature = rsaSignature('text', pair.privateKey);
  expect(isRsaSignature('text', signature, pair.publicKey)).toBe(true);
  expect(isRsaSignature('text ', signature, pair.publicKey)).toBe(false);
  expect(isRsaSignature('text', rsaSignature('text', rsaPrivateKey(testKey)), pair.publicKey)).toBe(false);
  for (const broken of ['', '=', 'AAAA', `${signature}!`, '💥']) {
    expect(isRsaSignature('text', broken, pair.publicKey)).toBe(false);
  }
});
