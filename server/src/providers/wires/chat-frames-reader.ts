import type { Usage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import { mergeServed, type ServedReport } from '#usage/served.ts';
import type { ChatEvent, ChatFault } from '#chat/chat.ts';
import type { ReadOptions, StreamReader } from '#chat/codec.ts';

/** Splits a stream into frames. Throws `FrameError` for invalid bytes. */
export interface Frames<Frame> {
  push(chunk: Buffer): Frame[];
  /** Frames completed by the end of the data. */
  end(): Frame[];
}

/** A stream that cannot be split into frames any further. */
export class FrameError extends Error {}

/** Base of stream readers without server-sent events: collects usage, and reports one error, which ends reading. */
export abstract class ChatFramesReader<Frame> implements StreamReader {
  done = false;
  usageAt: number | undefined;
  readonly #options: ReadOptions;
  readonly #frames: Frames<Frame>;
  #usage: unknown;
  #served: ServedReport | undefined;
  #out: ChatEvent[] = [];
  #failed = false;

  constructor(options: ReadOptions, frames: Frames<Frame>) {
    this.#options = options;
    this.#frames = frames;
  }

  /** Reads one frame and reports parts with `emit`. */
  protected abstract read(frame: Frame): void;
  /** Called at the end of the data; emits buffered parts. False if the vendor's end marker is missing. */
  protected abstract finished(): boolean;

  push(chunk: Buffer): ChatEvent[] {
    this.usageAt = undefined;
    this.#take(() => this.#frames.push(chunk));
    return this.#taken();
  }

  end(): ChatEvent[] {
    this.usageAt = undefined;
    this.#take(() => this.#frames.end());
    const usage = this.usage();
    if (usage) this.emit({ type: 'usage', usage });
    if (!this.#failed && !this.finished())
      this.fail({ code: 'stream_broken', message: 'the stream ended before its end' });
    return this.#taken();
  }

  usage(): Usage | undefined {
    return this.#usage === undefined ? undefined : this.#options.usage.read(this.#usage);
  }

  served(): ServedReport | undefined {
    return this.#served;
  }

  protected emit(event: ChatEvent): void {
    if (!this.#failed) this.#out.push(event);
  }

  protected fail(error: ChatFault): void {
    this.emit({ type: 'error', error });
    this.#failed = true;
  }

  /** Collects usage from a frame. */
  protected noteUsage(json: Json): void {
    const { usage } = this.#options;
    this.#served = mergeServed(this.#served, usage.served?.(json));
    const usageReport = usage.find(json);
    if (usageReport === undefined) return;
    this.#usage = usage.merge(this.#usage, usageReport);
    if (usage.reportsOutput?.(usageReport) !== false) this.usageAt = this.#out.length;
  }

  #take(cut: () => Frame[]): void {
    if (this.#failed || this.done) return;
    try {
      for (const frame of cut()) if (!this.#failed && !this.done) this.read(frame);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.fail({ code: 'stream_broken', message: error.message });
    }
  }

  #taken(): ChatEvent[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}
