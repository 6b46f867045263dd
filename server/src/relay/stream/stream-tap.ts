import { Buffer } from 'node:buffer';
import { noUsage, type Usage } from '@relay-hub/contract';
import type { ChatEvent, Fault } from '#chat/chat.ts';
import type { StreamReader, StreamWriter } from '#chat/codec.ts';
import type { Unframer } from '#providers/operation.ts';
import { tokensOf } from '#quota/estimate.ts';
import { contradictsText, withEstimatedOutput } from '#usage/zero-output.ts';
import { eventsOf, lastEventEnd } from './event-ends.ts';
import type { StreamTap } from './types.ts';

/** Faults that are no words of the upstream's. */
const isOfForm = new Set<Fault['code']>(['stream_broken', 'bad_reply']);

/** Counts what events say, and keeps how they end. */
export class StreamStats {
  finishReason: string | undefined;
  fault: Fault | undefined;
  hasReasoning = false;
  #ascii = 0;
  #other = 0;
  /** What had been said when usage was told last. */
  #told = 0;

  /** Hears what one read of the stream brought. */
  addAll(events: readonly ChatEvent[], { toldAt }: Pick<StreamReader, 'toldAt'>): void {
    for (let i = 0; i < events.length; i++) {
      if (i === toldAt) this.#noteTelling();
      this.add(events[i]!);
    }
    if (toldAt === events.length) this.#noteTelling();
  }

  add(event: ChatEvent): void {
    if (event.type === 'thinking') this.hasReasoning = true;
    if (event.type === 'text' || event.type === 'thinking' || event.type === 'refusal') this.#count(event.text);
    else if (event.type === 'thinking_end') this.hasReasoning = true;
    else if (event.type === 'tool_arguments') this.#count(event.json);
    else if (event.type === 'finish') this.finishReason = event.reason;
    else if (event.type === 'error') this.fault ??= event.error;
  }

  get error(): string | undefined {
    return this.fault && !isOfForm.has(this.fault.code) ? this.fault.message : undefined;
  }

  get empty(): boolean {
    return this.fault?.code === 'bad_reply';
  }

  get blocked(): boolean {
    return this.fault?.code === 'prompt_blocked';
  }

  outputTokens(): number {
    return tokensOf(this.#ascii, this.#other);
  }

  outputAfterUsage(): number {
    return this.outputTokens() - this.#told;
  }

  #noteTelling(): void {
    this.#told = this.outputTokens();
  }

  #count(text: string): void {
    const beyondAscii = Math.min(text.length, (Buffer.byteLength(text) - text.length) / 2);
    this.#ascii += text.length - beyondAscii;
    this.#other += beyondAscii;
  }
}

/** An unfinished event is kept back up to here; a longer one is passed on as it comes. */
const KEPT_BACK = 64 * 1024;

/** Lets the bytes of a stream through event by event, unchanged, where the caller speaks what the provider speaks. */
export class PassingTap implements StreamTap {
  readonly #reader: StreamReader;
  readonly #heard = new StreamStats();
  #pending: Buffer | undefined;
  readonly #kept: Buffer[] = [];

  readonly #unframer: Unframer | undefined;

  /** `unframer` takes a vendor's frame off the stream first. */
  constructor(reader: StreamReader, unframer?: Unframer) {
    this.#reader = reader;
    this.#unframer = unframer;
  }

  push(chunk: Buffer): Buffer | undefined {
    return this.#take(this.#unframer ? this.#unframer.push(chunk) : chunk);
  }

  #take(chunk: Buffer): Buffer | undefined {
    if (this.done || this.#heard.fault || chunk.length === 0) return undefined;
    const bytes = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk;
    let end = lastEventEnd(bytes);
    if (end === 0 && bytes.length > KEPT_BACK) end = bytes.length;
    this.#pending = end < bytes.length ? bytes.subarray(end) : undefined;
    return end === 0 ? undefined : this.#read(bytes.subarray(0, end));
  }

