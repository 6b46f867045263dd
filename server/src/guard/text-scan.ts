import type { CharSet, PatternStep } from '@relay-hub/contract';

/** Characters of the longest match. Longer ones are found in part. */
export const MOST_MATCHED = 1024;

/** Replacement of a match. */
export const MASK = '••••';

/** A compiled pattern. */
export interface Pattern {
  steps: readonly PatternStep[];
  /** Whether a text that matches is meant; left out: it is. */
  isMeant?: (match: string) => boolean;
}

/** A match of a rule: positions from the start of the text; `end` is exclusive. */
interface Hit {
  start: number;
  end: number;
  /** Index of the set of patterns. */
  by: number;
}

/**
 * Searches for sets of patterns in a text that comes in pieces, in one pass. Of what has come, the part before
 * `settledTo` cannot become part of another match.
 */
export class TextScan {
  readonly #searches: { search: PatternSearch; by: number; isMeant: Pattern['isMeant'] }[];
  /** The text from `#from` on. */
  #text = '';
  #from = 0;
  #length = 0;
  #hasEnded = false;
  #hits: Hit[] = [];

  constructor(sets: readonly (readonly Pattern[])[]) {
    this.#searches = sets.flatMap((patterns, by) =>
      patterns.map(({ steps, isMeant }) => ({ search: new PatternSearch(compiled(steps)), by, isMeant })),
    );
  }

  push(text: string): void {
    this.#text += text;
    for (const { search, by, isMeant } of this.#searches)
      search.push(text, this.#length, (start, end) => this.#note(start, end, { by, isMeant }));
    this.#length += text.length;
  }

  end(): void {
    this.#hasEnded = true;
    for (const { search, by, isMeant } of this.#searches)
      search.end(this.#length, (start, end) => this.#note(start, end, { by, isMeant }));
  }

  get length(): number {
    return this.#length;
  }

  get settledTo(): number {
    if (this.#hasEnded) return this.#length;
    let to = this.#length;
    for (const { search } of this.#searches) to = Math.min(to, search.begunAt);
    return to;
  }

  get hasHits(): boolean {
    return this.#hits.length > 0;
  }

  /** Whether a set has a match among what was not taken. */
  hasHit(by: number): boolean {
    return this.#hits.some((hit) => hit.by === by);
  }

  /** The text until a position, masked, and the matches that begin there by set. It can be taken once. */
  take(to: number, found: (by: number) => void): string {
    let text = '';
    let at = this.#from;
    const left: Hit[] = [];
    for (const hit of this.#hits.toSorted((a, b) => a.start - b.start)) {
      if (hit.start >= to) left.push(hit);
      else {
        // The mask was written where the match began, which may be in an earlier part.
        if (hit.start >= this.#from) found(hit.by);
        if (hit.start >= at) text += this.#text.slice(at - this.#from, hit.start - this.#from) + MASK;
        at = Math.max(at, Math.min(hit.end, to));
        if (hit.end > to) left.push(hit);
      }
    }
    if (at < to) text += this.#text.slice(at - this.#from, to - this.#from);
    this.#text = this.#text.slice(to - this.#from);
    this.#from = to;
    this.#hits = left;
    return text;
  }

  #note(start: number, end: number, { by, isMeant }: { by: number; isMeant: Pattern['isMeant'] }): void {
    const from = Math.max(start, this.#from);
    if (isMeant && !isMeant(this.#text.slice(from - this.#from, end - this.#from))) return;
    let hit: Hit = { start, end, by };
    for (let at = this.#hits.length - 1; at >= 0; at--) {
      const other = this.#hits[at];
      if (!other || other.by !== by || other.end <= hit.start || other.start >= hit.end) continue;
      hit = { start: Math.min(hit.start, other.start), end: Math.max(hit.end, other.end), by };
      this.#hits.splice(at, 1);
    }
    this.#hits.push(hit);
  }
}

/** `at` is the position in front of the character. */
type FoundMatch = (start: number, end: number) => void;

interface CompiledSet {
  ascii: Uint8Array;
  others: CharSet;
}

interface Compiled {
  steps: readonly PatternStep[];
  /** By the step; undefined: it reads no character. */
  sets: readonly (CompiledSet | undefined)[];
  first: CompiledSet;
}

const compiledSteps = new WeakMap<readonly PatternStep[], Compiled>();

function compiled(steps: readonly PatternStep[]): Compiled {
  const known = compiledSteps.get(steps);
  if (known) return known;
  const sets = steps.map((step) => (step.op === 'char' ? compiledSet(step.set) : undefined));
  const made = { steps, sets, first: compiledSet(firstOf(steps)) };
  compiledSteps.set(steps, made);
  return made;
}

function compiledSet(set: CharSet): CompiledSet {
  const ascii = new Uint8Array(128);
  for (let unit = 0; unit < 128; unit++) if (set.some(([from, to]) => unit >= from && unit <= to)) ascii[unit] = 1;
  return { ascii, others: set.filter(([, to]) => to >= 128) };
}

/** Characters that a match can begin with. */
function firstOf(steps: readonly PatternStep[]): CharSet {
  const seen = new Set<number>();
  const open = [0];
  const first: (readonly [number, number])[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const step = steps[at];
    if (seen.has(at) || !step) continue;
    seen.add(at);
    if (step.op === 'char') first.push(...step.set);
    else if (step.op === 'split') open.push(...step.to);
    else if (step.op === 'edge') open.push(at + 1);
  }
  return first;
}

function contains({ ascii, others }: CompiledSet, unit: number): boolean {
  if (unit < 128) return ascii[unit] === 1;
  for (const [from, to] of others) if (unit >= from && unit <= to) return true;
  return false;
}

const isWord = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x5f || (unit >= 0x61 && unit <= 0x7a);

const inSet = (set: CharSet, unit: number): boolean => set.some(([from, to]) => unit >= from && unit <= to);

/**
 * One pass over a text with all ways that a pattern can go (Thompson's construction): the work per character is bounded
 * by the steps of the pattern, whatever the text.
 */
class PatternSearch {
  readonly #compiled: Compiled;
  /** Ways that have read everything so far: their next steps and where they began, earliest first. */
  #ways: Int32Array;
  #starts: Int32Array;
  #count = 0;
  #nextWays: Int32Array;
  #nextStarts: Int32Array;
  #nextCount = 0;
  readonly #seen: Int32Array;
  #round = 0;
  /** The character before; -1: none. */
  #before = -1;

  constructor(program: Compiled) {
    this.#compiled = program;
    const { length } = program.steps;
    this.#ways = new Int32Array(length);
    this.#starts = new Int32Array(length);
    this.#nextWays = new Int32Array(length);
    this.#nextStarts = new Int32Array(length);
    this.#seen = new Int32Array(length);
  }

  /** Where the earliest match began that may become whole or longer. */
  get begunAt(): number {
    return this.#count === 0 ? Infinity : (this.#starts[0] ?? Infinity);
  }

  push(text: string, offset: number, found: FoundMatch): void {
    const { first } = this.#compiled;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (this.#count > 0 || contains(first, unit)) this.#step(unit, offset + at, found);
      this.#before = unit;
    }
  }

  end(offset: number, found: FoundMatch): void {
    if (this.#count > 0) this.#step(-1, offset, found);
    this.#count = 0;
    this.#before = -1;
  }

  /** `unit`: the next character; -1: the text ends. */
  #step(unit: number, at: number, found: FoundMatch): void {
    this.#round++;
    this.#nextCount = 0;
    const { first } = this.#compiled;
    for (let index = 0; index < this.#count; index++) {
      const start = this.#starts[index] ?? 0;
      if (at - start <= MOST_MATCHED) this.#follow(this.#ways[index] ?? 0, start, { unit, at, found });
    }
    if (unit >= 0 && contains(first, unit)) this.#follow(0, at, { unit, at, found });
    [this.#ways, this.#nextWays] = [this.#nextWays, this.#ways];
    [this.#starts, this.#nextStarts] = [this.#nextStarts, this.#starts];
    this.#count = this.#nextCount;
  }

  /** The first way to a step is the earliest, which covers the others. */
  #follow(step: number, start: number, next: { unit: number; at: number; found: FoundMatch }): void {
    if (this.#seen[step] === this.#round) return;
    this.#seen[step] = this.#round;
    const what = this.#compiled.steps[step];
    if (!what) return;
    if (what.op === 'char') {
      const set = this.#compiled.sets[step];
      if (next.unit < 0 || !set || !contains(set, next.unit)) return;
      this.#nextWays[this.#nextCount] = step + 1;
      this.#nextStarts[this.#nextCount++] = start;
    } else if (what.op === 'split') for (const to of what.to) this.#follow(to, start, next);
    else if (what.op === 'end') next.found(start, next.at);
    else if (this.#holds(what.edge, next.unit)) this.#follow(step + 1, start, next);
  }

  #holds(edge: Extract<PatternStep, { op: 'edge' }>['edge'], unit: number): boolean {
    if (edge.kind === 'not_before') return this.#before < 0 || !inSet(edge.set, this.#before);
    if (edge.kind === 'not_after') return unit < 0 || !inSet(edge.set, unit);
    const isEdge = isWord(this.#before) !== isWord(unit);
    return edge.kind === 'word' ? isEdge : !isEdge;
  }
}
