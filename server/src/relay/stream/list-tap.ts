import type { Usage } from '@relay-hub/contract';
import type { StreamReader } from '#chat/codec.ts';
import { type SseEvent, SseEvents, SseTooLarge } from '#chat/sse-events.ts';
import { StreamStats } from './stream-tap.ts';
import type { StreamTap } from './types.ts';

/**
 * Tells a stream of events as one JSON list that grows, as Gemini does where no events were asked for. The JSON of the
 * events stays as it came, unknown fields too.
 */
export class ListTap implements StreamTap {
  readonly done = false;
  readonly #reader: StreamReader;
  readonly #events = new SseEvents();
  readonly #heard = new StreamStats();
  /** Something has been passed on, so that what follows stands behind a comma. */
  #begun = false;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.#heard.fault) return undefined;
    const items = this.#read(this.#cut(chunk));
    if (items.length === 0) return undefined;
    const passed = this.#next(items.join(',\r\n'));
    this.#begun = true;
    return Buffer.from(passed);
  }

  /** The last event, if its blank line is missing, and what closes the list. */
  flush(): Buffer | undefined {
    const last = this.#events.end();
    const items = last && !this.#heard.fault ? this.#read([last]) : [];
    for (const event of this.#reader.end()) this.#heard.add(event);
    const open = this.#begun ? '' : '[';
    return Buffer.from(`${items.length > 0 ? this.#next(items.join(',\r\n')) : open}]`);
  }

  /** The error as the last of the list, which it closes. */
  broken(json: string): string {
    return `${this.#next(json)}]`;
  }

  usage(): Usage | undefined {
    return this.#reader.usage();
  }

  get finishReason(): string | undefined {
    return this.#heard.finishReason;
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

  #next(items: string): string {
    return (this.#begun ? ',\r\n' : '[') + items;
  }

  #cut(chunk: Buffer): SseEvent[] {
    try {
      return this.#events.push(chunk);
    } catch (error) {
      if (!(error instanceof SseTooLarge)) throw error;
      this.#heard.add({ type: 'error', error: { code: 'stream_broken', message: error.message } });
      return [];
    }
  }

  /** What the events hold, up to an error of the upstream's: that is told masked, by what ends the stream. */
  #read(events: readonly SseEvent[]): string[] {
    const items: string[] = [];
    for (const { data } of events) {
      if (data === '') continue;
      const line = data.replaceAll('\n', ' ');
      this.#heard.addAll(this.#reader.push(Buffer.from(`data: ${line}\n\n`)), this.#reader);
      if (this.#heard.fault) break;
      items.push(line);
    }
    return items;
  }
}
