import type { Logger } from 'pino';
import type { Ask, BatchRunner, Granted, GrantItem, Refused, SettleItem } from './batch-items.ts';
import { BatchQueue } from './batch-queue.ts';
import type { Intent, Line } from './journal.ts';
import { Journal, keepRefused } from './journal.ts';
import type { Held, Lease } from './leases.ts';
import { cover, Leases, letGo } from './leases.ts';
import type { Recall } from './recall.ts';

/** A call that asks to be admitted. `reserved` 0: a free call, which is admitted whatever the balance. */
export interface Reservation extends Intent {
  /** The token has a quota of its own. */
  limited: boolean;
  /** A call under way that needs more; left out: a new one. */
  of?: Hold;
}

/** Whose credits do not reach. */
export type Refusal = 'user_quota' | 'token_quota';

/** An admitted call; whoever has it settles it, once. */
export interface Hold {
  readonly call: Reservation;
  readonly user: Held | undefined;
  readonly token: Held | undefined;
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

const SWEEP_MS = 500;
/** A lease that no call has used for so many sweeps is given back. */
const IDLE = 6;
/** So many sweeps pass between two recalls for one user. */
const RECALL_PAUSE = 4;
/** Longer than the pause before the next batch, and not so long that a page would seem to hang. */
const CAUGHT_UP_MS = 200;

/**
 * Where calls are admitted and charged. A call is admitted against credits that this node has leased, without a query;
 * where the balance is near its end, credits are asked for call by call, so that it is spent to the last and never
 * below zero. What is owed is in the journal before anything goes upstream, and before the last byte of an answer.
 */
export class Book {
  readonly #options: BookOptions;
  readonly #journal: Journal;
  readonly #queue: BatchQueue<Hold>;
  readonly #leases = new Leases();
  /** Users for whom credits are being asked for, so that calls which come meanwhile share them. */
  readonly #asking = new Map<number, Promise<unknown>>();
  readonly #sweeper: NodeJS.Timeout;
  #sweeping: Promise<void> = Promise.resolve();
  #sweeps = 0;
  #openCalls = 0;
  #writing: Promise<void> | undefined;

