import type { Usage } from '@relay-hub/contract';
import type { StreamReader } from '#chat/codec.ts';
import { type SseEvent, SseEvents, SseTooLarge } from '#chat/sse-events.ts';
import { ReaderTap } from './reader-tap.ts';

/**
 * Turns a stream of events into one growing JSON list, as Gemini sends without `alt=sse`. The JSON of the events stays
 * unchanged, unknown fields included.
 */
export class ListTap extends ReaderTap {
  readonly #events = new SseEvents();
  /** An item has been passed on, so the next one follows a comma. */
  #hasItems = false;
  readonly #lastItem: ((usage: Usage) => string) | undefined;

  /** `lastItem` writes the item that ends a list early; undefined: it cannot be ended early. */
  constructor(reader: StreamReader, lastItem?: (usage: Usage) => string) {
    super(reader);
    this.#lastItem = lastItem;
  }

  /** The list ends with the connection. */
  override get done(): boolean {
    return false;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.stats.fault) return undefined;
    const items = this.#read(this.#split(chunk));
    if (items.length === 0) return undefined;
    const passed = this.#next(items.join(',\r\n'));
    this.#hasItems = true;
    return Buffer.from(passed);
  }

  /** The last event, even without its blank line, and the end of the list. */
  flush(): Buffer | undefined {
    const last = this.#events.end();
    const items = last && !this.stats.fault ? this.#read([last]) : [];
    for (const event of this.reader.end()) this.stats.add(event);
    const open = this.#hasItems ? '' : '[';
    return Buffer.from(`${items.length > 0 ? this.#next(items.join(',\r\n')) : open}]`);
  }

  /** Ends the list with an error as its last item. */
  endWith(errorJson: string): string {
    return `${this.#next(errorJson)}]`;
  }

  /** Ends the list with an item that says that the output limit was reached. */
  cut(usage: Usage): Buffer | undefined {
    const last = this.#lastItem?.(usage);
    return last === undefined ? undefined : Buffer.from(this.endWith(last));
  }

  #next(items: string): string {
    return (this.#hasItems ? ',\r\n' : '[') + items;
  }

  #split(chunk: Buffer): SseEvent[] {
    try {
      return this.#events.push(chunk);
    } catch (error) {
      if (!(error instanceof SseTooLarge)) throw error;
      this.stats.add({ type: 'error', error: { code: 'stream_broken', message: error.message } });
      return [];
    }
  }

  /** The JSON of the events, up to an upstream error, which the end of the stream repeats masked. */
  #read(events: readonly SseEvent[]): string[] {
    const items: string[] = [];
    for (const { data } of events) {
      if (data === '') continue;
      const line = data.replaceAll('\n', ' ');
      this.stats.addAll(this.reader.push(Buffer.from(`data: ${line}\n\n`)), this.reader);
      if (this.stats.fault) break;
      items.push(line);
    }
    return items;
  }
}
