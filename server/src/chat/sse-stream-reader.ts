import type { Usage } from '@relay-hub/contract';
import { isObject, parseJson, type Json } from '#json.ts';
import { identityIn, mergeServed, type ServedReport } from '#usage/served.ts';
import type { ChatEvent, ChatFault } from './chat.ts';
import type { ReadOptions, StreamReader } from './codec.ts';
import { type SseEvent, SseEvents, SseTooLarge } from './sse-events.ts';
import { faultOf, vendorErrorIn } from './vendor-errors.ts';

/**
 * Base of the vendors' stream readers: splits bytes into JSON events, collects usage, and reports one error, which ends
 * reading. Subclasses interpret events and detect the end.
 */
export abstract class SseStreamReader implements StreamReader {
  done = false;
  begun = false;
  usageAt: number | undefined;
  readonly #options: ReadOptions;
  readonly #sse: SseEvents;
  /** Unparsed: it is read once, at the end. */
  #usage: unknown;
  #served: ServedReport | undefined;
  #identity: ReturnType<typeof identityIn>;
  #out: ChatEvent[] = [];
  #failed = false;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#sse = new SseEvents(options.largestEventBytes);
  }

  /** Reads one event, with the name of its `event:` line, and reports parts with `emit`. */
  protected abstract read(json: Json, name: string | undefined): void;
  /** Called at the end of the data; emits buffered parts. False if the vendor's end marker is missing. */
  protected abstract finished(): boolean;
  /** Undefined for text that is no JSON. Overridden where events hold arguments as objects. */
  protected parse(data: string): unknown {
    return parseJson(data);
  }

  /** Data of the non-JSON end marker. */
  protected readonly endMark: string | undefined = undefined;

  push(chunk: Buffer): ChatEvent[] {
    this.usageAt = undefined;
    try {
      for (const event of this.#sse.push(chunk)) this.#take(event);
    } catch (error) {
      if (!(error instanceof SseTooLarge)) throw error;
      this.fail({ code: 'stream_broken', message: error.message });
    }
    return this.#taken();
  }

  end(): ChatEvent[] {
    this.usageAt = undefined;
    const last = this.#sse.end();
    if (last) this.#take(last);
    const usage = this.usage();
    if (usage) this.emit({ type: 'usage', usage });
    if (!this.#failed && !this.finished())
      this.fail({ code: 'stream_broken', message: 'the stream ended before its end' });
    return this.#taken();
  }

  protected noteReply(reply: Json): void {
    this.#options.onReply?.(reply);
  }

  protected emit(event: ChatEvent): void {
    if (!this.#failed) this.#out.push(event);
  }

  protected fail(error: ChatFault): void {
    this.emit({ type: 'error', error });
    this.#failed = true;
  }

  /** Fails a stream whose end came without any answer. */
  protected failEmpty(): boolean {
    this.fail({ code: 'bad_reply', message: 'the stream holds no answer' });
    return true;
  }

  usage(): Usage | undefined {
    return this.#usage === undefined ? undefined : this.#options.usage.read(this.#usage);
  }

  served(): ServedReport | undefined {
    return this.#identity ? { ...this.#served, ...this.#identity } : this.#served;
  }

  #take({ data, name }: SseEvent): void {
    if (this.#failed || this.done || data === '') return;
    if (data === this.endMark) {
      this.done = true;
      return;
    }
    const json = this.parse(data);
    const { usage } = this.#options;
    const report = usage.find(json);
    if (report !== undefined) this.#usage = usage.merge(this.#usage, report);
    this.#served = mergeServed(this.#served, usage.served?.(json));
    this.#identity ??= identityIn(json);
    const error = vendorErrorIn(json);
    if (error) this.fail(faultOf(error, 'stream'));
    else if (isObject(json)) this.read(json, name);
    else this.fail({ code: 'stream_broken', message: 'an event of the stream is no JSON object' });
    // Counters are cumulative, so they include the event that carries them.
    if (report !== undefined && usage.reportsOutput?.(report) !== false) this.usageAt = this.#out.length;
  }

  #taken(): ChatEvent[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}
