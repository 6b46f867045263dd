export interface SseEvent {
  /** Value of the `event:` line; undefined without one. */
  name: string | undefined;
  data: string;
}

/** An event exceeds the memory limit. */
export class SseTooLarge extends Error {
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`an event of the stream is larger than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/** Large enough for a picture in one event. */
export const LARGEST_EVENT = 32 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const NOWHERE = Number.MAX_SAFE_INTEGER;

const nothing = Buffer.alloc(0);
/** Buffers up to this size are kept for reuse. */
const KEPT_FOR_NEXT = 16 * 1024;

/**
 * Splits bytes into server-sent events, across any chunk boundaries: lines end in LF, CR or CRLF, a BOM and comments
 * are skipped, and text is decoded only when its line is complete. Buffers only the current event, up to `limitBytes`.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export class SseEvents {
  readonly #limit: number;
  /** The current line in a doubling buffer, so that a stream in single bytes costs linear time. */
  #kept: Buffer = nothing;
  #keptBytes = 0;
  #name: string | undefined;
  #data: string | undefined;
  #dataBytes = 0;
  #firstLine = true;
  /** The last chunk ended in CR, so a leading LF belongs to it. */
  #afterReturn = false;

  constructor(limitBytes = LARGEST_EVENT) {
    this.#limit = limitBytes;
  }

  /** The events completed by a chunk. Throws `SseTooLarge`. */
  push(chunk: Buffer): SseEvent[] {
    const events: SseEvent[] = [];
    let start = 0;
    if (this.#afterReturn && chunk.length > 0) {
      if (chunk[0] === LF) start = 1;
      this.#afterReturn = false;
    }
    let lf = find(chunk, LF, start);
    let cr = find(chunk, CR, start);
    while (lf !== NOWHERE || cr !== NOWHERE) {
      const end = Math.min(lf, cr);
      const event = this.#line(chunk, start, end);
      if (event) events.push(event);
      start = end + 1;
      if (end === cr) {
        if (start === chunk.length) this.#afterReturn = true;
        else if (lf === start) start++;
        cr = find(chunk, CR, start);
      }
      if (lf < start) lf = find(chunk, LF, start);
    }
    if (start < chunk.length) this.#keep(chunk, start, chunk.length);
    return events;
  }

  /** An event whose final blank line is missing; undefined if there is none. */
  end(): SseEvent | undefined {
    return this.#line(nothing, 0, 0) ?? this.#line(nothing, 0, 0);
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    const needed = this.#keptBytes + end - start;
    if (needed + this.#dataBytes > this.#limit) throw new SseTooLarge(this.#limit);
    if (needed > this.#kept.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(1024, needed, 2 * this.#kept.length));
      this.#kept.copy(larger, 0, 0, this.#keptBytes);
      this.#kept = larger;
    }
    chunk.copy(this.#kept, this.#keptBytes, start, end);
    this.#keptBytes = needed;
  }

  /** Reads a complete line. A blank one returns the event that it ends. */
  #line(chunk: Buffer, start: number, end: number): SseEvent | undefined {
    let bytes = chunk;
    let from = start;
    let to = end;
    if (this.#keptBytes > 0) {
      this.#keep(chunk, start, end);
      bytes = this.#kept;
      from = 0;
      to = this.#keptBytes;
      this.#keptBytes = 0;
      if (bytes.length > KEPT_FOR_NEXT) this.#kept = nothing;
    }
    if (this.#firstLine) {
      if (bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf) from += 3;
      this.#firstLine = false;
    }
    if (from === to) return this.#dispatch();
    if (startsWith(bytes, from, to, 'data')) this.#addData(bytes, from + 4, to);
    else if (startsWith(bytes, from, to, 'event')) this.#name = valueAt(bytes, from + 5, to);
    return undefined;
  }

  #addData(bytes: Buffer, from: number, to: number): void {
    this.#dataBytes += to - from;
    if (this.#dataBytes > this.#limit) throw new SseTooLarge(this.#limit);
    const value = valueAt(bytes, from, to);
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #dispatch(): SseEvent | undefined {
    const event = this.#data === undefined ? undefined : { name: this.#name, data: this.#data };
    this.#name = undefined;
    this.#data = undefined;
    this.#dataBytes = 0;
    return event;
  }
}

function find(chunk: Buffer, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? NOWHERE : at;
}

/** Whether the line has this field name, with or without a colon. */
function startsWith(bytes: Buffer, from: number, to: number, field: string): boolean {
  const end = from + field.length;
  if (end > to || (end < to && bytes[end] !== COLON)) return false;
  for (let i = 0; i < field.length; i++) if (bytes[from + i] !== field.charCodeAt(i)) return false;
  return true;
}

/** The value behind the colon, without one leading space. */
function valueAt(bytes: Buffer, colon: number, to: number): string {
  const from = bytes[colon + 1] === SPACE ? colon + 2 : colon + 1;
  return from < to ? bytes.toString('utf8', from, to) : '';
}
