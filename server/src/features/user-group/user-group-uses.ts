import { splitList } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';

/** Number of references to a group. */
export interface GroupUses {
  users: number;
  tokens: number;
  channels: number;
}

/** Counts the references to each group; deleted records do not count. */
export async function usesOf(db: Db, symbols: readonly string[]): Promise<(symbol: string) => GroupUses> {
  const count = async (table: 'users' | 'tokens'): Promise<Map<string, number>> => {
    if (symbols.length === 0) return new Map();
    const rows = await db
      .selectFrom(table)
      .where('group', 'in', symbols)
      .where('deleted_time', 'is', null)
      .groupBy('group')
      .select(['group', ({ fn }) => fn.countAll<number>().as('count')])
      .execute();
    return new Map(rows.map((row) => [row.group, row.count]));
  };
  const [users, tokens, lists] = await Promise.all([
    count('users'),
    count('tokens'),
    db.selectFrom('channels').where('deleted_time', 'is', null).select('group').execute(),
  ]);
  const channels = new Map<string, number>();
  for (const { group } of lists)
    for (const symbol of new Set(splitList(group))) channels.set(symbol, (channels.get(symbol) ?? 0) + 1);
  return (symbol) => ({
    users: users.get(symbol) ?? 0,
    tokens: tokens.get(symbol) ?? 0,
    channels: channels.get(symbol) ?? 0,
  });
}

/** Throws `group.in_use`, with the counts, while a user, token or channel refers to the group. */
export async function refuseWhileUsed(db: Db, symbol: string): Promise<void> {
  const uses = (await usesOf(db, [symbol]))(symbol);
  ensure(uses.users + uses.tokens + uses.channels === 0, 'group.in_use', { name: symbol, ...uses });
}
