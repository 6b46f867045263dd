import { isObject, type Json } from '#json.ts';
import { BadChatRequest } from './chat-errors.ts';

/** A table lookup by an untrusted name, which may be `constructor`. */
export const lookUp = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/**
 * Validates a caller's JSON object on access, by hand because it runs for every call. null counts as absent; an invalid
 * member throws `BadChatRequest` with its path.
 */
export class Fields {
  readonly json: Json;
  readonly path: string;
  /** Maps a member's name to an alternative spelling. */
  readonly #alias: ((name: string) => string) | undefined;
  /** Names of the members that were read; only for objects that hold the parameters of a request. */
  readonly #read: Set<string> | undefined;

  constructor(json: unknown, path = '', alias?: (name: string) => string) {
    if (!isObject(json)) {
      throw path === ''
        ? new BadChatRequest('The request body must be a JSON object.')
        : new BadChatRequest(`'${path}' is not valid: it must be an object.`, path);
    }
    this.json = json;
    this.path = path;
    this.#alias = alias;
    this.#read = path === '' || path === 'generationConfig' ? new Set() : undefined;
  }

  /** Paths of the members that nothing has read, which the conversion drops, and of `others`; undefined: none. */
  unread(others: readonly string[] = []): string[] | undefined {
    let found = others.length > 0 ? [...new Set(others)] : undefined;
    for (const name of Object.keys(this.json))
      if (this.#read?.has(name) === false && this.json[name] != null) (found ??= []).push(this.at(name));
    return found;
  }

  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  fail(name: string, expected: string): never {
    throw new BadChatRequest(`'${this.at(name)}' is not valid: it must be ${expected}.`, this.at(name));
  }

  missing(name: string): never {
    throw new BadChatRequest(`'${this.at(name)}' is required.`, this.at(name));
  }

  any(name: string): unknown {
    const other = this.#alias?.(name);
    this.#read?.add(name);
    if (other !== undefined) this.#read?.add(other);
    return this.json[name] ?? (other === undefined ? undefined : this.json[other]) ?? undefined;
  }

  has(name: string): boolean {
    return this.any(name) !== undefined;
  }

  text(name: string): string | undefined {
    const value = this.any(name);
    if (value === undefined || typeof value === 'string') return value;
    return this.fail(name, 'a text');
  }

  /** A required, non-empty string. */
  needText(name: string): string {
    return this.text(name) || this.missing(name);
  }

  number(name: string): number | undefined {
    const value = this.any(name);
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
    return this.fail(name, 'a number');
  }

  whole(name: string, least = 0): number | undefined {
    const value = this.any(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
    return this.fail(name, `a whole number from ${least} on`);
  }

  flag(name: string): boolean | undefined {
    const value = this.any(name);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.fail(name, 'true or false');
  }

  oneOf<const T extends string>(name: string, values: readonly T[]): T | undefined {
    const value = this.any(name);
    if (value === undefined) return undefined;
    return values.find((one) => one === value) ?? this.fail(name, `one of ${values.join(', ')}`);
  }

  map(name: string): Json | undefined {
    const value = this.any(name);
    if (value === undefined || isObject(value)) return value;
    return this.fail(name, 'an object');
  }

  object(name: string): Fields | undefined {
    const value = this.any(name);
    return value === undefined ? undefined : new Fields(value, this.at(name), this.#alias);
  }

  list(name: string): unknown[] | undefined {
    const value = this.any(name);
    if (value === undefined || Array.isArray(value)) return value;
    return this.fail(name, 'a list');
  }

  /** A list of objects; undefined if absent. */
  objects(name: string): Fields[] | undefined {
    return this.list(name)?.map((one, i) => new Fields(one, `${this.at(name)}.${i}`, this.#alias));
  }

  /** Like `objects`, also for a single object, as Google accepts it. */
  oneOrMore(name: string): Fields[] | undefined {
    const one = this.any(name);
    return isObject(one) ? [new Fields(one, this.at(name), this.#alias)] : this.objects(name);
  }

  /** A string or a list of strings; empty if absent. */
  texts(name: string): string[] {
    const value = this.any(name);
    if (value === undefined) return [];
    if (typeof value === 'string') return [value];
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
    return this.fail(name, 'a text or a list of texts');
  }
}
