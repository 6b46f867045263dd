import type { SoundLength } from '#usage/sound-length.ts';
import { LastByte } from './last-byte.ts';
import type { StreamTap } from '#relay/types/stream-types.ts';

/** Passes audio on as it arrives, except for its last byte, which leaves once it is charged. */
export class SoundTap implements StreamTap {
  readonly finishReason = undefined;
  readonly error = undefined;
  readonly done = false;
  readonly #bytes = new LastByte();
  readonly #length: SoundLength | undefined;

  /** `length` measures the audio; undefined: not needed. */
  constructor(length?: SoundLength) {
    this.#length = length;
  }

  push(chunk: Buffer): Buffer | undefined {
    this.#length?.push(chunk);
    return chunk.length === 0 ? undefined : this.#bytes.push(chunk);
  }

  flush(): Buffer | undefined {
    return this.#bytes.flush();
  }

  usage(): undefined {
    return undefined;
  }

  seconds(): number | undefined {
    return this.#length?.seconds;
  }

  /** A single byte is not audio. */
  get endsWithConnection(): boolean {
    return this.#bytes.hasPassed;
  }

  /** Audio has no text to count: 1 if any came, else 0. */
  estimatedOutput(): number {
    return this.#bytes.hasPassed ? 1 : 0;
  }
}
