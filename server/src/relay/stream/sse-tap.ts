import { Buffer } from 'node:buffer';
import type { Usage } from '@relay-hub/contract';
import { tokensOf } from '#quota/estimate.ts';
import { errorIn } from '#relay/convert/json-reply.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { doneEvent, eventsOf, isLineEnd, lastEventEnd } from './event-ends.ts';
import type { StreamTap } from './types.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const SPACE = 0x20;
const UNDERSCORE = 0x5f;
const COLON = 0x3a;

/** An unfinished event is kept back up to here; a longer one is passed on as it comes. */
const KEPT_BACK = 64 * 1024;

/**
 * Lets the bytes of a Chat Completions stream through event by event, unchanged, and reads usage and end on the way.
 * Only events that could matter are parsed, which is about one in a stream.
 */
export class OpenAiStreamTap implements StreamTap {
  /** Nothing that came has the form of a choice, so far. */
  empty = true;
  /** Reasoning was among what came. */
  hasReasoning = false;
  /** The last usage that was told, as it was told; undefined: none. */
  raw: unknown;
  finishReason: string | undefined;
  done = false;
  error: string | undefined;
  readonly endEvent = 'data: [DONE]\n\n';

  /** The caller did not ask for the closing usage event, so it is not passed on. */
  readonly #dropUsage: boolean;
  #pending: Buffer | undefined;
  /** The beginning of the event at hand has been passed on already. */
  #longLine = false;
  /** A text that is counted goes on in the next piece of a long line. */
  #inText = false;
  #ascii = 0;
  #other = 0;
  /** What had been said when usage was told last. */
  #told = 0;

  readonly #format: UsageFormat;
  /** The end of the name of the member that holds the text. */
  readonly #text: string;

  constructor(dropUsage: boolean, format: UsageFormat, text = 'content"') {
    this.#dropUsage = dropUsage;
    this.#format = format;
    this.#text = text;
  }

  /** What may be passed on now. `[DONE]` is kept for `rest`, and what follows it is dropped. */
  push(chunk: Buffer): Buffer | undefined {
    // What comes after the end is not read, so it is neither charged nor passed on.
    if (this.done) return undefined;
    const bytes = joined(this.#pending, chunk)!;
    let end = lastEventEnd(bytes);
    const tooLong = bytes.length - end > KEPT_BACK || (end === 0 && this.#longLine);
    // Line ends stay, because the blank line that ends the event may be cut in two.
    if (tooLong) end = withoutLineEnds(bytes);
    this.#pending = end < bytes.length ? bytes.subarray(end) : undefined;
    const continued = this.#longLine;
    this.#longLine = tooLong;
    return end === 0 ? undefined : this.#read(bytes.subarray(0, end), continued);
  }

  /** What was kept back: the end of the stream, or the part of an event that never became whole. */
  flush(): Buffer | undefined {
    const bytes = this.#pending;
    this.#pending = undefined;
    if (!bytes || this.done) return bytes;
    const untold = this.outputAfterUsage();
    const passed = this.#read(bytes, this.#longLine);
    // Where usage is told along with each piece, it would have been told with this one as well.
    this.#told = Math.max(this.#told, this.estimatedOutput() - untold);
    // An end without its blank line is found only now.
    const done = this.#pending;
    this.#pending = undefined;
    return done ? joined(passed, done) : passed;
  }

  usage(): Usage | undefined {
    return this.#format.read(this.raw);
  }

  /** Tokens of the text that has passed, estimated. */
  estimatedOutput(): number {
    return tokensOf(this.#ascii, this.#other);
  }

  outputAfterUsage(): number {
    return this.estimatedOutput() - this.#told;
  }

  /** Reads whole events and returns those to pass on. `continued`: the first one began in a piece before. */
  #read(bytes: Buffer, continued: boolean): Buffer | undefined {
    let passed = bytes;
    // A byte a character, so that places in one are places in the other; searching a text is much faster than a buffer.
    let text = bytes.toString('latin1');
    const end = doneAt(text, continued);
    if (end >= 0) {
      this.done = true;
      this.#pending = doneEvent(text.slice(end, end + 32));
      passed = bytes.subarray(0, end);
      text = text.slice(0, end);
    }
    this.#readFinish(text);
    if (this.empty) this.empty = !parts.some((name) => text.includes(name));
    // Every mark of an error has these letters; most chunks do not.
    if (text.includes('rror')) passed = this.#readError(passed);
    if (hasMember(text, '"usage"', isBrace)) passed = this.#readUsage(passed);
    else this.#countText(text);
    return passed.length === 0 ? undefined : passed;
  }

  #readUsage(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    let dropped = false;
    for (const event of eventsOf(bytes)) {
      const text = event.toString('latin1');
      // Event by event: what follows a telling is not in it.
      this.#countText(text);
      const json = hasMember(text, '"usage"', isBrace) ? dataOf(event) : undefined;
      const choices = json?.['choices'];
      const told = json && this.#format.find(json);
      if (told !== undefined && told !== null) {
        this.raw = this.#format.merge(this.raw, told);
        this.#told = this.estimatedOutput();
      }
      if (this.#dropUsage && Array.isArray(choices) && choices.length === 0) dropped = true;
      else kept.push(event);
    }
    return dropped ? Buffer.concat(kept) : bytes;
  }

  #readFinish(text: string): void {
    for (let at = text.indexOf('"finish_reason"'); at >= 0; at = text.indexOf('"finish_reason"', at + 15)) {
      const value = valueAt(text, at + 15);
      if (text.charCodeAt(value) !== QUOTE) continue;
      const end = text.indexOf('"', value + 1);
      if (end > 0) this.finishReason = text.slice(value + 1, Math.min(end, value + 41));
    }
  }

  /** The upstream's own words are not passed on: they can hold its keys and addresses. What ends the stream tells them cleaned. */
  #readError(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    for (const event of eventsOf(bytes)) {
      const error = errorOf(event);
      if (error === undefined) kept.push(event);
      else this.error ??= error;
    }
    return this.error === undefined ? bytes : Buffer.concat(kept);
  }

  /** Counts the characters of content, reasoning and tool arguments. */
  #countText(text: string): void {
    const open = this.#inText && this.#countString(text, 0);
    const content = this.#countMember(text, this.#text);
    const calls = this.#countMember(text, 'arguments"');
    this.#inText = open || content || calls;
  }

  /** Whether the last text of this name goes on behind these bytes. */
  #countMember(text: string, name: string): boolean {
    let open = false;
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
      const start = valueAt(text, at + name.length);
      if (text.charCodeAt(start) !== QUOTE || start === at + name.length) continue;
      open = this.#countString(text, start + 1);
      // `reasoning_content`, which some vendors send empty beside every piece of text.
      if (text.charCodeAt(at - 1) === UNDERSCORE && text.charCodeAt(start + 1) !== QUOTE) this.hasReasoning = true;
    }
    return open;
  }

  #countString(text: string, start: number): boolean {
    let i = start;
    for (; i < text.length; i++) {
      const byte = text.charCodeAt(i);
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) i++;
      if (byte < 0x80) this.#ascii++;
      else if (byte >= 0xc0) this.#other++;
    }
    return i >= text.length;
  }
}

