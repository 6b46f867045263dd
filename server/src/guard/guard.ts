import type { GuardHook, GuardMark, GuardRule } from '@relay-hub/contract';
import { parseJson, textOr } from '#json.ts';
import type { Pattern } from './text-scan.ts';
import { TextScan } from './text-scan.ts';

/** Patterns, service and action of a rule. */
interface SearchRule extends Pick<GuardRule, 'name' | 'action'> {
  patterns: readonly Pattern[];
  /** Null, or left out: none. */
  hook?: GuardHook | null;
}

/** A rule in force. */
export interface LiveGuardRule extends SearchRule, Pick<GuardRule, 'requests' | 'answers' | 'groups' | 'token_ids'> {
  /** Action and patterns as text: equal for rules with the same effect. */
  effect: string;
}

/** Characters that are searched before others have a turn. */
const TURN = 64 * 1024;

/** Members that say how a text is to be read, or that are bytes, where their value looks so. */
const codes: ReadonlySet<string> = new Set([
  'b64_json',
  'call_id',
  'data',
  'encrypted_content',
  'event_id',
  'file_data',
  'file_id',
  'finish_reason',
  'id',
  'item_id',
  'media_type',
  'mimeType',
  'mime_type',
  'model',
  'modelVersion',
  'name',
  'object',
  'partial_image_b64',
  'previous_response_id',
  'responseId',
  'role',
  'signature',
  'status',
  'system_fingerprint',
  'thoughtSignature',
  'thought_signature',
  'tool_call_id',
  'tool_use_id',
  'type',
]);
const bytes = /^(?:data:[\w/+.-]{0,100};base64,|[A-Za-z0-9+/_-]{1024,}={0,2}$)/;

const isCode = (name: string, value: string): boolean =>
  codes.has(name) && /^[\w./:+=-]+$/.test(value) && /[^\d+-]/.test(value);

/** Applies rules to the texts of one request, or of one answer, and counts what they find. */
export class Guard {
  readonly #rules: readonly SearchRule[];
  readonly #at: GuardMark['at'];
  readonly #counts: number[];
  readonly #unchecked = new Set<string>();
  /** Texts that services have changed. */
  readonly replaced = new Map<string, string>();
  #searched = 0;
  /** The rule that refuses it; undefined: none does. */
  refusedBy: SearchRule | undefined;

  constructor(rules: readonly SearchRule[], at: GuardMark['at']) {
    this.#rules = rules;
    this.#at = at;
    this.#counts = rules.map(() => 0);
  }

