import * as z from 'zod/mini';

/** Upper bounds of a pattern, which keep its search linear in the length of the text. */
export const patternLimits = { source: 200, steps: 600, count: 500 };

/** Ranges of UTF-16 units, sorted, both ends included. */
export type CharSet = readonly (readonly [from: number, to: number])[];

/** Condition for the characters around a position: the edge of a word, or a character that must not be there. */
export type Edge = { kind: 'word' | 'not_word' } | { kind: 'not_before' | 'not_after'; set: CharSet };

/** A step goes on to the next one; `split` to several, `end` to none. */
export type PatternStep =
  | { op: 'char'; set: CharSet }
  | { op: 'split'; to: number[] }
  | { op: 'edge'; edge: Edge }
  | { op: 'end' };

export type PatternProblem =
  | 'guard.pattern_syntax'
  | 'guard.pattern_unsupported'
  | 'guard.pattern_large'
  | 'guard.pattern_empty';

type Node =
  | { set: CharSet }
  | { edge: Edge }
  | { all: Node[] }
  | { any: Node[] }
  | { repeat: Node; least: number; most: number };

class PatternError extends Error {
  readonly problem: PatternProblem;
  constructor(problem: PatternProblem) {
    super(problem);
    this.problem = problem;
  }
}

const LAST_UNIT = 0xffff;
const digit: CharSet = [[0x30, 0x39]];
const word: CharSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const space: CharSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x3000, 0x3000],
];
const classes: Readonly<Record<string, CharSet>> = {
  d: digit,
  D: without(digit),
  w: word,
  W: without(word),
  s: space,
  S: without(space),
};
const controls: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, r: 0x0d };

/**
 * Compiles a pattern: characters, classes, groups, alternatives, counts, `\b`, and looks at one character around a
 * match. `(?i)` at its start ignores case. Patterns that need backtracking are refused.
 */
export function compilePattern(source: string): { steps: PatternStep[] } | { problem: PatternProblem } {
  try {
    if (source.length > patternLimits.source) throw new PatternError('guard.pattern_large');
    const tree = new PatternReader(source).read();
    if (mayBeEmpty(tree)) throw new PatternError('guard.pattern_empty');
    const steps: PatternStep[] = [];
    write(tree, steps);
    add(steps, { op: 'end' });
    return { steps };
  } catch (error) {
    if (error instanceof PatternError) return { problem: error.problem };
    throw error;
  }
}

/** A pattern that is searched in time linear to the text; see docs/guardrails.md. */
export const guardPattern = z.string().check(
  z.minLength(1),
  z.maxLength(patternLimits.source),
  z.check(({ value, issues }) => {
    const made = compilePattern(value);
    if ('problem' in made) issues.push({ code: 'custom', input: value, message: made.problem });
  }),
);

function mayBeEmpty(node: Node): boolean {
  if ('set' in node) return false;
  if ('edge' in node) return true;
  if ('all' in node) return node.all.every(mayBeEmpty);
  if ('any' in node) return node.any.some(mayBeEmpty);
  return node.least === 0 || mayBeEmpty(node.repeat);
}

function add(steps: PatternStep[], step: PatternStep): number {
  if (steps.length >= patternLimits.steps) throw new PatternError('guard.pattern_large');
  return steps.push(step) - 1;
}

function write(node: Node, steps: PatternStep[]): void {
  if ('set' in node) add(steps, { op: 'char', set: node.set });
  else if ('edge' in node) add(steps, { op: 'edge', edge: node.edge });
  else if ('all' in node) for (const part of node.all) write(part, steps);
  else if ('any' in node) writeAny(node.any, steps);
  else writeRepeat(node, steps);
}

function writeAny(choices: readonly Node[], steps: PatternStep[]): void {
  const starts: number[] = [];
  add(steps, { op: 'split', to: starts });
  const ends: number[][] = [];
  for (const choice of choices) {
    starts.push(steps.length);
    write(choice, steps);
    const to: number[] = [];
    ends.push(to);
    add(steps, { op: 'split', to });
  }
  for (const to of ends) to.push(steps.length);
}

function writeRepeat(
  { repeat, least, most }: { repeat: Node; least: number; most: number },
  steps: PatternStep[],
): void {
  for (let count = 0; count < least; count++) write(repeat, steps);
  if (most === Infinity) {
    const to: number[] = [];
    const at = add(steps, { op: 'split', to });
    to.push(at + 1);
    write(repeat, steps);
    add(steps, { op: 'split', to: [at] });
    to.push(steps.length);
    return;
  }
  const exits: number[][] = [];
  for (let count = least; count < most; count++) {
    const to: number[] = [];
    exits.push(to);
    to.push(add(steps, { op: 'split', to }) + 1);
    write(repeat, steps);
  }
  for (const to of exits) to.push(steps.length);
}

class PatternReader {
  readonly #source: string;
  readonly #ignoresCase: boolean;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
    this.#ignoresCase = source.startsWith('(?i)');
    if (this.#ignoresCase) this.#at = 4;
  }

  read(): Node {
    const tree = this.#any();
    if (this.#at < this.#source.length) throw new PatternError('guard.pattern_syntax');
    return tree;
  }

  #peek(): string {
    return this.#source[this.#at] ?? '';
  }

