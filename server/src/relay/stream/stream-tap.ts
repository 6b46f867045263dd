/**
 * The stream step: passes a stream on, or rewrites it, while reading usage and end.
 * Created by convert, fed by upstream, read by outcome.
 */
import { Buffer } from 'node:buffer';
import { noUsage, type Usage } from '@relay-hub/contract';
import type { ChatEvent } from '#chat/chat.ts';
import type { StreamReader, StreamWriter } from '#chat/codec.ts';
import type { Unframer } from '#providers/operation.ts';
import { lacksOutputTokens, withEstimatedOutput } from '#usage/zero-output.ts';
import { eventsOf, lastEventEnd } from '#relay/body/event-ends.ts';
import { ReaderTap } from './reader-tap.ts';

/** An incomplete event is held back up to this length; a longer one is passed on as it arrives. */
const MAX_HELD_BYTES = 64 * 1024;

/** Passes a stream on unchanged, event by event, when caller and provider speak the same dialect. */
export class PassingTap extends ReaderTap {
  #pending: Buffer | undefined;
  readonly #held: Buffer[] = [];
  readonly #unframer: Unframer | undefined;
  readonly #cutter: Cutter | undefined;
  #lastPassed: Buffer | undefined;

  /** `unframer` removes a vendor's framing first. `cutter` ends a stream early; undefined: it cannot. */
  constructor(reader: StreamReader, unframer?: Unframer, cutter?: Cutter) {
    super(reader);
    this.#unframer = unframer;
    this.#cutter = cutter;
  }

  cut(usage: Usage): Buffer | undefined {
    const end = this.#cutter?.(usage, this.#lastPassed);
    return end === undefined ? undefined : Buffer.from(end);
  }

  push(chunk: Buffer): Buffer | undefined {
    return this.#take(this.#unframer ? this.#unframer.push(chunk) : chunk);
  }

  #take(chunk: Buffer): Buffer | undefined {
    if (this.done || this.stats.fault || chunk.length === 0) return undefined;
    const bytes = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk;
    let end = lastEventEnd(bytes);
    if (end === 0 && bytes.length > MAX_HELD_BYTES) end = bytes.length;
    this.#pending = end < bytes.length ? bytes.subarray(end) : undefined;
    return end === 0 ? undefined : this.#read(bytes.subarray(0, end));
  }

  flush(): Buffer | undefined {
    const passed = [this.#unframer && this.#take(this.#unframer.end())];
    if (!this.done && !this.stats.fault && this.#pending) passed.push(this.#read(this.#pending));
    for (const event of this.reader.end()) this.stats.add(event);
    const left = [...passed.filter((bytes) => bytes !== undefined), ...this.#held];
    return left.length === 0 ? undefined : Buffer.concat(left);
  }

  /** The events up to the end marker, which is held back, or up to an error. */
  #read(bytes: Buffer): Buffer | undefined {
    const passed: Buffer[] = [];
    for (const event of eventsOf(bytes)) {
      this.stats.addAll(this.reader.push(event), this.reader);
      // An upstream's error text may contain secrets; the event that ends the stream repeats it masked.
      if (this.stats.fault) break;
      if (this.reader.done) {
        this.#held.push(event);
        break;
      }
      passed.push(event);
      if (this.#cutter) this.#lastPassed = event;
    }
    return passed.length === 0 ? undefined : Buffer.concat(passed);
  }
}

/** Writes the end of a stream whose last whole event is known; `undefined` before the first. */
export type Cutter = (usage: Usage, last: Buffer | undefined) => string;

/** Rewrites a stream in the caller's dialect, event by event. A finished stream is complete without its last line. */
export class ConvertingTap extends ReaderTap {
  readonly #writer: StreamWriter;
  readonly #inputTokens: number;

  /** `inputTokens`: estimate for the usage event when the upstream reports no usage. */
  constructor(reader: StreamReader, writer: StreamWriter, inputTokens: number) {
    super(reader);
    this.#writer = writer;
    this.#inputTokens = inputTokens;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.done || this.stats.fault) return undefined;
    return this.#write(this.reader.push(chunk));
  }

  flush(): Buffer | undefined {
    const last = this.#write(this.reader.end());
    if (this.stats.fault) return last;
    const usage = this.#estimatedUsage();
    const end = Buffer.from((usage ? this.#writer.event(usage) : '') + this.#writer.end());
    return last ? Buffer.concat([last, end]) : end;
  }

  cut(usage: Usage): Buffer {
    const end = this.#writer.event({ type: 'finish', reason: 'length' }) + this.#writer.event({ type: 'usage', usage });
    return Buffer.from(end + this.#writer.end());
  }

  /** The usage event that is charged when the upstream reports none, or an implausible one. */
  #estimatedUsage(): ChatEvent | undefined {
    const usage = this.reader.usage();
    const output = this.stats.outputTokens();
    if (usage && !lacksOutputTokens(usage, output)) return undefined;
    return { type: 'usage', usage: withEstimatedOutput(usage ?? noUsage, this.#inputTokens, output) };
  }

  #write(events: readonly ChatEvent[]): Buffer | undefined {
    this.stats.addAll(events, this.reader);
    let text = '';
    for (const event of events) {
      if (event.type === 'error') break;
      text += this.#writer.event(event);
    }
    return text === '' ? undefined : Buffer.from(text);
  }
}