  flush(): Buffer | undefined {
    const passed = [this.#unframer && this.#take(this.#unframer.end())];
    if (!this.done && !this.#heard.fault && this.#pending) passed.push(this.#read(this.#pending));
    for (const event of this.#reader.end()) this.#heard.add(event);
    const left = [...passed.filter((bytes) => bytes !== undefined), ...this.#kept];
    return left.length === 0 ? undefined : Buffer.concat(left);
  }

  usage(): Usage | undefined {
    return this.#reader.usage();
  }

  get finishReason(): string | undefined {
    return this.#heard.finishReason;
  }

  get done(): boolean {
    return this.#reader.done;
  }

  get error(): string | undefined {
    return this.#heard.error;
  }

  get blocked(): boolean {
    return this.#heard.blocked;
  }

  get empty(): boolean {
    return this.#heard.empty;
  }

  get hasReasoning(): boolean {
    return this.#heard.hasReasoning;
  }

  estimatedOutput(): number {
    return this.#heard.outputTokens();
  }

  outputAfterUsage(): number {
    return this.#heard.outputAfterUsage();
  }

  /** The bytes, if neither the end nor an error of the upstream is among them; the end is kept. */
  #read(bytes: Buffer): Buffer | undefined {
    const passed: Buffer[] = [];
    for (const event of eventsOf(bytes)) {
      this.#heard.addAll(this.#reader.push(event), this.#reader);
      // The upstream's own words about an error can hold its secrets; what ends the stream tells them masked.
      if (this.#heard.fault) break;
      if (this.#reader.done) {
        this.#kept.push(event);
        break;
      }
      passed.push(event);
    }
    return passed.length === 0 ? undefined : Buffer.concat(passed);
  }
}

/** Writes a stream anew in the caller's dialect, event by event. */
export class ConvertingTap implements StreamTap {
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #heard = new StreamStats();

  readonly #inputTokens: number;

  /** `inputTokens`: the prompt, estimated, for the usage that a caller is told where the upstream tells none. */
  constructor(reader: StreamReader, writer: StreamWriter, inputTokens: number) {
    this.#reader = reader;
    this.#writer = writer;
    this.#inputTokens = inputTokens;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.done || this.#heard.fault) return undefined;
    return this.#write(this.#reader.push(chunk));
  }

  flush(): Buffer | undefined {
    const last = this.#write(this.#reader.end());
    if (this.#heard.fault) return last;
    // A caller who is told usage is told one: where the upstream told none, the estimate that is charged.
    const estimate = this.#estimate();
    const end = Buffer.from((estimate ? this.#writer.event(estimate) : '') + this.#writer.end());
    return last ? Buffer.concat([last, end]) : end;
  }

  usage(): Usage | undefined {
    return this.#reader.usage();
  }

  get finishReason(): string | undefined {
    return this.#heard.finishReason;
  }

  /** A stream that has finished is whole, also where its vendor's last line is missing. */
  get done(): boolean {
    return this.#reader.done;
  }

  get error(): string | undefined {
    return this.#heard.error;
  }

  get blocked(): boolean {
    return this.#heard.blocked;
  }

  get empty(): boolean {
    return this.#heard.empty;
  }

  get hasReasoning(): boolean {
    return this.#heard.hasReasoning;
  }

  estimatedOutput(): number {
    return this.#heard.outputTokens();
  }

  outputAfterUsage(): number {
    return this.#heard.outputAfterUsage();
  }

  /** The usage event that the upstream left out, or whose counters cannot be; undefined: its own will do. */
  #estimate(): ChatEvent | undefined {
    const usage = this.#reader.usage();
    const output = this.#heard.outputTokens();
    if (usage && !contradictsText(usage, output)) return undefined;
    return { type: 'usage', usage: withEstimatedOutput(usage ?? noUsage, this.#inputTokens, output) };
  }

  #write(events: readonly ChatEvent[]): Buffer | undefined {
    this.#heard.addAll(events, this.#reader);
    let text = '';
    for (const event of events) {
      if (event.type === 'error') break;
      text += this.#writer.event(event);
    }
    return text === '' ? undefined : Buffer.from(text);
  }
}
