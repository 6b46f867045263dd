import { AppError, type ErrorCode } from './errors.ts';

/**
 * The rule for stored secrets (keys and headers of channels, secret settings): they are never sent to another
 * destination than they were entered for. A blank field means "unchanged", so without the rule a changed address would
 * receive the secret.
 */

/** Where secrets are sent: a host, and the proxy, which can read plain HTTP. */
export interface Destination {
  /** An origin, a host, or a name for a provider's fixed hosts. Empty: none yet. */
  target: string;
  /** Empty: none. */
  proxy: string;
}

/** The destination of an address, independent of its path and the spelling of its host. */
export const destination = (address: string, proxy = ''): Destination => ({
  target: URL.parse(address)?.origin ?? address,
  proxy,
});

/** Whether a secret entered for one destination may be sent to the other. */
export function isSameDestination(entered: Destination, next: Destination): boolean {
  if (entered.target !== next.target) return false;
  return !next.target.startsWith('http:') || next.proxy === '' || next.proxy === entered.proxy;
}

/**
 * Throws `code` with the first field whose stored secret would go to another destination. `kept`: by field, whether its
 * stored secret stays in use; a blank counts as kept, see `isEntered`.
 */
export function ensureSameDestination(
  entered: Destination,
  next: Destination,
  kept: Readonly<Record<string, boolean>>,
  code: ErrorCode,
): void {
  if (isSameDestination(entered, next)) return;
  const field = Object.keys(kept).find((name) => kept[name]);
  if (field !== undefined) throw new AppError(code, { field });
}

/** Whether a form field holds a new secret: absent and blank both mean "unchanged". */
export const isEntered = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';
