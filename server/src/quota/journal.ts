import { Buffer } from 'node:buffer';
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
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { isOutOfFiles } from '#process/out-of-files.ts';
import type { FileRange, SettleItem } from './batch-items.ts';
import { type Intent, intentText, lineIn, settlementIn, settlementText, tellsSettlement } from './journal-lines.ts';
import { KeptRoom } from './kept-room.ts';

/**
 * What a process owes the books: a line before each call goes upstream, a line when it has ended, appended by plain
 * writes. What is written survives a killed process, because the kernel has it; a power cut can take the last moments,
 * as it can of the database. A file goes when every call in it has been applied; files that a dead process left are
 * read by the next one.
 */

/** A file of the journal, and how many of its lines are not in the books yet. */
export interface Segment {
  readonly file: string;
  readonly fd: number;
  size: number;
  pending: number;
  /** Its last line was not written whole. */
  torn: boolean;
}

export const journalFolder = (dataDir: string): string => path.join(dataDir, 'journal');

/** A line of the journal, and where it stands once it is written. */
export interface Line {
  /** What it says; empty when it is written, or never will be. */
  text: string;
  /** The settlement that it tells; undefined when it is written, and for a call that begins. */
  item: SettleItem | undefined;
  segment: Segment | undefined;
  from: number;
  to: number;
  /** Its call is in the books: it need not be written any more. */
  applied: boolean;
}

/** A call could not be written down, so it is not made. */
export class UnwrittenCall extends Error {}

const SEGMENT_BYTES = 8 * 1024 * 1024;
/**
 * Files of this version, and of the one before, whose settlements are objects: those are read as well. It would read
 * these wrong, and may run beside this one, so it is to pass them over.
 */
const suffix = '.calls';
const earlierSuffix = '.journal';
const REFUSED = 'refused.jsonl';

/** The journal of this process. Lines are gathered, so that calls which come together share one write. */
export class Journal {
  readonly #folder: string;
  readonly #node: string;
  #segment: Segment | undefined;
  #segments = 0;
  #seq = 0;
  #waiting: Line[] = [];
  #failed = false;
  readonly #room: KeptRoom;

  constructor(folder: string, node: string) {
    this.#folder = folder;
    this.#node = node;
    this.#room = new KeptRoom(folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** A call that is to be sent. It is on record when `write` has returned. */
  open(intent: Intent): Line {
    return this.#add(intentText(intent), undefined);
  }

  /** The place of the next settlement. */
  nextSeq(): number {
    return ++this.#seq;
  }

  /** How a call ended. It is on record when `write` has returned. */
  settle(item: SettleItem): Line {
    return this.#add(settlementText(item), item);
  }

  #add(text: string, item: SettleItem | undefined): Line {
    const line: Line = { text, item, segment: undefined, from: 0, to: 0, applied: false };
    this.#waiting.push(line);
    return line;
  }

  /**
   * Writes what waits, in one piece. Throws when it cannot be written, or only what has ended because there is no room
   * for what else would be owed: then nothing waits any more, and lines without a segment are not written.
   */
  write(): void {
    const lines = this.#waiting.filter(({ applied }) => !applied);
    this.#waiting = [];
    if (lines.length === 0) return;
    this.#failed = true;
    try {
      const written = this.#room.isKept() ? lines : lines.filter(isOwed);
      if (written.length > 0) this.#append(written);
      if (written.length < lines.length) throw new Error('the disk has no room for what calls would owe');
      this.#failed = false;
    } finally {
      for (const line of lines) line.text = '';
    }
  }

