import { tokensOf } from '#quota/estimate.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const SPACE = 0x20;

/** An unfinished event is kept back up to here; a longer one is passed on as it comes. */
const KEPT_BACK = 64 * 1024;

/** What is read on the side of an OpenAI stream while its bytes pass. */
export interface StreamFacts {
  /** The last usage that was told; undefined: none. */
  usage: unknown;
  finishReason: string | undefined;
  done: boolean;
  /** An error that the upstream sent inside of the stream. */
  error: string | undefined;
}

/**
 * Lets the bytes of a Chat Completions stream through event by event, unchanged, and reads usage and end on the way.
 * Only events that could matter are parsed, which is about one in a stream.
 */
export class OpenAiStreamTap implements StreamFacts {
  usage: unknown;
  finishReason: string | undefined;
  done = false;
  error: string | undefined;

  /** The caller did not ask for the closing usage event, so it is not passed on. */
  readonly #dropUsage: boolean;
  #pending: Buffer | undefined;
  #longLine = false;
  #ascii = 0;
  #other = 0;

  constructor(dropUsage: boolean) {
    this.#dropUsage = dropUsage;
  }

  /** What may be passed on now. From `[DONE]` on everything is kept for `rest`. */
  push(chunk: Buffer): Buffer | undefined {
    const bytes = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk;
    this.#pending = undefined;
    if (this.done) {
      this.#pending = bytes;
      return undefined;
    }
    const end = lastEventEnd(bytes);
    if (end < bytes.length) {
      if (this.#longLine || bytes.length - end > KEPT_BACK) {
        this.#longLine = true;
        this.#read(bytes);
        return bytes;
      }
      this.#pending = bytes.subarray(end);
    }
    this.#longLine = false;
    return end === 0 ? undefined : this.#read(bytes.subarray(0, end));
  }

  /** What was kept back: the end of the stream, or the part of an event that never became whole. */
  rest(): Buffer | undefined {
    const bytes = this.#pending;
    this.#pending = undefined;
    if (!bytes || this.done) return bytes;
    return this.#read(bytes);
  }

  /** Tokens of the text that has passed, estimated. */
  estimatedOutput(): number {
    return tokensOf(this.#ascii, this.#other);
  }

  /** Reads whole events and returns those to pass on. */
  #read(bytes: Buffer): Buffer | undefined {
    let passed = bytes;
    const done = passed.indexOf('data: [DONE]');
    if (done >= 0 || passed.indexOf('data:[DONE]') >= 0) {
      const at = done >= 0 ? done : passed.indexOf('data:[DONE]');
      this.done = true;
      this.#pending = passed.subarray(at);
      passed = passed.subarray(0, at);
    }
    this.#countText(passed);
    this.#readFinish(passed);
    if (passed.indexOf('{"error"') >= 0) this.#readError(passed);
    if (findObject(passed, '"usage"') >= 0) passed = this.#readUsage(passed);
    return passed.length === 0 ? undefined : passed;
  }

  #readUsage(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    let dropped = false;
    for (const event of eventsOf(bytes)) {
      const json = findObject(event, '"usage"') < 0 ? undefined : dataOf(event);
      const choices = json?.['choices'];
      const first = Array.isArray(choices) ? (choices[0] as { usage?: unknown } | undefined) : undefined;
      const usage = json?.['usage'] ?? first?.usage;
      if (usage !== undefined && usage !== null) this.usage = usage;
      if (this.#dropUsage && Array.isArray(choices) && choices.length === 0) dropped = true;
      else kept.push(event);
    }
    return dropped ? Buffer.concat(kept) : bytes;
  }

  #readFinish(bytes: Buffer): void {
    for (let at = bytes.indexOf('"finish_reason"'); at >= 0; at = bytes.indexOf('"finish_reason"', at + 15)) {
      let value = at + 15;
      while (bytes[value] === SPACE || bytes[value] === 0x3a) value++;
      if (bytes[value] !== QUOTE) continue;
      const end = bytes.indexOf(QUOTE, value + 1);
      if (end > 0) this.finishReason = bytes.toString('latin1', value + 1, Math.min(end, value + 41));
    }
  }

  #readError(bytes: Buffer): void {
    for (const event of eventsOf(bytes)) {
      const error = dataOf(event)?.['error'];
      if (typeof error === 'string') this.error = error;
      else if (typeof error === 'object' && error !== null) this.error = String((error as { message?: unknown }).message ?? 'error');
    }
  }

  /** Counts the characters of content, reasoning and tool arguments. */
  #countText(bytes: Buffer): void {
    this.#countMember(bytes, 'content"');
    this.#countMember(bytes, 'arguments"');
  }

  #countMember(bytes: Buffer, name: string): void {
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + name.length)) {
      let i = at + name.length;
      while (bytes[i] === SPACE || bytes[i] === 0x3a) i++;
      if (bytes[i] !== QUOTE || bytes[at + name.length] === QUOTE) continue;
      for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) {
        const byte = bytes[i]!;
        if (byte === BACKSLASH) i++;
        if (byte < 0x80) this.#ascii++;
        else if (byte >= 0xc0) this.#other++;
      }
    }
  }
}

/** Where a member with an object as its value starts; -1 when there is none. */
function findObject(bytes: Buffer, name: string): number {
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + name.length)) {
    let i = at + name.length;
    while (bytes[i] === SPACE || bytes[i] === 0x3a) i++;
    if (bytes[i] === BRACE) return at;
  }
  return -1;
}

/** The index after the last blank line. */
function lastEventEnd(bytes: Buffer): number {
  const { length } = bytes;
  for (let at = bytes.lastIndexOf(NEWLINE); at > 0; at = bytes.lastIndexOf(NEWLINE, at - 1)) {
    const before = bytes[at - 1];
    if (before === NEWLINE || (before === RETURN && bytes[at - 2] === NEWLINE)) return at + 1;
    if (length - at > KEPT_BACK) break;
  }
  return 0;
}

/** Whole events with the blank lines that end them. */
function* eventsOf(bytes: Buffer): Generator<Buffer> {
  let start = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    const next = bytes[at + 1] === RETURN ? at + 2 : at + 1;
    if (bytes[next] !== NEWLINE) continue;
    yield bytes.subarray(start, next + 1);
    start = next + 1;
    at = next;
  }
  if (start < bytes.length) yield bytes.subarray(start);
}

/** The JSON of an event's data lines; undefined when it is none. */
function dataOf(event: Buffer): Record<string, unknown> | undefined {
  const data = event
    .toString('utf8')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5))
    .join('\n');
  try {
    const json: unknown = JSON.parse(data);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
