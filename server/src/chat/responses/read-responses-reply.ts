import { listOr, objectOr, textOr, type Json } from '#json.ts';
import type { ChatReply, FinishReason, Part, Signature } from '../chat.ts';
import { BadReply } from '../chat-errors.ts';
import type { ReadOptions } from '../codec.ts';
import { faultOf, replyObject, vendorErrorIn } from '../vendor-errors.ts';

/** Throws `BadReply` for a failed response. */
export function readResponsesReply(json: unknown, { usage }: ReadOptions): ChatReply {
  const reply = replyObject(json);
  if (!Array.isArray(reply['output'])) throw new BadReply({ code: 'bad_reply', message: 'the answer has no output' });
  if (reply['status'] === 'failed' || reply['status'] === 'cancelled') {
    const error = vendorErrorIn({ error: reply['error'] ?? reply['status'] })!;
    throw new BadReply(faultOf(error, 'reply'));
  }
  if (reply['status'] === 'completed' && reply['output'].length === 0)
    throw new BadReply({ code: 'bad_reply', message: 'the answer is empty' });
  const parts = listOr(reply['output']).flatMap((item) => readItem(objectOr(item)));
  return {
    id: textOr(reply['id'], undefined),
    model: textOr(reply['model'], undefined),
    parts,
    finish: finishOf(
      reply,
      parts.some((part) => part.type === 'tool_call'),
    ),
    usage: usage.read(usage.find(reply)),
  };
}

export function finishOf(response: Json, called: boolean): FinishReason {
  const reason = objectOr(response['incomplete_details'])['reason'];
  if (reason === 'content_filter') return 'content_filter';
  if (response['status'] === 'incomplete') return 'length';
  return called ? 'tool_calls' : 'stop';
}

function readItem(item: Json): Part[] {
  switch (item['type']) {
    case 'message':
      return listOr(item['content']).flatMap((part) => readContent(objectOr(part)));
    case 'reasoning':
      return [{ type: 'thinking', text: reasoningText(item), signature: signatureOf(item) }];
    case 'function_call':
      return [
        {
          type: 'tool_call',
          id: textOr(item['call_id'], ''),
          name: textOr(item['name'], ''),
          arguments: textOr(item['arguments'], ''),
        },
      ];
    case 'image_generation_call':
      return typeof item['result'] === 'string'
        ? [{ type: 'image', source: { mime: imageMime(item), base64: item['result'] } }]
        : [];
    default:
      return []; // server-side tools
  }
}

export const imageMime = (item: Json): string => `image/${textOr(item['output_format'], 'png')}`;

function readContent(part: Json): Part[] {
  if (part['type'] === 'refusal') return [{ type: 'refusal', text: textOr(part['refusal'], '') }];
  const text = textOr(part['text'], '');
  return text === '' ? [] : [{ type: 'text', text }];
}

const reasoningText = (item: Json): string =>
  [...listOr(item['summary']), ...listOr(item['content'])]
    .map((part) => textOr(objectOr(part)['text'], ''))
    .join('\n\n');

/** OpenAI accepts an encrypted item only with its original id. */
export function signatureOf(item: Json): Signature | undefined {
  const encrypted = textOr(item['encrypted_content'], '');
  return encrypted === '' ? undefined : { kind: 'openai', value: `${textOr(item['id'], '')}.${encrypted}` };
}
