import type { Signature, SignatureKind } from './chat.ts';

const kinds: readonly SignatureKind[] = ['anthropic', 'anthropic-redacted', 'gemini', 'openai'];

/**
 * A signature as a text that a caller keeps and gives back. One of the dialect's own vendor stays as it is; another's
 * is marked with its kind, so that it never reaches a vendor that cannot read it.
 */
export const sealed = ({ kind, value }: Signature, own: SignatureKind): string =>
  kind === own ? value : `${kind}:${value}`;

/** The signature behind such a text. */
export function unsealed(text: string, own: SignatureKind): Signature {
  const kind = kinds.find((one) => text.startsWith(`${one}:`));
  return kind ? { kind, value: text.slice(kind.length + 1) } : { kind: own, value: text };
}
