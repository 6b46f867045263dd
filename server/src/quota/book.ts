import type { Logger } from 'pino';
import { amountsIn, isCredits, plannedCredits } from './batch-counters.ts';
import type { BatchRunner, CountAmount, SettleItem } from './batch-items.ts';
import { BatchQueue } from './batch-queue.ts';
import { Journal, keepRefused, type Line, refusedIn, UnwrittenCall } from './journal.ts';
import type { Intent } from './journal-lines.ts';
import { CreditLine, type CreditLineLimits } from './credit-line.ts';
import { LeasedCredits, type CreditNeed, type Refusal, type ReservedCredits } from './leased-credits.ts';
import { consume, release } from './leases.ts';
import { consumeShares, joinShares, type LimitShare, releaseShares, shareOf } from './limit-leases.ts';
import type { Recall } from './recall.ts';

export type { Refusal };

/** A call to be admitted. `reserved` 0: a free call, admitted with any balance. */
export interface Reservation extends Intent, CreditNeed {}

/** An admitted call, to be settled exactly once. */
export interface Hold extends Pick<ReservedCredits, 'user' | 'token'> {
  user: ReservedCredits['user'];
  token: ReservedCredits['token'];
  readonly call: Reservation;
  /** Its journal line. */
  readonly intent: Line;
  open: boolean;
  /** Credits of the lease that its settlement uses. */
  owed: number;
  /** Whether the credits of this node cover the charge; left out: not settled. */
  isCovered?: boolean;
  tokenOwed: number;
  /** Reserved in the limits on its path. */
  counts: LimitShare[] | undefined;
  /** Reserved without a lease, while the database was away. */
  line: number;
}

/** Whether a call was admitted. */
export const isHold = (admission: Hold | Refusal): admission is Hold =>
  typeof admission !== 'string' && 'intent' in admission;

/** The outcome of a call; the book adds the other members of `SettleItem`. */
export type Settlement = Omit<SettleItem, 'kind' | 'seq' | 'userId' | 'tokenId' | 'user' | 'token' | 'counts'>;

export interface BookOptions {
  run: BatchRunner;
  recall: Recall;
  /** Folder of the journal. */
  folder: string;
  /** Id of this process, new at each start. */
  node: string;
  log: Pick<Logger, 'error'>;
  /** For calls while the database is away; left out: there are none. */
  line?: CreditLineLimits;
}

/** Up to this number of open calls, two rarely arrive in one turn of the event loop. */
const FEW_CALLS = 4;
const written = Promise.resolve();

/** Longer than a usual commit, short enough for a page. Tests wait longer: a busy machine commits late. */
export const patience = { pageMs: 200 };

/**
 * Admits and charges calls against credits leased to this node, never below zero. The intent is in the journal before a
 * request goes upstream, the settlement before the last byte of a response.
 */
export class Book {
  readonly #options: BookOptions;
  readonly #journal: Journal;
  readonly #queue: BatchQueue<Hold>;
  readonly #credits: LeasedCredits;
  readonly #line: CreditLine;
  #openCalls = 0;
  /** When writing settlements began to fail; undefined: it does not. Unix milliseconds. */
  #lateSince: number | undefined;
  #writing: Promise<void> | undefined;
  /** The last error of a journal write. */
  #writeError: unknown;

