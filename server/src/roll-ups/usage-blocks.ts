import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import type { UsageSums } from '#db/tables/roll-ups.ts';
import type { UsageScope } from './usage-scope.ts';
import { HOUR_S, isModel, isToken, sumNames } from './usage-scope.ts';

/** Usage in a range of whole hours. */
export interface UsageBlock extends UsageSums {
  start: number;
  end: number;
}

/**
 * Usage of a scope between two whole hours, oldest first: one block per sealed day, one per hour elsewhere. Blocks
 * without calls and costs are left out.
 */
export async function usageBlocks(db: Db, scope: UsageScope, from: number, until: number): Promise<UsageBlock[]> {
  if (from >= until) return [];
  const days = await db
    .selectFrom('usage_days')
    .where('day_start', '>=', from)
    .where('day_end', '<=', until)
    .orderBy('day_start')
    .select(['day_start as start', 'day_end as end', ...sumNames])
    .execute();
  const parts = [await inDays(db, scope, days)];
  for (const gap of gapsBetween(days, from, until)) parts.push(await usageHours(db, scope, gap.start, gap.end));
  return (
    parts
      .flat()
      // A channel may only have had attempts that another one made up for.
      .filter(({ request_count: count, cost }) => count > 0 || cost > 0)
      .toSorted((a, b) => a.start - b.start)
  );
}

/** As `usageBlocks`, but always one block per hour. */
export async function usageHours(db: Db, scope: UsageScope, from: number, until: number): Promise<UsageBlock[]> {
  const table = sql<Hour>`${sql.table(tableOf(scope, 'usage_by'))}`;
  const rows = await db
    .selectFrom(table.as('usage'))
    .where(all([...ownerIs(scope), sql`hour >= ${from}`, sql`hour < ${until}`]))
    .select(['hour as start', ...sums])
    .groupBy('hour')
    .orderBy('hour')
    .execute();
  return rows.map((row) => ({ ...row, end: row.start + HOUR_S }));
}

/** The table with the sums of a scope. */
function tableOf({ userId, tokenId }: UsageScope, name: 'usage_by' | 'usage_days_by'): string {
  return `${name}_${tokenId !== undefined ? 'token' : userId !== undefined ? 'user' : 'channel'}`;
}

interface Hour {
  hour: number;
}
interface Day {
  day_start: number;
}

async function inDays(db: Db, scope: UsageScope, days: UsageBlock[]): Promise<UsageBlock[]> {
  const { userId, tokenId, channelId, model } = scope;
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last || [userId, tokenId, channelId, model].every((part) => part === undefined)) return days;
  const table = sql<Day>`${sql.table(tableOf(scope, 'usage_days_by'))}`;
  const rows = await db
    .selectFrom(table.as('usage'))
    .where(all([...ownerIs(scope), sql`day_start >= ${first.start}`, sql`day_start <= ${last.start}`]))
    .select(['day_start as start', ...sums])
    .groupBy('day_start')
    .execute();
  const ends = new Map(days.map(({ start, end }) => [start, end]));
  // A day that is being sealed has rows, but is not in `days` yet.
  return rows.flatMap((row) => {
    const end = ends.get(row.start);
    return end === undefined ? [] : [{ ...row, end }];
  });
}

const sums = sumNames.map((name) => sql<number>`sum(${sql.ref(name)})`.as(name));

/** The first condition matches the first column of the roll-up's key. */
function ownerIs({ userId, tokenId, channelId, model }: UsageScope): RawBuilder<SqlBool>[] {
  return [
    ...(userId === undefined ? [] : [sql<SqlBool>`user_id = ${userId}`]),
    ...(tokenId === undefined ? [] : [isToken('token_id', tokenId)]),
    ...(channelId === undefined ? [] : [sql<SqlBool>`channel_id = ${channelId}`]),
    ...(model === undefined ? [] : [isModel(model)]),
  ];
}

const all = (conditions: RawBuilder<unknown>[]) => sql<SqlBool>`${sql.join(conditions, sql` and `)}`;

/** The gaps between blocks, which are sorted and do not overlap. */
export function gapsBetween(
  blocks: readonly { start: number; end: number }[],
  from: number,
  until: number,
): { start: number; end: number }[] {
  const gaps: { start: number; end: number }[] = [];
  let at = from;
  for (const { start, end } of blocks) {
    if (start > at) gaps.push({ start: at, end: start });
    at = Math.max(at, end);
  }
  if (at < until) gaps.push({ start: at, end: until });
  return gaps;
}
