import { isObject, listOr, objectOr, textOr, type Json } from '#json.ts';
import type { ChatReply, FinishReason, Part } from '#chat/chat.ts';
import { BadReply } from '#chat/chat-errors.ts';
import type { ReadOptions } from '#chat/codec.ts';
import { lookup } from '#providers/lookup.ts';
import { newCallId } from '#chat/tool-calls.ts';
import { replyObject } from '#chat/vendor-errors.ts';

/** Throws `BadReply`. */
export function readConverseReply(json: unknown, { usage }: ReadOptions): ChatReply {
  const reply = replyObject(json);
  const message = objectOr(reply['output'])['message'];
  if (!isObject(message)) throw new BadReply({ code: 'bad_reply', message: 'the answer has no message' });
  const finish = finishOf(reply['stopReason']);
  if (finish === 'error') throw new BadReply({ code: 'error_in_reply', message: String(reply['stopReason']) });
  return {
    parts: listOr(message['content']).flatMap((block) => readBlock(objectOr(block))),
    finish,
    usage: usage.read(usage.find(reply)),
  };
}

const known = lookup<FinishReason | 'error'>({
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  stop_sequence: 'stop_sequence',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  malformed_model_output: 'error',
  malformed_tool_use: 'error',
});

export const finishOf = (reason: unknown): FinishReason | 'error' => known(reason) ?? 'stop';

function readBlock(block: Json): Part[] {
  const { text, toolUse, reasoningContent, image, citationsContent } = block;
  if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
  if (isObject(toolUse)) {
    const { toolUseId, name, input } = toolUse;
    const id = textOr(toolUseId, '') || newCallId();
    return [{ type: 'tool_call', id, name: textOr(name, ''), arguments: JSON.stringify(input ?? {}) }];
  }
  if (isObject(reasoningContent)) return readReasoning(reasoningContent);
  if (isObject(image)) {
    const base64 = textOr(objectOr(image['source'])['bytes'], '');
    return base64 === ''
      ? []
      : [{ type: 'image', source: { mime: `image/${textOr(image['format'], 'png')}`, base64 } }];
  }
  // Text with citations: only the text is kept.
  const cited = listOr(objectOr(citationsContent)['content']).map((one) => textOr(objectOr(one)['text'], ''));
  return cited.some(Boolean) ? [{ type: 'text', text: cited.join('') }] : [];
}

function readReasoning({ reasoningText, redactedContent }: Json): Part[] {
  if (typeof redactedContent === 'string')
    return [{ type: 'thinking', text: '', signature: { kind: 'anthropic-redacted', value: redactedContent } }];
  const { text, signature } = objectOr(reasoningText);
  const value = textOr(signature, '');
  const plain = textOr(text, '');
  if (plain === '' && value === '') return [];
  return [{ type: 'thinking', text: plain, signature: value === '' ? undefined : { kind: 'anthropic', value } }];
}
