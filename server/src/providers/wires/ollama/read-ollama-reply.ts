import { isObject, listOr, objectOr, textOr, type Json } from '#json.ts';
import type { ChatReply, FinishReason, Part, ToolCallPart } from '#chat/chat.ts';
import { BadReply } from '#chat/chat-errors.ts';
import type { ReadOptions } from '#chat/codec.ts';
import { newCallId } from '#chat/tool-calls.ts';
import { replyObject } from '#chat/vendor-errors.ts';

/** Throws `BadReply`. */
export function readOllamaReply(json: unknown, { usage }: ReadOptions): ChatReply {
  const reply = replyObject(json);
  const { message } = reply;
  if (!isObject(message)) throw new BadReply({ code: 'bad_reply', message: 'the answer has no message' });
  const parts = readMessage(message);
  return {
    model: textOr(reply['model'], undefined),
    parts,
    finish: finishOf(
      reply['done_reason'],
      parts.some(({ type }) => type === 'tool_call'),
    ),
    usage: usage.read(usage.find(reply)),
  };
}

/** Tool calls have no finish reason. */
export function finishOf(reason: unknown, called: boolean): FinishReason {
  if (reason === 'length') return 'length';
  return called ? 'tool_calls' : 'stop';
}

/** The parts of a message or of one stream line; calls are always complete. */
export function readMessage(message: Json): (Extract<Part, { type: 'text' | 'thinking' }> | ToolCallPart)[] {
  const thinking = textOr(message['thinking'], '');
  const text = textOr(message['content'], '');
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...listOr(message['tool_calls']).map((call) => readCall(objectOr(call))),
  ];
}

function readCall(call: Json): ToolCallPart {
  const { name, arguments: args } = objectOr(call['function']);
  const json = typeof args === 'string' ? args : JSON.stringify(args ?? {});
  return { type: 'tool_call', id: textOr(call['id'], '') || newCallId(), name: textOr(name, ''), arguments: json };
}
