import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { CliError, plain } from './hub-client.ts';

/** One object of the files: its text form, and where its parts are. */
export interface Entry {
  kind: string;
  name: string;
  value: unknown;
  /** Paths of values that came from a reference, such as `key` or `config.token`, with the reference as written. */
  references: ReadonlyMap<string, string>;
  /** Throws with file, line and field. */
  fail(field: readonly PropertyKey[], problem: string): never;
  place(field: readonly PropertyKey[]): string;
}

const MOST_BYTES = 8 * 1024 * 1024;
const MOST_FILES = 1000;
const MOST_SECRET_BYTES = 100_000;
const MOST_PROBLEMS = 20;
/** Uses of anchors; more are an attempt to fill the memory. */
const MOST_ALIASES = 100;
const MOST_LEVELS = 40;
const prototypes = new Set(['__proto__', 'prototype', 'constructor']);

/** Several mistakes in the files, one per line. */
export class FileProblems extends CliError {
  constructor(problems: readonly string[]) {
    const more = problems.length - MOST_PROBLEMS;
    super([...problems.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`… and ${more} more`] : [])].join('\n'));
  }
}

/** Runs checks of several objects and throws all their problems together. */
export function collectProblems<T>(items: Iterable<T>, check: (item: T) => void): void {
  const problems: string[] = [];
  for (const item of items)
    try {
      check(item);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(error.message);
    }
  if (problems.length > 0) throw new FileProblems(problems);
}

/**
 * The objects of some YAML files and folders, by kind and name. `kinds` are those that a file may have. Throws
 * `CliError` with file and line.
 */
export function readConfigFiles(
  places: readonly string[],
  kinds: readonly string[],
): { entries: Entry[]; present: Set<string> } {
  const files = places.flatMap(filesAt);
  if (files.length > MOST_FILES) throw new CliError(`There are ${files.length} files; at most ${MOST_FILES} are read.`);
  if (files.length === 0) throw new CliError(`No .yaml or .yml file in ${places.join(', ')}.`);
  const entries: Entry[] = [];
  const present = new Set<string>();
  const seen = new Map<string, Entry>();
  collectProblems(files, (file) => {
    const found = entriesOf(file, kinds);
    for (const kind of found.present) present.add(kind);
    for (const entry of found.entries) {
      const other = seen.get(`${entry.kind}.${entry.name}`);
      if (other) entry.fail([], `is already in ${other.place([])}`);
      seen.set(`${entry.kind}.${entry.name}`, entry);
      entries.push(entry);
    }
  });
  return { entries, present };
}

function filesAt(place: string): string[] {
  let stats;
  try {
    stats = statSync(place);
  } catch {
    throw new CliError(`There is no file or folder ${place}.`);
  }
  if (!stats.isDirectory()) return [place];
  return readdirSync(place, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name) && !entry.name.startsWith('.'))
    .map((entry) => path.join(place, entry.name))
    .toSorted();
}

function entriesOf(file: string, kinds: readonly string[]): { entries: Entry[]; present: string[] } {
  const { size } = statSync(file);
  if (size > MOST_BYTES) throw new CliError(`${file} has ${size} bytes; at most ${MOST_BYTES} are read.`);
  const lines = new LineCounter();
  const document = parsed(file, readFileSync(file, 'utf8'), lines);
  const placeOf = placesIn(document, file, lines);
  ensureHarmless(document, file, lines);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    throw new CliError(`${file}: ${(error as Error).message}`);
  }
  if (value === null || value === undefined) return { entries: [], present: [] };
  if (typeof value !== 'object' || Array.isArray(value))
    throw new CliError(`${file}:1: the file has to be a map of ${kinds.join(', ')}`);
  const present = Object.keys(value);
  const entries = Object.entries(value).flatMap(([kind, objects]) => {
    const fail = (name: string[], problem: string): never => {
      throw new CliError(`${placeOf([kind, ...name])}: ${[kind, ...name].map(plain).join('.')}: ${problem}`);
    };
    if (!kinds.includes(kind)) fail([], `is unknown; there are ${kinds.join(', ')}`);
    if (objects === null) return [];
    if (typeof objects !== 'object' || Array.isArray(objects)) fail([], 'has to be a map of names');
    return Object.entries(objects as object).map(([name, object]): Entry => {
      const place = (field: readonly PropertyKey[]) => placeOf([kind, name, ...field]);
      const references = new Map<string, string>();
      const entry: Entry = {
        kind,
        name,
        value: object,
        references,
        place,
        fail(field, problem) {
          const at = [kind, name, ...field.map(String)].map(plain).join('.');
          throw new CliError(`${place(field)}: ${at}: ${problem}`);
        },
      };
      entry.value = resolved(object, { entry, references, folder: path.dirname(file) });
      return entry;
    });
  });
  return { entries, present };
}

