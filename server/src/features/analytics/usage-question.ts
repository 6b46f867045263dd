import type { UsageGrouping } from '@relay-hub/contract';
import type { Db, UsageSums } from '#db/tables.ts';
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
  ensure(hasUser || by !== 'token', 'analytics.grain', { field: 'by' });
  if (!hasUser && channel === 0) return {};
  ensure(by === 'model' || by === 'owner' || by === 'token', 'analytics.grain', { field: 'by' });
  return hasUser ? { userId: await userOf(db, id, username) } : { channelId: channel };
}

async function userOf(db: Db, id: number, username: string): Promise<number> {
  if (username === '') return id;
  return (await userNamed(db, username, id)) ?? NOBODY;
}

type UsageGroupQuery = Omit<GroupQuestion, 'by'> & { by: UsageGrouping };

/** Like `usageByGroup`, also by owner: the channel type of the model's current price, `0` without one. */
export async function usageOf({ db, live }: UsageSources, { by, ...query }: UsageGroupQuery): Promise<GroupUsage[]> {
  const key: GroupKey = by === 'owner' ? 'model' : by;
  const rows = await usageByGroup(db, { ...query, by: key });
  return by === 'owner'
    ? rows.map((row) => ({ ...row, key: String(live.prices.listed(row.key)?.channel_type ?? 0) }))
    : rows;
}

/** Sums the rows of each key. */
export function sumsByKey(rows: readonly GroupUsage[]): Map<string, UsageSums> {
  const sums = new Map<string, UsageSums>();
  for (const row of rows) sums.set(row.key, addUsage(sums.get(row.key) ?? noUsage, row));
  return sums;
}

/** The scope of a user's own calls, or those of one of their tokens. Tokens of other users have none. */
export const ownScope = (userId: number, tokenId: number): UsageScope =>
  tokenId === 0 ? { userId } : { userId, tokenId };

/** Keys by cost in descending order, then by calls. */
export const ranked = (sums: ReadonlyMap<string, UsageSums>): [key: string, sums: UsageSums][] =>
  [...sums].toSorted(
    ([a, x], [b, y]) => y.quota - x.quota || y.request_count - x.request_count || (a < b ? -1 : a > b ? 1 : 0),
  );
