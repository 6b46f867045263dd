import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { compare } from 'bcryptjs';
import { ensure } from './errors.ts';

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

/**
 * The hash of a password chosen for an account. `names`: its user name and addresses. Throws
 * `user.password_easy`.
 */
export function hashChosenPassword(password: string, names: readonly string[]): Promise<string> {
  ensureHardToGuess(password, names);
  return hashPassword(password);
}

/** Throws `user.password_easy`. */
export const ensureHardToGuess = (password: string, names: readonly string[]): void =>
  ensure(!isEasy(password, names), 'user.password_easy', { field: 'password' });

const LEAST_DIFFERENT = 4;
/** A part that is repeated has to be a password itself. */
const LEAST_PART = 8;
/** Number of characters that a password must have besides the names of its account. */
const LEAST_OWN = 5;

/** Whether a password is among those that attackers try first: common ones, names, and repetitions of either. */
export function isEasy(password: string, names: readonly string[]): boolean {
  const folded = password.normalize('NFKC').toLowerCase();
  const signs = Array.from(folded);
  if (new Set(signs).size < LEAST_DIFFERENT) return true;
  const part = repeatedPart(signs);
  const isRepeated = part.length < signs.length;
  if ((isRepeated && part.length < LEAST_PART) || isCommon(part.join(''))) return true;
  return [...names, ...names.map((name) => name.split('@')[0] ?? '')].some((name) => {
    const known = name.normalize('NFKC').toLowerCase();
    return known.length >= LEAST_DIFFERENT - 1 && folded.replaceAll(known, '').length < LEAST_OWN;
  });
}

/** The shortest part that the whole repeats; the whole if there is none. */
function repeatedPart(signs: readonly string[]): readonly string[] {
  for (let length = 1; length <= signs.length / 2; length++)
    if (signs.length % length === 0 && signs.every((sign, i) => sign === signs[i % length]))
      return signs.slice(0, length);
  return signs;
}

let common: ReadonlySet<string> | undefined;
function isCommon(folded: string): boolean {
  common ??= new Set(readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8').split('\n'));
  return common.has(folded);
}

/** A higher cost, which only a hostile database has, would take the time of every caller; the family has 10. */
const MOST_OLD_COST = 12;

/** Hashes of the product family (bcrypt), which imported accounts have until their first sign-in. */
export const isOldHash = (stored: string): boolean => {
  const [, rounds = '99'] = /^\$2[abxy]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(stored) ?? [];
  return Number(rounds) <= MOST_OLD_COST;
};

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