function parsed(file: string, text: string, lines: LineCounter): Document {
  let document: Document;
  try {
    document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      merge: false,
      uniqueKeys: true,
      strict: true,
      prettyErrors: false,
      lineCounter: lines,
      logLevel: 'error',
    });
  } catch (error) {
    throw new CliError(`${file}: ${error instanceof RangeError ? 'is nested too deeply' : (error as Error).message}`);
  }
  const problems = [...document.errors, ...document.warnings].map(
    ({ pos, message }) => `${file}:${lines.linePos(pos[0]).line}: ${plain(message)}`,
  );
  if (problems.length > 0) throw new FileProblems(problems);
  return document;
}

/** Names of prototypes, and nesting that no object here has. */
function ensureHarmless(document: Document, file: string, lines: LineCounter): void {
  const lineOf = (node: unknown) => lines.linePos((isNode(node) && node.range?.[0]) || 0).line;
  visit(document, {
    Pair(_, { key }) {
      if (!isScalar(key) || (typeof key.value === 'object' && key.value !== null))
        throw new CliError(`${file}:${lineOf(key)}: a name has to be a text`);
      if (prototypes.has(String(key.value)))
        throw new CliError(`${file}:${lineOf(key)}: the name ${String(key.value)} is not allowed`);
    },
    Node(_, node, ancestors) {
      // Pairs count, too.
      if (ancestors.length > MOST_LEVELS * 2)
        throw new CliError(`${file}:${lineOf(node)}: more than ${MOST_LEVELS} levels are not allowed`);
    },
  });
}

/** `file:line` of a path in a document, or of the nearest part of it. */
function placesIn(document: Document, file: string, lines: LineCounter) {
  return (at: readonly PropertyKey[]): string => {
    let node: unknown = document.contents;
    let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
    for (const step of at) {
      const pair = isMap(node)
        ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
        : undefined;
      if (pair && isNode(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair ? pair.value : childOf(node, step);
      if (!isNode(node)) break;
      if (!pair) offset = node.range?.[0] ?? offset;
    }
    return `${file}:${lines.linePos(offset).line}`;
  };
}

const childOf = (node: unknown, step: PropertyKey): unknown =>
  typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items)
    ? (node.items as unknown[])[Number(step)]
    : undefined;

interface Resolving {
  entry: Entry;
  references: Map<string, string>;
  folder: string;
}

/** The value with its references replaced: `${env:NAME}` and `${file:/path}`, `$${` for the text itself. */
function resolved(value: unknown, by: Resolving, at: readonly string[] = []): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map((member, i) => resolved(member, by, [...at, String(i)]));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, resolved(member, by, [...at, name])]),
    );
  if (typeof value !== 'string' || !value.includes('${')) return value;
  let isReference = false;
  const text = value.replaceAll(/\$?\$\{(?:(\w+):)?([^}]*)\}/g, (all, source: string | undefined, name: string) => {
    if (all.startsWith('$$')) return all.slice(1);
    if (source !== 'env' && source !== 'file')
      return by.entry.fail(
        at,
        `${plain(all)} is no reference; write \${env:NAME} or \${file:/path}, or $\${ for a text`,
      );
    isReference = true;
    const found = source === 'env' ? process.env[name] : fileText(path.resolve(by.folder, name));
    if (found !== undefined && found !== '') return found;
    const where =
      source === 'env' ? `the environment has no ${plain(name)}` : `${plain(name)} cannot be read or is empty`;
    return by.entry.fail(at, where);
  });
  if (isReference) by.references.set(at.join('.'), value);
  return text;
}

function fileText(file: string): string | undefined {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MOST_SECRET_BYTES) return undefined;
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}
