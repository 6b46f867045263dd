/** Pseudo-random numbers that repeat in every run, so that pictures do not change between runs. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed % 2_147_483_646) + 1;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state / 2_147_483_647;
  }

  /** An integer, at least `low`, less than `high`. */
  between(low: number, high: number): number {
    return Math.floor(low + this.next() * (high - low));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length)]!;
  }

  /** Picks with a skew: the first items often, the last ones rarely. */
  pickBusy<T>(list: readonly T[]): T {
    return list[Math.floor(list.length * this.next() ** 2.5)]!;
  }

  text(length: number): string {
    let text = '';
    for (let i = 0; i < length; i++) text += alphabet[this.between(0, alphabet.length)]!;
    return text;
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
