import type { Admission, BatchItem, Query, RowLock } from './book-statements.ts';

interface User {
  quota: number;
  held: number;
  /** What this batch adds. */
  used: number;
  calls: number;
  changed: boolean;
}

interface Token {
  unlimited: boolean;
  remain: number;
  used: number;
  accessed: number;
  changed: boolean;
}

/** The users and tokens of a batch: locked and read once, reckoned with in memory, written once. */
export class Accounts {
  readonly #users = new Map<number, User>();
  readonly #tokens = new Map<number, Token>();

  /** Locks the rows in one order, so that two nodes cannot wait for each other. */
  static async lock(query: Query, items: readonly BatchItem[], lock: RowLock): Promise<Accounts> {
    const accounts = new Accounts();
    for (const id of distinct(items.map(({ userId }) => userId))) {
      const [row] = await query(`select quota, held from users where id = $1${lock}`, [id]);
      if (!row) continue;
      const [quota, held] = [row['quota'] as number, row['held'] as number];
      accounts.#users.set(id, { quota, held, used: 0, calls: 0, changed: false });
    }
    for (const id of distinct(items.map(({ tokenId }) => tokenId))) {
      const [row] = await query(`select unlimited_quota, remain_quota from tokens where id = $1${lock}`, [id]);
      if (!row) continue;
      const [unlimited, remain] = [row['unlimited_quota'] as boolean, row['remain_quota'] as number];
      accounts.#tokens.set(id, { unlimited, remain, used: 0, accessed: 0, changed: false });
    }
    return accounts;
  }

  /** Sets credits aside. Returns what was taken off the token's own quota, or whose credits do not reach. */
  hold(userId: number, tokenId: number, credits: number): number | Exclude<Admission, 'admitted'> {
    if (credits === 0) return 0;
    const user = this.#users.get(userId);
    const token = this.#tokens.get(tokenId);
    if (!user || user.quota < credits) return 'user_quota';
    if (!token || (!token.unlimited && token.remain < credits)) return 'token_quota';
    user.quota -= credits;
    user.held += credits;
    user.changed = true;
    if (token.unlimited) return 0;
    token.remain -= credits;
    token.changed = true;
    return credits;
  }

  /** Takes a call's cost and gives back the rest of what was held. A cost beyond that is taken down to zero. */
  charge(
    userId: number,
    tokenId: number,
    { reserved, tokenReserved }: { reserved: number; tokenReserved: number },
    credits: number,
    now: number,
  ): { charged: number; balance: number } {
    const user = this.#users.get(userId) ?? { quota: 0, held: 0, used: 0, calls: 0, changed: false };
    const token = this.#tokens.get(tokenId);
    const limited = token !== undefined && tokenReserved > 0;
    const beyond = Math.max(0, credits - reserved);
    const affordable = Math.min(beyond, user.quota, limited ? token.remain : beyond);
    const charged = Math.min(credits, reserved) + affordable;
    user.quota += reserved - charged;
    user.held -= reserved;
    user.used += charged;
    user.calls++;
    user.changed = true;
    if (token) {
      if (limited) token.remain += tokenReserved - charged;
      token.used += charged;
      token.accessed = Math.max(token.accessed, now);
      token.changed = true;
    }
    return { charged, balance: user.quota + user.held };
  }

  async write(query: Query): Promise<void> {
    for (const [id, { quota, held, used, calls, changed }] of this.#users) {
      if (changed) await query(updateUser, [id, quota, held, used, calls]);
    }
    for (const [id, { remain, used, accessed, changed }] of this.#tokens) {
      if (changed) await query(updateToken, [id, remain, used, accessed]);
    }
  }
}

const updateUser =
  'update users set quota = $2, held = $3, used_quota = used_quota + $4, request_count = request_count + $5 where id = $1';
const updateToken =
  'update tokens set remain_quota = $2, used_quota = used_quota + $3, ' +
  'accessed_time = case when accessed_time < $4 then $4 else accessed_time end where id = $1';

const distinct = (ids: number[]): number[] => [...new Set(ids)].toSorted((a, b) => a - b);
