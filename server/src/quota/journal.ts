import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  unlink,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { FileRange, SettleItem } from './batch-items.ts';

/**
 * What a process owes the books: a line before each call goes upstream, a line when it has ended, appended by plain
 * writes. What is written survives a killed process, because the kernel has it; a power cut can take the last moments,
 * as it can of the database. A file goes when every call in it has been applied; files that a dead process left are
 * read by the next one.
 */

/** A call that is about to be sent. */
export interface Intent {
  requestId: string;
  userId: number;
  tokenId: number;
  reserved: number;
  priceVersion: number;
  model: string;
}

/** A file of the journal, and how many of its lines are not in the books yet. */
export interface Segment {
  readonly file: string;
  readonly fd: number;
  size: number;
  pending: number;
}

export const journalFolder = (dataDir: string): string => path.join(dataDir, 'journal');

/** Where a settlement stands. */
export interface Line {
  readonly segment: Segment;
  readonly from: number;
  readonly to: number;
}

const SEGMENT_BYTES = 8 * 1024 * 1024;
const suffix = '.journal';
const REFUSED = 'refused.jsonl';

/** The journal of this process. Throws when a line cannot be written. */
export class Journal {
  readonly #folder: string;
  readonly #node: string;
  #segment: Segment | undefined;
  #segments = 0;
  #seq = 0;

  constructor(folder: string, node: string) {
    this.#folder = folder;
    this.#node = node;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Writes down a call before it is sent. The segment counts it until `applied` is told. */
  open({ requestId, userId, tokenId, reserved, priceVersion, model }: Intent): Segment {
    const segment = this.#writable();
    append(segment, JSON.stringify([requestId, userId, tokenId, reserved, priceVersion, model]));
    return segment;
  }

  /** The place of the next settlement. */
  nextSeq(): number {
    return ++this.#seq;
  }

  /** Writes down how a call ended; `text` is the JSON of its settlement. */
  settle(text: string): Line {
    const segment = this.#writable();
    const from = segment.size;
    append(segment, text);
    return { segment, from, to: segment.size };
  }

  /** A line's call is in the books. */
  applied(segment: Segment): void {
    segment.pending--;
    if (segment.pending === 0 && segment !== this.#segment) discard(segment);
  }

  /** Goes on in a new file, because the one at hand may have been taken away. */
  renew(): void {
    const old = this.#segment;
    this.#segment = undefined;
    if (old?.pending === 0) discard(old);
  }

  /** Ends the journal. A file with calls that are not in the books stays, for the next process. */
  close(): void {
    const last = this.#segment;
    this.#segment = undefined;
    if (!last) return;
    closeSync(last.fd);
    if (last.pending === 0) rmSync(last.file, { force: true });
  }

  #writable(): Segment {
    const segment = this.#segment;
    if (segment && segment.size <= SEGMENT_BYTES) return segment;
    this.renew();
    return (this.#segment = this.#newSegment());
  }

  #newSegment(): Segment {
    const file = path.join(this.#folder, `${this.#node}.${++this.#segments}${suffix}`);
    return { file, fd: openSync(file, 'ax+', 0o600), size: 0, pending: 0 };
  }
}

function append(segment: Segment, line: string): void {
  segment.size += writeSync(segment.fd, `${line}\n`);
  segment.pending++;
}

/** The settlements in parts of journal files; what else stands there is passed over. */
export function settlementsIn(ranges: readonly FileRange[]): SettleItem[] {
  return ranges.flatMap(({ fd, from, to }) => {
    const bytes = Buffer.allocUnsafe(to - from);
    readSync(fd, bytes, 0, to - from, from);
    const lines = bytes.toString('utf8').split('\n');
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as SettleItem);
  });
}

/** Keeps a settlement that no database takes, for an operator to look at; `npm run books` tells of it. */
export function keepRefused(folder: string, settlement: SettleItem): void {
  appendFileSync(path.join(folder, REFUSED), `${JSON.stringify(settlement)}\n`, { mode: 0o600 });
}

/** How many settlements are kept so. */
export function refusedIn(folder: string): number {
  try {
    return readFileSync(path.join(folder, REFUSED), 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}

function discard({ file, fd }: Segment): void {
  closeSync(fd);
  // Gone already when another process took this one for dead.
  unlink(file, () => {});
}

/** Nodes that have left files, whether they live or not. */
export function nodesWithJournals(folder: string): string[] {
  return [...new Set(filesIn(folder).map(({ node }) => node))];
}

export interface LeftBehind {
  settlements: SettleItem[];
  /** Calls without a settlement. */
  open: Intent[];
  files: string[];
}

/** Reads what a node has left. A last line that was not written whole never counted. */
export function readJournal(folder: string, node: string): LeftBehind {
  const files = filesIn(folder).filter((one) => one.node === node);
  const settlements: SettleItem[] = [];
  const open = new Map<string, Intent>();
  for (const { file } of files.toSorted((a, b) => a.number - b.number)) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const read = parse(line);
      if (!read) continue;
      if (Array.isArray(read)) {
        const [requestId, userId, tokenId, reserved, priceVersion, model] = read;
        open.set(requestId, { requestId, userId, tokenId, reserved, priceVersion, model });
      } else {
        settlements.push(read);
        open.delete(read.requestId);
      }
    }
  }
  return { settlements, open: [...open.values()], files: files.map(({ file }) => file) };
}

/** Takes a node's files away, once everything in them is in the books. */
export function removeJournal(files: readonly string[]): void {
  for (const file of files) rmSync(file, { force: true });
}

type IntentLine = [string, number, number, number, number, string];

function parse(line: string): IntentLine | SettleItem | undefined {
  if (line === '') return undefined;
  try {
    return JSON.parse(line) as IntentLine | SettleItem; // only this module writes the files
  } catch {
    return undefined;
  }
}

function filesIn(folder: string): { file: string; node: string; number: number }[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(suffix))
    .map((name) => {
      const [node = '', number] = name.slice(0, -suffix.length).split('.');
      return { file: path.join(folder, name), node, number: Number(number) };
    });
}
