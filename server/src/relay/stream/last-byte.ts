/**
 * Holds back the last byte of a stream without an end marker: the caller has the whole stream only once it is charged.
 */
export class LastByte {
  #held: Buffer | undefined;
  /** More than the held byte has come. */
  hasPassed = false;

  push(chunk: Buffer): Buffer | undefined {
    const before = this.#held;
    this.#held = chunk.subarray(-1);
    const passed = chunk.subarray(0, -1);
    if (!before && passed.length === 0) return undefined;
    this.hasPassed = true;
    return before ? Buffer.concat([before, passed]) : passed;
  }

  flush(): Buffer | undefined {
    return this.#held;
  }

  drop(): void {
    this.#held = undefined;
  }
}
