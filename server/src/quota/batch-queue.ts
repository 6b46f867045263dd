import { asError } from '#caught-error.ts';
import { isClash, isOutage, Outage } from '#db/outage.ts';
import type {
  Batch,
  BatchItem,
  BatchResult,
  BatchRunner,
  FileRange,
  Granted,
  GrantItem,
  ReturnItem,
  SettleItem,
} from './batch-items.ts';
import type { Line } from './journal.ts';
import { settlementsIn } from './journal.ts';

/** A settlement that waits to be applied. Where its line is not written, that holds the settlement itself. */
interface WaitingSettlement<Owner> {
  line: Line;
  owner: Owner;
}

/** Something that somebody waits for. */
interface Question {
  item: GrantItem | ReturnItem;
  /** `granted`: of a grant, and of nothing else. */
  done(granted: Granted | undefined): void;
  failed(error: Error): void;
}

export interface QueueEvents<Owner> {
  /** A batch is about to be made of what waits. */
  ready(): void;
  /** A batch is in the books; before its settlements and questions are told so. */
  applied(result: BatchResult): void;
  settled(owner: Owner, line: Line): void;
  /** The books cannot be written; settlements wait and are tried again. */
  late(error: Error, waiting: number): void;
  /**
   * A settlement that the database refuses for itself: kept where an operator finds it, so that the others go on.
   * Undefined: it cannot be read any more. Throws when it cannot be kept now; then it waits.
   */
  refused(owner: Owner, item: SettleItem | undefined, error: Error): void;
}

const LARGEST_BATCH = 512;
/** A commit costs as much as many rows, and whoever reads has them written at once: until then they are gathered. */
const GATHER_MS = 200;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** So often a settlement fails while others can be written, before it is set aside. */
const PATIENCE = 3;

/** Applies settlements in the order in which they came, many in one transaction, and what is asked for at once. */
export class BatchQueue<Owner> {
  readonly #run: BatchRunner;
  readonly #node: string;
  readonly #events: QueueEvents<Owner>;
  #settlements: WaitingSettlement<Owner>[] = [];
  #questions: Question[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** So many of the settlements are to be written without waiting for others. */
  #due = 0;
  #writing: Promise<void> | undefined;
  #pauseMs = 0;
  /** How often the first settlement has failed by itself. */
  #failures = 0;
  /** So many settlements of a batch that failed are tried one by one, to find the one that is at fault. */
  #singly = 0;

  constructor(run: BatchRunner, node: string, events: QueueEvents<Owner>) {
    this.#run = run;
    this.#node = node;
    this.#events = events;
  }

  /** Settlements and questions that are not in the books yet. */
  get length(): number {
    return this.#settlements.length + this.#questions.length;
  }

  /**
   * Asks at once; what has been gathered goes along. `done` is called before anything else can happen, so that what
   * was given can be set aside for whom it was asked for; `failed` when the database could not be asked.
   */
  grant(item: GrantItem, done: (granted: Granted) => void, failed: (error: Error) => void): void {
    this.#questions.push({ item, done: (granted) => granted && done(granted), failed });
    void this.flush();
  }

