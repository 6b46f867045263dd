/** Microseconds on the monotonic clock that all processes of a machine share. */
export const clockUs = (): number => Number(process.hrtime.bigint() / 1000n);

const BEGIN = 0x40; // @
const END = 0x3b; // ;

/** Send time as a text that passes through any relay. */
export const stamp = (us: number): string => `@${us};`;

/** Finds timestamps in the bytes of one stream, including those split between chunks. */
export class StampReader {
  /** Digits of an incomplete timestamp; undefined outside of one. */
  #begun: string | undefined;

  read(bytes: Buffer): number[] {
    const stamps: number[] = [];
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
      stamps.push(Number(this.#begun));
      this.#begun = undefined;
      at = end + 1;
    }
    return stamps;
  }
}
