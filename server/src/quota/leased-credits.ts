import { Outage } from '#db/outage.ts';
import type { GrantAmount, Granted, GrantItem, GrantRefusal, ReturnItem } from './batch-items.ts';
import type { BatchQueue } from './batch-queue.ts';
import type { Intent } from './journal-lines.ts';
import type { LeaseShare, Lease } from './leases.ts';
import { Leases } from './leases.ts';
import type { Recall } from './recall.ts';

/**
 * Credits that a call reserves. `limited`: the token has its own quota. `planned`: the part that plans pay, which is
 * reserved in the token's quota only.
 */
export interface CreditNeed extends Pick<Intent, 'userId' | 'tokenId' | 'reserved'> {
  limited: boolean;
  planned?: number;
}

/** Credits reserved for a call. A free call reserves none; `token` only if the token has its own quota. */
export interface ReservedCredits {
  readonly user: LeaseShare | undefined;
  readonly token: LeaseShare | undefined;
}

/** Which account has insufficient credits. */
export type CreditRefusal = GrantRefusal['refused'];

interface CreditEvents {
  /** A sweep has failed; the next one retries. */
  failed(error: unknown): void;
  /** Work of each sweep. */
  swept(): Promise<void>;
  /** Credits that are left to a user, or to a token with its own quota, in addition to the leases. */
  told(account: { userId: number; tokenId: number }, left: number): void;
}

const SWEEP_MS = 500;
/** Minimum sweeps between two recalls for one user. */
const RECALL_PAUSE = 4;

/**
 * Credits leased to this node. Calls are served from them without a query, and more is requested before they run out.
 * Near the end of a balance credits are granted per call, so that it is spent to the last credit and never below zero.
 * Idle leases are returned, those of busy accounts later.
 */
export class LeasedCredits {
  readonly #queue: Pick<BatchQueue<never>, 'grant' | 'giveBack'>;
  readonly #recall: Recall;
  readonly #events: CreditEvents;
  readonly #leases = new Leases();
  /** Users with a pending grant, so that calls which come meanwhile share it. */
  readonly #asking = new Map<number, Promise<unknown>>();
  readonly #sweeper: NodeJS.Timeout;
  #sweeping: Promise<void> | undefined;
  /** Requests whose outcome is unknown, until the database has reported the lease. */
  readonly #unsure = new Set<UnknownOutcome>();
  /** The clock of leases. */
  #sweeps = 0;

  constructor(queue: Pick<BatchQueue<never>, 'grant' | 'giveBack'>, recall: Recall, events: CreditEvents) {
    this.#queue = queue;
    this.#recall = recall;
    this.#events = events;
    this.#sweeper = setInterval(() => {
      this.#sweeps++;
      // One at a time, however slow the database is.
      this.#sweeping ??= this.#sweep()
        .then(() => events.swept())
        .catch((error: unknown) => events.failed(error))
        .finally(() => (this.#sweeping = undefined));
    }, SWEEP_MS).unref();
  }

  /** Sets the lease that a batch has reported: of a token, or with token 0 of the user. */
  setTotal(userId: number, tokenId: number, total: number): void {
    this.#leases.setTotal(userId, tokenId, total);
  }

