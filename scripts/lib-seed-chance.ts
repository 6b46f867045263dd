/** Chance that is the same at every run: a picture taken twice is the same picture. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed % 2_147_483_646) + 1;
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state / 2_147_483_647;
  }

  /** Whole, from `low` up to but not `high`. */
  between(low: number, high: number): number {
    return Math.floor(low + this.next() * (high - low));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length)]!;
  }

  /** Few of a list do most: the first a good part, the last next to nothing. */
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
