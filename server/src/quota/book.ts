import type { Logger } from 'pino';
import type { BatchRunner, SettleItem } from './batch-items.ts';
import { BatchQueue } from './batch-queue.ts';
import { Journal, keepRefused, type Line, UnwrittenCall } from './journal.ts';
import type { Intent } from './journal-lines.ts';
import { LeasedCredits, type Needs, type Refusal, type SetAside } from './leased-credits.ts';
import { cover, letGo } from './leases.ts';
import type { Recall } from './recall.ts';

/** A call that asks to be admitted. `reserved` 0: a free call, which is admitted whatever the balance. */
export interface Reservation extends Intent, Needs {}

/** An admitted call; whoever has it settles it, once. */
export interface Hold extends SetAside {
  user: SetAside['user'];
  token: SetAside['token'];
  readonly call: Reservation;
  /** Where the journal tells of it. */
  readonly intent: Line;
  open: boolean;
  /** What its settlement takes of the leases. */
  owed: number;
  tokenOwed: number;
}

/** What a call has come to; the rest of a `SettleItem` is the book's. */
export type Settlement = Omit<SettleItem, 'kind' | 'seq' | 'userId' | 'tokenId' | 'user' | 'token'>;

export interface BookOptions {
  run: BatchRunner;
  recall: Recall;
  /** Where the journal is kept. */
  folder: string;
  /** Who this process is; a new name at each start. */
  node: string;
  log: Pick<Logger, 'error'>;
}

/** So few calls seldom come in one turn of the event loop. */
const FEW_CALLS = 4;
const written = Promise.resolve();

/** Longer than the pause before the next batch, and not so long that a page would seem to hang. */
const CAUGHT_UP_MS = 200;

/**
 * Where calls are admitted and charged: against credits that this node has leased, and never below zero. What is owed is
 * in the journal before anything goes upstream, and before the last byte of an answer.
 */
export class Book {
  readonly #options: BookOptions;
  readonly #journal: Journal;
  readonly #queue: BatchQueue<Hold>;
  readonly #credits: LeasedCredits;
  #openCalls = 0;
  #writing: Promise<void> | undefined;
  /** Why the journal could not be written the last time that it could not. */
  #writeError: unknown;