  constructor(options: BookOptions) {
    this.#options = options;
    this.#journal = new Journal(options.folder, options.node);
    const { log } = options;
    this.#line = new CreditLine(options.line ?? { graceMs: 0, credits: 0 });
    this.#queue = new BatchQueue(options.run, options.node, {
      // The journal is written before the database, so that a crash in between leaves no committed call open.
      ready: () => {
        this.#begin();
        this.#write();
      },
      applied: ({ leases, limits }) => {
        this.#line.answered();
        for (const [userId, tokenId, credits] of leases) this.#credits.setTotal(userId, tokenId, credits);
        this.#credits.setLimits(limits);
      },
      settled: (hold, line) => {
        this.#lateSince = undefined;
        if (hold.user) hold.user.lease.owed -= hold.owed;
        if (hold.token) hold.token.lease.owed -= hold.tokenOwed;
        for (const { held, owed } of hold.counts ?? []) if (held) held.lease.owed -= owed;
        if (hold.line > 0) this.#line.release(hold.call.userId, hold.line);
        this.#journal.applied(hold.intent);
        this.#journal.applied(line);
      },
      late: (error, waiting) => {
        this.#lateSince ??= Date.now();
        log.error({ err: error, waiting }, 'settlement backlog');
      },
      refused: ({ call }, settlement, error) => {
        const about = { err: error, request: call.requestId };
        if (settlement) {
          log.error(about, 'a settlement cannot be written; it is kept in a file');
          keepRefused(options.folder, settlement);
        } else {
          log.error(about, 'a settlement is lost: its journal file was truncated');
          // Line positions no longer match the cut file.
          this.#journal.renew();
        }
      },
    });
    this.#credits = new LeasedCredits(this.#queue, options.recall, {
      failed: (error) => log.error({ err: error }, 'lease return failed'),
      told: (account, left) => this.#line.noteBalance(account, left),
    });
  }

  /** Settlements and requests that are not committed yet. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Calls admitted but not settled. */
  get openCalls(): number {
    return this.#openCalls;
  }

  /** Seconds for which settlements could not be written to the database; 0: they are. */
  get lateS(): number {
    return this.#lateSince === undefined ? 0 : Math.max(1, Math.round((Date.now() - this.#lateSince) / 1000));
  }

  /** Settlements that the database refused; they are kept in a file. */
  get refused(): number {
    return refusedIn(this.#options.folder);
  }

  /** Whether calls can be journaled now; tries it after a failure, or when `isDoubted`. */
  isWritable(isDoubted?: boolean): boolean {
    return this.#journal.isWritable(isDoubted);
  }

  /** Whether this node has leased credits for a caller. If not, only the database knows the balance. */
  hasCredits(caller: Omit<CreditNeed, 'reserved'>): boolean {
    return this.#credits.has(caller);
  }

  /**
   * Admits a call and journals it, or returns which balance or limit is insufficient. Rejects with `UnwrittenCall` if
   * the journal cannot be written, and with the error of a database that is away for longer than the credit line lasts.
   */
  reserve(call: Reservation): Promise<Hold | Refusal> {
    // Most calls are within the leases, and wait for the journal alone.
    const taken = this.#credits.take(call);
    return taken ? this.#opened(call, taken, 0) : this.#reserveOnAsking(call);
  }

  async #reserveOnAsking(call: Reservation): Promise<Hold | Refusal> {
    let taken: ReservedCredits | Refusal;
    try {
      taken = await this.#credits.ask(call);
    } catch (error) {
      if (!this.#line.take(call, error)) throw error;
      return this.#opened(call, uncounted(call), call.reserved);
    }
    return isRefusal(taken) ? taken : this.#opened(call, taken, 0);
  }

  async #opened(call: Reservation, { user, token, limits: counts }: ReservedCredits, line: number) {
    this.#openCalls++;
    // A call that is released has nothing to give back of a line.
    const intent = this.#journal.open(line > 0 ? { ...call, reserved: 0 } : call);
    const hold: Hold = { call, user, token, intent, open: true, owed: 0, tokenOwed: 0, counts, line };
    await this.#written();
    if (hold.intent.segment) return hold;
    this.#drop(hold);
    throw new UnwrittenCall('the journal cannot be written', { cause: this.#writeError });
  }

  /**
   * Reserves more credits for a running call from the leases of this node, without a query. False: they have too
   * little.
   */
  extendNow(hold: Hold, credits: number): boolean {
    if (!hold.open) return false;
    const more = this.#credits.take(needOf(hold, credits));
    if (more) join(hold, more);
    return more !== undefined;
  }

  /**
   * Reserves more credits for a running call, or returns which balance or budget is insufficient; the earlier
   * reservation stays.
   */
  async extend(hold: Hold, credits: number): Promise<Refusal | undefined> {
    try {
      return await this.#extend(hold, credits);
    } catch (error) {
      if (!hold.open || !this.#line.take({ ...hold.call, reserved: credits }, error)) throw error;
      hold.line += credits;
      return undefined;
    }
  }

  async #extend(hold: Hold, credits: number): Promise<Refusal | undefined> {
    const call = needOf(hold, credits);
    const more = this.#credits.take(call) ?? (await this.#credits.ask(call));
    if (isRefusal(more)) return more;
    join(hold, more);
    return undefined;
  }

  /**
   * Charges a finished call. Resolves when it is journaled; it is committed soon after. If the journal cannot be
   * written, the settlement stays in memory, because the response was already sent.
   */
  settle(hold: Hold, settlement: Settlement): Promise<void> {
    if (!hold.open) return Promise.resolve();
    hold.open = false;
    this.#openCalls--;
    const { call } = hold;
    const item: SettleItem = {
      kind: 'settle',
      seq: this.#journal.nextSeq(),
      userId: call.userId,
      tokenId: call.tokenId,
      user: consume(hold.user, Math.max(0, settlement.credits - plannedCredits(hold.counts))),
      token: call.limited ? consume(hold.token, settlement.credits) : null,
      requestId: settlement.requestId,
      channelId: settlement.channelId,
      credits: settlement.credits,
      now: settlement.now,
      failed: settlement.failed,
      channelError: settlement.channelError,
      earlierErrors: settlement.earlierErrors,
      log: settlement.log,
    };
    if (hold.line === 0) hold.isCovered = item.user.take + plannedCredits(hold.counts) >= settlement.credits;
    else this.#useLine(hold, settlement.credits);
    if (settlement.task) item.task = settlement.task;
    if (hold.counts) item.counts = consumeShares(hold.counts, settlement.credits, settlement.log);
    if (call.limits?.plans?.beyond === false) item.planOnly = true;
    hold.owed = item.user.take + item.user.back;
    hold.tokenOwed = item.token ? item.token.take + item.token.back : 0;
    this.#queue.settle(this.#journal.settle(item), hold, call.userId);
    return this.#written();
  }

  /** Resolves when all settlements so far are committed, or after a short wait if they cannot be. */
  async caughtUp(): Promise<void> {
    if (this.#queue.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, patience.pageMs);
    });
    await Promise.race([this.#queue.flush(), late]);
    clearTimeout(timer);
  }

  /** Has idle credits of a user returned, on this and other nodes: see `LeasedCredits`. */
  recall(userId: number, tokenId = 0): Promise<boolean> {
    return this.#credits.recall(userId, tokenId);
  }

  /** Continues in a new file: another process may have presumed this one dead and removed its journal. */
  renewJournal(): void {
    this.#journal.renew();
  }

  /**
   * Flushes the queue and returns unreserved credits. Returns whether everything is committed and nothing is leased.
   */
  async close(): Promise<boolean> {
    await this.#credits.stop();
    await this.#queue.flush();
    const returned = await this.#credits.giveAllBack();
    this.#journal.close();
    return this.#queue.length === 0 && this.#openCalls === 0 && returned;
  }

  /** A call on its line has its cost in use from now on. The database is away, so it is not asked what it charged. */
  #useLine(hold: Hold, credits: number): void {
    const unused = Math.max(0, hold.line - credits);
    hold.line -= unused;
    this.#line.release(hold.call.userId, unused);
  }

  /** One write for all lines of this turn of the event loop. Lines that could not be written have no segment. */
  #written(): Promise<void> {
    // With few calls there is nothing to share the write with.
    if (!this.#writing && this.#openCalls <= FEW_CALLS) {
      this.#write();
      return written;
    }
    return (this.#writing ??= new Promise(this.#writeSoon));
  }

  /** Created once instead of per turn. */
  readonly #writeSoon = (resolve: () => void): void => void setImmediate(this.#writeNow, resolve);

  readonly #writeNow = (resolve: () => void): void => {
    this.#writing = undefined;
    this.#write();
    resolve();
  };

  /** A process killed right after its first lease must leave a journal, or the lease is returned a minute later. */
  #begin(): void {
    try {
      this.#journal.begin();
    } catch {
      // Without a file no call is made; writing its intent reports the reason.
    }
  }

  #write(): void {
    try {
      this.#journal.write();
    } catch (error) {
      this.#writeError = error;
      this.#options.log.error({ err: error }, 'the journal cannot be written');
    }
  }

  /** A call that cannot be journaled is not made. */
  #drop(hold: Hold): void {
    hold.open = false;
    this.#openCalls--;
    this.#journal.applied(hold.intent);
    for (const held of [hold.user, hold.token]) if (held) release(held);
    if (hold.line > 0) this.#line.release(hold.call.userId, hold.line);
    if (hold.counts) releaseShares(hold.counts);
  }
}

