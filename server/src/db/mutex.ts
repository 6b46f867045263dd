interface Waiting {
  enter(): void;
  refuse(error: Error): void;
}

/** Lets one holder in at a time, first come, first served. */
export class Mutex {
  readonly #waiting: Waiting[] = [];
  #isHeld = false;

  /** Resolves with the function that releases the mutex; rejects with the error of `refuseWaiting`. */
  async take(): Promise<() => void> {
    if (this.#isHeld) await new Promise<void>((enter, refuse) => this.#waiting.push({ enter, refuse }));
    this.#isHeld = true;
    return () => this.#release();
  }

  /** Refuses all that wait now. The holder keeps the mutex, and later ones wait as usual. */
  refuseWaiting(error: Error): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
  }

  /** Hands over, so that nothing enters between the holder and the next one. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next) next.enter();
    else this.#isHeld = false;
  }
}
