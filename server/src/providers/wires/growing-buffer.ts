import { LARGEST_EVENT } from '#chat/sse-events.ts';
import { FrameError } from './chat-frames-reader.ts';

const nothing = Buffer.alloc(0);
/** Buffers up to this size are kept for reuse. */
const KEPT = 16 * 1024;

/**
 * Collects the bytes of a frame in a doubling buffer, so that a stream in single bytes costs linear time. Throws
 * `FrameError` beyond the limit.
 */
export class GrowingBuffer {
  readonly #limit: number;
  #bytes: Buffer = nothing;
  #length = 0;

  constructor(limitBytes = LARGEST_EVENT) {
    this.#limit = limitBytes;
  }

  get length(): number {
    return this.#length;
  }

  get limitBytes(): number {
    return this.#limit;
  }

  /** Valid until the next change. */
  get view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  add(chunk: Buffer): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#limit) throw new FrameError(`an event of the stream is larger than ${this.#limit} bytes`);
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(1024, needed, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length = needed;
  }

  clear(): void {
    if (this.#bytes.length > KEPT) this.#bytes = nothing;
    this.#length = 0;
  }
}
