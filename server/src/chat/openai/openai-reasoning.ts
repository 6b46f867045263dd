import { listOr, objectOr, textOr, type Json } from '#json.ts';
import type { Part, Signature, SignatureKind, ThinkingPart } from '../chat.ts';

/**
 * Chat Completions has no standard field for reasoning. Text goes into `reasoning_content`, as at most vendors; signed
 * parts into `reasoning_details`, in OpenRouter's format, in both directions.
 */

/** Where vendors put the text of their reasoning: a member of the message, or pieces of its content (Mistral). */
export type ReasoningField = 'reasoning_content' | 'reasoning' | 'content';

/** Marks reasoning with the field in which it came, so that it returns in the same one. */
export const fieldSignature = (field: ReasoningField): Signature => ({ kind: 'chat', value: field });

const formats: Record<Exclude<SignatureKind, 'chat'>, string> = {
  anthropic: 'anthropic-claude-v1',
  'anthropic-redacted': 'anthropic-claude-v1',
  gemini: 'google-gemini-v1',
  openai: 'openai-responses-v1',
};

/** A signed reasoning part; undefined: its text says it all. `index` numbers a message's details. */
export function detailOf(text: string, { kind, value }: Signature, index: number): Json | undefined {
  if (kind === 'chat') return undefined;
  const format = formats[kind];
  if (kind === 'anthropic-redacted') return { type: 'reasoning.encrypted', data: value, format, index };
  return { type: 'reasoning.text', text, signature: value, format, index };
}

/** A signature that belongs to a call instead of a reasoning part. */
export const callDetail = (callId: string, { kind, value }: Signature, index: number): Json => ({
  type: 'reasoning.encrypted',
  data: value,
  id: callId,
  format: kind === 'chat' ? undefined : formats[kind],
  index,
});

export function detailsOf(parts: readonly Part[]): Json[] {
  const details: Json[] = [];
  for (const part of parts) {
    if (part.type === 'thinking' && part.signature) {
      const detail = detailOf(part.text, part.signature, details.length);
      if (detail) details.push(detail);
    }
    if (part.type === 'tool_call' && part.signature) details.push(callDetail(part.id, part.signature, details.length));
  }
  return details;
}

export interface ReadDetails {
  thinking: ThinkingPart[];
  /** By call id. */
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
  // OpenAI accepts an encrypted item only with its original id.
  const value = kind === 'openai' && id ? `${id}.${data}` : data;
  return { type: 'thinking', text: summary, signature: { kind, value } };
}

function kindOf(format: unknown): SignatureKind {
  if (format === formats.gemini) return 'gemini';
  return typeof format === 'string' && format.startsWith('openai') ? 'openai' : 'anthropic';
}

/** Google's place for a call's signature in this dialect. */
export const googleExtra = ({ kind, value }: Signature): Json | undefined =>
  kind === 'gemini' ? { google: { thought_signature: value } } : undefined;

export function readGoogleExtra(call: Json): Signature | undefined {
  const value = objectOr(objectOr(call['extra_content'])['google'])['thought_signature'];
  return typeof value === 'string' && value !== '' ? { kind: 'gemini', value } : undefined;
}
