import { Buffer } from 'node:buffer';
import { type Guard, withTexts } from '#guard/guard.ts';
import type { TextScan } from '#guard/text-scan.ts';
import { isObject, listOr, objectOr, textOr } from '#json.ts';
import { eventsOf, lastEventEnd } from '#relay/body/event-ends.ts';
import type { StreamTap } from '#relay/types/stream-types.ts';

/** A longer event, such as one with an image, is passed on unread. */
const MOST_READ = 4 * 1024 * 1024;
/** Bytes of a stream that wait for the services of rules. */
const MOST_HELD = 4 * 1024 * 1024;

type Json = Record<string, unknown>;

/** A piece of a text that comes in several events. */
interface Fragment {
  holder: Json;
  member: string;
  scan: TextScan;
  /** Its end in the text. */
  to: number;
}

/** An event, or the items of a list that came together. */
interface Unit {
  bytes: Buffer;
  fragments: Fragment[];
  /** Writes it with its changed texts. */
  write(): string;
}

/**
 * Masks a stream of events in the caller's dialect. Events wait while the text so far may be the beginning of a match,
 * so matches across events are found; other events pass unchanged and at once.
 */
export class GuardedEvents {
  readonly #guard: Guard;
  readonly #isList: boolean;
  #pending: Buffer | undefined;
  #units: Unit[] = [];
  /** The text that is being written, by choice. */
  readonly #texts = new Map<string, { key: string; scan: TextScan }>();

  /** Everything waits for the services of rules. */
  #isHeld: boolean;
  #heldBytes = 0;

  constructor(guard: Guard, isList: boolean) {
    this.#guard = guard;
    this.#isList = isList;
    this.#isHeld = guard.hooks.length > 0;
  }