  constructor(options: BookOptions) {
    this.#options = options;
    this.#journal = new Journal(options.folder, options.node);
    const { log } = options;
    this.#queue = new BatchQueue(options.run, options.node, {
      // Nothing comes into the books that a process which dies now would leave open in its journal.
      ready: () => this.#write(),
      applied: ({ leases }) => {
        for (const [userId, tokenId, credits] of leases) this.#leases.told(userId, tokenId, credits);
      },
      settled: (hold, line) => {
        if (hold.user) hold.user.lease.owed -= hold.owed;
        if (hold.token) hold.token.lease.owed -= hold.tokenOwed;
        this.#journal.applied(hold.intent);
        this.#journal.applied(line);
      },
      late: (error, waiting) => log.error({ err: error, waiting }, 'settlements are late'),
      refused: (settlement, error) => {
        log.error(
          { err: error, request: settlement.requestId },
          'a settlement cannot be written; it is kept in a file',
        );
        keepRefused(options.folder, settlement);
      },
    });
    this.#sweeper = setInterval(() => {
      this.#sweeping = this.#sweep().catch((error: unknown) => log.error({ err: error }, 'leases are not given back'));
    }, SWEEP_MS).unref();
  }

  /** Settlements and questions that are not in the books yet. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Calls that are admitted and not settled. */
  get openCalls(): number {
    return this.#openCalls;
  }

  /** Admits a call and writes it down, or says whose credits do not reach. Rejects when it cannot be written down. */
  async reserve(call: Reservation): Promise<Hold | Refusal> {
    const hold = this.#admit(call) ?? (await this.#ask(call));
    if (typeof hold === 'string') return hold;
    await this.#written();
    if (hold.intent.segment) return hold;
    this.#drop(hold);
    throw new Error('the journal cannot be written');
  }

  /** Sets more aside for a call that goes on, or says whose credits do not reach; what it had stays set aside. */
  async extend(hold: Hold, credits: number): Promise<Refusal | undefined> {
    const call = { ...hold.call, reserved: credits, of: hold };
    const had = this.#admit(call) ?? (await this.#ask(call));
    return typeof had === 'string' ? had : undefined;
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
      ...settlement,
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

  /**
   * Gives back what is leased of a user's credits here and on all other nodes, but for what open calls have reserved;
   * with a token, of that token's as well. Resolves whether any of it may have come back.
   */
  async recall(userId: number, tokenId = 0): Promise<boolean> {
    const mine = await this.#giveBack(userId, 0);
    const tokens = tokenId !== 0 && (await this.#giveBack(userId, tokenId));
    return (await this.#options.recall.ask(userId, tokenId)) || mine || tokens;
  }

  /** Goes on in a new file: another process may have taken this one for dead, and its journal away. */
  renewJournal(): void {
    this.#journal.renew();
  }

  /** Writes what is left, and gives back what no open call has reserved. Whether all is in the books, and nothing leased. */
  async close(): Promise<boolean> {
    clearInterval(this.#sweeper);
    await this.#sweeping;
    await this.#queue.flush();
    const leases = [...this.#leases.all()];
    await Promise.allSettled(leases.map(([userId, tokenId]) => this.#giveBack(userId, tokenId)));
    this.#journal.close();
    return this.#queue.length === 0 && this.#openCalls === 0 && leases.every(([, , { total }]) => total === 0);
  }

  #admit(call: Reservation): Hold | undefined {
    const { reserved: credits, limited } = call;
    if (credits === 0) return this.#hold(call, undefined, undefined);
    const user = this.#leases.find(call.userId, 0);
    if (!user || user.free < credits) return undefined;
    const token = limited ? this.#leases.find(call.userId, call.tokenId) : undefined;
    if (limited && (!token || token.free < credits)) return undefined;
    const hold = this.#hold(call, user.setAside(credits), token?.setAside(credits));
    if (user.runsLow || token?.runsLow) this.#refill(call, user, token);
    return hold;
  }

  #hold(call: Reservation, user: Held | undefined, token: Held | undefined): Hold {
    if (user) user.lease.usedAt = this.#sweeps;
    if (token) token.lease.usedAt = this.#sweeps;
    if (call.of) return joined(call.of, user, token);
    this.#openCalls++;
    return { call, user, token, intent: this.#journal.open(call), open: true, owed: 0, tokenOwed: 0 };
  }

  async #ask(call: Reservation): Promise<Hold | Refusal> {
    const asking = this.#asking.get(call.userId);
    if (asking) {
      await asking;
      const admitted = this.#admit(call);
      if (admitted) return admitted;
    }
    const granted = await this.#grant(call);
    if (!('refused' in granted)) return granted;
    // What lies idle in leases comes back before a call is refused for it.
    if (granted.leased === 0 || !(await this.#recallFor(call))) return granted.refused;
    const again = this.#admit(call) ?? (await this.#grant(call));
    return 'refused' in again ? again.refused : again;
  }

  /** Asks for what the call needs, and for more where there may be plenty. */
  #grant(call: Reservation): Promise<Hold | Refused> {
    const { userId, tokenId, reserved: credits, limited } = call;
    const user = this.#leases.of(userId, 0);
    const token = limited ? this.#leases.of(userId, tokenId) : undefined;
    const take = (lease: Lease, given: number) => lease.setAside(credits, !lease.given(given, credits, this.#sweeps));
    return new Promise((resolve, reject) => {
      const item = grantItem(call, this.#wants(user, credits, credits), this.#wants(token, credits, credits));
      // Now, before another call can take it.
      const taken = (given: Granted): Hold | Refused =>
        'refused' in given ? given : this.#hold(call, take(user, given.user), token && take(token, given.token));
      this.#asks(userId, [user, token], item, (given) => settle(() => taken(given), resolve, reject), reject);
    });
  }

  /** Asks for more before a lease is used up; nobody waits for it. */
  #refill(call: Reservation, user: Lease, token: Lease | undefined): void {
    if (this.#asking.has(call.userId)) return;
    const low = (lease: Lease | undefined) => (lease?.runsLow ? lease : undefined);
    const item = grantItem(call, this.#wants(low(user), 0, call.reserved), this.#wants(low(token), 0, call.reserved));
    const done = (given: Granted) => {
      if ('refused' in given) return;
      low(user)?.given(given.user, 0, this.#sweeps);
      low(token)?.given(given.token, 0, this.#sweeps);
    };
    this.#asks(call.userId, [user, token], item, done, () => {});
  }

  #wants(lease: Lease | undefined, need: number, like: number): Ask {
    return lease ? { need, want: lease.wanted(like, this.#sweeps) } : { need: 0, want: 0 };
  }

  /** Asks; calls of the same user that come before the answer wait for it, because it may do for them too. */
  #asks(
    userId: number,
    leases: (Lease | undefined)[],
    item: GrantItem,
    done: (granted: Granted) => void,
    failed: (error: Error) => void,
  ): void {
    let answered = () => {};
    const answer = new Promise<void>((resolve) => (answered = resolve));
    const ended = () => {
      for (const lease of leases) if (lease) lease.asks--;
      if (this.#asking.get(userId) === answer) this.#asking.delete(userId);
      answered();
    };
    for (const lease of leases) if (lease) lease.asks++;
    if (!this.#asking.has(userId)) this.#asking.set(userId, answer);
    this.#queue.grant(
      item,
      (granted) => {
        done(granted);
        ended();
      },
      (error) => {
        failed(error);
        ended();
      },
    );
  }

  /** Whether credits may have come back for a call; asked for once in a while only, however many calls are refused. */
  async #recallFor({ userId, tokenId, limited }: Reservation): Promise<boolean> {
    const lease = this.#leases.of(userId, 0);
    if (lease.recalledAt + RECALL_PAUSE > this.#sweeps) return false;
    lease.recalledAt = this.#sweeps;
    return this.recall(userId, limited ? tokenId : 0);
  }

  async #giveBack(userId: number, tokenId: number): Promise<boolean> {
    const lease = this.#leases.find(userId, tokenId);
    const credits = lease?.free ?? 0;
    if (!lease || credits <= 0) return false;
    // It is no longer there for calls from now on; the database tells the total afterwards.
    lease.owed += credits;
    lease.poor(this.#sweeps);
    const mine = tokenId === 0;
    try {
      await this.#queue.giveBack({
        kind: 'return',
        userId,
        tokenId,
        user: mine ? credits : 0,
        token: mine ? 0 : credits,
      });
    } finally {
      lease.owed -= credits;
    }
    return true;
  }

  /** Gives back what has not been used for a while, and what other nodes ask for. */
  async #sweep(): Promise<void> {
    this.#sweeps++;
    for (const [userId, tokenId, lease] of this.#leases.all()) {
      if (lease.usedAt + IDLE > this.#sweeps || lease.asks > 0) continue;
      if (lease.free > 0) await this.#giveBack(userId, tokenId);
      if (lease.total === 0 && lease.idle) this.#leases.forget(userId, tokenId);
    }
    if (this.#leases.size === 0) return;
    for (const [userId, tokenId] of await this.#options.recall.asked()) await this.#giveBack(userId, tokenId);
  }

  /** One write for all that this turn of the event loop brings. What could not be written is told by its line. */
  #written(): Promise<void> {
    this.#writing ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#writing = undefined;
        this.#write();
        resolve();
      });
    });
    return this.#writing;
  }

  #write(): void {
    try {
      this.#journal.write();
    } catch (error) {
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
function joined(hold: Hold, user: Held | undefined, token: Held | undefined): Hold {
  for (const [had, more] of [
    [hold.user, user],
    [hold.token, token],
  ] as const) {
    if (!more) continue;
    if (hold.open && had) had.credits += more.credits;
    else letGo(more);
  }
  return hold;
}

/** Resolves with what the work returns, or rejects with what it throws. */
function settle<T>(work: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): void {
  let value: T;
  try {
    value = work();
  } catch (error) {
    reject(error);
    return;
  }
  resolve(value);
}

const grantItem = ({ userId, tokenId, limited }: Reservation, user: Ask, token: Ask): GrantItem => ({
  kind: 'grant',
  userId,
  tokenId: limited ? tokenId : 0,
  user,
  token,
});
