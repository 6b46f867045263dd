import { Outage } from '#db/outage.ts';
import { amountsIn, plannedCredits } from './batch-counters.ts';
import type {
  CountRefusal,
  GrantAmount,
  Granted,
  GrantItem,
  GrantRefusal,
  LimitLease,
  CountNeed,
  ReturnedShare,
  ReturnItem,
} from './batch-items.ts';
import type { BatchQueue } from './batch-queue.ts';
import type { Intent } from './journal-lines.ts';
import type { LeaseShare, Lease } from './leases.ts';
import { Leases } from './leases.ts';
import { limitKey, LimitLeases, type LimitPeriod, type LimitShare, releaseShares } from './limit-leases.ts';
import { tokenIn } from './limit-use.ts';
import type { Recall } from './recall.ts';

/** Need of a call. `limited`: the token has its own quota, from which the part that plans pay is taken as well. */
export interface CreditNeed extends Pick<Intent, 'userId' | 'tokenId' | 'reserved'> {
  limited: boolean;
  /** Its need within the limits on its path, and plans that may pay; left out: there are none. */
  limits?: CountNeed | undefined;
}

/** Reserved for a call. A free call reserves no credits; `token` only if the token has its own quota. */
export interface ReservedCredits {
  readonly user: LeaseShare | undefined;
  readonly token: LeaseShare | undefined;
  readonly limits: LimitShare[] | undefined;
}

/** Why a call is not admitted: an account with insufficient credits, or a limit on its path. */
export type Refusal = GrantRefusal['refused'];
/** Which account has insufficient credits. */
export type CreditRefusal = Exclude<Refusal, CountRefusal>;

/** The account of a lease, as far as requests need it. */
type LeaseOwner = Pick<CreditNeed, 'userId' | 'tokenId' | 'limited'>;

interface CreditEvents {
  /** A sweep has failed; the next one retries. */
  failed(error: unknown): void;
  /** Credits that are left to a user, or to a token with its own quota, in addition to the leases. */
  told(account: { userId: number; tokenId: number }, left: number): void;
}

/** Tests of recalls sweep more often. */
export const pace = { sweepMs: 500 };
/** Minimum sweeps between two recalls of one account. Of a limit, only what nodes hold ahead of calls is recalled. */
const RECALL_PAUSE = 4;
/** Recalls of a limit for one call: a node may have leased again before it answered. */
const LIMIT_RECALLS = 2;

/**
 * Credits and room in limits that are leased to this node. Calls are served from them without a query, and more is
 * requested before they run out. Near the end of a balance or limit it is granted per call, so that it is used to the
 * last credit and never exceeded. Idle leases are returned, those of busy accounts later.
 */
