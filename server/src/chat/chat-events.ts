import type { ChatEvent, ChatReply, ChatFault, FinishReason, Part, ThinkingPart, ToolCallPart } from './chat.ts';
import { BadReply } from './chat-errors.ts';

/** Assembles the events of a stream. */
export class ChatCollector {
  readonly #parts: Part[] = [];
  readonly #calls = new Map<number, ToolCallPart>();
  #reply: Omit<ChatReply, 'parts' | 'finish'> = {};
  #finish: FinishReason | undefined;
  #fault: ChatFault | undefined;

  add(event: ChatEvent): void {
    if (event.type === 'start') this.#reply = { ...this.#reply, id: event.id, model: event.model };
    else if (event.type === 'usage') this.#reply.usage = event.usage;
    else if (event.type === 'error') this.#fault = event.error;
    else if (event.type === 'finish') {
      this.#finish = event.reason;
      this.#reply.stopSequence = event.stopSequence;
    } else this.#addPiece(event);
  }

  /** The complete reply. Throws `BadReply` if the stream broke or never finished. */
  reply(): ChatReply {
    if (this.#fault) throw new BadReply(this.#fault);
    if (!this.#finish) throw new BadReply({ code: 'stream_broken', message: 'the stream ended before its end' });
    return { ...this.#reply, parts: this.#parts, finish: this.#finish };
  }

  #addPiece(event: Exclude<ChatEvent, { type: 'start' | 'usage' | 'error' | 'finish' }>): void {
    switch (event.type) {
      case 'text':
      case 'refusal':
        this.#openText(event.type).text += event.text;
        break;
      case 'thinking':
        this.#openThinking().text += event.text;
        break;
      case 'thinking_end':
        this.#openThinking().signature = event.signature;
        this.#endThinking();
        break;
      case 'image':
        this.#parts.push({ type: 'image', source: { mime: event.mime, base64: event.base64 } });
        break;
      case 'audio':
        this.#parts.push(event);
        break;
      case 'tool_start': {
        const { index, id, name, signature } = event;
        const call: ToolCallPart = { type: 'tool_call', id, name, arguments: '', signature };
        this.#calls.set(index, call);
        this.#parts.push(call);
        break;
      }
      case 'tool_arguments': {
        const call = this.#calls.get(event.index);
        if (call) call.arguments += event.json;
        break;
      }
      case 'tool_end':
        break;
    }
  }

  #thinking: ThinkingPart | undefined;

  #openThinking(): ThinkingPart {
    const last = this.#parts.at(-1);
    if (!this.#thinking || last !== this.#thinking) {
      this.#thinking = { type: 'thinking', text: '' };
      this.#parts.push(this.#thinking);
    }
    return this.#thinking;
  }

  #endThinking(): void {
    this.#thinking = undefined;
  }

  #openText(type: 'text' | 'refusal'): Extract<Part, { type: 'text' | 'refusal' }> {
    const last = this.#parts.at(-1);
    if (last?.type === type) return last;
    const part: Extract<Part, { type: 'text' | 'refusal' }> = { type, text: '' };
    this.#parts.push(part);
    return part;
  }
}

/** A complete reply as stream events. */
export function eventsOf({ id, model, parts, finish, stopSequence, usage }: ChatReply): ChatEvent[] {
  const events: ChatEvent[] = [{ type: 'start', id, model }];
  let calls = 0;
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'refusal') events.push({ type: part.type, text: part.text });
    else if (part.type === 'thinking') {
      if (part.text !== '') events.push({ type: 'thinking', text: part.text });
      events.push({ type: 'thinking_end', signature: part.signature });
    } else if (part.type === 'image' && 'base64' in part.source) events.push({ type: 'image', ...part.source });
    else if (part.type === 'audio') events.push({ type: 'audio', mime: part.mime, base64: part.base64 });
    else if (part.type === 'tool_call') {
      const index = calls++;
      events.push({ type: 'tool_start', index, id: part.id, name: part.name, signature: part.signature });
      if (part.arguments !== '') events.push({ type: 'tool_arguments', index, json: part.arguments });
      events.push({ type: 'tool_end', index });
    }
  }
  events.push({ type: 'finish', reason: finish, stopSequence });
  if (usage) events.push({ type: 'usage', usage });
  return events;
}
