import { isObject, sourcesOrNone, type Json } from '#json.ts';
import { FrameError, type Frames } from './chat-frames-reader.ts';
import { GrowingBuffer } from './growing-buffer.ts';

const LF = 0x0a;

/** Splits a stream into lines of JSON objects, skipping blank ones. */
export class JsonLines implements Frames<Json> {
  readonly #kept: GrowingBuffer;

  constructor(limitBytes?: number) {
    this.#kept = new GrowingBuffer(limitBytes);
  }

  push(chunk: Buffer): Json[] {
    const lines: Json[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      lines.push(...this.#line(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#kept.add(chunk.subarray(start));
    return lines;
  }

  end(): Json[] {
    return this.#line(Buffer.alloc(0));
  }

  #line(rest: Buffer): Json[] {
    let bytes = rest;
    if (this.#kept.length > 0) {
      this.#kept.add(rest);
      bytes = this.#kept.view;
    }
    const text = bytes.toString('utf8').trim();
    this.#kept.clear();
    if (text === '') return [];
    const json = sourcesOrNone(text);
    if (!isObject(json)) throw new FrameError('a line of the stream is no JSON object');
    return [json];
  }
}
