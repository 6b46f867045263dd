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
import { codeOf } from '#caught-error.ts';
import { isOutOfFiles } from '#process/out-of-files.ts';
import type { FileRange, SettleItem } from './batch-items.ts';
import { type Intent, intentText, lineIn, settlementIn, settlementText, tellsSettlement } from './journal-lines.ts';
import { KeptRoom } from './kept-room.ts';

/**
 * Write-ahead journal of a process: a line before each call goes upstream, a line when it has ended. Written data
 * survives a killed process because the kernel has it; a power failure can lose the last moments, as in the database. A
 * file is deleted when all its calls are committed; files of dead processes are replayed by the next one.
 */

/** A journal file and its number of uncommitted lines. */
export interface Segment {
  readonly file: string;
  readonly fd: number;
  size: number;
  pending: number;
  /** Its last line is incomplete. */
  torn: boolean;
}

export const journalFolder = (dataDir: string): string => path.join(dataDir, 'journal');

/** A journal line and its position once it is written. */
export interface Line {
  /** Empty once it is written or given up. */
  text: string;
  /** Its settlement; undefined for intents and after it is written. */
  item: SettleItem | undefined;
  segment: Segment | undefined;
  from: number;
  to: number;
  /** Its call is committed: it need not be written any more. */
  applied: boolean;
}

/** A call could not be journaled, so it is not made. */
export class UnwrittenCall extends Error {}

const SEGMENT_BYTES = 8 * 1024 * 1024;
/**
 * Files of this version, and of the previous one, whose settlements are objects. Both are read. The previous version
 * would misread new files and may run at the same time, so the suffix differs.
 */
const suffix = '.calls';
const earlierSuffix = '.journal';
const REFUSED = 'refused.jsonl';

/** The journal of this process. Lines are buffered, so that concurrent calls share one write. */
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

  /** Adds an intent. It is durable when `write` has returned. */
  open(intent: Intent): Line {
    return this.#add(intentText(intent), undefined);
  }

  /** Sequence number of the next settlement. */
  nextSeq(): number {
    return ++this.#seq;
  }

  /** Adds a settlement. It is durable when `write` has returned. */
  settle(item: SettleItem): Line {
    return this.#add(settlementText(item), item);
  }

  #add(text: string, item: SettleItem | undefined): Line {
    const line: Line = { text, item, segment: undefined, from: 0, to: 0, applied: false };
    this.#waiting.push(line);
    return line;
  }

  /**
   * Writes the buffer in one piece. Throws if nothing, or only the settlements, could be written; the buffer is empty
   * then, and unwritten lines have no segment.
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

  /** Whether an intent could be written now; probes the disk after a failure, or when `isDoubted`. */
  isWritable(isDoubted = false): boolean {
    if (!this.#room.isKept()) return false;
    if (this.#failed || isDoubted) this.#failed = !canWrite(path.join(this.#folder, `${this.#node}.probe`));
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

  /** Marks a line as committed. */
  applied(line: Line): void {
    line.applied = true;
    const { segment } = line;
    if (!segment) return;
    segment.pending--;
    if (segment.pending === 0 && segment !== this.#segment) discard(segment);
  }

  /** Creates the first file, by which the next process recognises a dead one. It need not wait for the heartbeat then. */
  begin(): void {
    this.#segment ??= this.#newSegment();
  }

  /** Continues in a new file, because the current one may have been removed. */
  renew(): void {
    const old = this.#segment;
    this.#segment = undefined;
    if (old?.pending === 0) discard(old);
  }

  /** Closes the journal. A file with uncommitted calls stays for the next process. */
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
      // Without a file descriptor for the next file, the current one grows, unless it ends within a line.
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

/** Whether the folder of a file accepts writes. */
function canWrite(file: string): boolean {
  try {
    writeFileSync(file, scratch.subarray(0, 64 * 1024), { mode: 0o600 });
    rmSync(file);
    return true;
  } catch {
    return false;
  }
}

/** Settlements must be written; intents can be refused. */
const isOwed = ({ item }: Line): boolean => item !== undefined;

/** Shared write buffer; larger writes are rare. */
const scratch = Buffer.allocUnsafe(256 * 1024);
const NEWLINE = 0x0a;
const TAB = 0x09;

function append(segment: Segment, lines: readonly Line[]): void {
  // At most three bytes per UTF-16 unit.
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
    // The disk is full. Nothing is appended to a file that ends within a line.
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
 * Yields the settlements in parts of journal files, so that not all are in memory at once. Throws if a file was
 * truncated.
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

/** Saves a settlement that the database refuses; `npm run books` reports it. */
export function keepRefused(folder: string, settlement: SettleItem): void {
  appendFileSync(path.join(folder, REFUSED), `${JSON.stringify(settlement)}\n`, { mode: 0o600 });
}

/** Number of settlements saved that way. */
export function refusedIn(folder: string): number {
  try {
    return readFileSync(path.join(folder, REFUSED), 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}

function discard({ file, fd }: Segment): void {
  closeSync(fd);
  // Another process that presumed this one dead may have deleted it.
  unlink(file, () => {});
}

/** Ids of all nodes with journal files, alive or dead. */
export function nodesWithJournals(folder: string): string[] {
  return [...new Set(filesIn(folder).map(({ node }) => node))];
}

export interface LeftBehind {
  settlements: SettleItem[];
  /** Intents without a settlement. */
  open: Intent[];
  files: string[];
}

/** Reads a node's journal files. An incomplete last line was never acknowledged. */
export function readJournal(folder: string, node: string): LeftBehind {
  const files = filesIn(folder).filter((one) => one.node === node);
  const settlements: SettleItem[] = [];
  const open = new Map<string, Intent>();
  for (const { file } of files.toSorted((a, b) => a.number - b.number)) {
    for (const line of textOf(file).split('\n')) {
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

/** Empty for a file that has been deleted meanwhile, because everything in it was committed. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Deletes a node's journal files, once everything in them is committed. */
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
