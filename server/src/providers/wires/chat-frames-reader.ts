import type { Usage } from '@relay-hub/contract';
import type { ChatEvent, Fault, Json } from '#chat/chat.ts';
import type { ReadOptions, StreamReader } from '#chat/codec.ts';

/** What a stream is cut into. Throws `FrameError` for bytes that are no frame. */
export interface Frames<Frame> {
  push(chunk: Buffer): Frame[];
  /** What the end of the bytes made whole. */
  end(): Frame[];
}

/** A stream that cannot be cut into frames any more. */
export class FrameError extends Error {}

/**
 * What the readers of streams without server-sent events share: usage is read on the side, and a fault is told once and
 * ends the reading.
 */
export abstract class ChatFramesReader<Frame> implements StreamReader {
  done = false;
  toldAt: number | undefined;
  readonly #options: ReadOptions;
  readonly #frames: Frames<Frame>;
  #usage: unknown;
  #out: ChatEvent[] = [];
  #failed = false;

  constructor(options: ReadOptions, frames: Frames<Frame>) {
    this.#options = options;
    this.#frames = frames;
  }

  /** Reads one frame, and tells by `emit`. */
  protected abstract read(frame: Frame): void;
  /** The bytes have ended: tells what was kept back; false when the vendor's end is missing. */
  protected abstract finished(): boolean;

  push(chunk: Buffer): ChatEvent[] {
    this.toldAt = undefined;
    this.#take(() => this.#frames.push(chunk));
    return this.#taken();
  }

  end(): ChatEvent[] {
    this.toldAt = undefined;
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

  protected emit(event: ChatEvent): void {
    if (!this.#failed) this.#out.push(event);
  }

  protected fail(error: Fault): void {
    this.emit({ type: 'error', error });
    this.#failed = true;
  }

  /** Looks for usage in a frame's JSON. */
  protected noteUsage(json: Json): void {
    const { usage } = this.#options;
    const told = usage.find(json);
    if (told === undefined) return;
    this.#usage = usage.merge(this.#usage, told);
    if (usage.tellsOutput?.(told) !== false) this.toldAt = this.#out.length;
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