export class LeasedCredits {
  readonly #queue: Pick<BatchQueue<never>, 'grant' | 'giveBack'>;
  readonly #recall: Recall;
  readonly #events: CreditEvents;
  readonly #leases = new Leases();
  readonly #limits = new LimitLeases();
  /** Users with a pending grant, so that calls which come meanwhile share it. */
  readonly #asking = new Map<number, Promise<unknown>>();
  readonly #sweeper: NodeJS.Timeout;
  #sweeping: Promise<void> | undefined;
  /** Requests whose outcome is unknown, until the database has reported the lease. */
  readonly #unsure = new Set<UnknownOutcome>();
  /** Recalls by account or limit; `running` is left out after its end. */
  readonly #recalls = new Map<string | number, { at: number; running: Promise<boolean> | undefined }>();
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
        .catch((error: unknown) => events.failed(error))
        .finally(() => (this.#sweeping = undefined));
    }, pace.sweepMs).unref();
  }

  /** Sets the lease that a batch has reported: of a token, or with token 0 of the user. */
  setTotal(userId: number, tokenId: number, total: number): void {
    this.#leases.setTotal(userId, tokenId, total);
  }

  /** The same for limits. */
  setLimits(limits: readonly LimitLease[]): void {
    for (const limit of limits) this.#limits.setTotal(limit);
  }

  /** Whether any leased credits are available. */
  has({ userId, tokenId, limited }: LeaseOwner): boolean {
    const free = (id: number) => (this.#leases.find(userId, id)?.free ?? 0) > 0;
    return free(0) && (!limited || free(tokenId));
  }

  /** Reserves from the leases; undefined if they have too little. */
  take(call: CreditNeed): ReservedCredits | undefined {
    const limits = call.limits && this.#limits.take(call.limits, this.#sweeps);
    if (call.limits && !limits) return undefined;
    const taken = this.#takeCredits(call, limits);
    if (limits && !taken) releaseShares(limits);
    return taken;
  }

  #takeCredits(call: CreditNeed, limits: LimitShare[] | undefined): ReservedCredits | undefined {
    const { reserved: whole, limited } = call;
    const credits = limits ? whole - plannedCredits(limits) : whole;
    const user = credits === 0 ? undefined : this.#leases.find(call.userId, 0);
    if (credits > 0 && (!user || user.free < credits)) return undefined;
    const token = limited && whole > 0 ? this.#leases.find(call.userId, call.tokenId) : undefined;
    if (limited && whole > 0 && (!token || token.free < whole)) return undefined;
    const taken = this.#taken(user?.setAside(credits), token?.setAside(whole), limits);
    if (user?.runsLow || token?.runsLow || limits?.some(({ held }) => held?.lease.runsLow))
      this.#refill(call, user, token);
    return taken;
  }

  /** Asks the database and reserves, or returns which balance or limit is insufficient. */
  async ask(call: CreditNeed): Promise<ReservedCredits | Refusal> {
    const asking = this.#asking.get(call.userId);
    if (asking) {
      await asking;
      const taken = this.take(call);
      if (taken) return taken;
    }
    const recalled: (string | number)[] = [];
    for (;;) {
      const granted = this.take(call) ?? (await this.#grant(call));
      if (!('refused' in granted)) return granted;
      const { refused, leased } = granted;
      // Recall idle leases before a call is refused, of each account and limit that lacks something.
      const key = typeof refused === 'string' ? call.userId : limitKey(refused);
      const isDone = recalled.filter((one) => one === key).length >= (typeof refused === 'string' ? 1 : LIMIT_RECALLS);
      if (isDone || leased === 0 || !(await this.#recallFor(call, refused, key))) return refused;
      recalled.push(key);
    }
  }

  /**
   * Recalls the leased credits and limits of a user (and the token) on this and all other nodes, except what
   * open calls have reserved. Resolves with whether any may have come back.
   */
  async recall(userId: number, tokenId = 0): Promise<boolean> {
    const limits = this.#limits.all().filter((period) => period.userId === userId);
    const mine = await Promise.all(limits.map((period) => this.#giveBackLimit(period)));
    const credits = await this.#recallCredits(userId, tokenId, 'all');
    return credits || mine.includes(true);
  }

  async #recallCredits(userId: number, tokenId: number, limit?: 'all'): Promise<boolean> {
    const mine = await this.#giveBack(userId, 0);
    const tokens = tokenId !== 0 && (await this.#giveBack(userId, tokenId));
    return (await this.#recall.ask({ userId, tokenId, ...(limit && { limit }) })) || mine || tokens;
  }

  /** True: room that the database has seen ahead of calls may be back before it is recalled. */
  async #recallLimit(userId: number, limit: Pick<LimitPeriod, 'scope' | 'name'>): Promise<boolean> {
    await Promise.all(this.#limits.of(limit).map((period) => this.#giveBackLimit(period)));
    await this.#recall.ask({ userId, limit });
    return true;
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
    const limits = this.#limits.all();
    await Promise.allSettled([
      ...leases.map(([userId, tokenId]) => this.#giveBack(userId, tokenId)),
      ...limits.map((period) => this.#giveBackLimit(period)),
    ]);
    const all = [...leases.map(([, , lease]) => lease), ...limits.map(({ lease }) => lease)];
    return this.#unsure.size === 0 && all.every(({ total }) => total === 0);
  }

  #taken(
    user: LeaseShare | undefined,
    token: LeaseShare | undefined,
    limits: LimitShare[] | undefined,
  ): ReservedCredits {
    user?.lease.use(this.#sweeps);
    token?.lease.use(this.#sweeps);
    return { user, token, limits };
  }

  /** Requests what the call needs, and more if the balance is large. */
  #grant(call: CreditNeed): Promise<ReservedCredits | GrantRefusal> {
    const { userId, tokenId, reserved: whole, limited } = call;
    const user = this.#leases.of(userId, 0);
    const token = limited && whole > 0 ? this.#leases.of(userId, tokenId) : undefined;
    const need = call.limits && this.#limits.wanting(call.limits, this.#sweeps);
    const take = (lease: Lease, given: number, part: number) =>
      part === 0 ? undefined : lease.setAside(part, !lease.given(given, part, this.#sweeps));
    return new Promise((resolve, reject) => {
      const ofUser = whole === 0 ? nothing : this.#wants(user, whole, whole);
      const item = grantItem(call, ofUser, this.#wants(token, whole, whole), need);
      // Reserved synchronously, before another call can take the credits.
      const given = (granted: Granted) => {
        if ('refused' in granted) {
          resolve(granted);
          return;
        }
        const limits = need && this.#limits.given(userId, need, granted.limits ?? [], this.#sweeps);
        const credits = whole - plannedCredits(limits);
        resolve(this.#taken(take(user, granted.user, credits), token && take(token, granted.token, whole), limits));
      };
      this.#request({ call, item, leases: [user, token] }, given, reject);
    });
  }

  /** Requests more before a lease is used up; no caller waits for it. */
  #refill(call: CreditNeed, user: Lease | undefined, token: Lease | undefined): void {
    if (this.#asking.has(call.userId)) return;
    // Those that are low now: the reply sets the totals before it is recorded.
    const [lowUser, lowToken] = [user, token].map((lease) => (lease?.runsLow ? lease : undefined));
    const limits = call.limits && this.#limits.wantingMore(call.limits, this.#sweeps);
    const ofUser = this.#wants(lowUser, 0, call.reserved);
    const item = grantItem(call, ofUser, this.#wants(lowToken, 0, call.reserved), limits);
    const given = (granted: Granted) => {
      if ('refused' in granted) return;
      lowUser?.given(granted.user, 0, this.#sweeps);
      lowToken?.given(granted.token, 0, this.#sweeps);
      if (limits) this.#limits.given(call.userId, limits, granted.limits ?? [], this.#sweeps);
    };
    this.#request({ call, item, leases: [user, token] }, given, () => {});
  }

  #wants(lease: Lease | undefined, need: number, like: number): GrantAmount {
    return lease ? { need, want: lease.wanted(like, this.#sweeps) } : nothing;
  }

  /** Sends a grant request; concurrent calls of the user wait for its result, which may serve them too. */
  #request(
    { call, item, leases }: { call: LeaseOwner; item: GrantItem; leases: (Lease | undefined)[] },
    given: (granted: Granted) => void,
    failed: (error: Error) => void,
  ): void {
    const { userId, tokenId, limited } = call;
    const account = { userId, tokenId: limited ? tokenId : 0 };
    const asked = [...leases, ...this.#limitLeasesOf(item)];
    let answered = () => {};
    const answer = new Promise<void>((resolve) => (answered = resolve));
    const ended = () => {
      for (const lease of asked) if (lease) lease.asks--;
      if (this.#asking.get(userId) === answer) this.#asking.delete(userId);
      answered();
    };
    for (const lease of asked) if (lease) lease.asks++;
    if (!this.#asking.has(userId)) this.#asking.set(userId, answer);
    this.#queue.grant(
      item,
      (granted) => {
        if (!('refused' in granted)) this.#events.told(account, granted.left);
        else if (typeof granted.refused === 'string') this.#events.told(account, 0);
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

  #limitLeasesOf({ limits }: GrantItem): Lease[] {
    return limits ? amountsIn(limits).flatMap((of) => this.#limits.at(of, limits.now)?.lease ?? []) : [];
  }

  /**
   * Recalls what a call lacks, of an account rate-limited; whether any may have come back. Calls that are refused meanwhile
   * wait for the same recall.
   */
  async #recallFor({ userId, tokenId, limited }: CreditNeed, refused: Refusal, key: string | number): Promise<boolean> {
    const before = this.#recalls.get(key);
    if (before?.running) return before.running;
    if (before && typeof refused === 'string' && before.at + RECALL_PAUSE > this.#sweeps) return false;
    const work =
      typeof refused === 'string'
        ? this.#recallCredits(userId, limited ? tokenId : 0)
        : this.#recallLimit(userId, refused);
    const recall: { at: number; running: Promise<boolean> | undefined } = { at: this.#sweeps, running: undefined };
    recall.running = work.finally(() => (recall.running = undefined));
    this.#recalls.set(key, recall);
    return recall.running;
  }

  /** `rests`: the account may have more; otherwise others need its credits, and nothing is leased for a while. */
  async #giveBack(userId: number, tokenId: number, rests = false): Promise<boolean> {
    const lease = this.#leases.find(userId, tokenId);
    const credits = lease?.free ?? 0;
    if (!lease || credits <= 0) return false;
    const mine = tokenId === 0;
    await this.#return(lease, credits, returnItem(userId, tokenId, mine ? credits : 0, mine ? 0 : credits), rests);
    return true;
  }

  /** The same for a limit. A recall is answered even if open calls need all of the lease. */
  async #giveBackLimit(period: LimitPeriod, rests = false): Promise<boolean> {
    const { userId, scope, name, starts, lease } = period;
    const amount = Math.max(0, lease.free);
    const share = { scope, name, starts, amount, ...(!rests && { kept: lease.reserved + lease.owed }) };
    if (lease.total > 0) await this.#return(lease, amount, limitReturn(userId, share), rests);
    return amount > 0;
  }

  async #return(lease: Lease, credits: number, item: ReturnItem, rests: boolean): Promise<void> {
    // Unavailable to calls from now on; the database reports the total afterwards.
    lease.owed += credits;
    if (rests) lease.rest();
    else lease.backOff(this.#sweeps);
    const settled = () => (lease.owed -= credits);
    try {
      await this.#queue.giveBack(item);
    } catch (error) {
      if (error instanceof Outage) this.#askWhatIsLeased(item, settled);
      else settled();
      throw error;
    }
    settled();
  }

  /**
   * After a request without an answer, which may have been applied. Until the database reports the lease, credits being
   * returned stay unavailable; afterwards, credits granted unnoticed are returned as idle.
   */
  #askWhatIsLeased({ userId, tokenId, limits }: GrantItem | ReturnItem, settled: () => void): void {
    const asked = !limits || Array.isArray(limits) ? limits : amountsIn(limits);
    const shares = asked?.map(({ scope, name, starts }) => ({ scope, name, starts, amount: 0 }));
    this.#unsure.add({ item: { ...returnItem(userId, tokenId, 0, 0), limits: shares }, settled });
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
    const idleLimits: LimitPeriod[] = [];
    for (const period of this.#limits.all()) {
      const { lease } = period;
      if (lease.isForgotten(this.#sweeps)) this.#limits.forget(period);
      else if (lease.free > 0 && lease.asks === 0 && lease.isUnused(this.#sweeps)) idleLimits.push(period);
    }
    for (const [key, { at, running }] of this.#recalls)
      if (!running && at + RECALL_PAUSE <= this.#sweeps) this.#recalls.delete(key);
    // Together, so that they share a transaction.
    await Promise.all([
      ...idle.map(([userId, tokenId]) => this.#giveBack(userId, tokenId, true)),
      ...idleLimits.map((period) => this.#giveBackLimit(period, true)),
    ]);
    if (this.#leases.size > 0) {
      const asked = await this.#recall.asked();
      await Promise.all(asked.map(([userId, tokenId]) => this.#giveBack(userId, tokenId)));
    }
    if (this.#limits.size > 0) await this.#answerForLimits();
  }

  async #answerForLimits(): Promise<void> {
    const asked = await this.#recall.askedLimits();
    await Promise.all(
      asked.map(({ userId, ...limit }) => {
        const period = this.#limits.of(limit).find(({ starts }) => starts === limit.starts);
        return period
          ? this.#giveBackLimit(period)
          : this.#queue.giveBack(limitReturn(userId, { ...limit, amount: 0, kept: 0 }));
      }),
    );
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

const limitReturn = (userId: number, share: ReturnedShare): ReturnItem => ({
  ...returnItem(userId, tokenIn([share]), 0, 0),
  limits: [share],
});

const nothing: GrantAmount = { need: 0, want: 0 };

/** A token without its own quota is locked as well if it has limits, because it can change its account. */
const grantItem = (
  { userId, tokenId, limited }: CreditNeed,
  user: GrantAmount,
  token: GrantAmount,
  limits: CountNeed | undefined,
): GrantItem => ({
  kind: 'grant',
  userId,
  tokenId: limited ? tokenId : limits ? tokenIn(amountsIn(limits)) : 0,
  user,
  token,
  ...(limits && { limits }),
});
