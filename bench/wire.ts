import { connect, type Socket } from 'node:net';

/** One request on a connection. */
export interface Exchange {
  request: Buffer;
  onBody(bytes: Buffer): void;
  /** Called once; status 0 if the connection broke before the end of the reply. */
  onEnd(status: number): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * A keep-alive HTTP/1.1 connection with one request at a time. Understands only what replies of a relay use (content
 * length or chunks), so that the load generator stays cheap compared to the target.
 */
export class Connection {
  readonly #socket: Socket;
  #exchange: Exchange | undefined;
  #status = 0;
  /** Bytes left of the body or chunk; -1: waiting for the head, -2: waiting for a chunk size. */
  #left = -1;
  #chunked = false;
  #kept: Buffer | undefined;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true);
    this.#socket.on('data', (bytes: Buffer) => this.#read(bytes));
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.on('close', () => this.#finish(0));
  }

  get usable(): boolean {
    return !this.#socket.destroyed;
  }

  send(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#socket.write(exchange.request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #finish(status: number): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#left = -1;
    exchange?.onEnd(status);
  }

  #read(piece: Buffer): void {
    let bytes = this.#kept ? Buffer.concat([this.#kept, piece]) : piece;
    this.#kept = undefined;
    while (bytes.length > 0 && this.#exchange) {
      const used =
        this.#left === -1 ? this.#readHead(bytes) : this.#left === -2 ? this.#readSize(bytes) : this.#readBody(bytes);
      if (used === 0) {
        this.#kept = bytes;
        return;
      }
      bytes = bytes.subarray(used);
    }
  }

  /** Like the two below: returns the bytes consumed, 0 if more are needed. */
  #readHead(bytes: Buffer): number {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) return 0;
    const head = bytes.toString('latin1', 0, end);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#chunked = length === undefined;
    this.#left = length === undefined ? -2 : Number(length);
    if (this.#left === 0) this.#finish(this.#status);
    return end + 4;
  }

  #readSize(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n');
    if (end < 0) return 0;
    const size = Number.parseInt(bytes.toString('latin1', 0, end), 16);
    if (size > 0) {
      this.#left = size + 2; // includes the line end
      return end + 2;
    }
    if (bytes.length < end + 4) return 0;
    this.#finish(this.#status);
    return end + 4;
  }

  #readBody(bytes: Buffer): number {
    const used = Math.min(this.#left, bytes.length);
    const lineEnd = this.#chunked ? 2 : 0;
    const content = Math.min(used, this.#left - lineEnd);
    if (content > 0) this.#exchange?.onBody(content === bytes.length ? bytes : bytes.subarray(0, content));
    this.#left -= used;
    if (this.#left > 0) return used;
    if (this.#chunked) this.#left = -2;
    else this.#finish(this.#status);
    return used;
  }
}
