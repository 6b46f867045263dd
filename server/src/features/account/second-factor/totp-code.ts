import { Secret, TOTP } from 'otpauth';

const PERIOD_S = 30;
/** Accepted clock drift in periods, either way. */
const WINDOW = 1;

const generator = (seed: string, names: { issuer: string; label: string } = { issuer: '', label: '' }): TOTP =>
  new TOTP({ ...names, algorithm: 'SHA1', digits: 6, period: PERIOD_S, secret: Secret.fromBase32(seed) });

/** 160 random bits, in base 32. */
export const newSeed = (): string => new Secret({ size: 20 }).base32;

/** The otpauth URI for a QR code. */
export const uriOf = (seed: string, names: { issuer: string; label: string }): string =>
  generator(seed, names).toString();

/** The period that a code belongs to; undefined for a wrong one. */
export function periodOf(seed: string, code: string, now: number): number | undefined {
  const delta = generator(seed).validate({ token: code, timestamp: now * 1000, window: WINDOW });
  return delta === null ? undefined : Math.floor(now / PERIOD_S) + delta;
}
