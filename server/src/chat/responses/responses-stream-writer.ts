import type { Usage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import { brokenStream } from '../broken-stream.ts';
import type { ChatEvent, FinishReason, Signature } from '../chat.ts';
import type { DialectError, StreamWriter, ReplyContext } from '../codec.ts';
import { isCustom } from '#chat/openai/write-openai-reply.ts';
import { CustomItem, FunctionItem, MessageItem, type OpenItem, ReasoningItem } from './open-item.ts';
import { declaredAs, imageItem, itemIds, type ItemIds } from './write-responses-items.ts';
import { ending, responseShell, writeResponsesUsage } from './write-responses-reply.ts';

/** Writes a Responses stream. The last event repeats the whole reply, so the reply is kept in memory. */
export class ResponsesStreamWriter implements StreamWriter {
  readonly contentType = 'text/event-stream';
  readonly #told: ReplyContext;
  readonly #id: ItemIds;
  #events = 0;
  #started = false;
  #open: OpenItem | undefined;
  #output: Json[] = [];
  #finish: FinishReason | undefined;
  #usage: Usage | undefined;

  constructor(context: ReplyContext) {
    this.#told = context;
    this.#id = itemIds(context.requestId);
    this.#events = context.resumes?.next ?? 0;
    this.#started = context.resumes?.response !== undefined;
  }

  event(event: ChatEvent): string {
    switch (event.type) {
      case 'start':
        return this.#start();
      case 'text':
      case 'refusal': {
        const [before, item] = this.#item(MessageItem, () => new MessageItem(this.#id('msg')));
        return before + item.add(event.type, event.text, this.#tell);
      }
      case 'thinking': {
        const [before, item] = this.#item(ReasoningItem, () => new ReasoningItem(this.#id('rs')));
        return before + item.add(event.text, this.#tell);
      }
      case 'thinking_end':
        return this.#endThinking(event.signature);
      case 'image':
        return this.#image(event.base64);
      case 'audio':
        return '';
      case 'tool_start':
        return this.#startCall(event);
      case 'tool_arguments':
        return this.#open instanceof FunctionItem || this.#open instanceof CustomItem
          ? this.#open.add(event.json, this.#tell)
          : '';
      case 'tool_end':
        return this.#close();
      case 'finish':
        this.#finish = event.reason;
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'error':
        return '';
    }
  }

  heartbeat(): string {
    return ': keep-alive\n\n';
  }

  end(): string {
    if (this.#finish === undefined) return this.error(brokenStream);
    const before = this.#start() + this.#close();
    const response = this.#response(ending(this.#finish, this.#told));
    this.#told.onReply?.(response);
    return before + this.#sse(`response.${String(response['status'])}`, { response });
  }

  error({ message, code, param }: DialectError): string {
    const text = `${message} (request id: ${this.#told.requestId})`;
    const error = this.#sse('error', { code, message: text, param });
    if (!this.#started) return error;
    const known = code === brokenStream.code ? 'server_error' : code;
    const failed = { status: 'failed', error: { code: known, message: text } };
    return error + this.#sse('response.failed', { response: this.#response(failed) });
  }

  #start(): string {
    if (this.#started) return '';
    this.#started = true;
    const response = this.#response({});
    return this.#sse('response.created', { response }) + this.#sse('response.in_progress', { response });
  }

  #response(more: Json): Json {
    const begun = this.#told.resumes?.response;
    if (begun) return { ...begun, ...more };
    const usage = this.#usage ? writeResponsesUsage(this.#usage) : null;
    return responseShell(this.#told, { output: this.#output, usage, ...more });
  }

  /** The current item if it is of that kind, else a new one. */
  #item<T extends OpenItem>(kind: abstract new (...args: never[]) => T, make: () => T): [before: string, item: T] {
    if (this.#open instanceof kind) return ['', this.#open];
    const before = this.#start() + this.#close();
    const item = make();
    return [before + this.#add(item), item];
  }

  #add(item: OpenItem): string {
    this.#open = item;
    return this.#tell('response.output_item.added', { item: item.first });
  }

  #close(): string {
    const item = this.#open;
    if (!item) return '';
    const closing = item.close(this.#tell);
    const whole = item.whole();
    this.#open = undefined;
    const done = this.#tell('response.output_item.done', { item: whole });
    this.#output.push(whole);
    return closing + done;
  }

  #endThinking(signature: Signature | undefined): string {
    if (!signature && !(this.#open instanceof ReasoningItem)) return '';
    const [before, item] = this.#item(ReasoningItem, () => new ReasoningItem(this.#id('rs')));
    item.sign(signature);
    return before + this.#close();
  }

  #startCall(event: Extract<ChatEvent, { type: 'tool_start' }>): string {
    const before = event.signature ? this.#close() + this.#endThinking(event.signature) : '';
    const { request } = this.#told;
    const call = { callId: event.id, ...declaredAs(request, event.name) };
    const closing = before + this.#start() + this.#close();
    const custom = isCustom(request, event.name);
    return closing + this.#add(custom ? new CustomItem(this.#id('ctc'), call) : new FunctionItem(this.#id('fc'), call));
  }

  #image(base64: string): string {
    const before = this.#start() + this.#close();
    const id = this.#id('ig');
    const whole = imageItem(id, base64, 'completed');
    const state =
      this.#tell('response.output_item.added', { item: imageItem(id, null, 'in_progress') }) +
      this.#tell('response.output_item.done', { item: whole });
    this.#output.push(whole);
    return before + state;
  }

  readonly #tell = (type: string, fields: Json): string =>
    this.#sse(type, { output_index: this.#output.length, ...fields });

  #sse(type: string, fields: Json): string {
    const data = JSON.stringify({ type, sequence_number: this.#events++, ...fields });
    return `event: ${type}\ndata: ${data}\n\n`;
  }
}
