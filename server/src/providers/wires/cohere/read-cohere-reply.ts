import { isObject, listOr, objectOr, textOr, type Json } from '#json.ts';
import type { ChatReply, FinishReason, Part } from '#chat/chat.ts';
import { BadReply } from '#chat/chat-errors.ts';
import type { ReadOptions } from '#chat/codec.ts';
import { lookup } from '#providers/lookup.ts';
import { newCallId } from '#chat/tool-calls.ts';
import { replyObject } from '#chat/vendor-errors.ts';

/** Throws `BadReply`. */
export function readCohereReply(json: unknown, { usage }: ReadOptions): ChatReply {
  const reply = replyObject(json);
  const { message } = reply;
  if (!isObject(message)) throw new BadReply({ code: 'bad_reply', message: 'the answer has no message' });
  const finish = finishOf(reply['finish_reason']);
  if (finish === 'error') throw new BadReply({ code: 'error_in_reply', message: String(reply['finish_reason']) });
  const plan = textOr(message['tool_plan'], '');
  return {
    id: textOr(reply['id'], undefined),
    parts: [
      ...(plan === '' ? [] : [{ type: 'thinking' as const, text: plan }]),
      ...readContent(message['content']),
      ...listOr(message['tool_calls']).map((call) => readCall(objectOr(call))),
    ],
    finish,
    usage: usage.read(usage.find(reply)),
  };
}

const known = lookup<FinishReason | 'error'>({
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop_sequence',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR: 'error',
  TIMEOUT: 'error',
});

export const finishOf = (reason: unknown): FinishReason | 'error' => known(reason) ?? 'stop';

/** A list of text and reasoning pieces, or one string. */
function readContent(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return listOr(content).flatMap((one) => readPiece(objectOr(one)) ?? []);
}

/** A content piece; undefined if it is empty. */
export function readPiece(piece: Json): { type: 'text' | 'thinking'; text: string } | undefined {
  const thinking = textOr(piece['thinking'], '');
  if (thinking !== '') return { type: 'thinking', text: thinking };
  const text = textOr(piece['text'], '');
  return text === '' ? undefined : { type: 'text', text };
}

function readCall(call: Json): Part {
  const { name, arguments: json } = objectOr(call['function']);
  const id = textOr(call['id'], '') || newCallId();
  return { type: 'tool_call', id, name: textOr(name, ''), arguments: textOr(json, '') || '{}' };
}
