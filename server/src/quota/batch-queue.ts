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

/** A settlement to be applied. If its line is not in a file, the line holds the settlement itself. */
interface WaitingSettlement<Owner> {
  line: Line;
  owner: Owner;
  userId: number;
}

/** A request with a caller waiting for the result. */
interface Question {
  item: GrantItem | ReturnItem;
  done(answer: Granted | undefined): void;
  failed(error: Error): void;
  /** Refused before the user's settlements, which may return what it needs, were written. */
  refused?: { answer: Granted; after: number };
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
const nobody: ReadonlySet<number> = new Set();

/**
 * Applies settlements in order, many per transaction. Requests have separate transactions, so that a call to be
 * admitted does not wait for settlements; two transactions under way never concern the same user. A request is refused
 * only after the settlements of its user.
 */
export class BatchQueue<Owner> {
  readonly #run: BatchRunner;
  readonly #node: string;
  readonly #events: QueueEvents<Owner>;
  #settlements: WaitingSettlement<Owner>[] = [];
  #questions: Question[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Number of settlements to write without gathering more. */
  #due = 0;
  #writing: Promise<void> | undefined;
  #isAnswering = false;
  /** Users of the settlements, and of the requests, that are being written. */
  #settlingUsers: ReadonlySet<number> = nobody;
  #askingUsers: ReadonlySet<number> = nobody;
  /** Resolves when the requests being written are. */
  #asked: Promise<unknown> = Promise.resolve();
  /** Settlements written since the start. */
  #written = 0;
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
   * Requests credits and room in limits immediately. `done` is called synchronously with the result, so that they can be
   * reserved before another call takes them; `failed` if the database cannot be reached.
   */
  grant(item: GrantItem, done: (granted: Granted) => void, failed: (error: Error) => void): void {
    this.#ask({ item, done: (answer) => done(answer as Granted), failed }); // the answer is of the item's kind
  }

  /** Resolves when committed; rejects when the database failed and nothing was returned. */
  giveBack(item: ReturnItem): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ask({ item, done: () => resolve(), failed: reject });
    });
  }

  /** Queues a settlement for one of the next batches. */
  settle(line: Line, owner: Owner, userId: number): void {
    this.#settlements.push({ line, owner, userId });
    if (this.#settlements.length === LARGEST_BATCH) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Writes the settlements; resolves when they are committed or cannot be written now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = this.#settlements.length;
    return (this.#writing ??= this.#writeAll());
  }

  async #writeAll(): Promise<void> {
    // Include what arrives in this turn of the event loop.
    await Promise.resolve();
    while (this.#due > 0 || this.#settlements.length >= LARGEST_BATCH) {
      const settlements = this.#settlements.slice(0, this.#singly > 0 ? 1 : LARGEST_BATCH);
      const error = await this.#settle(settlements);
      if (!error) {
        this.#failures = 0;
        this.#pauseMs = 0;
        this.#singly = Math.max(0, this.#singly - 1);
      } else if (isOutage(error) && !isClash(error)) {
        if (settlements.length > 1 && !(error instanceof Outage)) this.#singly = settlements.length;
        if (settlements.length > 0) this.#retryLater(error);
        break;
      } else if (settlements.length > 1) {
        this.#singly = settlements.length;
      } else if (!settlements[0] || !(await this.#setAside(settlements[0], error))) {
        this.#retryLater(error);
        break;
      }
    }
    // In the same turn in which nothing was due, so that the next item starts a new write.
    this.#writing = undefined;
    this.#stopWaiting();
    this.#answer();
    if (this.#settlements.length > 0) this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Writes settlements while no request of their users is being written. */
  async #settle(settlements: WaitingSettlement<Owner>[]): Promise<Error | undefined> {
    this.#settlingUsers = new Set(settlements.map(({ userId }) => userId));
    if ([...this.#settlingUsers].some((id) => this.#askingUsers.has(id))) await this.#asked;
    const error = await this.#write(settlements, []);
    this.#settlingUsers = nobody;
    this.#answer();
    return error;
  }

  async #write(settlements: WaitingSettlement<Owner>[], questions: Question[]): Promise<Error | undefined> {
    try {
      this.#events.ready();
      const result = await this.#run(batchOf(this.#node, settlements, questions));
      this.#taken(settlements.length);
      this.#events.applied(result);
      for (const { owner, line } of settlements) this.#events.settled(owner, line);
      const grants = result.grants.values();
      for (const question of questions)
        this.#answered(question, question.item.kind === 'grant' ? grants.next().value : undefined);
      return undefined;
    } catch (error) {
      return asError(error);
    }
  }

  #ask(question: Question): void {
    this.#questions.push(question);
    this.#answer();
  }

  #answer(): void {
    if (this.#questions.length > 0 && !this.#isAnswering) void this.#answerAll();
  }

  async #answerAll(): Promise<void> {
    this.#isAnswering = true;
    await Promise.resolve();
    for (;;) {
      const questions = this.#questions.filter(
        ({ item, refused }) => !this.#settlingUsers.has(item.userId) && (refused?.after ?? 0) <= this.#written,
      );
      if (questions.length === 0) break;
      this.#questions = this.#questions.filter((question) => !questions.includes(question));
      this.#askingUsers = new Set(questions.map(({ item }) => item.userId));
      await (this.#asked = this.#askTogether(questions));
      this.#askingUsers = nobody;
    }
    this.#isAnswering = false;
  }

  async #askTogether(questions: Question[]): Promise<void> {
    const error = await this.#write([], questions);
    if (!error) return;
    // Retrying each request alone would make the last one wait for all timeouts before it.
    if (isOutage(error) && !isClash(error)) for (const { failed } of questions) failed(error);
    else
      for (const question of questions) {
        const again = await this.#write([], [question]);
        if (again) question.failed(again);
      }
  }

  /** Returns the result; a refusal only after the user's settlements, because these may return the missing credits. */
  #answered(question: Question, answer: Granted | undefined): void {
    const isRefused = answer && 'refused' in answer;
    const { userId } = question.item;
    if (!isRefused || question.refused || !this.#settlements.some((waiting) => waiting.userId === userId)) {
      question.done(answer);
      return;
    }
    question.refused = { answer, after: this.#written + this.#settlements.length };
    this.#questions.push(question);
    void this.flush();
  }

  /** Settlements cannot be written now: their users' requests are refused without them. */
  #stopWaiting(): void {
    const isWaiting = ({ refused }: Question) => refused !== undefined && refused.after > this.#written;
    const waiting = this.#questions.filter(isWaiting);
    this.#questions = this.#questions.filter((question) => !isWaiting(question));
    for (const question of waiting) question.done(question.refused?.answer);
  }

  #taken(count: number): void {
    this.#settlements.splice(0, count);
    this.#written += count;
    this.#due = Math.max(0, this.#due - count);
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
  questions: readonly Question[],
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
