import type { GuardMark, GuardRule } from '@relay-hub/contract';
import { parseJson, textOr } from '#json.ts';
import type { Pattern } from './text-scan.ts';
import { TextScan } from './text-scan.ts';

/** What a rule searches for, and what it does with it. */
interface SearchRule extends Pick<GuardRule, 'name' | 'action'> {
  patterns: readonly Pattern[];
}

/** A rule in force. */
export interface LiveGuardRule extends SearchRule, Pick<GuardRule, 'requests' | 'answers' | 'groups' | 'token_ids'> {
  /** What it does to a text. */
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
    if (refusedBy) return [{ rule: refusedBy.name, action: 'refuse', at: this.#at, count: 1 }];
    return this.#rules.flatMap(({ name, action }, index): GuardMark[] => {
      const count = this.#counts[index] ?? 0;
      return count > 0 ? [{ rule: name, action, at: this.#at, count }] : [];
    });
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
    for (const { start, end, name } of textsIn(json)) {
      const literal = json.slice(start, end);
      const value = literal.includes('\\') ? parseJson(literal) : literal.slice(1, -1);
      if (typeof value !== 'string' || value.length < 2 || isCode(name, value) || bytes.test(value)) continue;
      const masked = yield* this.#text(value);
      if (this.refusedBy) return json;
      if (masked === value) continue;
      changed += json.slice(from, start) + JSON.stringify(masked);
      from = end;
    }
    return from === 0 ? json : changed + json.slice(from);
  }
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
