import type { Usage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import { brokenStream } from '../broken-stream.ts';
import type { ChatEvent, FinishReason, Part, ToolCallPart } from '../chat.ts';
import type { DialectError, StreamWriter, ReplyContext } from '../codec.ts';
import { ending, geminiErrorBody, geminiShell, writeGeminiUsage, writeParts } from './write-gemini-reply.ts';

/**
 * Writes a streamGenerateContent stream: events with `alt=sse`, else a growing JSON list. Calls are buffered until
 * complete, because their arguments are objects.
 */
export class GeminiStreamWriter implements StreamWriter {
  readonly contentType: string;
  readonly #told: ReplyContext;
  readonly #asList: boolean;
  #chunks = 0;
  #calls = new Map<number, ToolCallPart>();
  #finish: FinishReason | undefined;
  #usage: Usage | undefined;

  constructor(context: ReplyContext, form: 'sse' | 'list' = 'sse') {
    this.#told = context;
    this.#asList = form === 'list';
    this.contentType = this.#asList ? 'application/json; charset=UTF-8' : 'text/event-stream';
  }

  event(event: ChatEvent): string {
    switch (event.type) {
      case 'text':
      case 'refusal':
      case 'thinking':
        return this.#part({ type: event.type, text: event.text });
      case 'thinking_end':
        return event.signature ? this.#part({ type: 'thinking', text: '', signature: event.signature }) : '';
      case 'image':
        return this.#part({ type: 'image', source: { mime: event.mime, base64: event.base64 } });
      case 'audio':
        return this.#part(event);
      case 'tool_start': {
        const { index, id, name, signature } = event;
        this.#calls.set(index, { type: 'tool_call', id, name, arguments: '', signature });
        return '';
      }
      case 'tool_arguments': {
        const call = this.#calls.get(event.index);
        if (call) call.arguments += event.json;
        return '';
      }
      case 'tool_end': {
        const call = this.#calls.get(event.index);
        this.#calls.delete(event.index);
        return call ? this.#part(call) : '';
      }
      case 'finish':
        this.#finish = event.reason;
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'start':
      case 'error':
        return '';
    }
  }

  heartbeat(): string {
    return this.#asList ? '\n' : ': keep-alive\n\n';
  }

  end(): string {
    if (this.#finish === undefined) return this.error(brokenStream);
    const candidate = { content: { parts: [{ text: '' }], role: 'model' }, ...ending(this.#finish), index: 0 };
    const usage = this.#usage ? { usageMetadata: writeGeminiUsage(this.#usage) } : {};
    return this.#chunk(geminiShell(this.#told, { candidates: [candidate], ...usage })) + this.#closing();
  }

  error(error: DialectError): string {
    return this.#chunk(geminiErrorBody(error, this.#told.requestId)) + this.#closing();
  }

  #part(part: Part): string {
    const candidates = [{ content: { parts: writeParts(part), role: 'model' }, index: 0 }];
    return this.#chunk(geminiShell(this.#told, { candidates }));
  }

  #chunk(json: Json): string {
    const text = JSON.stringify(json);
    if (!this.#asList) return `data: ${text}\r\n\r\n`;
    return (this.#chunks++ === 0 ? '[' : ',\r\n') + text;
  }

  #closing(): string {
    return this.#asList ? ']' : '';
  }
}
