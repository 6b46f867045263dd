import type { Signature, SignatureKind } from './chat.ts';

const kinds: readonly SignatureKind[] = ['anthropic', 'anthropic-redacted', 'gemini', 'openai', 'chat'];

/**
 * A signature as a string for the caller to send back. Signatures of other vendors are prefixed with their kind, so
 * that they never reach a vendor that cannot read them.
 */
export const sealed = ({ kind, value }: Signature, own: SignatureKind): string =>
  kind === own ? value : `${kind}:${value}`;

/** The inverse of `sealed`. */
export function unsealed(text: string, own: SignatureKind): Signature {
  const kind = kinds.find((one) => text.startsWith(`${one}:`));
  return kind ? { kind, value: text.slice(kind.length + 1) } : { kind: own, value: text };
}
