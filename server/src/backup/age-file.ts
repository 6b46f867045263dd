import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  type ScryptOptions,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { BackupError } from './backup-error.ts';
import { ByteReader } from './byte-reader.ts';

/**
 * Files of the age format (https://age-encryption.org/v1) for a passphrase, so that `age -d` opens them too. Built on
 * node:crypto: libraries of the format encrypt in JavaScript, which would delay the calls of the same process.
 */
const VERSION_LINE = 'age-encryption.org/v1';
/** 2^17 rounds need 128 MiB of memory and some tenths of a second. */
const LOG_N = 17;
/** Files with a higher cost are refused, because they would use up the memory. */
const MOST_LOG_N = 20;
const CHUNK = 64 * 1024;
const TAG = 16;
const FILE_KEY_BYTES = 16;
const MOST_HEADER = 4096;
const algorithm = 'chacha20-poly1305';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** First bytes of every file. */
export const ageMagic = Buffer.from(`${VERSION_LINE}\n`);

/** Encrypts a stream with a passphrase. */
export async function* sealAge(passphrase: string, plain: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  const fileKey = randomBytes(FILE_KEY_BYTES);
  const salt = randomBytes(16);
  const body = seal(await wrapKey(passphrase, salt, LOG_N), Buffer.alloc(12), fileKey);
  const header = `${VERSION_LINE}\n-> scrypt ${base64(salt)} ${LOG_N}\n${base64(body)}\n---`;
  const nonce = randomBytes(16);
  yield Buffer.concat([Buffer.from(`${header} ${base64(macOf(fileKey, header))}\n`), nonce]);
  const key = payloadKey(fileKey, nonce);
  const reader = new ByteReader(plain);
  for (let counter = 0; ; counter++) {
    const chunk = await reader.atMost(CHUNK);
    const isLast = await reader.isAtEnd();
    yield seal(key, chunkNonce(counter, isLast), chunk);
    if (isLast) return;
  }
}

/** Decrypts a stream. Throws `BackupError` for another passphrase, and for a file that was cut or changed. */
export async function* openAge(passphrase: string, sealed: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  const reader = new ByteReader(sealed);
  const fileKey = await readHeader(passphrase, reader);
  const nonce = await reader.atMost(16);
  if (nonce.length < 16) throw new BackupError('The archive was cut.');
  const key = payloadKey(fileKey, nonce);
  for (let counter = 0; ; counter++) {
    const chunk = await reader.atMost(CHUNK + TAG);
    const isLast = await reader.isAtEnd();
    const plain = chunk.length >= TAG ? open(key, chunkNonce(counter, isLast), chunk) : undefined;
    // Only an empty file ends in an empty chunk.
    if (!plain || (plain.length === 0 && counter > 0)) throw new BackupError('The archive was cut or changed.');
    if (plain.length > 0) yield plain;
    if (isLast) return;
  }
}

async function readHeader(passphrase: string, reader: ByteReader): Promise<Buffer> {
  const [version, stanza, wrapped = '', end = ''] = [
    await reader.line(MOST_HEADER),
    await reader.line(MOST_HEADER),
    await reader.line(MOST_HEADER),
    await reader.line(MOST_HEADER),
  ];
  const [, salt, logN] = /^-> scrypt ([\w+/]{22}) (\d{1,2})$/.exec(stanza ?? '') ?? [];
  const [, mac] = /^--- ([\w+/]{43})$/.exec(end) ?? [];
  if (version !== VERSION_LINE || salt === undefined || mac === undefined)
    throw new BackupError('The archive is not encrypted with a passphrase, or it was changed.');
  if (Number(logN) > MOST_LOG_N) throw new BackupError('The archive was changed: its key takes too long to derive.');
  const fileKey = open(
    await wrapKey(passphrase, Buffer.from(salt, 'base64'), Number(logN)),
    Buffer.alloc(12),
    Buffer.from(wrapped, 'base64'),
  );
  if (fileKey?.length !== FILE_KEY_BYTES) throw new BackupError('The passphrase is wrong, or the archive was changed.');
  const header = `${version}\n${stanza}\n${wrapped}\n---`;
  if (!timingSafeEqual(macOf(fileKey, header), Buffer.from(mac, 'base64')))
    throw new BackupError('The archive was changed.');
  return fileKey;
}

const wrapKey = (passphrase: string, salt: Buffer, logN: number): Promise<Buffer> =>
  derive(passphrase, Buffer.concat([Buffer.from(`${VERSION_LINE}/scrypt`), salt]), 32, {
    N: 2 ** logN,
    r: 8,
    p: 1,
    maxmem: 2 * 128 * 8 * 2 ** logN,
  });

const payloadKey = (fileKey: Buffer, nonce: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', fileKey, nonce, 'payload', 32));

const macOf = (fileKey: Buffer, header: string): Buffer =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', fileKey, '', 'header', 32)))
    .update(header)
    .digest();

/** An 88-bit counter, and whether the chunk is the last one. */
function chunkNonce(counter: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(counter, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

function seal(key: Buffer, nonce: Buffer, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: TAG });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined if the key is another one, or the bytes were changed. */
function open(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer | undefined {
  if (sealed.length < TAG) return undefined;
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: TAG });
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Without padding, as the format demands. */
const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
