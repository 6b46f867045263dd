import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { compare } from 'bcryptjs';

/** argon2id with OWASP's second recommended setting: 19 MiB, 2 passes, 1 lane. */
export const recommendedCost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

/** Each hash stores its cost, so it can be changed at any time; tests make it cheap. */
export const cost = { ...recommendedCost };

const derive = promisify(argon2);

/** A salted hash to store, in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive('argon2id', { message: password, nonce, ...cost });
  const b64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${b64(nonce)}$${b64(tag)}`;
}

/** Hashes of the product family (bcrypt), which imported accounts have until their first sign-in. */
export const isOldHash = (stored: string): boolean => /^\$2[abxy]\$\d\d\$/.test(stored);

/** A bcrypt hash of a random text at the family's cost, to spend the time of a check on. */
const NOBODY = '$2b$10$EMK8Ixx7O3dtSd0B.Xyt3eosRq67Ko.n3eWSkWnaGM5FPPd.V.AKe';

/**
 * Whether the password matches the hash. Takes equally long for an empty or unreadable hash. `asOld`: as long as for an
 * old hash, so that the time does not reveal imported accounts.
 */
export async function isPassword(password: string, stored: string, { asOld = false } = {}): Promise<boolean> {
  const isOld = isOldHash(stored);
  const matchesOld = (isOld || asOld) && (await compare(password, isOld ? stored : NOBODY));
  const matches = await matchesArgon(password, stored);
  return isOld ? matchesOld : matches;
}

async function matchesArgon(password: string, stored: string): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored);
  const [, memory, passes, parallelism, salt, expected] = parts ?? [];
  const nonce = salt === undefined ? Buffer.alloc(16) : Buffer.from(salt, 'base64');
  const tag = await derive('argon2id', {
    message: password,
    nonce,
    memory: Number(memory ?? cost.memory),
    passes: Number(passes ?? cost.passes),
    parallelism: Number(parallelism ?? cost.parallelism),
    tagLength: cost.tagLength,
  });
  return expected !== undefined && timingSafeEqual(tag, Buffer.from(expected, 'base64'));
}