/** What an event says of an error; undefined: it is none. */
function errorOf(event: Buffer): string | undefined {
  const text = event.toString('latin1');
  const isNamed = /^event: ?error/m.test(text);
  const isPlain = /^data: ?[^\s{[":]/m.test(text) && !/^data: ?[{["]/m.test(text);
  const isMarked = /"(?:object|type)" ?: ?"error"/.test(text);
  if (!isNamed && !isPlain && !isMarked && !hasMember(text, '"error"', isErrorStart)) return undefined;
  const json = dataOf(event);
  if (!json) return isNamed || isPlain ? textOf(event) : undefined;
  const { message } = json;
  const own = typeof message === 'string' && message !== '' ? message : 'error';
  return errorIn(json) ?? (isNamed || isMarked ? own : undefined);
}
/** What choices of chats and of completions have. */
const parts = ['"delta"', '"text"', '"message"'] as const;

const isBrace = (code: number): boolean => code === BRACE;
const isErrorStart = (code: number): boolean => code === BRACE || code === QUOTE;

/** Whether there is a member whose value starts so. */
function hasMember(text: string, name: string, starts: (code: number) => boolean): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    if (starts(text.charCodeAt(valueAt(text, at + name.length)))) return true;
  }
  return false;
}

/** Where the value of a member starts, from the end of its name. */
function valueAt(text: string, nameEnd: number): number {
  let i = nameEnd;
  for (let code = text.charCodeAt(i); code === SPACE || code === COLON; code = text.charCodeAt(i)) i++;
  return i;
}

/** Where the line `data: [DONE]` starts; -1 when there is none. Inside of a text it would not be at a line's start. */
function doneAt(text: string, continued: boolean): number {
  for (let mark = text.indexOf('[DONE]'); mark >= 0; mark = text.indexOf('[DONE]', mark + 6)) {
    const start = mark - (text.charCodeAt(mark - 1) === SPACE ? 6 : 5);
    if (start < 0 || !text.startsWith('data:', start)) continue;
    if (start === 0 ? !continued : isLineEnd(text.charCodeAt(start - 1))) return start;
  }
  return -1;
}

function joined(first: Buffer | undefined, second: Buffer | undefined): Buffer | undefined {
  return first && second ? Buffer.concat([first, second]) : (first ?? second);
}

function withoutLineEnds(bytes: Buffer): number {
  let end = bytes.length;
  while (end > bytes.length - 3 && (bytes[end - 1] === NEWLINE || bytes[end - 1] === RETURN)) end--;
  return end;
}

/** What stands in an event's data lines. */
const textOf = (event: Buffer): string =>
  event
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r\n?|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .join('\n');

/** The JSON of an event's data lines; undefined when it is none. */
function dataOf(event: Buffer): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(textOf(event));
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
