import { asError } from '#caught-error.ts';
import { isClash, isOutage, Outage } from '#db/outage.ts';
import type {
  Batch,
  BatchItem,
  BatchResult,
  BatchRunner,
  Counted,
  CountItem,
  FileRange,
  Granted,
  GrantItem,
  ReturnItem,
  SettleItem,
  UncountItem,
} from './batch-items.ts';
import type { Line } from './journal.ts';
import { settlementsIn } from './journal.ts';

/** A settlement to be applied. If its line is not in a file, the line holds the settlement itself. */
interface WaitingSettlement<Owner> {
  line: Line;
  owner: Owner;
}

/** A request with a caller waiting for the result. */
interface PendingItem {
  item: GrantItem | ReturnItem | CountItem | UncountItem;
  /** Takes the result of this item out of the batch's. */
  done(results: BatchAnswers): void;
  failed(error: Error): void;
}

/** Results of a batch that are not taken yet. */
interface BatchAnswers {
  grants: Iterator<Granted>;
  counts: Iterator<Counted>;
}

export interface QueueEvents<Owner> {
  /** Before a batch is built from the queue. */
  ready(): void;
  /** A batch was committed; called before its settlements and requests are resolved. */
  applied(result: BatchResult): void;
  settled(owner: Owner, line: Line): void;
  /** The database cannot be written; settlements wait and are retried. */
  late(error: Error, waiting: number): void;
  /**
   * The database refuses this settlement alone: it is saved for an operator so that the others proceed. `item` is
   * undefined if it can no longer be read. Throws if it cannot be saved now; then it stays queued.
   */
  refused(owner: Owner, item: SettleItem | undefined, error: Error): void;
}

const LARGEST_BATCH = 512;
/** A commit costs as much as many rows, so settlements are gathered. Readers flush the queue first. */
const GATHER_MS = 200;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** Failures of one settlement, while others can be written, before it is set aside. */
const PATIENCE = 3;

/** Applies settlements in order, many per transaction, together with requests, which are written immediately. */
export class BatchQueue<Owner> {
  readonly #run: BatchRunner;
  readonly #node: string;
  readonly #events: QueueEvents<Owner>;
  #settlements: WaitingSettlement<Owner>[] = [];
  #questions: PendingItem[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Number of settlements to write without gathering more. */
  #due = 0;
  #writing: Promise<void> | undefined;
  #pauseMs = 0;
  /** Failures of the first settlement on its own. */
  #failures = 0;
  /** Settlements of a failed batch still to be tried one by one, to find the one at fault. */
  #singly = 0;

  constructor(run: BatchRunner, node: string, events: QueueEvents<Owner>) {
    this.#run = run;
    this.#node = node;
    this.#events = events;
  }

  /** Settlements and requests that are not committed yet. */
  get length(): number {
    return this.#settlements.length + this.#questions.length;
  }

  /**
   * Requests credits immediately, with the settlements gathered so far. `done` is called synchronously with the result,
   * so that the credits can be reserved before another call takes them; `failed` if the database cannot be reached.
   */
  grant(item: GrantItem, done: (granted: Granted) => void, failed: (error: Error) => void): void {
    this.#questions.push({ item, done: ({ grants }) => done(grants.next().value as Granted), failed }); // one per grant
    void this.flush();
  }

  /** The same for limits of a token. */
  count(item: CountItem, done: (counted: Counted) => void, failed: (error: Error) => void): void {
    this.#questions.push({ item, done: ({ counts }) => done(counts.next().value as Counted), failed }); // one per item
    void this.flush();
  }

  /** Resolves when committed; rejects when the database failed and nothing was returned. */
  giveBack(item: ReturnItem | UncountItem): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#questions.push({ item, done: () => resolve(), failed: reject });
      void this.flush();
    });
  }

  /** Queues a settlement for one of the next batches. */
  settle(line: Line, owner: Owner): void {
    this.#settlements.push({ line, owner });
    if (this.#settlements.length === LARGEST_BATCH) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Writes the queue; resolves when it is committed or cannot be written now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = this.#settlements.length;
    return (this.#writing ??= this.#writeAll());
  }

  async #writeAll(): Promise<void> {
    // Include what arrives in this turn of the event loop.
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
        // Retrying each request alone would make the last one wait for all timeouts before it.
        for (const question of questions) question.failed(error);
        if (settlements.length > 1 && !(error instanceof Outage)) this.#singly = settlements.length;
        if (this.#questions.length > 0) continue;
        if (this.#settlements.length > 0) this.#retryLater(error);
        break;
      } else if (questions.length > 0) {
        // No caller waits for a settlement; requests are retried one by one.
        for (const question of questions) await this.#askAlone(question);
      } else if (settlements.length > 1) {
        this.#singly = settlements.length;
      } else if (!settlements[0] || !(await this.#setAside(settlements[0], error))) {
        this.#retryLater(error);
        break;
      }
    }
    // In the same turn in which nothing was due, so that the next item starts a new write.
    this.#writing = undefined;
    if (this.#settlements.length > 0) this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  async #write(settlements: WaitingSettlement<Owner>[], questions: PendingItem[]): Promise<Error | undefined> {
    try {
      this.#events.ready();
      const result = await this.#run(batchOf(this.#node, settlements, questions));
      this.#taken(settlements.length);
      this.#events.applied(result);
      for (const { owner, line } of settlements) this.#events.settled(owner, line);
      const answers = { grants: result.grants.values(), counts: result.counts.values() };
      for (const { done } of questions) done(answers);
      return undefined;
    } catch (error) {
      return asError(error);
    }
  }

  #taken(count: number): void {
    this.#settlements.splice(0, count);
    this.#due = Math.max(0, this.#due - count);
  }

  async #askAlone(question: PendingItem): Promise<void> {
    const error = await this.#write([], [question]);
    if (error) question.failed(error);
  }

  /** Whether this settlement, not the database, is at fault and was set aside, so that the next one may be tried. */
  async #setAside(waiting: WaitingSettlement<Owner>, error: Error): Promise<boolean> {
    if (isOutage(error)) return false;
    const { line, owner } = waiting;
    const item = itemOf(line);
    // A settlement that cannot be read will not become readable.
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
  questions: readonly PendingItem[],
): Batch {
  const items: BatchItem[] = [];
  const lines: FileRange[] = [];
  for (const { line } of settlements) {
    const last = lines.at(-1);
    if (line.item) items.push(line.item);
    // Between two settlements in a file there are only intents.
    else if (last && last.fd === line.segment?.fd) last.to = line.to;
    else lines.push(rangeOf(line));
  }
  for (const { item } of questions) items.push(item);
  return { node, items, lines };
}

/** The settlement of a line, from memory or its file; undefined if neither has it. */
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
