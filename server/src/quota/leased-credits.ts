import { Outage } from '#db/outage.ts';
import type { Ask, Granted, GrantItem, Refused, ReturnItem } from './batch-items.ts';
import type { BatchQueue } from './batch-queue.ts';
import type { Intent } from './journal-lines.ts';
import type { Held, Lease } from './leases.ts';
import { Leases } from './leases.ts';
import type { Recall } from './recall.ts';

/** What a call has to have set aside. `limited`: the token has a quota of its own. */
export interface Needs extends Pick<Intent, 'userId' | 'tokenId' | 'reserved'> {
  limited: boolean;
}

/** What is set aside for a call. Neither for a free one; `token` only where it has a quota of its own. */
export interface SetAside {
  readonly user: Held | undefined;
  readonly token: Held | undefined;
}

/** Whose credits do not reach. */
export type Refusal = Refused['refused'];

const SWEEP_MS = 500;
/** A lease that no call has used for so many sweeps is given back. */
const IDLE = 6;
/** So many sweeps pass between two recalls for one user. */
const RECALL_PAUSE = 4;

/**
 * The credits that this node has leased. Calls are served from them without a query, and more is asked for before they
 * run out; where a balance is near its end they are asked for call by call, so that it is spent to the last and never
 * below zero. What lies idle is given back.
 */
export class LeasedCredits {
  readonly #queue: Pick<BatchQueue<never>, 'grant' | 'giveBack'>;
  readonly #recall: Recall;
  readonly #leases = new Leases();
  /** Users for whom credits are being asked for, so that calls which come meanwhile share them. */
  readonly #asking = new Map<number, Promise<unknown>>();
  readonly #sweeper: NodeJS.Timeout;
  #sweeping: Promise<void> | undefined;
  /** What was asked of the database with nobody knowing whether it was done; ended when it has told what is leased. */
  readonly #unsure = new Set<Unsure>();
  /** Leases count time in sweeps. */
  #sweeps = 0;

  /** `failed` hears of a sweep that the database did not let through; the next one tries again. */
  constructor(queue: Pick<BatchQueue<never>, 'grant' | 'giveBack'>, recall: Recall, failed: (error: unknown) => void) {
    this.#queue = queue;
    this.#recall = recall;
    this.#sweeper = setInterval(() => {
      this.#sweeps++;
      // One at a time, however long the database takes.
      this.#sweeping ??= this.#sweep()
        .catch(failed)
        .finally(() => (this.#sweeping = undefined));
    }, SWEEP_MS).unref();
  }

  /** What the database says after a batch: a user's lease, or with a token that of the token. */
  told(userId: number, tokenId: number, total: number): void {
    this.#leases.told(userId, tokenId, total);
  }

