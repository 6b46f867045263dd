import type { RowLock, RunStatement } from '#db/transaction-script.ts';
import type { GrantAmount, BatchItem, Granted, GrantItem, ReturnItem, SettleItem } from './batch-items.ts';

/** The balance of an account and this node's lease on it. */
interface Account {
  free: number;
  held: number;
  lease: number;
  /** The lease in the database; undefined if there is no row. */
  leaseBefore: number | undefined;
  changed: boolean;
  used: number;
  calls: number;
  accessed: number;
}

interface TokenAccount extends Account {
  userId: number;
  unlimited: boolean;
}

type TokenRow = { user_id: number; unlimited_quota: boolean; remain_quota: number; held: number };

/** A lease is at most this fraction of the balance, so that nodes do not take the last credits from each other. */
const LARGEST_SHARE = 16;
/** Below this many calls' worth no lease is made; credits are granted per call. */
const LEAST_CALLS = 4;

/** The users and tokens of a batch: locked and read once, computed in memory, written once. */
export class Accounts {
  /** Undefined: no such id. */
  readonly #users = new Map<number, Account | undefined>();
  readonly #tokens = new Map<number, TokenAccount | undefined>();
  readonly #query: RunStatement;
  readonly #node: string;
  readonly #lock: RowLock;

  constructor(query: RunStatement, node: string, lock: RowLock) {
    this.#query = query;
    this.#node = node;
    this.#lock = lock;
  }

  /** Whether an item's rows have been read. */
  has({ userId, tokenId }: BatchItem): boolean {
    return this.#users.has(userId) && (tokenId === 0 || this.#tokens.has(tokenId));
  }

  /** Locks and reads the rows of items, in a fixed order so that two nodes cannot deadlock. */
  async lock(items: readonly BatchItem[]): Promise<void> {
    for (const id of distinct(items.map(({ userId }) => userId)))
      if (!this.#users.has(id)) this.#users.set(id, await this.#user(id));
    for (const id of distinct(items.map(({ tokenId }) => tokenId)))
      if (id !== 0 && !this.#tokens.has(id)) this.#tokens.set(id, await this.#token(id));
  }

  async #user(id: number): Promise<Account | undefined> {
    const [row] = await this.#query<{ quota: number; held: number }>(
      `select quota, held from users where id = $1${this.#lock}`,
      [id],
    );
    return row && account(row.quota, row.held, await this.#leaseOf(id, 0));
  }

  async #token(id: number): Promise<TokenAccount | undefined> {
    const [row] = await this.#query<TokenRow>(
      `select user_id, unlimited_quota, remain_quota, held from tokens where id = $1${this.#lock}`,
      [id],
    );
    if (!row) return undefined;
    const { user_id: userId, held } = row;
    return {
      ...account(row.remain_quota, held, held > 0 ? await this.#leaseOf(userId, id) : undefined),
      userId,
      unlimited: row.unlimited_quota,
    };
  }

