import { AppError, type ErrorCode } from './errors.ts';

/**
 * The rule for every stored secret (keys and headers of channels, secret settings): it never goes to a destination that
 * it was not entered for. A form cannot show a secret, so a blank in it means "unchanged"; without the rule, a changed
 * address would send the unchanged secret there.
 */

/** Where secrets are sent: a host, and a proxy, which reads what goes through it in plain HTTP. */
export interface Destination {
  /** An origin, a host, or a text that stands for the fixed hosts of a provider. Empty: there is none yet. */
  target: string;
  /** Empty: none. */
  proxy: string;
}

/** The destination of an address: its path, and different spellings of its host, make no difference. */
export const destination = (address: string, proxy = ''): Destination => ({
  target: URL.parse(address)?.origin ?? address,
  proxy,
});

/** Whether a secret that was entered for one destination may be sent to the other. */
export function isSameDestination(entered: Destination, next: Destination): boolean {
  if (entered.target !== next.target) return false;
  return !next.target.startsWith('http:') || next.proxy === '' || next.proxy === entered.proxy;
}

/**
 * Throws `code`, naming the first field whose stored secret would be sent to another destination. `kept` says for each
 * field whether its stored secret stays in use; callers count a blank as kept, see `isEntered`.
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

/** Whether a form has a new secret in a field: an absent text and a blank one both mean "unchanged". */
export const isEntered = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';
