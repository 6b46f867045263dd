import { Buffer } from 'node:buffer';
import type { Usage } from '@relay-hub/contract';
import { isObject, listOr, objectOr } from '#json.ts';
import { writeOpenAiUsage } from '#chat/openai/write-openai-usage.ts';
import { statusNamed, vendorErrorIn } from '#chat/vendor-errors.ts';
import { tokensOf } from '#quota/estimate.ts';
import { errorIn } from '#relay/body/json-reply.ts';
import { identityIn, mergeServed, modeNamed, type ServedReport, tierReport } from '#usage/served.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { doneEvent, eventsOf, isLineEnd, lastEventEnd } from '#relay/body/event-ends.ts';
import type { CutContext, ErrorNames, StreamTap } from '#relay/types/stream-types.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const SPACE = 0x20;
const UNDERSCORE = 0x5f;
const COLON = 0x3a;

/** End of the names `content` and `reasoning_content`. */
const CHAT_TEXT = 'content"';

/** An incomplete event is held back up to this length; a longer one is passed on as it arrives. */
const MAX_HELD_BYTES = 64 * 1024;

/**
 * Passes a Chat Completions stream on unchanged, event by event, and reads usage and end. Only about one event of a
 * stream is parsed.
 */
export class OpenAiStreamTap implements StreamTap {
  /** No choice has come so far. */
  empty = true;
  hasReasoning = false;
  hasContent = false;
  /** The last usage report, unparsed; undefined: none. */
  raw: unknown;
  finishReason: string | undefined;
  done = false;
  error: string | undefined;
  errorNames: ErrorNames | undefined;
  readonly endEvent = 'data: [DONE]\n\n';

  /** The caller did not request the usage event. */
  readonly #dropUsage: boolean;
  #pending: Buffer | undefined;
  /** The start of the current event has been passed on. */
  #longLine = false;
  /** A text continues in the next chunk of a long line. */
  #inText = false;
  #ascii = 0;
  #other = 0;
  /** Output tokens when usage was last reported. */
  #reportedAt = 0;

  #served: ServedReport | undefined;
  #identity: ReturnType<typeof identityIn>;
  readonly #format: UsageFormat;
  /** The id of the reply. */
  #id: string | undefined;
  /** End of the name of the member with the text. */
  readonly #text: string;

  constructor(dropUsage: boolean, format: UsageFormat, text = CHAT_TEXT) {
    this.#dropUsage = dropUsage;
    this.#format = format;
    this.#text = text;
  }

