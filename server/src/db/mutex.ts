/** Lets one in at a time, in the order of asking. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();
  #held = 0;

  /** Resolves with the function that lets the next one in. */
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
