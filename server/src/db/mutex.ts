/** Lets one holder in at a time, first come, first served. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();
  #held = 0;

  /** Resolves with the function that releases the mutex. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let open!: () => void;
    this.#last = new Promise((resolve) => {
      open = resolve;
    });
    this.#held++;
    if (this.#held > 1) await before;
    return () => {
      this.#held--;
      open();
    };
  }
}
