import { crc32 } from 'node:zlib';
import { FrameError, type Frames } from '../chat-frames-reader.ts';
import { GrowingBuffer } from '../growing-buffer.ts';

/** A message of Amazon's event stream: string headers and a payload. */
export interface EventFrame {
  headers: Readonly<Record<string, string>>;
  payload: Buffer;
}

/** Total length, header length, and a checksum of both. */
const PRELUDE = 12;
const CHECKSUM = 4;

/**
 * Splits a binary event stream into messages, across any chunk boundaries. Throws `FrameError` for a wrong checksum or
 * length.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
 */
export class EventStream implements Frames<EventFrame> {
  readonly #kept: GrowingBuffer;

  constructor(limitBytes?: number) {
    this.#kept = new GrowingBuffer(limitBytes);
  }

  push(chunk: Buffer): EventFrame[] {
    const frames: EventFrame[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      const length = this.#wanted();
      const taken = rest.subarray(0, length - this.#kept.length);
      this.#kept.add(taken);
      rest = rest.subarray(taken.length);
      if (this.#kept.length === length && length > PRELUDE) {
        frames.push(readFrame(this.#kept.view));
        this.#kept.clear();
      }
    }
    return frames;
  }

  end(): EventFrame[] {
    if (this.#kept.length > 0) throw new FrameError('the stream ended inside of a message');
    return [];
  }

  /** Length of the current message; until it has arrived, the length of the prelude. */
  #wanted(): number {
    if (this.#kept.length < PRELUDE) return PRELUDE;
    const prelude = this.#kept.view;
    const total = prelude.readUInt32BE(0);
    if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8))
      throw new FrameError('the checksum of a message’s lengths is wrong');
    if (total < PRELUDE + prelude.readUInt32BE(4) + CHECKSUM) throw new FrameError('a message has impossible lengths');
    if (total > this.#kept.limitBytes)
      throw new FrameError(`an event of the stream is larger than ${this.#kept.limitBytes} bytes`);
    return total;
  }
}

function readFrame(bytes: Buffer): EventFrame {
  const end = bytes.length - CHECKSUM;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end))
    throw new FrameError('the checksum of a message is wrong');
  const headersEnd = PRELUDE + bytes.readUInt32BE(4);
  return {
    headers: readHeaders(bytes.subarray(PRELUDE, headersEnd)),
    payload: Buffer.from(bytes.subarray(headersEnd, end)),
  };
}

/** Value lengths by type; byte arrays and strings have a length prefix instead. */
const lengths: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const BYTES = 6;
const TEXT = 7;

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd] ?? -1;
    let start = nameEnd + 1;
    let length = lengths[type];
    if ((type === BYTES || type === TEXT) && start + 2 <= bytes.length) {
      length = bytes.readUInt16BE(start);
      start += 2;
    }
    if (length === undefined || start + length > bytes.length) throw new FrameError('a message has unreadable headers');
    if (type === TEXT) headers[bytes.toString('utf8', at + 1, nameEnd)] = bytes.toString('utf8', start, start + length);
    at = start + length;
  }
  return headers;
}