  constructor(options: BookOptions) {
    this.#options = options;
    this.#journal = new Journal(options.folder, options.node);
    const { log } = options;
    this.#queue = new BatchQueue(options.run, options.node, {
      // Nothing comes into the books that a process which dies now would leave open in its journal.
      ready: () => this.#write(),
      applied: ({ leases }) => {
        for (const [userId, tokenId, credits] of leases) this.#credits.told(userId, tokenId, credits);
      },
      settled: (hold, line) => {
        if (hold.user) hold.user.lease.owed -= hold.owed;
        if (hold.token) hold.token.lease.owed -= hold.tokenOwed;
        this.#journal.applied(hold.intent);
        this.#journal.applied(line);
      },
      late: (error, waiting) => log.error({ err: error, waiting }, 'settlements are late'),
      refused: ({ call }, settlement, error) => {
        const about = { err: error, request: call.requestId };
        if (settlement) {
          log.error(about, 'a settlement cannot be written; it is kept in a file');
          keepRefused(options.folder, settlement);
        } else {
          log.error(about, 'a settlement is lost: the file of the journal that held it was cut');
          // Its places are those of another file from here on.
          this.#journal.renew();
        }
      },
    });
    this.#credits = new LeasedCredits(this.#queue, options.recall, (error) =>
      log.error({ err: error }, 'leases are not given back'),
    );
  }

  /** Settlements and questions that are not in the books yet. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Calls that are admitted and not settled. */
  get openCalls(): number {
    return this.#openCalls;
  }

  /** Whether calls can be written down now. Where they could not, it is tried again. */
  isWritable(): boolean {
    return this.#journal.isWritable();
  }

  /** Whether this node has credits of a caller at hand. Where it has none, the database knows whether there are any. */
  hasCredits(caller: Omit<Needs, 'reserved'>): boolean {
    return this.#credits.has(caller);
  }

  /** Admits a call and writes it down, or says whose credits do not reach. Rejects with `UnwrittenCall` when it cannot be written down. */
  async reserve(call: Reservation): Promise<Hold | Refusal> {
    const taken = this.#credits.take(call) ?? (await this.#credits.ask(call));
    if (typeof taken === 'string') return taken;
    this.#openCalls++;
    const { user, token } = taken;
    const hold: Hold = { call, user, token, intent: this.#journal.open(call), open: true, owed: 0, tokenOwed: 0 };
    await this.#written();
    if (hold.intent.segment) return hold;
    this.#drop(hold);
    throw new UnwrittenCall('the journal cannot be written', { cause: this.#writeError });
  }

  /** Sets more aside for a call that goes on, or says whose credits do not reach; what it had stays set aside. */
  async extend(hold: Hold, credits: number): Promise<Refusal | undefined> {
    const call = { ...hold.call, reserved: credits };
    const more = this.#credits.take(call) ?? (await this.#credits.ask(call));
    if (typeof more === 'string') return more;
    join(hold, more);
    return undefined;
  }

  /**
   * Charges a call that has ended. Resolves when it is written down, and soon after that it is in the books. Where it
   * cannot be written down it is kept in memory until then, because what was paid for leaves.
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
      user: cover(hold.user, settlement.credits),
      token: call.limited ? cover(hold.token, settlement.credits) : null,
      requestId: settlement.requestId,
      channelId: settlement.channelId,
      credits: settlement.credits,
      now: settlement.now,
      failed: settlement.failed,
      channelError: settlement.channelError,
      earlierErrors: settlement.earlierErrors,
      log: settlement.log,
    };
    hold.owed = item.user.take + item.user.back;
    hold.tokenOwed = item.token ? item.token.take + item.token.back : 0;
    this.#queue.settle(this.#journal.settle(item), hold);
    return this.#written();
  }

  /** Resolves when what has been settled until now is in the books, or soon where they cannot be written. */
  async caughtUp(): Promise<void> {
    if (this.#queue.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, CAUGHT_UP_MS);
    });
    await Promise.race([this.#queue.flush(), late]);
    clearTimeout(timer);
  }

  /** Has idle credits of a user given back, here and on other nodes: see `LeasedCredits`. */
  recall(userId: number, tokenId = 0): Promise<boolean> {
    return this.#credits.recall(userId, tokenId);
  }

  /** Goes on in a new file: another process may have taken this one for dead, and its journal away. */
  renewJournal(): void {
    this.#journal.renew();
  }

  /** Writes what is left, and gives back what no open call has reserved. Whether all is in the books, and nothing leased. */
  async close(): Promise<boolean> {
    await this.#credits.stop();
    await this.#queue.flush();
    const returned = await this.#credits.giveAllBack();
    this.#journal.close();
    return this.#queue.length === 0 && this.#openCalls === 0 && returned;
  }

  /** One write for all that this turn of the event loop brings. What could not be written is told by its line. */
  #written(): Promise<void> {
    // With few calls there is nobody to share it with, and the turn would be waited for in vain.
    if (!this.#writing && this.#openCalls <= FEW_CALLS) {
      this.#write();
      return written;
    }
    return (this.#writing ??= new Promise(this.#writeSoon));
  }

  /** Made once, and not for every turn. */
  readonly #writeSoon = (resolve: () => void): void => void setImmediate(this.#writeNow, resolve);

  readonly #writeNow = (resolve: () => void): void => {
    this.#writing = undefined;
    this.#write();
    resolve();
  };

  #write(): void {
    try {
      this.#journal.write();
    } catch (error) {
      this.#writeError = error;
      this.#options.log.error({ err: error }, 'the journal cannot be written');
    }
  }

  /** A call that could not be written down is not made. */
  #drop(hold: Hold): void {
    hold.open = false;
    this.#openCalls--;
    this.#journal.applied(hold.intent);
    for (const held of [hold.user, hold.token]) if (held) letGo(held);
  }
}

/** Puts what was set aside later to what a call has already. One that has ended meanwhile needs it no more. */
function join(hold: Hold, set: SetAside): void {
  for (const whose of ['user', 'token'] as const) {
    const more = set[whose];
    if (!more) continue;
    const had = hold[whose];
    if (!hold.open) letGo(more);
    else if (had) had.credits += more.credits;
    else hold[whose] = more;
  }
}
