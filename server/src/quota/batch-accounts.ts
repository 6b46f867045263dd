import { deleteRows, insertRows, type RowStatements, selectRows, updateRows } from '#db/row-statements.ts';
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

type UserRow = { id: number; quota: number; held: number };
type TokenRow = { id: number; user_id: number; unlimited_quota: boolean; remain_quota: number; held: number };
type LeaseRow = { user_id: number; token_id: number; credits: number };

/** A lease is at most this fraction of the balance, so that nodes do not take the last credits from each other. */
const LARGEST_SHARE = 16;
/** Below this many calls' worth no lease is made; credits are granted per call. */
const LEAST_CALLS = 4;

/** The users and tokens of a batch: locked and read once, computed in memory, written once. */
export class Accounts {
  /** Undefined: no such id. */
  readonly #users = new Map<number, Account | undefined>();
  readonly #tokens = new Map<number, TokenAccount | undefined>();
  readonly #rows: RowStatements;
  readonly #node: string;

  constructor(rows: RowStatements, node: string) {
    this.#rows = rows;
    this.#node = node;
  }

  /** Whether an item's rows have been read. */
  has({ userId, tokenId }: BatchItem): boolean {
    return this.#users.has(userId) && (tokenId === 0 || this.#tokens.has(tokenId));
  }

