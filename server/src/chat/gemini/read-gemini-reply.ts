import { listOr, objectOr, textOr, type Json } from '#json.ts';
import type { ChatReply, ChatFault, FinishReason, Part } from '../chat.ts';
import { BadReply } from '../chat-errors.ts';
import type { ReadOptions } from '../codec.ts';
import { lookUp } from '../fields.ts';
import { isSound } from '../sound.ts';
import { newCallId } from '../tool-calls.ts';
import { replyObject } from '../vendor-errors.ts';

/** Throws `BadReply`, with `prompt_blocked` for a refused prompt. */
export function readGeminiReply(json: unknown, { usage }: ReadOptions): ChatReply {
  const reply = replyObject(json);
  const blocked = blockIn(reply);
  if (blocked) throw new BadReply(blocked);
  const finish = finishIn(reply);
  const candidate = firstCandidate(reply);
  if (!finish && !candidate) throw new BadReply({ code: 'bad_reply', message: 'the answer has no candidates' });
  if (finish === 'error') throw new BadReply({ code: 'error_in_reply', message: reasonIn(reply) });
  const parts = listOr(objectOr(candidate?.['content'])['parts']).flatMap((part) => readPart(objectOr(part)));
  const called = (finish ?? 'stop') === 'stop' && parts.some((part) => part.type === 'tool_call');
  return {
    id: textOr(reply['responseId'], undefined),
    model: textOr(reply['modelVersion'], undefined),
    parts,
    finish: called ? 'tool_calls' : (finish ?? 'stop'),
    usage: usage.read(usage.find(reply)),
  };
}

export function firstCandidate(reply: Json): Json | undefined {
  const [first] = listOr(reply['candidates']);
  return first === undefined ? undefined : objectOr(first);
}

const finishes: Record<string, FinishReason | 'error'> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  // An unreadable call, so there is no answer.
  MALFORMED_FUNCTION_CALL: 'error',
  UNEXPECTED_TOOL_CALL: 'error',
  TOO_MANY_TOOL_CALLS: 'error',
  MALFORMED_RESPONSE: 'error',
  MISSING_THOUGHT_SIGNATURE: 'error',
};

/** The finish or block reason; undefined while the stream continues. */
export function finishIn(reply: Json): FinishReason | 'error' | undefined {
  if (textOr(objectOr(reply['promptFeedback'])['blockReason'], '') !== '') return 'content_filter';
  const reason = textOr(firstCandidate(reply)?.['finishReason'], '');
  if (reason === '' || reason === 'FINISH_REASON_UNSPECIFIED') return undefined;
  return lookUp(finishes, reason) ?? 'content_filter'; // safety, recitation and others
}

/** The fault for a prompt blocked by Google's filter, which leaves no candidates. */
export function blockIn(reply: Json): ChatFault | undefined {
  const feedback = objectOr(reply['promptFeedback']);
  const reason = textOr(feedback['blockReason'], '');
  if (reason === '' || firstCandidate(reply)) return undefined;
  const why = textOr(feedback['blockReasonMessage'], '') || reason;
  return { code: 'prompt_blocked', message: `The prompt was blocked: ${why}` };
}

export const reasonIn = (reply: Json): string => {
  const candidate = firstCandidate(reply);
  return textOr(candidate?.['finishMessage'], '') || textOr(candidate?.['finishReason'], 'error');
};

/** The parts of an answer; a call without an id gets one. */
export function readPart(part: Json): Part[] {
  const value = textOr(part['thoughtSignature'], '');
  const signature = value === '' ? undefined : { kind: 'gemini' as const, value };
  if (part['functionCall'] !== undefined) {
    const call = objectOr(part['functionCall']);
    const id = textOr(call['id'], '') || newCallId();
    const json = JSON.stringify(call['args'] ?? {});
    return [{ type: 'tool_call', id, name: textOr(call['name'], ''), arguments: json, signature }];
  }
  const blob = objectOr(part['inlineData']);
  if (typeof blob['data'] === 'string') {
    const [mime, base64] = [textOr(blob['mimeType'], 'image/png'), blob['data']];
    return [isSound(mime) ? { type: 'audio', mime, base64 } : { type: 'image', source: { mime, base64 } }];
  }
  const text = textOr(part['text'], '');
  if (part['thought'] === true) return text === '' && !signature ? [] : [{ type: 'thinking', text, signature }];
  return text === '' ? [] : [{ type: 'text', text }];
}
