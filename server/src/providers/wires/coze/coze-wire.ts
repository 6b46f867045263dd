import { objectOr, parseJson, textOr, type Json } from '#json.ts';
import { ChatCollector } from '#chat/chat-events.ts';
import { BadChatRequest, BadReply } from '#chat/chat-errors.ts';
import type { ChatRequest, Message, Part } from '#chat/chat.ts';
import { refuseChoices } from '#chat/offered-tools.ts';
import { SseStreamReader } from '#chat/sse-stream-reader.ts';
import type { ProviderWire } from '#providers/operation.ts';

/**
 * Chats with a bot of Coze. Answers are always streamed: without a stream, the vendor has to be asked for them again and
 * again. https://docs.coze.cn/developer_guides/chat_v3
 */
export const cozeWire: ProviderWire = {
  id: 'coze',
  writeRequest: (request, { model }) => ({
    bot_id: model.replace(/^(?:coze|bot)-/, ''),
    user_id: request.user ?? 'caller',
    stream: true,
    auto_save_history: false,
    additional_messages: writeMessages(request),
  }),
  // A refusal is JSON with status 200.
  parse: (body) => {
    const text = body.toString('utf8');
    return parseJson(text) ?? text;
  },
  readReply(reply, options) {
    if (typeof reply !== 'string') throw new BadReply({ code: 'bad_reply', message: 'the answer is no stream' });
    const reader = new CozeStreamReader(options);
    const collector = new ChatCollector();
    for (const event of [...reader.push(Buffer.from(reply)), ...reader.end()]) collector.add(event);
    return collector.reply();
  },
  streamReader: (options) => new CozeStreamReader(options),
  dropped: [
    ...['temperature', 'topP', 'topK', 'maxOutput', 'stop', 'seed', 'reasoning', 'format', 'verbosity'].map(
      (field) => ({ field, why: 'the bot’s settings decide' }),
    ),
    ...['frequencyPenalty', 'presencePenalty', 'cacheKey', 'serviceTier', 'modalities', 'messages.name'].map(
      (field) => ({ field, why: 'the wire has no such field' }),
    ),
    { field: 'tools', why: 'a bot has its own tools' },
    { field: 'messages.parts.thinking', why: 'the wire has no such field' },
    { field: 'messages.parts.cache', why: 'the vendor has no such marks' },
    { field: 'messages.parts.image.detail', why: 'the wire has no such field' },
  ],
};

function writeMessages(request: ChatRequest): Json[] {
  refuseChoices(request);
  return request.messages.flatMap((message, i) => {
    const content = message.parts.flatMap((part) => writePart(part, `messages.${i}`));
    return content.length === 0 ? [] : [{ role: roleOf(message), ...asContent(content) }];
  });
}

/** Instructions belong to the bot; those of a call are sent as the user's. */
const roleOf = ({ role }: Message): string => (role === 'assistant' ? 'assistant' : 'user');

function asContent(content: readonly Json[]): Json {
  const isText = content.every(({ type }) => type === 'text');
  return isText
    ? { content: content.map(({ text }) => textOr(text, '')).join('\n'), content_type: 'text' }
    : { content: JSON.stringify(content), content_type: 'object_string' };
}

function writePart(part: Part, at: string): Json[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.type === 'tool_result') return part.content.flatMap((one) => writePart(one, at));
  if (part.type === 'refusal') return [{ type: 'text', text: part.text }];
  if (part.type === 'tool_call' || part.type === 'thinking') return [];
  if (part.type === 'audio' || !('url' in part.source))
    throw new BadChatRequest('The bot takes pictures and files by their addresses only.', at);
  return [{ type: part.type, file_url: part.source.url }];
}

/** Only the pieces of the answer are read: what ends a message repeats it. */
class CozeStreamReader extends SseStreamReader {
  protected override readonly endMark = '"[DONE]"';
  #said = false;
  #ended = false;

  protected override read(json: Json, name: string | undefined): void {
    switch (name) {
      case 'conversation.chat.created':
        this.emit({ type: 'start', id: textOr(json['id'], undefined) });
        break;
      case 'conversation.message.delta':
        this.#readPiece(json);
        break;
      case 'conversation.chat.completed':
        this.#ended = true;
        break;
      case 'conversation.chat.failed':
      case 'error': {
        const { code, msg } = json['last_error'] === undefined ? json : objectOr(json['last_error']);
        const message = textOr(msg, 'the bot failed');
        this.fail({ code: 'error_in_stream', message, vendorCode: typeof code === 'number' ? `${code}` : undefined });
        break;
      }
      case 'conversation.chat.requires_action':
        this.fail({ code: 'error_in_stream', message: 'the bot wants a plugin of the caller to run' });
        break;
    }
  }

  #readPiece({ type, content, reasoning_content: thought }: Json): void {
    if (type !== 'answer') return;
    const thinking = textOr(thought, '');
    const text = textOr(content, '');
    if (thinking !== '') this.emit({ type: 'thinking', text: thinking });
    if (text !== '') this.emit({ type: 'text', text });
    this.#said ||= text !== '';
  }

  protected override finished(): boolean {
    if (!this.#ended) return false;
    if (!this.#said) return this.failEmpty();
    this.emit({ type: 'finish', reason: 'stop' });
    return true;
  }
}
