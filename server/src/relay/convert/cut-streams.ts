import type { Usage } from '@relay-hub/contract';
import { writeAnthropicUsage } from '#chat/anthropic/write-anthropic-reply.ts';
import type { ReplyContext } from '#chat/codec.ts';
import { dialects } from '#chat/codecs.ts';
import { parseObject } from '#relay/body/json-reply.ts';
import type { RelayCall } from '#relay/types/call-types.ts';
import type { Cutter } from '#relay/stream/stream-tap.ts';

/**
 * Ends a stream that is passed on unchanged as if its output limit was reached. Undefined for Responses, whose last
 * event repeats the whole reply.
 */
export function cutterFor({ dialect }: Pick<RelayCall, 'dialect'>, context: () => ReplyContext): Cutter | undefined {
  if (dialect === 'anthropic') return (usage, last) => endOfMessages(usage, last, context());
  return dialect === 'gemini' ? (usage) => endOfGemini(usage, context()) : undefined;
}

/** The events of Gemini's dialect do not depend on earlier ones. */
function endOfGemini(usage: Usage, context: ReplyContext): string {
  const writer = dialects.gemini.streamWriter({ ...context, asList: false });
  return writer.event({ type: 'finish', reason: 'length' }) + writer.event({ type: 'usage', usage }) + writer.end();
}

/** The same as an item of a JSON list. */
export const geminiEndItem = (usage: Usage, context: ReplyContext): string =>
  endOfGemini(usage, context)
    .replace(/^data: /, '')
    .trimEnd();

/** Closes the block that is open after the last event, and the message. */
function endOfMessages(usage: Usage, last: Buffer | undefined, context: ReplyContext): string {
  if (!last) {
    const writer = dialects.anthropic.streamWriter(context);
    return writer.event({ type: 'finish', reason: 'length' }) + writer.event({ type: 'usage', usage }) + writer.end();
  }
  const text = last.toString('utf8');
  const { type, index } = parseObject(text.slice(text.indexOf('{'))) ?? {};
  const isOpen = type === 'content_block_start' || type === 'content_block_delta';
  const delta = { stop_reason: 'max_tokens', stop_sequence: null };
  return (
    (isOpen ? event('content_block_stop', { index }) : '') +
    event('message_delta', { delta, usage: writeAnthropicUsage(usage) }) +
    event('message_stop', {})
  );
}

const event = (type: string, members: Record<string, unknown>): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
