import { listOr, objectOr, textOr, type Json } from '#json.ts';
import type { AudioPart, ChatReply, FinishReason, Part, Signature, ToolCallPart } from '../chat.ts';
import { BadReply } from '../chat-errors.ts';
import type { ReadOptions } from '../codec.ts';
import { lookUp } from '../fields.ts';
import { sourceOf } from '../sources.ts';
import { PCM } from '../sound.ts';
import { newCallId } from '../tool-calls.ts';
import { replyObject } from '../vendor-errors.ts';
import { fieldSignature, type ReasoningField, readDetails, readGoogleExtra } from './openai-reasoning.ts';

/** Throws `BadReply` for an error with a success status. */
export function readOpenAiReply(json: unknown, { usage }: ReadOptions): ChatReply {
  const reply = replyObject(json);
  const first = listOr(reply['choices'])[0];
  if (first === undefined) throw new BadReply({ code: 'bad_reply', message: 'the answer has no choices' });
  const choice = objectOr(first);
  const finish = finishOf(choice['finish_reason']) ?? 'stop';
  if (finish === 'error') throw new BadReply({ code: 'error_in_reply', message: String(choice['finish_reason']) });
  const parts = readMessage(objectOr(choice['message']));
  const called = finish === 'stop' && parts.some((part) => part.type === 'tool_call');
  return {
    id: textOr(reply['id'], undefined),
    model: textOr(reply['model'], undefined),
    parts,
    finish: called ? 'tool_calls' : finish,
    usage: usage.read(usage.find(reply)),
  };
}

const finishes: Record<string, FinishReason | 'error'> = {
  stop: 'stop',
  length: 'length',
  model_length: 'length',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  sensitive: 'content_filter',
  error: 'error',
  network_error: 'error',
  insufficient_system_resource: 'error',
};

/** Vendors' finish reasons; undefined before the end. */
export function finishOf(reason: unknown): FinishReason | 'error' | undefined {
  if (typeof reason !== 'string' || reason === '') return undefined;
  return lookUp(finishes, reason) ?? 'stop';
}

function readMessage(message: Json): Part[] {
  const details = readDetails(message['reasoning_details']);
  const { text } = contentOf(message['content']);
  const reasoning = reasoningIn(message);
  const parts: Part[] = [...details.thinking];
  if (reasoning && !details.thinking.some((part) => part.text !== '')) {
    const signature = parts.length === 0 ? fieldSignature(reasoning.field) : undefined;
    parts.unshift({ type: 'thinking', text: reasoning.text, signature });
  }
  if (text !== '') parts.push({ type: 'text', text });
  for (const image of imagesIn(message)) parts.push({ type: 'image', source: image });
  const spoken = spokenIn(message);
  if (spoken.text !== '') parts.push({ type: 'text', text: spoken.text });
  if (spoken.audio) parts.push(spoken.audio);
  const refusal = textOr(message['refusal'], '');
  if (refusal !== '') parts.push({ type: 'refusal', text: refusal });
  for (const call of listOr(message['tool_calls']).map(objectOr)) parts.push(readCall(call, details.calls));
  const legacy = message['function_call'];
  if (legacy) parts.push(readCall({ function: legacy }, details.calls));
  return parts;
}

/** The reasoning text of a message or delta, and the field in which it came; undefined: none. */
export function reasoningIn(message: Json): { text: string; field: ReasoningField } | undefined {
  for (const field of ['reasoning_content', 'reasoning'] as const) {
    const text = textOr(message[field], '');
    if (text !== '') return { text, field };
  }
  const { thinking } = contentOf(message['content']);
  return thinking === '' ? undefined : { text: thinking, field: 'content' };
}

/** A string, or Mistral's list of text and thinking pieces. */
export function contentOf(content: unknown): { text: string; thinking: string } {
  const read = { text: '', thinking: '' };
  if (typeof content === 'string') read.text = content;
  for (const part of listOr(content).map(objectOr)) {
    if (part['type'] === 'thinking') read.thinking += contentOf(part['thinking']).text;
    else read.text += textOr(part['text'], '');
  }
  return read;
}

/** Pictures in a reply, in the format of OpenRouter and Google. */
export function imagesIn(message: Json): { mime: string; base64: string }[] {
  return listOr(message['images']).flatMap((image) => {
    const url = textOr(objectOr(objectOr(image)['image_url'])['url'], '');
    const source = sourceOf(url, 'image/png');
    return 'base64' in source ? [source] : [];
  });
}

/** A spoken answer and its transcript; converted requests ask for sound without a container. */
export function spokenIn(message: Json): { text: string; audio: AudioPart | undefined } {
  const audio = objectOr(message['audio']);
  const base64 = textOr(audio['data'], '');
  return {
    text: textOr(audio['transcript'], ''),
    audio: base64 === '' ? undefined : { type: 'audio', mime: PCM, base64 },
  };
}

/** Arguments as a string; a few vendors send an object. */
export const argumentsText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

function readCall(call: Json, signatures: ReadonlyMap<string, Signature>): ToolCallPart {
  const called = objectOr(call['function']);
  const id = textOr(call['id'], '') || newCallId();
  return {
    type: 'tool_call',
    id,
    name: textOr(called['name'], ''),
    arguments: argumentsText(called['arguments']),
    signature: readGoogleExtra(call) ?? signatures.get(id),
  };
}