  /** Whether any credits are at hand. */
  has({ userId, tokenId, limited }: Omit<Needs, 'reserved'>): boolean {
    const free = (id: number) => (this.#leases.find(userId, id)?.free ?? 0) > 0;
    return free(0) && (!limited || free(tokenId));
  }

  /** Sets credits aside that are at hand; undefined where there are too few. */
  take(call: Needs): SetAside | undefined {
    const { reserved: credits, limited } = call;
    if (credits === 0) return { user: undefined, token: undefined };
    const user = this.#leases.find(call.userId, 0);
    if (!user || user.free < credits) return undefined;
    const token = limited ? this.#leases.find(call.userId, call.tokenId) : undefined;
    if (limited && (!token || token.free < credits)) return undefined;
    const taken = this.#taken(user.setAside(credits), token?.setAside(credits));
    if (user.runsLow || token?.runsLow) this.#refill(call, user, token);
    return taken;
  }

  /** Asks for credits that are not at hand, and sets them aside, or says whose do not reach. */
  async ask(call: Needs): Promise<SetAside | Refusal> {
    const asking = this.#asking.get(call.userId);
    if (asking) {
      await asking;
      const taken = this.take(call);
      if (taken) return taken;
    }
    const granted = await this.#grant(call);
    if (!('refused' in granted)) return granted;
    // What lies idle in leases comes back before a call is refused for it.
    if (granted.leased === 0 || !(await this.#recallFor(call))) return granted.refused;
    const again = this.take(call) ?? (await this.#grant(call));
    return 'refused' in again ? again.refused : again;
  }

  /**
   * Gives back what is leased of a user's credits here and on all other nodes, but for what open calls have reserved;
   * with a token, of that token's as well. Resolves whether any of it may have come back.
   */
  async recall(userId: number, tokenId = 0): Promise<boolean> {
    const mine = await this.#giveBack(userId, 0);
    const tokens = tokenId !== 0 && (await this.#giveBack(userId, tokenId));
    return (await this.#recall.ask(userId, tokenId)) || mine || tokens;
  }

  /** Gives nothing back by itself any more. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeper);
    await this.#sweeping;
  }

  /** Gives back what no open call has reserved; whether nothing is leased then. */
  async giveAllBack(): Promise<boolean> {
    await this.#becomeSure().catch(() => {});
    const leases = this.#leases.all();
    await Promise.allSettled(leases.map(([userId, tokenId]) => this.#giveBack(userId, tokenId)));
    return this.#unsure.size === 0 && leases.every(([, , { total }]) => total === 0);
  }

  #taken(user: Held, token: Held | undefined): SetAside {
    user.lease.usedAt = this.#sweeps;
    if (token) token.lease.usedAt = this.#sweeps;
    return { user, token };
  }

  /** Asks for what the call needs, and for more where there may be plenty. */
  #grant(call: Needs): Promise<SetAside | Refused> {
    const { userId, tokenId, reserved: credits, limited } = call;
    const user = this.#leases.of(userId, 0);
    const token = limited ? this.#leases.of(userId, tokenId) : undefined;
    const take = (lease: Lease, given: number) => lease.setAside(credits, !lease.given(given, credits, this.#sweeps));
    return new Promise((resolve, reject) => {
      const item = grantItem(call, this.#wants(user, credits, credits), this.#wants(token, credits, credits));
      // Set aside now, before another call can take it.
      const given = (granted: Granted) =>
        resolve(
          'refused' in granted ? granted : this.#taken(take(user, granted.user), token && take(token, granted.token)),
        );
      this.#request(item, [user, token], given, reject);
    });
  }

  /** Asks for more before a lease is used up; nobody waits for it. */
  #refill(call: Needs, user: Lease, token: Lease | undefined): void {
    if (this.#asking.has(call.userId)) return;
    const low = (lease: Lease | undefined) => (lease?.runsLow ? lease : undefined);
    const item = grantItem(call, this.#wants(low(user), 0, call.reserved), this.#wants(low(token), 0, call.reserved));
    const given = (granted: Granted) => {
      if ('refused' in granted) return;
      low(user)?.given(granted.user, 0, this.#sweeps);
      low(token)?.given(granted.token, 0, this.#sweeps);
    };
    this.#request(item, [user, token], given, () => {});
  }

  #wants(lease: Lease | undefined, need: number, like: number): Ask {
    return lease ? { need, want: lease.wanted(like, this.#sweeps) } : { need: 0, want: 0 };
  }

  /** Asks; calls of the same user that come before the answer wait for it, because it may do for them too. */
  #request(
    item: GrantItem,
    leases: (Lease | undefined)[],
    given: (granted: Granted) => void,
    failed: (error: Error) => void,
  ): void {
    const { userId } = item;
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
        given(granted);
        ended();
      },
      (error) => {
        if (error instanceof Outage) this.#askWhatIsLeased(item, () => {});
        failed(error);
        ended();
      },
    );
  }

  /** Whether credits may have come back for a call; asked for once in a while only, however many calls are refused. */
  async #recallFor({ userId, tokenId, limited }: Needs): Promise<boolean> {
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
    const item = returnItem(userId, tokenId, mine ? credits : 0, mine ? 0 : credits);
    const settled = () => (lease.owed -= credits);
    try {
      await this.#queue.giveBack(item);
    } catch (error) {
      if (error instanceof Outage) this.#askWhatIsLeased(item, settled);
      else settled();
      throw error;
    }
    settled();
    return true;
  }

  /**
   * For a question whose answer was lost: it may have been done all the same. Until the database tells what is leased,
   * what would be given back stays away from calls, and after it what was given comes back when it lies idle.
   */
  #askWhatIsLeased({ userId, tokenId }: GrantItem | ReturnItem, settled: () => void): void {
    this.#unsure.add({ item: returnItem(userId, tokenId, 0, 0), settled });
  }

  async #becomeSure(): Promise<void> {
    for (const unsure of this.#unsure) {
      await this.#queue.giveBack(unsure.item);
      this.#unsure.delete(unsure);
      unsure.settled();
    }
  }

  /** Gives back what has not been used for a while, and what other nodes ask for. */
  async #sweep(): Promise<void> {
    await this.#becomeSure();
    for (const [userId, tokenId, lease] of this.#leases.all()) {
      if (lease.usedAt + IDLE > this.#sweeps || lease.asks > 0) continue;
      if (lease.free > 0) await this.#giveBack(userId, tokenId);
      if (lease.total === 0 && lease.idle) this.#leases.forget(userId, tokenId);
    }
    if (this.#leases.size === 0) return;
    for (const [userId, tokenId] of await this.#recall.asked()) await this.#giveBack(userId, tokenId);
  }
}

interface Unsure {
  item: ReturnItem;
  settled(): void;
}

const returnItem = (userId: number, tokenId: number, user: number, token: number): ReturnItem => ({
  kind: 'return',
  userId,
  tokenId,
  user,
  token,
});

const grantItem = ({ userId, tokenId, limited }: Needs, user: Ask, token: Ask): GrantItem => ({
  kind: 'grant',
  userId,
  tokenId: limited ? tokenId : 0,
  user,
  token,
});