  /** Bytes to pass on now. `[DONE]` is held back for `flush`; anything after it is dropped. */
  push(chunk: Buffer): Buffer | undefined {
    // Data after the end is neither charged nor passed on.
    if (this.done) return undefined;
    const bytes = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk;
    let end = lastEventEnd(bytes);
    const tooLong = bytes.length - end > MAX_HELD_BYTES || (end === 0 && this.#longLine);
    // Line ends stay, because the blank line may be cut in two.
    if (tooLong) end = withoutLineEnds(bytes);
    this.#pending = end < bytes.length ? bytes.subarray(end) : undefined;
    const continued = this.#longLine;
    this.#longLine = tooLong;
    return end === 0 ? undefined : this.#read(bytes.subarray(0, end), continued);
  }

  /** The end of the stream, or an incomplete event. */
  flush(): Buffer | undefined {
    const bytes = this.#pending;
    this.#pending = undefined;
    if (!bytes || this.done) return bytes;
    const afterUsage = this.outputAfterUsage();
    const passed = this.#read(bytes, this.#longLine);
    // An upstream that reports usage with each chunk would have reported this one too.
    this.#reportedAt = Math.max(this.#reportedAt, this.estimatedOutput() - afterUsage);
    // An end marker without blank line is found only now.
    const done = this.#pending;
    this.#pending = undefined;
    return done ? joined(passed, done) : passed;
  }

  usage(): Usage | undefined {
    return this.#format.read(this.raw);
  }

  served(): ServedReport | undefined {
    return this.#identity ? { ...this.#served, ...this.#identity } : this.#served;
  }

  usageEvent(usage: Usage, about: { model: string; created: number }): string {
    const object = this.#text === CHAT_TEXT ? 'chat.completion.chunk' : 'text_completion';
    const chunk = { id: this.#id, object, ...about, choices: [], usage: writeOpenAiUsage(usage) };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }

  cut(usage: Usage, { model, created, choices, wantsUsage }: CutContext): Buffer {
    const isChat = this.#text === CHAT_TEXT;
    const object = isChat ? 'chat.completion.chunk' : 'text_completion';
    const content = isChat ? { delta: {} } : { text: '' };
    const ends = Array.from({ length: choices }, (_, index) => ({ index, ...content, finish_reason: 'length' }));
    const end = `data: ${JSON.stringify({ id: this.#id, object, created, model, choices: ends })}\n\n`;
    return Buffer.from(end + (wantsUsage ? this.usageEvent(usage, { model, created }) : '') + this.endEvent);
  }

  estimatedOutput(): number {
    return tokensOf(this.#ascii, this.#other);
  }

  outputAfterUsage(): number {
    return this.estimatedOutput() - this.#reportedAt;
  }

  /** Reads whole events and returns those to pass on. `continued`: the first one began in an earlier chunk. */
  #read(bytes: Buffer, continued: boolean): Buffer | undefined {
    let passed = bytes;
    // latin1 keeps positions equal, and searching a string is much faster than a buffer.
    let text = bytes.toString('latin1');
    const end = doneAt(text, continued);
    if (end >= 0) {
      this.done = true;
      this.#pending = doneEvent(text.slice(end, end + 32));
      passed = bytes.subarray(0, end);
      text = text.slice(0, end);
    }
    this.#id ??= /"id" ?: ?"([\w.:-]{1,100})"/.exec(text)?.[1];
    this.#readFinish(text);
    this.#readTier(text);
    this.hasContent ||= this.#longLine || this.finishReason !== undefined || hasText(passed);
    if (isSearch(text)) this.#readSearches(bytes);
    if (this.empty) this.empty = !parts.some((name) => text.includes(name));
    // Present in every kind of error, absent from most chunks.
    if (text.includes('rror')) passed = this.#readError(passed);
    if (usageAt(text, 0) >= 0)
      passed = this.#readUsage(passed, passed.length === text.length ? text : passed.toString('latin1'));
    else this.#countText(text);
    if (passed.length === 0) return undefined;
    return this.#dropUsage && noUsage.test(text) ? withoutUsage(passed) : passed;
  }

  /** Reads the reports in events, counts the text of all, and returns those to pass on. */
  #readUsage(bytes: Buffer, text: string): Buffer {
    const kept: Buffer[] = [];
    let keptUpTo = 0;
    let from = 0;
    for (let at = usageAt(text, 0); at >= 0; at = usageAt(text, from)) {
      const start = from + lastEventEnd(bytes.subarray(from, at));
      const [event = bytes] = eventsOf(bytes.subarray(start));
      const end = start + event.length;
      // Up to here, because text after a usage report is not included in it.
      this.#countText(text.slice(from, end));
      from = end;
      // The start of an event with a very long line is not found at once.
      const json = at < end ? dataOf(event) : undefined;
      if (!json) continue;
      const usage = this.#format.find(json);
      this.#identity ??= identityIn(json);
      if (!isSearch(text.slice(start, end))) this.#served = mergeServed(this.#served, this.#format.served?.(json));
      if (usage !== undefined && usage !== null) {
        this.raw = this.#format.merge(this.raw, usage);
        this.#reportedAt = this.estimatedOutput();
      }
      const { choices } = json;
      if (!this.#dropUsage || !Array.isArray(choices) || choices.length > 0) continue;
      kept.push(bytes.subarray(keptUpTo, start));
      keptUpTo = end;
    }
    this.#countText(text.slice(from));
    if (keptUpTo === 0) return bytes;
    return Buffer.concat([...kept, bytes.subarray(keptUpTo)]);
  }

  /** Searches that a chunk asks for or lists, mostly before the usage. */
  #readSearches(bytes: Buffer): void {
    for (const event of eventsOf(bytes)) {
      const json = isSearch(event.toString('latin1')) ? dataOf(event) : undefined;
      if (json) this.#served = mergeServed(this.#served, this.#format.served?.(json));
    }
  }

  /** Chunks without usage may name the tier too, and the last name counts. */
  #readTier(text: string): void {
    for (let at = memberEnd(text, 'service_tier"', 0); at >= 0; at = memberEnd(text, 'service_tier"', at)) {
      const value = valueAt(text, at);
      if (text.charCodeAt(value) !== QUOTE) continue;
      const mode = modeNamed(text.slice(value + 1, text.indexOf('"', value + 1)));
      if (mode) this.#served = mergeServed(this.#served, tierReport(mode));
    }
  }

  #readFinish(text: string): void {
    for (let at = memberEnd(text, 'finish_reason"', 0); at >= 0; at = memberEnd(text, 'finish_reason"', at)) {
      const value = valueAt(text, at);
      if (text.charCodeAt(value) !== QUOTE) continue;
      const end = text.indexOf('"', value + 1);
      if (end > 0) this.finishReason = text.slice(value + 1, Math.min(end, value + 41));
    }
  }