const isRefusal = (taken: ReservedCredits | Refusal): taken is Refusal => typeof taken === 'string' || 'ends' in taken;

/** Further need of a running call: credits, in the budgets and plans in which it has reserved. */
function needOf({ call, counts }: Hold, credits: number): CreditNeed {
  const more = { ...call, reserved: credits };
  const { limits } = call;
  if (!limits) return more;
  const amounts = limits.amounts.filter(({ name }) => isCredits(name)).map((of) => ({ ...of, need: credits }));
  // A further request of the same call is none.
  const none = ({ need, name, ...of }: CountAmount) => ({ ...of, name, need: isCredits(name) ? need : 0 });
  const plans = limits.plans && {
    ...limits.plans,
    credits,
    periods: limits.plans.periods.map((period) => period.map(none)),
  };
  return { ...more, limits: counts && (amounts.length > 0 || plans) ? { ...limits, amounts, plans } : undefined };
}

/** The limits of a call in which nothing could be reserved: its use is counted when it is charged. */
const uncounted = ({ limits }: Reservation): ReservedCredits => ({
  user: undefined,
  token: undefined,
  limits: limits && amountsIn(limits).map((of) => shareOf(of, of.starts, 0, undefined)),
});

/** Adds a later reservation to a call; releases it if the call has ended meanwhile. */
function join(hold: Hold, set: ReservedCredits): void {
  for (const whose of ['user', 'token'] as const) {
    const more = set[whose];
    if (!more) continue;
    const had = hold[whose];
    if (!hold.open) release(more);
    else if (had) had.credits += more.credits;
    else hold[whose] = more;
  }
  if (!set.limits) return;
  if (hold.open) hold.counts = joinShares(hold.counts ?? [], set.limits);
  else releaseShares(set.limits);
}