  #take(): string {
    const char = this.#peek();
    if (char === '') throw new PatternError('guard.pattern_syntax');
    this.#at++;
    return char;
  }

  #takes(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #any(): Node {
    const choices = [this.#all()];
    while (this.#takes('|')) choices.push(this.#all());
    const [only] = choices;
    return choices.length === 1 && only ? only : { any: choices };
  }

  #all(): Node {
    const parts: Node[] = [];
    while (this.#peek() !== '' && this.#peek() !== '|' && this.#peek() !== ')') parts.push(this.#counted());
    return { all: parts };
  }

  #counted(): Node {
    const node = this.#atom();
    const [least, most] = this.#count() ?? [1, 1];
    if (least === 1 && most === 1) return node;
    if ('edge' in node) throw new PatternError('guard.pattern_syntax');
    // Lazy and possessive counts have no meaning where all matches are found.
    if ('*+?{'.includes(this.#peek()) && this.#peek() !== '') throw new PatternError('guard.pattern_unsupported');
    return { repeat: node, least, most };
  }

  #count(): [least: number, most: number] | undefined {
    if (this.#takes('*')) return [0, Infinity];
    if (this.#takes('+')) return [1, Infinity];
    if (this.#takes('?')) return [0, 1];
    if (this.#peek() !== '{') return undefined;
    const [whole, from = '', comma = '', to = ''] =
      /^\{(\d{1,3})(,?)(\d{0,3})\}/.exec(this.#source.slice(this.#at)) ?? [];
    if (whole === undefined || (comma === '' && to !== '')) throw new PatternError('guard.pattern_syntax');
    this.#at += whole.length;
    const least = Number(from);
    const most = comma === '' ? least : to === '' ? Infinity : Number(to);
    if (most < least || most === 0) throw new PatternError('guard.pattern_syntax');
    if (Math.max(least, most === Infinity ? 0 : most) > patternLimits.count)
      throw new PatternError('guard.pattern_large');
    return [least, most];
  }

  #atom(): Node {
    const char = this.#take();
    if (char === '(') return this.#group();
    if (char === '[') return { set: this.#set() };
    if (char === '.') return { set: without([[0x0a, 0x0a]]) };
    if (char === '\\') return this.#escaped();
    if (char === '^' || char === '$') throw new PatternError('guard.pattern_unsupported');
    if ('*+?{})]'.includes(char)) throw new PatternError('guard.pattern_syntax');
    return this.#literal(char.charCodeAt(0));
  }

  #literal(unit: number): Node {
    return { set: this.#cased([[unit, unit]]) };
  }

  #group(): Node {
    for (const [start, kind] of [
      ['?<!', 'not_before'],
      ['?!', 'not_after'],
    ] as const)
      if (this.#takes(start)) return { edge: { kind, set: this.#one() } };
    if (this.#peek() === '?' && !this.#takes('?:')) throw new PatternError('guard.pattern_unsupported');
    const node = this.#any();
    if (!this.#takes(')')) throw new PatternError('guard.pattern_syntax');
    return node;
  }

  /** One character, or a class, and the end of its group. */
  #one(): CharSet {
    const node = this.#atom();
    if (!('set' in node) || !this.#takes(')')) throw new PatternError('guard.pattern_unsupported');
    return node.set;
  }

  #escaped(): Node {
    const char = this.#take();
    if (char === 'b') return { edge: { kind: 'word' } };
    if (char === 'B') return { edge: { kind: 'not_word' } };
    const set = classes[char];
    return set ? { set } : this.#literal(this.#unit(char));
  }

  /** The unit that a letter after a backslash stands for. */
  #unit(char: string): number {
    const control = controls[char];
    if (control !== undefined) return control;
    if (/[A-Za-z0-9]/.test(char)) throw new PatternError('guard.pattern_unsupported');
    return char.charCodeAt(0);
  }

  #set(): CharSet {
    const isInverse = this.#takes('^');
    const ranges: [number, number][] = [];
    let isFirst = true;
    while (isFirst || this.#peek() !== ']') {
      isFirst = false;
      const from = this.#member();
      if (typeof from !== 'number') {
        ranges.push(...from.map(([a, b]): [number, number] => [a, b]));
        continue;
      }
      const isRange = this.#peek() === '-' && (this.#source[this.#at + 1] ?? ']') !== ']';
      if (isRange) this.#at++;
      const to = isRange ? this.#member() : from;
      if (typeof to !== 'number' || to < from) throw new PatternError('guard.pattern_syntax');
      ranges.push([from, to]);
    }
    this.#at++;
    const set = this.#cased(sorted(ranges));
    const all = isInverse ? without(set) : set;
    if (all.length === 0) throw new PatternError('guard.pattern_syntax');
    return all;
  }

  #member(): number | CharSet {
    const char = this.#take();
    if (char !== '\\') {
      const unit = char.charCodeAt(0);
      // Half of a character of two units would match halves of others.
      if (unit >= 0xd800 && unit <= 0xdfff) throw new PatternError('guard.pattern_unsupported');
      return unit;
    }
    const escaped = this.#take();
    return classes[escaped] ?? this.#unit(escaped);
  }

  #cased(set: CharSet): CharSet {
    if (!this.#ignoresCase) return set;
    const more: [number, number][] = [];
    for (const [from, to] of set) {
      more.push([from, to]);
      if (from === to) for (const unit of otherCases(from)) more.push([unit, unit]);
      else
        for (const [first, last, shift] of [
          [0x41, 0x5a, 32],
          [0x61, 0x7a, -32],
        ] as const) {
          const [start, end] = [Math.max(from, first), Math.min(to, last)];
          if (start <= end) more.push([start + shift, end + shift]);
        }
    }
    return sorted(more);
  }
}

function otherCases(unit: number): number[] {
  const char = String.fromCharCode(unit);
  return [char.toLowerCase(), char.toUpperCase()]
    .filter((other) => other.length === 1)
    .map((other) => other.charCodeAt(0));
}

/** Sorted, with overlapping ranges joined. */
function sorted(ranges: readonly (readonly [number, number])[]): CharSet {
  const joined: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

function without(set: CharSet): CharSet {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST_UNIT) rest.push([next, LAST_UNIT]);
  return rest;
}