  get marks(): GuardMark[] {
    const { refusedBy } = this;
    const at = this.#at;
    const unchecked = [...this.#unchecked].map((rule): GuardMark => ({ rule, action: 'unchecked', at, count: 1 }));
    if (refusedBy) return [{ rule: refusedBy.name, action: 'refuse', at, count: 1 }, ...unchecked];
    const found = this.#rules.flatMap(({ name }, index): GuardMark[] => {
      const count = this.#counts[index] ?? 0;
      return count > 0 ? [{ rule: name, action: 'mask', at, count }] : [];
    });
    return [...found, ...unchecked];
  }

  /** The services that decide besides patterns. */
  get hooks(): { rule: string; hook: GuardHook }[] {
    return this.#rules.flatMap(({ name, hook }) => (hook ? [{ rule: name, hook }] : []));
  }

  /** No service gave an answer for a rule, for whose failure it refuses or lets pass. */
  noteUnchecked(rule: string, refuses: boolean): void {
    this.#unchecked.add(rule);
    if (refuses) this.noteRefusal(rule);
  }

  noteRefusal(rule: string): void {
    this.refusedBy ??= this.#rules.find(({ name }) => name === rule);
  }

  noteMasked(rule: string, texts: number): void {
    const by = this.#rules.findIndex(({ name }) => name === rule);
    this.#counts[by] = (this.#counts[by] ?? 0) + texts;
  }

  /** Whether the refusal is for want of an answer. */
  get isUnchecked(): boolean {
    return this.refusedBy !== undefined && this.#unchecked.has(this.refusedBy.name);
  }

  /** A search in a text that comes in pieces. */
  scan(): TextScan {
    return new TextScan(this.#rules.map(({ patterns }) => patterns));
  }

  /** The text of a search until a position, masked. Notes a refusal for anything found so far. */
  take(scan: TextScan, to: number): string {
    this.judge(scan);
    return scan.take(to, (by) => (this.#counts[by] = (this.#counts[by] ?? 0) + 1));
  }

  /** Notes a refusal for what a search has found. */
  judge(scan: TextScan): void {
    if (scan.hasHits) this.refusedBy ??= this.#rules.find(({ action }, by) => action === 'refuse' && scan.hasHit(by));
  }

  /** The text, masked; the same one if nothing was found. Lets others have a turn meanwhile. */
  text = (text: string): Promise<string> => inTurns(this.#text(text));

  /** A JSON text with its texts masked; all other bytes are kept. The same one if nothing was found. */
  json = (json: string): Promise<string> => inTurns(this.#json(json));

  /** The same at once; what it finds is not counted. For an event, which repeats what was found before. */
  repeated(json: string): string {
    const before = [...this.#counts];
    const steps = this.#json(json);
    let step = steps.next();
    while (!step.done) step = steps.next();
    before.forEach((count, by) => (this.#counts[by] = count));
    return step.value;
  }

  *#text(text: string): Generator<void, string> {
    const scan = this.scan();
    for (let at = 0; at < text.length; at += TURN) {
      const piece = text.slice(at, at + TURN);
      this.#searched += piece.length;
      if (this.#searched > TURN) {
        this.#searched = 0;
        yield;
      }
      scan.push(piece);
    }
    scan.end();
    return scan.hasHits ? this.take(scan, scan.length) : text;
  }

  *#json(json: string): Generator<void, string> {
    let changed = '';
    let from = 0;
    for (const { start, end, text } of readableIn(json)) {
      const masked = yield* this.#text(text);
      if (this.refusedBy) return json;
      if (masked === text) continue;
      changed += json.slice(from, start) + JSON.stringify(masked);
      from = end;
    }
    return from === 0 ? json : changed + json.slice(from);
  }
}

/** The texts of a JSON text that rules read. */
export const textsOfJson = (json: string): string[] => [...readableIn(json)].map(({ text }) => text);

/** The JSON text with others in the place of its texts, by their position; undefined keeps one. */
export function withTexts(json: string, textAt: (index: number, text: string) => string | undefined): string {
  let changed = '';
  let from = 0;
  let index = 0;
  for (const { start, end, text } of readableIn(json)) {
    const other = textAt(index++, text);
    if (other === undefined || other === text) continue;
    changed += json.slice(from, start) + JSON.stringify(other);
    from = end;
  }
  return from === 0 ? json : changed + json.slice(from);
}

/** The text without what patterns find. */
export const maskedText = (patterns: readonly Pattern[], text: string): Promise<string> =>
  new Guard([{ name: '', action: 'mask', patterns }], 'request').text(text);

async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The texts that rules read, without codes and bytes. */
function* readableIn(json: string): Generator<{ start: number; end: number; text: string }> {
  for (const { start, end, name } of textsIn(json)) {
    const literal = json.slice(start, end);
    const text = literal.includes('\\') ? parseJson(literal) : literal.slice(1, -1);
    if (typeof text === 'string' && text.length >= 2 && !isCode(name, text) && !bytes.test(text))
      yield { start, end, text };
  }
}

/** The texts of a valid JSON text that are values, with their quotes; `name`: of the member that holds them. */
function* textsIn(json: string): Generator<{ start: number; end: number; name: string }> {
  let name = '';
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    // After a nested value, the next text may belong to an outer list.
    if (char === '}') name = '';
    if (char !== '"') continue;
    const end = textEnd(json, at);
    let next = end;
    while (next < json.length && ' \n\r\t'.includes(json[next] ?? '')) next++;
    if (json[next] === ':') name = textOr(parseJson(json.slice(at, end)), '');
    else yield { start: at, end, name };
    at = end - 1;
  }
}

/** Index after the closing quote of the text at `start`. */
function textEnd(json: string, start: number): number {
  let at = start;
  for (;;) {
    at = json.indexOf('"', at + 1);
    if (at < 0) return json.length;
    let slashes = 0;
    while (json[at - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}
