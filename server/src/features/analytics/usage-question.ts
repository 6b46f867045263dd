import { tokenGroupings, type UsageGrouping } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { UsageSums } from '#db/tables/roll-ups.ts';
import { ensure } from '#errors.ts';
import { userNamed } from '#features/account/user/user-named.ts';
import type { Live } from '#live/live.ts';
import type { GroupKey, GroupQuestion, GroupUsage } from '#roll-ups/usage-by-group.ts';
import { usageByGroup } from '#roll-ups/usage-by-group.ts';
import type { UsageScope } from '#roll-ups/usage-scope.ts';
import { addUsage, noUsage } from '#roll-ups/usage-scope.ts';

export interface WhoseUsage {
  user_id: number;
  username: string;
  channel_id: number;
}

/** Besides the database: prices, which know a model's owner. */
export interface UsageSources {
  db: Db;
  live: Pick<Live, 'prices' | 'owners'>;
}

/** An id without an account, so it has no usage. */
const NOBODY = 0;

/**
 * The scope of the selected users and channels. Throws `analytics.grain` for user and channel combined, because no
 * roll-up has both.
 */
export async function scopeOf(db: Db, filter: WhoseUsage, by: UsageGrouping): Promise<UsageScope> {
  const { user_id: id, username, channel_id: channel } = filter;
  const hasUser = id !== 0 || username !== '';
  ensure(!(hasUser && channel !== 0), 'analytics.grain', { field: 'channel_id' });
  const isOfTokens = tokenGroupings.includes(by);
  ensure(hasUser || !isOfTokens, 'analytics.grain', { field: 'by' });
  if (!hasUser && channel === 0) return {};
  ensure(by === 'model' || by === 'owner' || isOfTokens, 'analytics.grain', { field: 'by' });
  return hasUser ? { userId: await userOf(db, id, username) } : { channelId: channel };
}

async function userOf(db: Db, id: number, username: string): Promise<number> {
  if (username === '') return id;
  return (await userNamed(db, username, id)) ?? NOBODY;
}

type UsageGroupQuery = Omit<GroupQuestion, 'by'> & { by: UsageGrouping };

/** The groupings of the roll-ups that others are sums of. */
export const baseOf = (by: UsageGrouping): GroupKey =>
  by === 'owner' ? 'model' : by === 'tag' || by === 'member' ? 'token' : by;

/**
 * Like `usageByGroup`, also by owner: the channel type of the model's current price, `0` without one; and by the cost
 * centre and the holder of tokens, empty and `0` without one.
 */
export async function usageOf(sources: UsageSources, { by, ...query }: UsageGroupQuery): Promise<GroupUsage[]> {
  return rekeyed(sources, by, await usageByGroup(sources.db, { ...query, by: baseOf(by) }));
}

/** Rows of `baseOf` under the keys of a grouping. */
export async function rekeyed<R extends { key: string }>(
  { db, live }: UsageSources,
  by: UsageGrouping,
  rows: R[],
): Promise<R[]> {
  if (by === 'owner')
    return rows.map((row) => ({ ...row, key: String(live.prices.listed(row.key)?.channel_type ?? 0) }));
  if (by !== 'tag' && by !== 'member') return rows;
  const ids = [...new Set(rows.map(({ key }) => Number(key)))];
  const keys = new Map<string, string>();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const tokens = db.selectFrom('tokens').where('id', 'in', ids.slice(at, at + AT_ONCE));
    for (const { id, tag, member_id } of await tokens.select(['id', 'tag', 'member_id']).execute())
      keys.set(String(id), by === 'tag' ? tag : String(member_id ?? 0));
  }
  return rows.map((row) => ({ ...row, key: keys.get(row.key) ?? (by === 'tag' ? '' : '0') }));
}

/** Limit of values per statement. */
const AT_ONCE = 500;

/** Sums the rows of each key. */
export function sumsByKey(rows: readonly GroupUsage[]): Map<string, UsageSums> {
  const sums = new Map<string, UsageSums>();
  for (const row of rows) sums.set(row.key, addUsage(sums.get(row.key) ?? noUsage, row));
  return sums;
}

/** The scope of a user's own calls, or those of some of their tokens. Tokens of other users have none. */
export const ownScope = (userId: number, tokenId: number | readonly number[]): UsageScope =>
  tokenId === 0 ? { userId } : { userId, tokenId };

/** Keys by cost in descending order, then by calls. */
export const ranked = (sums: ReadonlyMap<string, UsageSums>): [key: string, sums: UsageSums][] =>
  [...sums].toSorted(
    ([a, x], [b, y]) => y.quota - x.quota || y.request_count - x.request_count || (a < b ? -1 : a > b ? 1 : 0),
  );
