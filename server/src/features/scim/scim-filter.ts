import { objectOr } from '#json.ts';
import { ensureScim, ScimError } from './scim-error.ts';

type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

/** A filter of RFC 7644, section 3.4.2.2. */
export type Filter =
  | { kind: 'and' | 'or'; left: Filter; right: Filter }
  | { kind: 'not'; of: Filter }
  | { kind: 'present'; path: string }
  | { kind: 'compare'; path: string; by: Comparison; value: string | number | boolean | null };

const LONGEST = 4000;
const DEEPEST = 20;
const token = /\s*(\(|\)|\[|\]|"(?:[^"\\]|\\.)*"|[^\s()[\]"]+)/y;
const comparisons: ReadonlySet<string> = new Set<Comparison>(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']);

const isComparison = (word: string): word is Comparison => comparisons.has(word);

/** Parses a filter. Throws `invalidFilter`. */
export function parseFilter(text: string): Filter {
  ensureScim(text.length <= LONGEST, 400, 'The filter is too long.', 'invalidFilter');
  const parser = new Parser(text);
  const filter = parser.either(0);
  parser.end();
  return filter;
}

class Parser {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    token.lastIndex = 0;
    for (let from = 0; text.slice(from).trim() !== ''; from = token.lastIndex) {
      const found = token.exec(text)?.[1];
      ensureScim(found !== undefined, 400, 'The filter cannot be read.', 'invalidFilter');
      this.#tokens.push(found);
    }
  }

  end(): void {
    ensureScim(this.#at === this.#tokens.length, 400, `Unexpected: ${this.#tokens[this.#at]}`, 'invalidFilter');
  }

  either(depth: number): Filter {
    let left = this.#both(depth);
    while (this.#take('or')) left = { kind: 'or', left, right: this.#both(depth) };
    return left;
  }

  #both(depth: number): Filter {
    let left = this.#one(depth);
    while (this.#take('and')) left = { kind: 'and', left, right: this.#one(depth) };
    return left;
  }

  #one(depth: number): Filter {
    ensureScim(depth < DEEPEST, 400, 'The filter is nested too deeply.', 'invalidFilter');
    if (this.#take('not')) return { kind: 'not', of: this.#one(depth + 1) };
    if (this.#take('(')) {
      const inside = this.either(depth + 1);
      ensureScim(this.#take(')'), 400, 'A closing bracket is missing.', 'invalidFilter');
      return inside;
    }
    const path = this.#next();
    ensureScim(/^[a-z][\w:.$-]*$/i.test(path), 400, `Not an attribute: ${path}`, 'invalidFilter');
    if (this.#take('[')) {
      const inside = this.either(depth + 1);
      ensureScim(this.#take(']'), 400, 'A closing bracket is missing.', 'invalidFilter');
      return below(path, inside);
    }
    const by = this.#next().toLowerCase();
    if (by === 'pr') return { kind: 'present', path };
    ensureScim(isComparison(by), 400, `Not an operator: ${by}`, 'invalidFilter');
    return { kind: 'compare', path, by, value: literal(this.#next()) };
  }

  #take(word: string): boolean {
    const isNext = this.#tokens[this.#at]?.toLowerCase() === word;
    if (isNext) this.#at++;
    return isNext;
  }

  #next(): string {
    const next = this.#tokens[this.#at++];
    ensureScim(next !== undefined, 400, 'The filter ends too early.', 'invalidFilter');
    return next;
  }
}

/** `emails[type eq "work"]` as `emails.type eq "work"`. */
function below(path: string, filter: Filter): Filter {
  if ('path' in filter) return { ...filter, path: `${path}.${filter.path}` };
  if (filter.kind === 'not') return { ...filter, of: below(path, filter.of) };
  return { ...filter, left: below(path, filter.left), right: below(path, filter.right) };
}

function literal(text: string): string | number | boolean | null {
  try {
    const value: unknown = JSON.parse(/^(true|false|null)$/i.test(text) ? text.toLowerCase() : text);
    if (value === null || typeof value !== 'object') return value as string | number | boolean | null; // no other JSON
  } catch {
    // Reported below.
  }
  throw new ScimError(400, `Not a value: ${text}`, 'invalidFilter');
}

/** The terms of a filter that only joins comparisons by `and` and `eq`; undefined for others. */
export function equalities(filter: Filter): { path: string; value: string }[] | undefined {
  if (filter.kind === 'compare' && filter.by === 'eq')
    return [{ path: filter.path.toLowerCase(), value: String(filter.value) }];
  if (filter.kind !== 'and') return undefined;
  const [left, right] = [equalities(filter.left), equalities(filter.right)];
  return left && right && [...left, ...right];
}

/** Whether an element of a list fits. Names and texts are compared without case. */
export function fits(filter: Filter, element: unknown): boolean {
  switch (filter.kind) {
    case 'and':
      return fits(filter.left, element) && fits(filter.right, element);
    case 'or':
      return fits(filter.left, element) || fits(filter.right, element);
    case 'not':
      return !fits(filter.of, element);
    case 'present':
      return (valueAt(element, filter.path) ?? '') !== '';
    case 'compare':
      return compares(filter.by, plain(valueAt(element, filter.path)), plain(filter.value));
  }
}

/** Simple elements of a list are their value. */
function valueAt(element: unknown, path: string): unknown {
  if (typeof element !== 'object') return path.toLowerCase() === 'value' ? element : undefined;
  const found = Object.entries(objectOr(element)).find(([name]) => name.toLowerCase() === path.toLowerCase());
  return found?.[1];
}

const plain = (value: unknown): string | number =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' || typeof value === 'boolean'
      ? String(value).toLowerCase()
      : '';

function compares(by: Comparison, value: string | number, other: string | number): boolean {
  const [a, b] = [String(value), String(other)];
  switch (by) {
    case 'eq':
      return a === b;
    case 'ne':
      return a !== b;
    case 'co':
      return a.includes(b);
    case 'sw':
      return a.startsWith(b);
    case 'ew':
      return a.endsWith(b);
    case 'gt':
      return value > other;
    case 'ge':
      return value >= other;
    case 'lt':
      return value < other;
    case 'le':
      return value <= other;
  }
}
