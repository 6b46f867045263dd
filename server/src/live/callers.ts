import {
  accountScope,
  costCentreScope,
  type GroupTokenLimits,
  memberScope,
  type TokenLimits,
  userStatus,
} from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { fingerprint } from '#secrets.ts';
import { type CallerPlan, plansOf } from './caller-plans.ts';
import { type CallerLimits, callerLimits, type ScopedLimits } from './caller-limits.ts';

/** The owner of a key: what a call needs to know of the token and its user. Balances are not included. */
export interface Caller {
  /** SHA-256 of the key that was sent. */
  keyHash: string;
  /** When that key stops working, Unix seconds; undefined: it is the token's present key. */
  keyUntil: number | undefined;
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
  /** The member has left the team, or their account is disabled. */
  memberGone: boolean;
  /** Of the token, its user's group, account, member and cost centre; undefined: none. */
  limits: CallerLimits | undefined;
  /** Periods of plans that may pay for its calls; undefined: none. */
  plans: readonly CallerPlan[] | undefined;
  /** Hours for which responses are kept; null: the site's setting decides. */
  responseStoreHours: number | null;
  /** The person who calls, of an account with members; 0: the account is a person's. */
  memberId: number;
  /** Empty: none. */
  costCentre: string;
  /** Its calls may be answered from the reply cache. */
  enableCache: boolean;
  /** Imported, before the last run of the import. */
  importPending: boolean;
}

const KEPT = 50_000;

/** Callers by key, cached until they change on any node. */
export class Callers {
  readonly #db: Db;
  #known = new Map<string, Caller>();
  /** By query that is running: users that have changed meanwhile. */
  readonly #finding = new Set<Set<number>>();

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
    const changed = new Set<number>();
    this.#finding.add(changed);
    try {
      const caller = await callerOfKey(this.#db, fingerprint(key));
      if (!caller || changed.has(caller.userId) || changed.has(caller.memberId)) return caller;
      const [oldest] = known.keys();
      if (known.size >= KEPT && oldest !== undefined) known.delete(oldest);
      known.set(key, caller);
      return caller;
    } finally {
      this.#finding.delete(changed);
    }
  }

  /** Forgets the callers of these users; left out: all. */
  forget(userIds?: ReadonlySet<number>): void {
    if (!userIds) {
      this.#known = new Map();
      return;
    }
    for (const changed of this.#finding) for (const id of userIds) changed.add(id);
    for (const [key, { userId, memberId }] of this.#known)
      if (userIds.has(userId) || userIds.has(memberId)) this.#known.delete(key);
  }
}

/** The caller of a key, present or old, by its SHA-256; an old key that has ended is found too. */
export async function callerOfKey(db: Db, keyHash: string): Promise<Caller | undefined> {
  const row = await findCallers(db).where('tokens.key_hash', '=', keyHash).executeTakeFirst();
  if (row) return asCaller(db, row);
  const old = await findCallers(db)
    .innerJoin('token_old_keys', 'token_old_keys.token_id', 'tokens.id')
    .where('token_old_keys.key_hash', '=', keyHash)
    .select('token_old_keys.valid_until as keyUntil')
    .executeTakeFirst();
  return old && asCaller(db, { ...old, keyHash });
}

/** The caller of a token id; undefined if it was deleted. */
export async function findCaller(db: Db, tokenId: number): Promise<Caller | undefined> {
  const row = await findCallers(db).where('tokens.id', '=', tokenId).executeTakeFirst();
  return row && asCaller(db, row);
}

type CallerRow = Omit<Caller, 'limits' | 'plans' | 'keyUntil' | 'memberGone'> & {
  memberRole: string | null;
  keyUntil?: number;
  tokenLimits: TokenLimits | null;
  groupLimits: GroupTokenLimits | null;
  /** Whether limits of the account or of one of its scopes have to be read. */
  hasLimits: boolean;
};

/** A caller from a row of `findCallers`. */
export async function asCaller(
  db: Db,
  { tokenLimits, groupLimits, hasLimits, keyUntil, memberRole, ...caller }: CallerRow,
): Promise<Caller> {
  const others = hasLimits ? await limitsOf(db, caller.userId, scopesOf(caller)) : [];
  const plans = hasLimits ? await plansOf(db, caller.userId) : [];
  const limits = callerLimits(caller.tokenId, { token: tokenLimits, group: groupLimits, others });
  const memberGone = caller.memberId !== 0 && memberRole === null;
  return { ...caller, memberGone, keyUntil, limits, plans: plans.length > 0 ? plans : undefined };
}

/** The scopes on the path of a caller, besides the token. */
const scopesOf = ({ userId, memberId, costCentre }: Pick<Caller, 'userId' | 'memberId' | 'costCentre'>): string[] => [
  accountScope(userId),
  ...(memberId === 0 ? [] : [memberScope(userId, memberId)]),
  ...(costCentre === '' ? [] : [costCentreScope(userId, costCentre)]),
];

/** Limits of scopes of an account. */
export const limitsOf = (db: Db, accountId: number, scopes: readonly string[]): Promise<ScopedLimits[]> =>
  db
    .selectFrom('limit_rules')
    .where('user_id', '=', accountId)
    .where('scope', 'in', scopes)
    .select(['scope', 'limits'])
    .execute();

/** Members of teams whose own account is enabled. */
const presentMembers = (db: Db) =>
  db
    .selectFrom('team_members')
    .innerJoin('users as people', 'people.id', 'team_members.user_id')
    .where('people.status', '=', userStatus.enabled)
    .where('people.deleted_time', 'is', null)
    .select(['team_members.team_id', 'team_members.user_id', 'team_members.role'])
    .as('members');

/** Query of callers by their tokens; without deleted tokens and users. */
export const findCallers = (db: Db) =>
  db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .leftJoin('user_groups', 'user_groups.symbol', 'users.group')
    .leftJoin(presentMembers(db), (join) =>
      join.onRef('members.team_id', '=', 'tokens.user_id').onRef('members.user_id', '=', 'tokens.member_id'),
    )
    .where('tokens.deleted_time', 'is', null)
    .where('users.deleted_time', 'is', null)
    .select([
      'tokens.key_hash as keyHash',
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
      sql<number>`coalesce(tokens.member_id, 0)`.as('memberId'),
      'tokens.tag as costCentre',
      'members.role as memberRole',
      'tokens.limits as tokenLimits',
      'tokens.response_store_hours as responseStoreHours',
      'tokens.enable_cache as enableCache',
      'user_groups.token_limits as groupLimits',
      'users.has_limits as hasLimits',
      'users.import_pending as importPending',
    ]);
