import { Buffer } from 'node:buffer';

const NEWLINE = 0x0a;

/** Reads a stream of chunks in pieces of chosen sizes. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #ended = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next `size` bytes; fewer only at the end. */
  async atMost(size: number): Promise<Buffer> {
    await this.#fill(size);
    return this.#take(Math.min(size, this.#keptBytes));
  }

  async isAtEnd(): Promise<boolean> {
    await this.#fill(1);
    return this.#keptBytes === 0;
  }

  /** The next line without its end; undefined if there is none within `most` bytes. */
  async line(most: number): Promise<string | undefined> {
    for (let wanted = 64; ; wanted *= 2) {
      await this.#fill(wanted);
      const kept = Buffer.concat(this.#kept);
      this.#kept = [kept];
      const end = kept.indexOf(NEWLINE);
      if (end >= 0 && end <= most) return this.#take(end + 1).toString('utf8', 0, end);
      if (end >= 0 || this.#ended || wanted >= most) return undefined;
    }
  }

  /** The rest of the stream. */
  async *rest(): AsyncGenerator<Buffer, void> {
    while (!(await this.isAtEnd())) yield this.#take(this.#keptBytes);
  }

  async #fill(size: number): Promise<void> {
    while (this.#keptBytes < size && !this.#ended) {
      const { done, value } = await this.#chunks.next();
      if (done) this.#ended = true;
      else this.#keep(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    }
  }

  #keep(chunk: Buffer): void {
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
  }

  #take(size: number): Buffer {
    const all = this.#kept.length === 1 ? this.#kept[0]! : Buffer.concat(this.#kept); // one: checked here
    this.#kept = size < all.length ? [all.subarray(size)] : [];
    this.#keptBytes = all.length - size;
    return all.subarray(0, size);
  }
}
