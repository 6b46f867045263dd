import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts stored secrets with a key that is not in the database. */
export interface Secrets {
  encrypt(plain: string): string;
  /** Throws if the text was encrypted with another key, or altered. */
  decrypt(cipher: string): string;
}

const VERSION = 'v1';

/** Matches ciphers within a text: the version, then at least a nonce and a tag. */
export const cipherShape = /\bv1\.[\w-]{38,}/g;

/** AES-256-GCM under a key derived from SECRET_KEY. */
export function openSecrets(secretKey: string): Secrets {
  const key = Buffer.from(hkdfSync('sha256', secretKey, 'relay-hub', 'stored secrets', 32));
  return {
    encrypt(plain) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return [VERSION, Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')].join('.');
    },
    decrypt(text) {
      const bytes = Buffer.from(text.slice(VERSION.length + 1), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** `length` random letters and digits; 48 of them hold 285 bits. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // Bytes that would bias the distribution are discarded.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

/** SHA-256, by which a random secret is looked up. Keys have enough entropy for a fast hash. */
export const fingerprint = (secret: string): string => hash('sha256', secret, 'base64url');

/** Constant-time comparison by hashes. A missing secret never matches. */
export const isSameSecret = (given: unknown, expected: string): boolean =>
  typeof given === 'string' && expected !== '' && fingerprint(given) === fingerprint(expected);

/** The ends of a secret: enough to recognize it, too little to use it. */
export function hintOf(secret: string): string {
  if (secret.length < 12) return dots;
  const head = shownHeads.find((each) => secret.startsWith(each)) ?? '';
  return `${head}${dots}${tellingPart(secret).slice(-SHOWN_END)}`;
}

/** Service account JSON ends alike in all accounts; its key id distinguishes them. */
function tellingPart(secret: string): string {
  if (!secret.trimEnd().endsWith('}')) return secret;
  return /"private_key_id"\s*:\s*"([\w-]{8,})"/.exec(secret)?.[1] ?? '';
}

/** Host, recipient and last characters of the destination of an alarm way. */
export function wayHint(
  kind: string,
  { address, target, token }: Record<'address' | 'target' | 'token', string>,
): string {
  const host = URL.parse(address)?.host ?? '';
  const end = kind === 'webhook' ? '' : hintOf(token || (kind === 'ntfy' ? target : address)).slice(-SHOWN_END);
  return kind === 'mail' ? target : [host, target, end && `…${end}`].filter((part) => part !== '').join(' ');
}

/** The hints of all secrets that end in four characters; none for other lengths. */
export const hintsEnding = (end: string): string[] =>
  end.length === SHOWN_END ? shownHeads.map((head) => `${head}${dots}${end}`) : [];

const dots = '••••••••';
const SHOWN_END = 4;
/** Longest first. */
const shownHeads = ['sk-proj-', 'sk-ant-', 'sk-', ''];

const secretShapes = [
  /\b(sk|pk|rk|gsk|xai|ghp|AIza)[-_A-Za-z0-9]{12,}/g,
  /\bBearer\s+[^\s"',]{8,}/gi,
  /\borg-[A-Za-z0-9]{8,}/g,
  cipherShape,
];

/**
 * Masks everything that looks like a key or organization id in an external text. Known secrets are also found in other
 * case, percent-encoded, in base64, in full width, and between invisible characters.
 */
export const masked = (text: string, ...known: string[]): string =>
  throughFolding(text, (plain) => maskedAsItIs(plain, known));

function maskedAsItIs(text: string, known: readonly string[]): string {
  let clean = text;
  for (const secret of known) {
    if (secret.length < 6) continue;
    const length = clean.length;
    for (const { form, around = ['', ''] } of formsOf(secret)) {
      if (form.length > length) continue;
      const shape = around[0] + form.replaceAll(/\W/g, String.raw`\$&`) + around[1];
      clean = clean.replaceAll(new RegExp(shape, 'gi'), '••••');
    }
  }
  for (const shape of secretShapes) clean = clean.replace(shape, '••••');
  return clean;
}

/**
 * Cleans a text without invisible characters, and with compatibility forms such as full width as plain letters.
 * Each form is returned only if something was found in it.
 */
export function throughFolding(text: string, clean: (text: string) => string): string {
  // In ASCII, only control characters fold.
  if (!/[^\n\r\t\x20-\x7e]/.test(text)) return clean(text);
  const visible = text.replaceAll(/\p{Default_Ignorable_Code_Point}|(?![\n\r\t])\p{Cc}/gu, '');
  const cleaned = clean(visible);
  const once = cleaned === visible ? text : cleaned;
  // Resolvers read these as full stops.
  const folded = cleaned.normalize('NFKC').replaceAll(/(?<=\w)[。｡](?=\w)/g, '.');
  if (folded === cleaned) return once;
  const twice = clean(folded);
  return twice === folded ? once : twice;
}

interface SecretForm {
  form: string;
  /** Patterns of what surrounds it and depends on it in part. */
  around?: [before: string, behind: string];
}

/** A secret as is, URL-encoded, and its three base64 forms, which depend on the preceding bytes. */
function formsOf(secret: string): SecretForm[] {
  const forms: SecretForm[] = [{ form: secret }];
  const escaped = encodeURIComponent(secret.toWellFormed());
  if (escaped !== secret) forms.push({ form: escaped });
  if (secret.length < 10) return forms;
  for (const before of [0, 1, 2]) {
    const bytes = Buffer.from(' '.repeat(before) + secret);
    // The characters that depend on the secret's bits only.
    const base64 = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    const forUrls = base64.replaceAll('+', '-').replaceAll('/', '_');
    const around: SecretForm['around'] = [before > 0 ? '[\\w+/-]?' : '', '[\\w+/-]?={0,2}'];
    forms.push({ form: base64, around });
    if (forUrls !== base64) forms.push({ form: forUrls, around });
  }
  return forms;
}
