import type { Json, Part, Signature, SignatureKind, ThinkingPart } from '../chat.ts';
import { listOr, objectOr, textOr } from '../fields.ts';

/**
 * Chat Completions has no field of its own for reasoning. Its text goes by `reasoning_content`, as most do it; what a
 * vendor signed goes by `reasoning_details`, in the form that OpenRouter gave it, and comes back the same way.
 */

const formats: Record<SignatureKind, string> = {
  anthropic: 'anthropic-claude-v1',
  'anthropic-redacted': 'anthropic-claude-v1',
  gemini: 'google-gemini-v1',
  openai: 'openai-responses-v1',
};

/** What of a signed piece of reasoning has to come back. `index` counts the details of a message. */
export function detailOf(text: string, { kind, value }: Signature, index: number): Json {
  const format = formats[kind];
  if (kind === 'anthropic-redacted') return { type: 'reasoning.encrypted', data: value, format, index };
  return { type: 'reasoning.text', text, signature: value, format, index };
}

/** A signature that stands on a call instead of on its reasoning. */
export const callDetail = (callId: string, { kind, value }: Signature, index: number): Json => ({
  type: 'reasoning.encrypted',
  data: value,
  id: callId,
  format: formats[kind],
  index,
});

/** The details of a whole message. */
export function detailsOf(parts: readonly Part[]): Json[] {
  const details: Json[] = [];
  for (const part of parts) {
    if (part.type === 'thinking' && part.signature) details.push(detailOf(part.text, part.signature, details.length));
    else if (part.type === 'tool_call' && part.signature)
      details.push(callDetail(part.id, part.signature, details.length));
  }
  return details;
}

export interface ReadDetails {
  thinking: ThinkingPart[];
  /** By the id of the call that they belong to. */
  calls: Map<string, Signature>;
}

export function readDetails(details: unknown): ReadDetails {
  const read: ReadDetails = { thinking: [], calls: new Map() };
  let summary = '';
  for (const one of listOr(details).map(objectOr)) {
    const kind = kindOf(one['format']);
    if (one['type'] === 'reasoning.summary') summary += textOr(one['summary'], '');
    else if (one['type'] === 'reasoning.text') read.thinking.push(readText(one, kind));
    else if (one['type'] === 'reasoning.encrypted' && typeof one['data'] === 'string') {
      const id = textOr(one['id'], undefined);
      if (kind === 'gemini' && id) read.calls.set(id, { kind, value: one['data'] });
      else read.thinking.push(readEncrypted(one['data'], id, kind, summary));
      summary = '';
    }
  }
  return read;
}

function readText(detail: Json, kind: SignatureKind): ThinkingPart {
  const signature = textOr(detail['signature'], '');
  const text = textOr(detail['text'], '');
  return { type: 'thinking', text, signature: signature === '' ? undefined : { kind, value: signature } };
}

function readEncrypted(data: string, id: string | undefined, kind: SignatureKind, summary: string): ThinkingPart {
  if (kind === 'anthropic')
    return { type: 'thinking', text: '', signature: { kind: 'anthropic-redacted', value: data } };
  // OpenAI takes an encrypted item back only under the id that it gave it.
  const value = kind === 'openai' && id ? `${id}.${data}` : data;
  return { type: 'thinking', text: summary, signature: { kind, value } };
}

function kindOf(format: unknown): SignatureKind {
  if (format === formats.gemini) return 'gemini';
  return typeof format === 'string' && format.startsWith('openai') ? 'openai' : 'anthropic';
}

/** Google's own place for the signature of a call in this dialect. */
export const googleExtra = ({ kind, value }: Signature): Json | undefined =>
  kind === 'gemini' ? { google: { thought_signature: value } } : undefined;

export function readGoogleExtra(call: Json): Signature | undefined {
  const value = objectOr(objectOr(call['extra_content'])['google'])['thought_signature'];
  return typeof value === 'string' && value !== '' ? { kind: 'gemini', value } : undefined;
}
