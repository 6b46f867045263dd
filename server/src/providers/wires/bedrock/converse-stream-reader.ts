import { isObject, objectOr, parseJson, textOr, type Json } from '#json.ts';
import type { FinishReason } from '#chat/chat.ts';
import type { ReadOptions } from '#chat/codec.ts';
import { newCallId } from '#chat/tool-calls.ts';
import { ChatFramesReader } from '../chat-frames-reader.ts';
import { faultIn } from './bedrock-exceptions.ts';
import { type EventFrame, EventStream } from './event-stream.ts';
import { finishOf } from './read-converse-reply.ts';

interface ConverseBlock {
  type: 'text' | 'thinking' | 'call';
  signature: string;
  /** For a tool call: its index, and whether any input was received. */
  index: number;
  pieces: boolean;
}

/** Reads a ConverseStream. `messageStop` completes it; `metadata` with the usage follows. */
export class ConverseStreamReader extends ChatFramesReader<EventFrame> {
  #finish: FinishReason | undefined;
  #calls = 0;
  readonly #open = new Map<unknown, ConverseBlock>();

  constructor(options: ReadOptions) {
    super(options, new EventStream(options.largestEventBytes));
  }

  protected override read(frame: EventFrame): void {
    const fault = faultIn(frame);
    if (fault) return this.fail(fault);
    const json = parseJson(frame.payload.toString('utf8'));
    if (!isObject(json))
      return this.fail({ code: 'stream_broken', message: 'an event of the stream is no JSON object' });
    this.noteUsage(json);
    this.#readEvent(frame.headers[':event-type'], json);
  }

  #readEvent(type: string | undefined, json: Json): void {
    const at = json['contentBlockIndex'];
    switch (type) {
      case 'messageStart':
        this.emit({ type: 'start' });
        break;
      case 'contentBlockStart':
        this.#startBlock(at, objectOr(json['start']));
        break;
      case 'contentBlockDelta':
        this.#addDelta(at, objectOr(json['delta']));
        break;
      case 'contentBlockStop':
        this.#endBlock(at);
        break;
      case 'messageStop':
        this.#endMessage(json['stopReason']);
        break;
      case 'metadata':
        this.done = this.#finish !== undefined;
        break;
    }
  }

  protected override finished(): boolean {
    if (this.#finish === undefined) return false;
    this.emit({ type: 'finish', reason: this.#finish });
    return true;
  }

  #endMessage(reason: unknown): void {
    const finish = finishOf(reason);
    if (finish === 'error') this.fail({ code: 'error_in_stream', message: String(reason) });
    else this.#finish = finish;
  }

  #startBlock(at: unknown, start: Json): void {
    if (!isObject(start['toolUse'])) return;
    const { toolUseId, name } = start['toolUse'];
    const index = this.#calls++;
    this.#open.set(at, { type: 'call', signature: '', index, pieces: false });
    this.emit({ type: 'tool_start', index, id: textOr(toolUseId, '') || newCallId(), name: textOr(name, '') });
  }

  #addDelta(at: unknown, delta: Json): void {
    if (typeof delta['text'] === 'string') {
      this.#block(at, 'text');
      if (delta['text'] !== '') this.emit({ type: 'text', text: delta['text'] });
    } else if (isObject(delta['toolUse'])) this.#addInput(this.#open.get(at), textOr(delta['toolUse']['input'], ''));
    else if (isObject(delta['reasoningContent'])) this.#addReasoning(at, delta['reasoningContent']);
  }

  #addInput(open: ConverseBlock | undefined, json: string): void {
    if (open?.type !== 'call' || json === '') return;
    open.pieces = true;
    this.emit({ type: 'tool_arguments', index: open.index, json });
  }

  #addReasoning(at: unknown, { text, signature, redactedContent }: Json): void {
    if (typeof redactedContent === 'string')
      return this.emit({ type: 'thinking_end', signature: { kind: 'anthropic-redacted', value: redactedContent } });
    const open = this.#block(at, 'thinking');
    if (typeof text === 'string' && text !== '') this.emit({ type: 'thinking', text });
    open.signature += textOr(signature, '');
  }

  /** Text and reasoning blocks have no start event. */
  #block(at: unknown, type: ConverseBlock['type']): ConverseBlock {
    const known = this.#open.get(at);
    if (known) return known;
    const block: ConverseBlock = { type, signature: '', index: -1, pieces: false };
    this.#open.set(at, block);
    return block;
  }

  #endBlock(at: unknown): void {
    const open = this.#open.get(at);
    this.#open.delete(at);
    if (open?.type === 'thinking') {
      const signature = open.signature === '' ? undefined : { kind: 'anthropic' as const, value: open.signature };
      this.emit({ type: 'thinking_end', signature });
    } else if (open?.type === 'call') {
      if (!open.pieces) this.emit({ type: 'tool_arguments', index: open.index, json: '{}' });
      this.emit({ type: 'tool_end', index: open.index });
    }
  }
}