  async #leaseOf(userId: number, tokenId: number): Promise<number | undefined> {
    const [row] = await this.#query<{ credits: number }>(
      'select credits from leases where user_id = $1 and token_id = $2 and node = $3',
      [userId, tokenId, this.#node],
    );
    return row?.credits;
  }

  /** Leases the required credits of both accounts, or nothing of either. */
  grant({ userId, tokenId, user: ofUser, token: ofToken }: GrantItem): Granted {
    const user = this.#users.get(userId);
    if (!user || user.free < ofUser.need) return { refused: 'user_quota', leased: couldGive(user, ofUser.need) };
    const limited = tokenId === 0 ? undefined : this.#tokens.get(tokenId);
    const token = limited?.unlimited === true ? undefined : limited;
    if (tokenId !== 0 && !limited) return { refused: 'token_quota', leased: 0 };
    if (token && token.free < ofToken.need) return { refused: 'token_quota', leased: couldGive(token, ofToken.need) };
    return { user: lease(user, ofUser), token: token ? lease(token, ofToken) : ofToken.need };
  }

  giveBack({ userId, tokenId, user: ofUser, token: ofToken }: ReturnItem): void {
    const user = this.#users.get(userId);
    if (user) unlease(user, Math.min(ofUser, user.lease));
    const token = this.#tokens.get(tokenId);
    if (token) unlease(token, Math.min(ofToken, token.lease));
  }

  /**
   * Takes a call's cost and returns the rest of its leases. A cost beyond the balance is charged down to zero. A
   * token's quota limits which calls are admitted, not what the user owes: the user pays what the token does not cover.
   * `counted`: the call is already in the user's request count. Returns the charge, the balance after it, and
   * the part that the token's quota covered.
   */
  charge(
    { userId, tokenId, credits, user: ofUser, token: ofToken, now }: SettleItem,
    counted: boolean,
  ): {
    charged: number;
    balance: number;
    fromToken: number;
  } {
    const user = this.#users.get(userId) ?? account(0, 0, undefined);
    const token = this.#tokens.get(tokenId);
    const limited = ofToken !== null && token !== undefined;
    // Leased credits return to the balance before the charge. A lease that another node has released, because it
    // presumed this node dead, covers nothing.
    unlease(user, Math.min(ofUser.take + ofUser.back, user.lease));
    if (limited) unlease(token, Math.min(ofToken.take + ofToken.back, token.lease));
    const charged = Math.min(credits, user.free);
    user.free -= charged;
    user.used += charged;
    if (!counted) user.calls++;
    user.changed = true;
    const fromToken = limited && !token.unlimited ? Math.min(charged, token.free) : 0;
    if (token) {
      token.free -= fromToken;
      token.used += charged;
      token.accessed = Math.max(token.accessed, now);
      token.changed = true;
    }
    return { charged, balance: user.free + user.held, fromToken };
  }

  async write(): Promise<void> {
    for (const [id, user] of this.#users) {
      if (!user) continue;
      if (user.changed) await this.#query(updateUser, [id, user.free, user.held, user.used, user.calls]);
      await this.#writeLease(id, 0, user);
    }
    for (const [id, token] of this.#tokens) {
      if (!token) continue;
      const { free, held, used, accessed, changed } = token;
      if (changed) await this.#query(updateToken, [id, free, held, used, accessed]);
      await this.#writeLease(token.userId, id, token);
    }
  }

  /** This node's leases of all accounts of the batch. */
  leases(): [number, number, number][] {
    return [
      ...[...this.#users].flatMap(([id, user]): [number, number, number][] => (user ? [[id, 0, user.lease]] : [])),
      ...[...this.#tokens].flatMap(([id, token]): [number, number, number][] =>
        token ? [[token.userId, id, token.lease]] : [],
      ),
    ];
  }

  async #writeLease(userId: number, tokenId: number, { lease: now, leaseBefore }: Account) {
    if (now === (leaseBefore ?? 0)) return;
    const key = [userId, tokenId, this.#node];
    if (now === 0) await this.#query(deleteLease, key);
    else if (leaseBefore === undefined) await this.#query(insertLease, [...key, now]);
    else await this.#query(updateLease, [...key, now]);
  }
}

const account = (free: number, held: number, leased: number | undefined): Account => ({
  free,
  held,
  lease: leased ?? 0,
  leaseBefore: leased,
  changed: false,
  used: 0,
  calls: 0,
  accessed: 0,
});

/** The leased credits of an account if recalling them could cover `need`, else 0. */
const couldGive = (from: Account | undefined, need: number): number =>
  from && from.free + from.held >= need ? from.held : 0;

function lease(from: Account, { need, want }: GrantAmount): number {
  const share = Math.floor(from.free / LARGEST_SHARE) - from.lease;
  const plenty = Math.min(want, share);
  const given = plenty >= need * LEAST_CALLS ? Math.max(0, plenty) : need;
  from.free -= given;
  from.held += given;
  from.lease += given;
  from.changed ||= given > 0;
  return given;
}

function unlease(from: Account, credits: number): void {
  from.lease -= credits;
  from.held -= credits;
  from.free += credits;
  from.changed ||= credits > 0;
}

const updateUser =
  'update users set quota = $2, held = $3, used_quota = used_quota + $4, request_count = request_count + $5 where id = $1';
const updateToken =
  'update tokens set remain_quota = $2, held = $3, used_quota = used_quota + $4, ' +
  'accessed_time = case when accessed_time < $5 then $5 else accessed_time end where id = $1';
const insertLease = 'insert into leases (user_id, token_id, node, credits) values ($1, $2, $3, $4)';
const updateLease =
  'update leases set credits = $4, recalled = false where user_id = $1 and token_id = $2 and node = $3';
const deleteLease = 'delete from leases where user_id = $1 and token_id = $2 and node = $3';

const distinct = (ids: number[]): number[] => [...new Set(ids)].toSorted((a, b) => a - b);
