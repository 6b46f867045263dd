import type { Usage } from '@relay-hub/contract';
import { noUsage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { ChatEvent, FinishReason, Signature } from '../chat.ts';
import { brokenStream } from '../broken-stream.ts';
import type { DialectError, StreamWriter, ReplyContext } from '../codec.ts';
import { sealed } from '../signatures.ts';
import {
  anthropicErrorBody,
  messageShell,
  stopReason,
  thinkingBlock,
  writeAnthropicUsage,
} from './write-anthropic-reply.ts';

type BlockType = 'text' | 'thinking' | 'tool_use';

/** Writes a Messages stream: consecutive blocks, each with start, deltas and stop. */
export class AnthropicStreamWriter implements StreamWriter {
  readonly contentType = 'text/event-stream';
  readonly #told: ReplyContext;
  #started = false;
  /** The open block, and the number of blocks so far. */
  #open: BlockType | undefined;
  #blocks = 0;
  #refuses = false;
  #finish: { reason: FinishReason; stopSequence: string | undefined } | undefined;
  #usage: Usage | undefined;

  constructor(context: ReplyContext) {
    this.#told = context;
  }

  event(event: ChatEvent): string {
    switch (event.type) {
      case 'start':
        return this.#start();
      case 'text':
      case 'refusal':
        this.#refuses ||= event.type === 'refusal';
        return this.#piece('text', { type: 'text', text: '' }, { type: 'text_delta', text: event.text });
      case 'thinking':
        return this.#piece('thinking', emptyThinking, { type: 'thinking_delta', thinking: event.text });
      case 'thinking_end':
        return this.#endThinking(event.signature);
      case 'tool_start':
        return this.#startCall(event);
      case 'tool_arguments':
        return event.json === '' ? '' : this.#delta({ type: 'input_json_delta', partial_json: event.json });
      case 'tool_end':
        return this.#endBlock();
      case 'finish':
        this.#finish = { reason: event.reason, stopSequence: event.stopSequence };
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'image':
      case 'audio':
      case 'error':
        return '';
    }
  }

  heartbeat(): string {
    return sse('ping', {});
  }

  end(): string {
    if (!this.#finish) return this.error(brokenStream);
    const { reason, stopSequence } = this.#finish;
    const stop = reason === 'stop_sequence' ? (stopSequence ?? null) : null;
    const usage = writeAnthropicUsage(this.#usage ?? this.#estimated());
    const delta = { stop_reason: stopReason(reason, this.#refuses), stop_sequence: stop };
    return this.#start() + this.#endBlock() + sse('message_delta', { delta, usage }) + sse('message_stop', {});
  }

  error(error: DialectError): string {
    const { type: _, ...body } = anthropicErrorBody(error, this.#told.requestId);
    return sse('error', body);
  }

  #start(): string {
    if (this.#started) return '';
    this.#started = true;
    const usage = writeAnthropicUsage(this.#usage ?? this.#estimated());
    return sse('message_start', { message: messageShell(this.#told, { usage }) });
  }

  #estimated(): Usage {
    return { ...noUsage, input: this.#told.inputTokens ?? 0 };
  }

  #piece(type: BlockType, block: Json, delta: Json): string {
    const opened = this.#open === type ? '' : this.#startBlock(type, block);
    return opened + this.#delta(delta);
  }

  #startBlock(type: BlockType | undefined, block: Json): string {
    const before = this.#start() + this.#endBlock();
    this.#open = type;
    const index = this.#blocks++;
    const start = sse('content_block_start', { index, content_block: block });
    return before + start + (index === 0 ? this.heartbeat() : '');
  }

  #delta(delta: Json): string {
    return sse('content_block_delta', { index: this.#blocks - 1, delta });
  }

  #endBlock(): string {
    if (this.#open === undefined) return '';
    this.#open = undefined;
    return sse('content_block_stop', { index: this.#blocks - 1 });
  }

  #endThinking(signature: Signature | undefined): string {
    if (signature?.kind === 'anthropic-redacted') {
      const start = this.#startBlock(undefined, thinkingBlock('', signature));
      return start + sse('content_block_stop', { index: this.#blocks - 1 });
    }
    if (!signature) return this.#open === 'thinking' ? this.#endBlock() : '';
    const delta = { type: 'signature_delta', signature: sealed(signature, 'anthropic') };
    return this.#piece('thinking', emptyThinking, delta) + this.#endBlock();
  }

  #startCall({ id, name, signature }: Extract<ChatEvent, { type: 'tool_start' }>): string {
    const before = signature ? this.#endBlock() + this.#endThinking(signature) : '';
    return before + this.#startBlock('tool_use', { type: 'tool_use', id, name, input: {} });
  }
}

const emptyThinking: Json = { type: 'thinking', thinking: '', signature: '' };

const sse = (type: string, body: Json): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`;