  /** An upstream's error text may contain keys and addresses; the event that ends the stream repeats it masked. */
  #readError(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    for (const event of eventsOf(bytes)) {
      const error = errorOf(event);
      if (error === undefined) kept.push(event);
      else if (this.error === undefined) {
        this.error = error;
        this.errorNames = namesOf(event);
      }
    }
    return this.error === undefined ? bytes : Buffer.concat(kept);
  }

  #countText(text: string): void {
    const open = this.#inText && this.#countString(text, 0);
    const content = this.#countMember(text, this.#text);
    const calls = this.#countMember(text, 'arguments"');
    this.#inText = open || content || calls;
  }

  /** Returns whether the last text continues after these bytes. */
  #countMember(text: string, name: string): boolean {
    let open = false;
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
      const start = valueAt(text, at + name.length);
      if (text.charCodeAt(start) !== QUOTE || start === at + name.length) continue;
      open = this.#countString(text, start + 1);
      // Some vendors send an empty `reasoning_content` with every chunk.
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

/** In every chunk of OpenAI's but the last, because the hub asked for usage. In a text, the quotes would be escaped. */
const noUsage = /, ?"usage" ?: ?null/;
const allWithoutUsage = new RegExp(noUsage, 'g');
const withoutUsage = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replace(allWithoutUsage, ''), 'latin1');

/** Error message of an event; undefined: no error. */
function errorOf(event: Buffer): string | undefined {
  const text = event.toString('latin1');
  const isNamed = /^event: ?error/m.test(text);
  const isPlain = /^data: ?[^\s{[":]/m.test(text) && !/^data: ?[{["]/m.test(text);
  const isMarked = /"(?:object|type)" ?: ?"error"/.test(text);
  if (!isNamed && !isPlain && !isMarked && !hasError(text)) return undefined;
  const json = dataOf(event);
  if (!json) return isNamed || isPlain ? textOf(event) : undefined;
  const { message } = json;
  const own = typeof message === 'string' && message !== '' ? message : 'error';
  return errorIn(json) ?? (isNamed || isMarked ? own : undefined);
}
/** The vendor's names for an error event; undefined: it has none. */
function namesOf(event: Buffer): ErrorNames | undefined {
  const json = dataOf(event);
  const found = json && (vendorErrorIn(json) ?? vendorErrorIn({ error: json }));
  return found && { ...found, status: found.status ?? statusNamed(found.type) ?? statusNamed(found.code) };
}

/** Whether a choice in these events holds more than the role of its answer. */
function hasText(events: Buffer): boolean {
  for (const event of eventsOf(events))
    for (const choice of listOr(dataOf(event)?.['choices'])) {
      const { delta, text, message } = objectOr(choice);
      const members = Object.entries(objectOr(delta)).filter(([name]) => name !== 'role');
      if ([text, message, ...members.map(([, value]) => value)].some(isFilled)) return true;
    }
  return false;
}

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value != null && value !== '';

const isSearch = (text: string): boolean => text.includes('web_search"') || memberEnd(text, 'executed_tools"', 0) >= 0;

/** Members of choices in chats and completions. */
const parts = ['"delta"', '"text"', '"message"'] as const;

/**
 * Index after the next member with this name; -1: none. The name comes without its first quote: a search for a quote
 * stops at every member.
 */
function memberEnd(text: string, name: string, from: number): number {
  for (let at = text.indexOf(name, from); at >= 0; at = text.indexOf(name, at + name.length))
    if (text.charCodeAt(at - 1) === QUOTE) return at + name.length;
  return -1;
}

/** Index after the name of the next member with a usage report; -1: none. */
function usageAt(text: string, from: number): number {
  for (let at = memberEnd(text, 'usage"', from); at >= 0; at = memberEnd(text, 'usage"', at))
    if (text.charCodeAt(valueAt(text, at)) === BRACE) return at;
  return -1;
}

/** Whether a member of an event names an error. */
function hasError(text: string): boolean {
  for (let at = memberEnd(text, 'error"', 0); at >= 0; at = memberEnd(text, 'error"', at)) {
    const start = text.charCodeAt(valueAt(text, at));
    if (start === BRACE || start === QUOTE) return true;
  }
  return false;
}

/** Index of a member's value, from the end of its name. */
function valueAt(text: string, nameEnd: number): number {
  let i = nameEnd;
  for (let code = text.charCodeAt(i); code === SPACE || code === COLON; code = text.charCodeAt(i)) i++;
  return i;
}

/** Index of the line `data: [DONE]`; -1: none. Inside a text it would not start a line. */
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

/** The data lines of an event. */
const textOf = (event: Buffer): string =>
  event
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r\n?|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .join('\n');

/** The JSON of an event; undefined: not JSON. */
function dataOf(event: Buffer): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(textOf(event));
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