  /** Whether a call could be written down now; after a failure the disk is tried. */
  isWritable(): boolean {
    if (!this.#room.isKept()) return false;
    if (this.#failed) this.#failed = !canWrite(path.join(this.#folder, `${this.#node}.probe`));
    return !this.#failed;
  }

  #append(lines: readonly Line[]): void {
    try {
      append(this.#writable(), lines);
    } catch (error) {
      const owed = lines.filter(isOwed);
      this.#room.give();
      if (owed.length > 0) append(this.#afresh(), owed);
      if (owed.length < lines.length) throw error;
    }
  }

  /** A line's call is in the books. */
  applied(line: Line): void {
    line.applied = true;
    const { segment } = line;
    if (!segment) return;
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
    this.write();
    const last = this.#segment;
    this.#segment = undefined;
    if (!last) return;
    closeSync(last.fd);
    if (last.pending === 0) rmSync(last.file, { force: true });
  }

  #writable(): Segment {
    const segment = this.#segment;
    if (segment && segment.size <= SEGMENT_BYTES) return segment;
    try {
      return this.#afresh();
    } catch (error) {
      // Without a file descriptor for the next file, the one at hand grows, unless it ends within a line.
      if (!segment || segment.torn || !isOutOfFiles(error)) throw error;
      return segment;
    }
  }

  #afresh(): Segment {
    const next = this.#newSegment();
    this.renew();
    return (this.#segment = next);
  }

  #newSegment(): Segment {
    const file = path.join(this.#folder, `${this.#node}.${++this.#segments}${suffix}`);
    return { file, fd: openSync(file, 'ax+', 0o600), size: 0, pending: 0, torn: false };
  }
}

/** Whether the folder of a file takes bytes. */
function canWrite(file: string): boolean {
  try {
    writeFileSync(file, scratch.subarray(0, 64 * 1024), { mode: 0o600 });
    rmSync(file);
    return true;
  } catch {
    return false;
  }
}

/** What has ended has to be written; what would begin has not. */
const isOwed = ({ item }: Line): boolean => item !== undefined;

/** Lines become bytes here; more than this is seldom written at once. */
const scratch = Buffer.allocUnsafe(256 * 1024);
const NEWLINE = 0x0a;
const TAB = 0x09;

function append(segment: Segment, lines: readonly Line[]): void {
  // A character is three bytes at the most; what they are is not counted before.
  const most = lines.reduce((sum, { text }) => sum + text.length * 3 + 1, 0);
  const bytes = most <= scratch.length ? scratch : Buffer.allocUnsafe(most);
  const start = segment.size;
  let end = 0;
  for (const line of lines) {
    line.from = start + end;
    end += bytes.write(line.text, end);
    bytes[end++] = NEWLINE;
    line.to = start + end;
  }
  if (writeSync(segment.fd, bytes, 0, end) < end) {
    // The disk is full. Nothing more goes into a file that ends within a line.
    segment.size = SEGMENT_BYTES + 1;
    segment.torn = true;
    throw new Error('the journal could not be written whole');
  }
  segment.size += end;
  segment.pending += lines.length;
  for (const line of lines) {
    line.segment = segment;
    line.item = undefined;
  }
}

/**
 * The settlements in parts of journal files, one after the other, so that not all of them are in memory at once; what
 * else stands there is passed over. Throws when a file is shorter than what was written to it: somebody has cut it.
 */
export function* settlementsIn(ranges: readonly FileRange[]): Generator<SettleItem> {
  for (const range of ranges) {
    const bytes = bytesOf(range);
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(NEWLINE, start);
      if (tellsSettlement(bytes[start], bytes[start + 1])) {
        const tab = bytes.indexOf(TAB, start);
        yield settlementIn(bytes.toString('utf8', start, tab), bytes.toString('utf8', tab + 1, end));
      }
      start = end + 1;
    }
  }
}

function bytesOf({ fd, from, to }: FileRange): Buffer {
  const bytes = Buffer.allocUnsafe(to - from);
  for (let read = 0; read < bytes.length;) {
    const count = readSync(fd, bytes, read, bytes.length - read, from + read);
    if (count === 0) throw new Error('a file of the journal was cut while it was in use');
    read += count;
  }
  return bytes;
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
      const read = lineIn(line);
      if (!read) continue;
      if ('seq' in read) {
        settlements.push(read);
        open.delete(read.requestId);
      } else open.set(read.requestId, read);
    }
  }
  return { settlements, open: [...open.values()], files: files.map(({ file }) => file) };
}

/** Takes a node's files away, once everything in them is in the books. */
export function removeJournal(files: readonly string[]): void {
  for (const file of files) rmSync(file, { force: true });
}

function filesIn(folder: string): { file: string; node: string; number: number }[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(suffix) || name.endsWith(earlierSuffix))
    .map((name) => {
      const [node = '', number] = name.split('.');
      return { file: path.join(folder, name), node, number: Number(number) };
    });
}
