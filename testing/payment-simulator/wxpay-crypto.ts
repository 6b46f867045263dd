import {
  createCipheriv,
  createSign,
  createVerify,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

export interface KeyPair {
  privateKey: KeyObject;
  publicKey: KeyObject;
}

export const newKeyPair = (): KeyPair => generateKeyPairSync('rsa', { modulusLength: 2048 });

export const publicPem = ({ publicKey }: KeyPair): string => publicKey.export({ type: 'spki', format: 'pem' });
export const privatePem = ({ privateKey }: KeyPair): string => privateKey.export({ type: 'pkcs8', format: 'pem' });

/** Lines are joined with a line feed after each, the last one included. */
const linesOf = (...lines: (string | number)[]): string => lines.map((line) => `${line}\n`).join('');

export function signLines(key: KeyObject, ...lines: (string | number)[]): string {
  return createSign('RSA-SHA256')
    .update(linesOf(...lines))
    .sign(key, 'base64');
}

export function verifyLines(key: KeyObject, signature: string, ...lines: (string | number)[]): boolean {
  return createVerify('RSA-SHA256')
    .update(linesOf(...lines))
    .verify(key, signature, 'base64');
}

/** The members of an encrypted resource. */
export function sealed(plain: string, apiKey: string, associatedData: string) {
  const nonce = randomBytes(6).toString('hex');
  const cipher = createCipheriv('aes-256-gcm', apiKey, nonce);
  cipher.setAAD(Buffer.from(associatedData));
  const bytes = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return {
    algorithm: 'AEAD_AES_256_GCM',
    nonce,
    associated_data: associatedData,
    ciphertext: bytes.toString('base64'),
  };
}

export interface Certificate extends KeyPair {
  /** Upper-case hexadecimal. */
  serial: string;
  pem: string;
}

/** A self-signed X.509 certificate; node:crypto only reads them. */
export function newCertificate(): Certificate {
  const keys = newKeyPair();
  const number = Buffer.concat([Buffer.from([0x5a]), randomBytes(15)]);
  const algorithm = der(0x30, oid('2a864886f70d01010b'), der(0x05));
  const name = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from('Simulated WeChat Pay')))));
  const validity = der(0x30, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')));
  const subject = keys.publicKey.export({ type: 'spki', format: 'der' });
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const content = der(0x30, version, der(0x02, number), algorithm, name, validity, name, subject);
  const signature = createSign('RSA-SHA256').update(content).sign(keys.privateKey);
  const whole = der(0x30, content, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  return { ...keys, serial: number.toString('hex').toUpperCase(), pem };
}

const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length);
  return Buffer.concat([Buffer.from([tag, 0x82]), length, body]);
}
