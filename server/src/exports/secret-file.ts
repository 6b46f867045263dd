import { createCipheriv, createDecipheriv, randomBytes, scrypt, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * A file of secrets, one per line, under a passphrase. The first line is JSON: `format`, `version`, and the salt and cost
 * of scrypt (32-byte key, salt in base64). Each further line is base64 of a 12-byte nonce, a 16-byte tag and the
 * AES-256-GCM ciphertext of one JSON text; its additional data is the line's number from 1, in decimal. The last text is
 * `{"end":n}` with the number of lines before it, so a cut file is noticed.
 */
const FORMAT = 'relay-hub-secrets';
const COST = { N: 131_072, r: 8, p: 1 };
const KEY_BYTES = 32;
/** Enough for the cost above, which needs 128 MiB. */
const MAX_MEMORY = 256 * 1024 * 1024;

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** The lines of a file with the secrets. */
export async function* sealLines(passphrase: string, texts: AsyncIterable<string>): AsyncGenerator<string, void> {
  const salt = randomBytes(16);
  const key = await derive(passphrase, salt, KEY_BYTES, { ...COST, maxmem: MAX_MEMORY });
  yield JSON.stringify({ format: FORMAT, version: 1, kdf: 'scrypt', ...COST, salt: salt.toString('base64') });
  let line = 0;
  const seal = (text: string): string => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(String(++line)));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
  };
  for await (const text of texts) yield seal(text);
  yield seal(JSON.stringify({ end: line }));
}

/** The secrets of a file. Throws if the passphrase is wrong, or a line was changed, moved or is missing. */
export async function openLines(passphrase: string, lines: readonly string[]): Promise<string[]> {
  const [head = '', ...sealed] = lines;
  const { format, N, r, p, salt } = JSON.parse(head) as {
    format: string;
    N: number;
    r: number;
    p: number;
    salt: string;
  };
  if (format !== FORMAT) throw new Error(`This is no file of ${FORMAT}.`);
  const key = await derive(passphrase, Buffer.from(salt, 'base64'), KEY_BYTES, { N, r, p, maxmem: MAX_MEMORY });
  const texts = sealed.map((line, i) => {
    const bytes = Buffer.from(line, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(String(i + 1))).setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  });
  if (texts.pop() !== JSON.stringify({ end: texts.length })) throw new Error('The file was cut.');
  return texts;
}
