import type { DashboardUsage, DayUsage } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { UsageSums } from '#db/tables/roll-ups.ts';
import { usageHours } from '#roll-ups/usage-blocks.ts';
import { usageByGroup } from '#roll-ups/usage-by-group.ts';
import type { UsageScope } from '#roll-ups/usage-scope.ts';
import { addUsage, COST_UNITS, hourOf, isToken, noUsage } from '#roll-ups/usage-scope.ts';
import type { WallClock } from '#roll-ups/wall-clock.ts';

const DAYS = 7;

/** A scope's usage of the last seven days by a clock, and of each day up to the current hour. */
export async function dashboardUsage(
  db: Db,
  scope: Pick<UsageScope, 'userId' | 'tokenId'>,
  clock: WallClock,
  now: number,
): Promise<DashboardUsage> {
  const today = clock.dayOf(now);
  const over = Math.max(today, hourOf(now));
  const days = Array.from({ length: DAYS }, (_, at) => {
    const ago = DAYS - 1 - at;
    return { start: clock.dayOf(now, -ago), end: clock.dayOf(now, 1 - ago), until: clock.daysBefore(over, ago) };
  });
  const [from, until] = [clock.dayOf(now, 1 - DAYS), clock.dayOf(now, 1)];
  const rows = await usageByGroup(db, { by: 'model', scope, from, until, points: days });
  const hours = await usageHours(db, scope, from, over);
  const unserved = await unservedHours(db, scope, from, until);
  const countOf = (first: number, last: number) =>
    unserved.reduce((sum, { hour, calls }) => sum + (first <= hour && hour < last ? calls : 0), 0);
  const dayAt = (time: number) => days.findIndex(({ start, end }) => start <= time && time < end);
  const models = new Map<string, UsageSums[]>();
  for (const row of rows) {
    let sums = models.get(row.key);
    if (!sums) models.set(row.key, (sums = days.map(() => noUsage)));
    const at = dayAt(row.start);
    sums[at] = addUsage(sums[at] ?? noUsage, row);
  }
  const sumOf = (sums: readonly UsageSums[]) => sums.reduce<UsageSums>(addUsage, noUsage);
  return {
    time_zone: clock.zone,
    early_minutes: clock.earlyMinutes(today),
    days: days.map((day, at) => ({
      date: clock.dateOf(day.start),
      ...day,
      total: {
        ...dayUsage(sumOf([...models.values()].map((sums) => sums[at] ?? noUsage))),
        unserved: countOf(day.start, day.end),
      },
      so_far: {
        ...dayUsage(sumOf(hours.filter(({ start }) => day.start <= start && start < day.until))),
        unserved: countOf(day.start, day.until),
      },
    })),
    models: [...models].map(([model, sums]) => ({
      model,
      requests: sums.map(({ request_count: count }) => count),
      quota: sums.map(({ quota }) => quota),
      tokens: sums.map(({ prompt_tokens: input, completion_tokens: output }) => input + output),
    })),
  };
}

/** Calls by hour that this server refused by its own fault. */
function unservedHours(
  db: Db,
  { userId, tokenId }: Pick<UsageScope, 'userId' | 'tokenId'>,
  from: number,
  until: number,
) {
  return (
    db
      .selectFrom('refusals')
      .where('hour', '>=', from)
      .where('hour', '<', until)
      // The index is by time of the last call, which is not before the hour.
      .where('created_at', '>=', from)
      .where('status', '>=', 500)
      .$if(userId !== undefined, (found) => found.where('user_id', '=', userId ?? 0))
      .$if(tokenId !== undefined, (found) => found.where(isToken('token_id', tokenId ?? [])))
      .groupBy('hour')
      .select(({ fn }) => ['hour', fn.sum<number>('count').as('calls')])
      .execute()
  );
}

const dayUsage = ({
  request_count,
  failed_count,
  quota,
  prompt_tokens,
  completion_tokens,
  cost,
  costed,
}: UsageSums): Omit<DayUsage, 'unserved'> => ({
  requests: request_count,
  failures: failed_count,
  quota,
  prompt_tokens,
  completion_tokens,
  cost: cost / COST_UNITS,
  costed,
});