  /** Undefined: nothing to pass on, or a rule has refused the answer. */
  push(bytes: Buffer): Buffer | undefined {
    if (this.#isHeld) this.#hold(bytes.length);
    if (this.#isList) this.#read(bytes);
    else {
      const all = this.#pending ? Buffer.concat([this.#pending, bytes]) : bytes;
      let end = lastEventEnd(all);
      if (end === 0 && all.length > MOST_READ) end = all.length;
      this.#pending = end < all.length ? all.subarray(end) : undefined;
      for (const event of eventsOf(all.subarray(0, end))) this.#read(event);
    }
    return this.#settled();
  }

  end(): Buffer | undefined {
    const last = this.#pending;
    this.#pending = undefined;
    if (last) this.#read(last);
    this.#endTexts();
    return this.#settled();
  }

  /** A stream that is too long to wait for services is one that they did not check. */
  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    if (this.#heldBytes <= MOST_HELD) return;
    this.#isHeld = false;
    for (const { rule, hook } of this.#guard.hooks) this.#guard.noteUnchecked(rule, hook.on_failure === 'refuse');
  }

  /** The whole stream, after its end, with its texts as the services leave them. Empty: it did not wait. */
  async finish(check: (texts: readonly string[]) => Promise<readonly string[]>): Promise<Buffer> {
    if (!this.#isHeld || this.#guard.refusedBy) return Buffer.alloc(0);
    this.#isHeld = false;
    const texts = new Map<TextScan, Fragment[]>();
    const units = this.#units.map((unit) => ({ unit, isChanged: this.#mask(unit) }));
    for (const { unit } of units)
      for (const fragment of unit.fragments) texts.set(fragment.scan, [...(texts.get(fragment.scan) ?? []), fragment]);
    const before = [...texts.values()].map((list) =>
      list.map(({ holder, member }) => textOr(holder[member], '')).join(''),
    );
    const after = await check(before);
    const changed = new Map(
      before.flatMap((text, at): [string, string][] => (after[at] === text ? [] : [[text, after[at] ?? text]])),
    );
    [...texts.values()].forEach((list, at) => {
      if (changed.has(before[at] ?? ''))
        list.forEach(({ holder, member }, piece) => (holder[member] = piece === 0 ? after[at] : ''));
    });
    this.#units = [];
    return Buffer.concat(
      units.map(({ unit, isChanged }) => {
        if (changed.size === 0) return isChanged ? Buffer.from(unit.write()) : unit.bytes;
        if (unit.fragments.length > 0) return Buffer.from(unit.write());
        // Whole texts are repeated at the end of some streams.
        const text = unit.bytes.toString('utf8');
        return Buffer.from(withTexts(text, (_, each) => changed.get(each)));
      }),
    );
  }

  #read(bytes: Buffer): void {
    if (this.#guard.refusedBy) return;
    const found = this.#isList ? listIn(bytes) : eventIn(bytes);
    if (!found) return void this.#units.push({ bytes, fragments: [], write: () => bytes.toString('utf8') });
    const fragments: Fragment[] = [];
    for (const item of found.items) this.#readItem(item, fragments);
    // Whole texts repeat the fragments before them, or have none.
    if (fragments.length === 0) {
      const json = found.write();
      const masked = this.#guard.repeated(json);
      const written = masked === json ? bytes : Buffer.from(masked);
      this.#units.push({ bytes: written, fragments, write: () => masked });
    } else this.#units.push({ bytes, fragments, write: found.write });
  }

  #readItem(item: Json, fragments: Fragment[]): void {
    const pieces = piecesIn(item);
    for (const { choice, holder, member } of pieces) {
      const key = `${choice} ${keyOf(item, holder)} ${member}`;
      let text = this.#texts.get(choice);
      if (text?.key !== key) {
        text?.scan.end();
        text = { key, scan: this.#guard.scan() };
        this.#texts.set(choice, text);
      }
      const { scan } = text;
      scan.push(String(holder[member]));
      this.#guard.judge(scan);
      fragments.push({ holder, member, scan, to: scan.length });
    }
    if (pieces.length === 0 && item['type'] !== 'ping') this.#endTexts(finishedIn(item));
  }

  /** Undefined: all. */
  #endTexts(choices: readonly string[] = [...this.#texts.keys()]): void {
    for (const choice of choices) {
      const text = this.#texts.get(choice);
      if (!text) continue;
      text.scan.end();
      this.#guard.judge(text.scan);
      this.#texts.delete(choice);
    }
  }

  /** The events whose texts are final. */
  #settled(): Buffer | undefined {
    if (this.#guard.refusedBy) {
      this.#units = [];
      return undefined;
    }
    if (this.#isHeld) return undefined;
    const passed: Buffer[] = [];
    for (let unit = this.#units[0]; unit; unit = this.#units[0]) {
      if (unit.fragments.some(({ scan, to }) => to > scan.settledTo)) break;
      passed.push(this.#mask(unit) ? Buffer.from(unit.write()) : unit.bytes);
      this.#units.shift();
    }
    return passed.length === 0 ? undefined : Buffer.concat(passed);
  }

  /** Whether its texts change. */
  #mask({ fragments }: Unit): boolean {
    let isChanged = false;
    for (const { holder, member, scan, to } of fragments) {
      const text = this.#guard.take(scan, to);
      if (text === holder[member]) continue;
      holder[member] = text;
      isChanged = true;
    }
    return isChanged;
  }
}

/** The tap with its stream masked. Its usage, counts and reports are unchanged. */
export function guardTap(tap: StreamTap, guard: Guard, events: GuardedEvents): StreamTap {
  const push = tap.push.bind(tap);
  const flush = tap.flush.bind(tap);
  return Object.assign(tap, {
    push(chunk: Buffer): Buffer | undefined {
      const bytes = push(chunk);
      return guard.refusedBy ? undefined : bytes && events.push(bytes);
    },
    flush(): Buffer | undefined {
      const last = flush();
      const passed = [last && events.push(last), events.end()].filter((bytes) => bytes !== undefined);
      return passed.length === 0 ? undefined : Buffer.concat(passed);
    },
  });
}

/** The JSON of an event of a stream; undefined: it has none. */
function eventIn(bytes: Buffer): { items: Json[]; write(): string } | undefined {
  const text = bytes.toString('utf8');
  const lines = text.split(/\r\n?|\n/);
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5));
  const json = parsed(data.join('\n'));
  if (!isObject(json)) return undefined;
  const others = lines.filter((line) => line !== '' && !line.startsWith('data:'));
  return { items: [json], write: () => `${[...others, `data: ${JSON.stringify(json)}`].join('\n')}\n\n` };
}

/** The items of a part of a JSON list, which has a bracket or comma before and may have a bracket after. */
function listIn(bytes: Buffer): { items: Json[]; write(): string } | undefined {
  const text = bytes.toString('utf8');
  const [start] = /^\s*[[,]\s*|/.exec(text) ?? [''];
  const rest = text.slice(start.length);
  // Items are objects, so this bracket is the list's.
  const middle = rest.trimEnd().endsWith(']') ? rest.trimEnd().slice(0, -1) : rest;
  const end = rest.slice(middle.length);
  const items = parsed(`[${middle}]`);
  if (!Array.isArray(items) || items.length === 0 || !items.every(isObject)) return undefined;
  return { items, write: () => start + items.map((item) => JSON.stringify(item)).join(',\r\n') + end };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The pieces of texts in an event of any dialect. Texts of one choice follow each other. */
function piecesIn(event: Json): { choice: string; holder: Json; member: string }[] {
  const { delta, choices, candidates } = event;
  if (typeof delta === 'string')
    return textOr(event['type'], '').endsWith('audio.delta') ? [] : [{ choice: '', holder: event, member: 'delta' }];
  if (isObject(delta)) return textsOf(delta, '', ['text', 'thinking', 'partial_json', 'arguments']);
  return [
    ...listOr(choices).flatMap((item) => {
      const choice = objectOr(item);
      const index = indexOf(choice);
      const { delta: said } = choice;
      if (!isObject(said)) return textsOf(choice, index, ['text']);
      const calls = listOr(said['tool_calls']).flatMap((call) =>
        textsOf(objectOr(objectOr(call)['function']), index, ['arguments']),
      );
      return [
        ...textsOf(said, index, ['reasoning_content', 'reasoning', 'content', 'refusal']),
        ...textsOf(objectOr(said['audio']), index, ['transcript']),
        ...calls,
      ];
    }),
    ...listOr(candidates).flatMap((item) => {
      const candidate = objectOr(item);
      const index = indexOf(candidate);
      return listOr(objectOr(candidate['content'])['parts']).flatMap((part) =>
        textsOf(objectOr(part), index, ['text']),
      );
    }),
  ];
}

const indexOf = ({ index }: Json): string => (typeof index === 'number' ? String(index) : '0');

const textsOf = (holder: Json, choice: string, members: readonly string[]) =>
  members.flatMap((member) =>
    typeof holder[member] === 'string' && holder[member] !== '' ? [{ choice, holder, member }] : [],
  );

/** Which text of a choice a piece belongs to. */
const keyOf = (event: Json, holder: Json): string =>
  [
    event['type'],
    event['item_id'],
    event['index'],
    event['output_index'],
    event['content_index'],
    event['summary_index'],
    holder['thought'],
  ].join(' ');

/** Choices that an event without a text ends; undefined: all. */
function finishedIn({ choices }: Json): string[] | undefined {
  const list = listOr(choices).map(objectOr);
  if (list.length === 0) return undefined;
  return list.flatMap(({ finish_reason: reason, index = 0 }) => (reason == null ? [] : [indexOf({ index })]));
}
