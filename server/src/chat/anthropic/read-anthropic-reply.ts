import { listOr, objectOr, textOr, type Json } from '#json.ts';
import type { ChatReply, FinishReason, Part } from '../chat.ts';
import { BadReply } from '../chat-errors.ts';
import type { ReadOptions } from '../codec.ts';
import { lookUp } from '../fields.ts';
import { replyObject } from '../vendor-errors.ts';

/** Throws `BadReply` for an error with a success status. */
export function readAnthropicReply(json: unknown, { usage }: ReadOptions): ChatReply {
  const reply = replyObject(json);
  if (!Array.isArray(reply['content'])) throw new BadReply({ code: 'bad_reply', message: 'the answer has no content' });
  return {
    id: textOr(reply['id'], undefined),
    model: textOr(reply['model'], undefined),
    parts: listOr(reply['content']).flatMap((block) => readBlock(objectOr(block))),
    finish: finishOf(reply['stop_reason']) ?? 'stop',
    stopSequence: textOr(reply['stop_sequence'], undefined),
    usage: usage.read(usage.find(reply)),
  };
}

const finishes: Record<string, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop_sequence',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  pause_turn: 'pause',
  refusal: 'refusal',
};

export const finishOf = (reason: unknown): FinishReason | undefined =>
  typeof reason === 'string' ? (lookUp(finishes, reason) ?? 'stop') : undefined;

function readBlock(block: Json): Part[] {
  switch (block['type']) {
    case 'text':
      return block['text'] === '' ? [] : [{ type: 'text', text: textOr(block['text'], '') }];
    case 'thinking': {
      const signature = textOr(block['signature'], '');
      const text = textOr(block['thinking'], '');
      if (text === '' && signature === '') return [];
      return [
        { type: 'thinking', text, signature: signature === '' ? undefined : { kind: 'anthropic', value: signature } },
      ];
    }
    case 'redacted_thinking': {
      const value = textOr(block['data'], '');
      return [{ type: 'thinking', text: '', signature: { kind: 'anthropic-redacted', value } }];
    }
    case 'tool_use':
      return [
        {
          type: 'tool_call',
          id: textOr(block['id'], ''),
          name: textOr(block['name'], ''),
          arguments: JSON.stringify(block['input'] ?? {}),
        },
      ];
    default:
      return []; // server-side tools
  }
}
