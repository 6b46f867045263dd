/** µs of the monotonic clock, which all processes of a machine share. */
export const clockUs = (): number => Number(process.hrtime.bigint() / 1000n);

const BEGIN = 0x40; // @
const END = 0x3b; // ;

/** The time of its sending, as a piece of text that passes through any relay. */
export const stamp = (us: number): string => `@${us};`;

/** Finds the stamps in the bytes of one stream, also those that are cut in two. */
export class StampReader {
  /** Of a stamp whose end has not come: its digits so far, else undefined. */
  #begun: string | undefined;

  read(bytes: Buffer): number[] {
    const found: number[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.#begun === undefined) {
        const begin = bytes.indexOf(BEGIN, at);
        if (begin < 0) break;
        this.#begun = '';
        at = begin + 1;
      }
      const end = bytes.indexOf(END, at);
      this.#begun += bytes.toString('latin1', at, end < 0 ? bytes.length : end);
      if (end < 0) break;
      found.push(Number(this.#begun));
      this.#begun = undefined;
      at = end + 1;
    }
    return found;
  }
}