  /** Locks and reads the rows of items: users, then tokens, then leases, each in the order of their ids. */
  async lock(items: readonly BatchItem[]): Promise<void> {
    const users = new Set(items.map(({ userId }) => userId).filter((id) => !this.#users.has(id)));
    const owners = new Map(
      items
        .filter(({ tokenId }) => tokenId !== 0 && !this.#tokens.has(tokenId))
        .map(({ tokenId, userId }) => [tokenId, userId]),
    );
    const leasesOf = [
      ...[...users].map((id) => [id, 0, this.#node]),
      ...[...owners].map(([id, userId]) => [userId, id, this.#node]),
    ];
    const [userRows, tokenRows, leaseRows] = await Promise.all([
      this.#rows.read<UserRow>(lockUsers, rowsOf(users)),
      this.#rows.read<TokenRow>(lockTokens, rowsOf(owners.keys())),
      this.#rows.read<LeaseRow>(lockLeases, leasesOf),
    ]);
    const leases = new Map(leaseRows.map(({ user_id, token_id, credits }) => [`${user_id} ${token_id}`, credits]));
    for (const id of users) this.#users.set(id, undefined);
    for (const { id, quota, held } of userRows) this.#users.set(id, account(quota, held, leases.get(`${id} 0`)));
    for (const id of owners.keys()) this.#tokens.set(id, undefined);
    for (const { id, user_id: userId, unlimited_quota: unlimited, remain_quota: free, held } of tokenRows)
      this.#tokens.set(id, { ...account(free, held, leases.get(`${userId} ${id}`)), userId, unlimited });
  }

  /** Leases the required credits of both accounts, or nothing of either. `planned`: credits that plans pay. */
  grant({ userId, tokenId, user: { need, want }, token: ofToken }: GrantItem, planned: number): Granted {
    const user = this.#users.get(userId);
    const ofUser = planned > 0 && planned >= need ? { need: 0, want: 0 } : { need: need - planned, want };
    if (!user || user.free < ofUser.need) return { refused: 'user_quota', leased: couldGive(user, ofUser.need) };
    const limited = tokenId === 0 ? undefined : this.#tokens.get(tokenId);
    const token = limited?.unlimited === true ? undefined : limited;
    if (tokenId !== 0 && !limited) return { refused: 'token_quota', leased: 0 };
    if (token && token.free < ofToken.need) return { refused: 'token_quota', leased: couldGive(token, ofToken.need) };
    const given = { user: lease(user, ofUser), token: token ? lease(token, ofToken) : ofToken.need };
    return { ...given, left: Math.min(user.free, token?.free ?? user.free) };
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
   * `counted`: the call is already in the user's request count. `planned`: credits that plans pay; they leave the token's
   * quota, not the balance. Returns the charge, the balance after it, and the part that the token's quota covered.
   */
  charge(
    { userId, tokenId, credits, user: ofUser, token: ofToken, now, planOnly }: SettleItem,
    { counted, planned }: { counted: boolean; planned: number },
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
    const charged = planOnly ? 0 : Math.min(credits - planned, user.free);
    user.free -= charged;
    user.used += charged;
    if (!counted) user.calls++;
    user.changed = true;
    const fromToken = limited && !token.unlimited ? Math.min(charged + planned, token.free) : 0;
    if (token) {
      token.free -= fromToken;
      token.used += charged;
      token.accessed = Math.max(token.accessed, now);
      token.changed = true;
    }
    return { charged, balance: user.free + user.held, fromToken };
  }

  write(): void {
    const users = [...this.#users].flatMap(([id, user]) => (user ? [{ ...user, userId: id, tokenId: 0 }] : []));
    const tokens = [...this.#tokens].flatMap(([id, token]) => (token ? [{ ...token, tokenId: id }] : []));
    const changed = ({ changed: is }: Account) => is;
    this.#rows.write(
      updateUsers,
      users.filter(changed).map(({ userId, free, held, used, calls }) => [userId, free, held, used, calls]),
    );
    this.#rows.write(
      updateTokens,
      tokens.filter(changed).map(({ tokenId, free, held, used, accessed }) => [tokenId, free, held, used, accessed]),
    );
    const leases = [...users, ...tokens].filter(({ lease: now, leaseBefore }) => now !== (leaseBefore ?? 0));
    const keyOf = ({ userId, tokenId }: { userId: number; tokenId: number }) => [userId, tokenId, this.#node];
    this.#rows.write(
      writeLeases,
      leases.filter(({ lease: now }) => now > 0).map((row) => [...keyOf(row), row.lease]),
    );
    this.#rows.write(deleteLeases, leases.filter(({ lease: now }) => now === 0).map(keyOf));
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

/** How much a node gets whose lease is `lease`: its need alone where little is left. */
export function grantOf({ free, lease: had }: { free: number; lease: number }, { need, want }: GrantAmount): number {
  const plenty = Math.min(want, Math.floor(free / LARGEST_SHARE) - had);
  return plenty >= need * LEAST_CALLS ? Math.max(0, plenty) : need;
}

function lease(from: Account, amount: GrantAmount): number {
  const given = grantOf(from, amount);
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

const rowsOf = (ids: Iterable<number>): number[][] => Array.from(ids, (id) => [id]);

const lockUsers = selectRows(
  'users',
  { id: 'bigint' },
  { select: 'users.id, quota, held', where: 'users.id = given.id', order: 'users.id' },
);
const lockTokens = selectRows(
  'tokens',
  { id: 'bigint' },
  {
    select: 'tokens.id, user_id, unlimited_quota, remain_quota, held',
    where: 'tokens.id = given.id',
    order: 'tokens.id',
  },
);
const leaseKey = { user_id: 'bigint', token_id: 'bigint', node: 'text' } as const;
const isLease = 'leases.user_id = given.user_id and leases.token_id = given.token_id and leases.node = given.node';
// A recall locks the leases of a user in the same order.
const lockLeases = selectRows('leases', leaseKey, {
  select: 'leases.user_id, leases.token_id, credits',
  where: isLease,
  order: 'leases.user_id, leases.token_id',
});
const updateUsers = updateRows(
  'users',
  { id: 'bigint', quota: 'bigint', held: 'bigint', used: 'bigint', calls: 'bigint' },
  'quota = given.quota, held = given.held, used_quota = users.used_quota + given.used, ' +
    'request_count = users.request_count + given.calls',
  'users.id = given.id',
);
const updateTokens = updateRows(
  'tokens',
  { id: 'bigint', quota: 'bigint', held: 'bigint', used: 'bigint', accessed: 'bigint' },
  'remain_quota = given.quota, held = given.held, used_quota = tokens.used_quota + given.used, ' +
    'accessed_time = case when accessed_time < given.accessed then given.accessed else accessed_time end',
  'tokens.id = given.id',
);
const writeLeases = insertRows(
  'leases',
  { ...leaseKey, credits: 'bigint' },
  'on conflict (user_id, token_id, node) do update set credits = excluded.credits, recalled = false',
);
const deleteLeases = deleteRows('leases', leaseKey, isLease);
