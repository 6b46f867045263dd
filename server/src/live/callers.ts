import type { Db } from '#db/tables.ts';
import { fingerprint } from '#secrets.ts';

/** The owner of a key: what a call needs to know of the token and its user. Balances are not included. */
export interface Caller {
  tokenId: number;
  tokenName: string;
  tokenStatus: number;
  tokenGroup: string;
  expiredTime: number;
  unlimited: boolean;
  userId: number;
  username: string;
  userStatus: number;
  userRole: number;
  userGroup: string;
}

const KEPT = 50_000;

/** Callers by key, cached until tokens or users change on any node. */
export class Callers {
  readonly #db: Db;
  #known = new Map<string, Caller>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** The cached caller, without a query. `key` is without the prefix `sk-`. */
  known(key: string): Caller | undefined {
    return this.#known.get(key);
  }

  /** Queries the database. Undefined for an unknown key, which is not cached. */
  async find(key: string): Promise<Caller | undefined> {
    // Rows read before a change must not enter the cache after it.
    const known = this.#known;
    const row = await findCallers(this.#db).where('tokens.key_hash', '=', fingerprint(key)).executeTakeFirst();
    if (!row) return undefined;
    const [oldest] = known.keys();
    if (known.size >= KEPT && oldest !== undefined) known.delete(oldest);
    known.set(key, row);
    return row;
  }

  forget(): void {
    this.#known = new Map();
  }
}

/** The caller of a token id; undefined if it was deleted. */
export const findCaller = (db: Db, tokenId: number): Promise<Caller | undefined> =>
  findCallers(db).where('tokens.id', '=', tokenId).executeTakeFirst();

/** Query of callers by their tokens; without deleted tokens and users. */
export const findCallers = (db: Db) =>
  db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .where('tokens.deleted_time', 'is', null)
    .where('users.deleted_time', 'is', null)
    .select([
      'tokens.id as tokenId',
      'tokens.name as tokenName',
      'tokens.status as tokenStatus',
      'tokens.group as tokenGroup',
      'tokens.expired_time as expiredTime',
      'tokens.unlimited_quota as unlimited',
      'users.id as userId',
      'users.username as username',
      'users.status as userStatus',
      'users.role as userRole',
      'users.group as userGroup',
    ]);
