import { Buffer } from 'node:buffer';
import type { Usage } from '@relay-hub/contract';
import type { ChatEvent, ChatFault } from '#chat/chat.ts';
import type { StreamReader } from '#chat/codec.ts';
import { soundTokens } from '#chat/sound.ts';
import { tokensOf } from '#quota/estimate.ts';
import type { ErrorNames, StreamTap } from '#relay/types/stream-types.ts';
import type { ServedReport } from '#usage/served.ts';

/** Faults detected here: their messages are ours, not the upstream's. */
const formFaults = new Set<ChatFault['code']>(['stream_broken', 'bad_reply']);

/** Counts the text of a stream's events, and notes how the stream ends. */
export class StreamStats {
  finishReason: string | undefined;
  fault: ChatFault | undefined;
  hasReasoning = false;
  hasContent = false;
  #ascii = 0;
  #other = 0;
  #sound = 0;
  /** Output tokens when usage was last reported. */
  #reportedAt = 0;

  /** Adds the events of one read; `usageAt` is the index at which usage was reported. */
  addAll(events: readonly ChatEvent[], { usageAt }: Pick<StreamReader, 'usageAt'>): void {
    let index = 0;
    for (const event of events) {
      if (index++ === usageAt) this.#reportedAt = this.outputTokens();
      this.add(event);
    }
    if (usageAt === events.length) this.#reportedAt = this.outputTokens();
  }

  add(event: ChatEvent): void {
    this.hasContent ||= isContent(event);
    if (event.type === 'thinking') this.hasReasoning = true;
    if (event.type === 'text' || event.type === 'thinking' || event.type === 'refusal') this.#count(event.text);
    else if (event.type === 'thinking_end') this.hasReasoning = true;
    else if (event.type === 'tool_arguments') this.#count(event.json);
    else if (event.type === 'audio') this.#sound += soundTokens(event.base64);
    else if (event.type === 'finish') this.finishReason = event.reason;
    else if (event.type === 'error') this.fault ??= event.error;
  }

  outputTokens(): number {
    return tokensOf(this.#ascii, this.#other) + this.#sound;
  }

  outputAfterUsage(): number {
    return this.outputTokens() - this.#reportedAt;
  }

  #count(text: string): void {
    const beyondAscii = Math.min(text.length, (Buffer.byteLength(text) - text.length) / 2);
    this.#ascii += text.length - beyondAscii;
    this.#other += beyondAscii;
  }
}

/** Whether an event is part of an answer, or its end. */
function isContent(event: ChatEvent): boolean {
  if (event.type === 'text' || event.type === 'thinking' || event.type === 'refusal') return event.text !== '';
  return event.type !== 'start' && event.type !== 'usage' && event.type !== 'error';
}

/** A tap that understands the stream by a dialect's reader. */
export abstract class ReaderTap implements StreamTap {
  protected readonly reader: StreamReader;
  protected readonly stats = new StreamStats();

  constructor(reader: StreamReader) {
    this.reader = reader;
  }

  abstract push(chunk: Buffer): Buffer | undefined;
  abstract flush(): Buffer | undefined;

  usage(): Usage | undefined {
    return this.reader.usage();
  }

  served(): ServedReport | undefined {
    return this.reader.served?.();
  }

  get finishReason(): string | undefined {
    return this.stats.finishReason;
  }

  get done(): boolean {
    return this.reader.done;
  }

  get error(): string | undefined {
    const { fault } = this.stats;
    return fault && !formFaults.has(fault.code) ? fault.message : undefined;
  }

  get errorNames(): ErrorNames | undefined {
    const { fault } = this.stats;
    return fault && { type: fault.vendorType, code: fault.vendorCode, status: fault.status };
  }

  get blocked(): boolean {
    return this.stats.fault?.code === 'prompt_blocked';
  }

  get empty(): boolean {
    return this.stats.fault?.code === 'bad_reply';
  }

  get hasContent(): boolean {
    return this.stats.hasContent || this.reader.begun === true;
  }

  get hasReasoning(): boolean {
    return this.stats.hasReasoning;
  }

  estimatedOutput(): number {
    return this.stats.outputTokens();
  }

  outputAfterUsage(): number {
    return this.stats.outputAfterUsage();
  }
}
