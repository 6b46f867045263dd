import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';

/** A piece of a stream: milliseconds after the first one, and its bytes. */
export type StreamPiece = [ms: number, bytes: number];

/** A copy of a stream as its caller receives it. One that is too long is dropped. */
export class StreamRecord {
  /** Empty: the stream had no head before its end. */
  contentType = '';
  readonly #most: number;
  readonly #startMs = performance.now();
  #pieces: Buffer[] = [];
  #pace: StreamPiece[] = [];
  #bytes = 0;
  #ended = false;

  constructor(most: number) {
    this.#most = most;
  }

  push(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#most) this.#pieces = this.#pace = [];
    else {
      this.#pieces.push(bytes);
      this.#pace.push([Math.round(performance.now() - this.#startMs), bytes.length]);
    }
  }

  /** The last bytes, which are added once. */
  end(bytes: Buffer): void {
    if (!this.#ended) this.push(bytes);
    this.#ended = true;
  }

  /** The stream and its pace; undefined: it was too long. */
  whole(): { body: Buffer; pace: StreamPiece[] } | undefined {
    if (this.#bytes > this.#most) return undefined;
    const [[first] = [0]] = this.#pace;
    return { body: Buffer.concat(this.#pieces), pace: this.#pace.map(([ms, bytes]) => [ms - first, bytes]) };
  }
}