  /** Resolves when it is in the books; rejects when the database failed, and it was not. */
  giveBack(item: ReturnItem): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#questions.push({ item, done: () => resolve(), failed: reject });
      void this.flush();
    });
  }

  /** Soon. */
  settle(line: Line, owner: Owner): void {
    this.#settlements.push({ line, owner });
    if (this.#settlements.length === LARGEST_BATCH) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Writes what waits; resolves when all of that is in the books, or it cannot be written now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = this.#settlements.length;
    return (this.#writing ??= this.#writeAll());
  }

  async #writeAll(): Promise<void> {
    // What this turn of the event loop still brings goes along.
    await Promise.resolve();
    while (this.#due > 0 || this.#questions.length > 0 || this.#settlements.length >= LARGEST_BATCH) {
      const settlements = this.#settlements.slice(0, this.#singly > 0 ? 1 : LARGEST_BATCH);
      const questions = this.#questions;
      this.#questions = [];
      const error = await this.#write(settlements, questions);
      if (!error) {
        this.#failures = 0;
        this.#pauseMs = 0;
        this.#singly = Math.max(0, this.#singly - 1);
      } else if (isOutage(error) && !isClash(error)) {
        // Asking for each by himself would make the last one wait as often as there are others before him.
        for (const question of questions) question.failed(error);
        if (settlements.length > 1 && !(error instanceof Outage)) this.#singly = settlements.length;
        if (this.#questions.length > 0) continue;
        if (this.#settlements.length > 0) this.#retryLater(error);
        break;
      } else if (questions.length > 0) {
        // Nobody waits for a settlement; whoever asks is answered, each by himself.
        for (const question of questions) await this.#askAlone(question);
      } else if (settlements.length > 1) {
        this.#singly = settlements.length;
      } else if (!settlements[0] || !(await this.#setAside(settlements[0], error))) {
        this.#retryLater(error);
        break;
      }
    }
    // In the same turn in which nothing was due, so that what comes next starts anew.
    this.#writing = undefined;
    if (this.#settlements.length > 0) this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  async #write(settlements: WaitingSettlement<Owner>[], questions: Question[]): Promise<Error | undefined> {
    try {
      this.#events.ready();
      const result = await this.#run(batchOf(this.#node, settlements, questions));
      this.#taken(settlements.length);
      this.#events.applied(result);
      for (const { owner, line } of settlements) this.#events.settled(owner, line);
      let next = 0;
      for (const { item, done } of questions) done(item.kind === 'grant' ? result.grants[next++] : undefined);
      return undefined;
    } catch (error) {
      return asError(error);
    }
  }

  #taken(count: number): void {
    this.#settlements.splice(0, count);
    this.#due = Math.max(0, this.#due - count);
  }

  async #askAlone(question: Question): Promise<void> {
    const error = await this.#write([], [question]);
    if (error) question.failed(error);
  }

  /** Whether the next settlement may be tried though this one failed, because it is at fault and not the database. */
  async #setAside(waiting: WaitingSettlement<Owner>, error: Error): Promise<boolean> {
    if (isOutage(error)) return false;
    const { line, owner } = waiting;
    const item = itemOf(line);
    // What cannot be read does not come back by waiting.
    if ((item && ++this.#failures <= PATIENCE) || (await this.#write([], []))) return false;
    try {
      this.#events.refused(owner, item, error);
    } catch {
      return false;
    }
    this.#taken(1);
    this.#failures = 0;
    this.#events.settled(owner, line);
    return true;
  }

  #retryLater(error: Error): void {
    this.#events.late(error, this.#settlements.length);
    this.#pauseMs = Math.min(this.#pauseMs === 0 ? FIRST_PAUSE_MS : this.#pauseMs * 2, LONGEST_PAUSE_MS);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), this.#pauseMs).unref();
  }
}

function batchOf<Owner>(
  node: string,
  settlements: readonly WaitingSettlement<Owner>[],
  questions: readonly Question[],
): Batch {
  const items: BatchItem[] = [];
  const lines: FileRange[] = [];
  for (const { line } of settlements) {
    const last = lines.at(-1);
    if (line.item) items.push(line.item);
    // Between two settlements of a file stand only calls that have begun.
    else if (last && last.fd === line.segment?.fd) last.to = line.to;
    else lines.push(rangeOf(line));
  }
  for (const { item } of questions) items.push(item);
  return { node, items, lines };
}

/** What a line tells, from memory or from its file; undefined where neither has it. */
function itemOf(line: Line): SettleItem | undefined {
  if (line.item) return line.item;
  try {
    return [...settlementsIn([rangeOf(line)])][0];
  } catch {
    return undefined;
  }
}

function rangeOf({ segment, from, to }: Line): FileRange {
  if (!segment) throw new Error('a line without a settlement in memory must be in a file');
  return { fd: segment.fd, from, to };
}
