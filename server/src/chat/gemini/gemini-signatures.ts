import type { Signature } from '../chat.ts';
import { sealed, unsealed } from '../signatures.ts';

/** Some of Google's clients decode signatures as base64, so other vendors' signatures are encoded as well. */
export function writeSignature(signature: Signature): string {
  const text = sealed(signature, 'gemini');
  return signature.kind === 'gemini' ? text : Buffer.from(text).toString('base64');
}

export function readSignature(value: string): Signature {
  const wrapped = unsealed(Buffer.from(value, 'base64').toString('utf8'), 'gemini');
  return wrapped.kind === 'gemini' ? { kind: 'gemini', value } : wrapped;
}
