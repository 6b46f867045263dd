import type { StreamTap } from './types.ts';

/** Lets sound through as it comes, but for its last byte, which leaves when it is charged. */
export class SoundTap implements StreamTap {
  readonly finishReason = undefined;
  readonly error = undefined;
  readonly done = false;
  #kept: Buffer | undefined;
  #passed = false;

  push(chunk: Buffer): Buffer | undefined {
    if (chunk.length === 0) return undefined;
    const before = this.#kept;
    this.#kept = chunk.subarray(-1);
    const passed = chunk.subarray(0, -1);
    if (!before && passed.length === 0) return undefined;
    this.#passed = true;
    return before ? Buffer.concat([before, passed]) : passed;
  }

  flush(): Buffer | undefined {
    return this.#kept;
  }

  usage(): undefined {
    return undefined;
  }

  /** Sound has no mark of its end but the connection's; a single byte is none. */
  get endsWithConnection(): boolean {
    return this.#passed;
  }

  /** It cannot be counted: something, or nothing. */
  estimatedOutput(): number {
    return this.#passed ? 1 : 0;
  }
}