  /** Whether any leased credits are available. */
  has({ userId, tokenId, limited }: Omit<CreditNeed, 'reserved'>): boolean {
    const free = (id: number) => (this.#leases.find(userId, id)?.free ?? 0) > 0;
    return free(0) && (!limited || free(tokenId));
  }

  /** Reserves leased credits; undefined if there are too few. */
  take(call: CreditNeed): ReservedCredits | undefined {
    const { reserved: whole, planned = 0, limited } = call;
    const credits = whole - planned;
    if (whole === 0 || (credits === 0 && !limited)) return { user: undefined, token: undefined };
    const user = credits === 0 ? undefined : this.#leases.find(call.userId, 0);
    if (credits > 0 && (!user || user.free < credits)) return undefined;
    const token = limited ? this.#leases.find(call.userId, call.tokenId) : undefined;
    if (limited && (!token || token.free < whole)) return undefined;
    const taken = this.#taken(user?.setAside(credits), token?.setAside(whole));
    if (user && (user.runsLow || token?.runsLow)) this.#refill(call, user, token);
    return taken;
  }

  /** Requests credits from the database and reserves them, or returns which balance is insufficient. */
  async ask(call: CreditNeed): Promise<ReservedCredits | CreditRefusal> {
    const asking = this.#asking.get(call.userId);
    if (asking) {
      await asking;
      const taken = this.take(call);
      if (taken) return taken;
    }
    const granted = await this.#grant(call);
    if (!('refused' in granted)) return granted;
    // Recall idle leases before a call is refused for lack of credits.
    if (granted.leased === 0 || !(await this.#recallFor(call))) return granted.refused;
    const again = this.take(call) ?? (await this.#grant(call));
    return 'refused' in again ? again.refused : again;
  }

  /**
   * Returns a user's (and the token's) leased credits, on this and all other nodes, except those reserved by open
   * calls. Resolves with whether any may have come back.
   */
  async recall(userId: number, tokenId = 0): Promise<boolean> {
    const mine = await this.#giveBack(userId, 0);
    const tokens = tokenId !== 0 && (await this.#giveBack(userId, tokenId));
    return (await this.#recall.ask(userId, tokenId)) || mine || tokens;
  }

  /** Stops the sweeps. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeper);
    await this.#sweeping;
  }

  /** Returns unreserved credits; resolves with whether nothing is leased then. */
  async giveAllBack(): Promise<boolean> {
    // On failure, `#unsure` keeps the item and the result is false.
    await this.#becomeSure().catch(() => {});
    const leases = this.#leases.all();
    await Promise.allSettled(leases.map(([userId, tokenId]) => this.#giveBack(userId, tokenId)));
    return this.#unsure.size === 0 && leases.every(([, , { total }]) => total === 0);
  }

  #taken(user: LeaseShare | undefined, token: LeaseShare | undefined): ReservedCredits {
    user?.lease.use(this.#sweeps);
    token?.lease.use(this.#sweeps);
    return { user, token };
  }

  /** Requests what the call needs, and more if the balance is large. */
  #grant(call: CreditNeed): Promise<ReservedCredits | GrantRefusal> {
    const { userId, tokenId, reserved: whole, planned = 0, limited } = call;
    const credits = whole - planned;
    const user = this.#leases.of(userId, 0);
    const token = limited ? this.#leases.of(userId, tokenId) : undefined;
    const take = (lease: Lease, given: number, need: number) =>
      need === 0 ? undefined : lease.setAside(need, !lease.given(given, need, this.#sweeps));
    return new Promise((resolve, reject) => {
      const ofUser = credits === 0 ? { need: 0, want: 0 } : this.#wants(user, credits, credits);
      const item = grantItem(call, ofUser, this.#wants(token, whole, whole));
      // Reserved synchronously, before another call can take the credits.
      const given = (granted: Granted) =>
        resolve(
          'refused' in granted
            ? granted
            : this.#taken(take(user, granted.user, credits), token && take(token, granted.token, whole)),
        );
      this.#request(item, [user, token], given, reject);
    });
  }

  /** Requests more before a lease is used up; no caller waits for it. */
  #refill(call: CreditNeed, user: Lease, token: Lease | undefined): void {
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

  #wants(lease: Lease | undefined, need: number, like: number): GrantAmount {
    return lease ? { need, want: lease.wanted(like, this.#sweeps) } : { need: 0, want: 0 };
  }

  /** Sends a grant request; concurrent calls of the user wait for its result, which may serve them too. */
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
        this.#events.told(item, 'refused' in granted ? 0 : granted.left);
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

  /** Recalls credits for a call, rate-limited per user; whether any may have come back. */
  async #recallFor({ userId, tokenId, limited }: CreditNeed): Promise<boolean> {
    const lease = this.#leases.of(userId, 0);
    if (lease.recalledAt + RECALL_PAUSE > this.#sweeps) return false;
    lease.recalledAt = this.#sweeps;
    return this.recall(userId, limited ? tokenId : 0);
  }

  /** `rests`: the account may have more; otherwise others need its credits, and nothing is leased for a while. */
  async #giveBack(userId: number, tokenId: number, rests = false): Promise<boolean> {
    const lease = this.#leases.find(userId, tokenId);
    const credits = lease?.free ?? 0;
    if (!lease || credits <= 0) return false;
    // Unavailable to calls from now on; the database reports the total afterwards.
    lease.owed += credits;
    if (rests) lease.rest();
    else lease.backOff(this.#sweeps);
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
   * After a request without an answer, which may have been applied. Until the database reports the lease, credits being
   * returned stay unavailable; afterwards, credits granted unnoticed are returned as idle.
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

  /** Returns idle leases and leases that other nodes recall. */
  async #sweep(): Promise<void> {
    await this.#becomeSure();
    const idle: [userId: number, tokenId: number][] = [];
    for (const [userId, tokenId, lease] of this.#leases.all()) {
      if (lease.isForgotten(this.#sweeps)) this.#leases.forget(userId, tokenId);
      else if (lease.free > 0 && lease.asks === 0 && lease.isUnused(this.#sweeps)) idle.push([userId, tokenId]);
    }
    // Together, so that they share a transaction.
    await Promise.all(idle.map(([userId, tokenId]) => this.#giveBack(userId, tokenId, true)));
    if (this.#leases.size === 0) return;
    const asked = await this.#recall.asked();
    await Promise.all(asked.map(([userId, tokenId]) => this.#giveBack(userId, tokenId)));
  }
}

interface UnknownOutcome {
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

const grantItem = ({ userId, tokenId, limited }: CreditNeed, user: GrantAmount, token: GrantAmount): GrantItem => ({
  kind: 'grant',
  userId,
  tokenId: limited ? tokenId : 0,
  user,
  token,
});
