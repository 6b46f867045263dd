import type { analyticsApi, ParsedOf, ReplyOf, UsageGrouping } from '@relay-hub/contract';
import { dayAgo } from '#roll-ups/local-days.ts';
import { addUsage, hourFrom, hourOf, noUsage } from '#roll-ups/usage-scope.ts';
import { registrationsIn, redemptionsIn } from './account-queries.ts';
import { daysBetween, indexIn } from './analytics-period.ts';
import { GroupNames } from './group-names.ts';
import type { UsageSources } from './usage-question.ts';
import { scopeOf, usageOf } from './usage-question.ts';

type LegacyPeriodQuery = ParsedOf<typeof analyticsApi.period>['query'];
type LegacyPeriodReply = ReplyOf<typeof analyticsApi.period>;

const groupings: Record<string, UsageGrouping> = { model_type: 'owner', model: 'model' };
const USUAL_DAYS = 7;

/** A period in the format of one-hub clients; days without data are left out. */
export async function familyPeriod(
  sources: UsageSources,
  query: LegacyPeriodQuery,
  now: number,
): Promise<LegacyPeriodReply> {
  const { db, live } = sources;
  const { start_timestamp: start, end_timestamp: end, group_type: type, user_id } = query;
  const by = groupings[type] ?? 'channel';
  const from = start === 0 ? dayAgo(now, USUAL_DAYS - 1) : hourOf(start);
  const until = Math.max(from, Math.min(end === 0 ? Infinity : hourFrom(end + 1), dayAgo(now, -1)));
  const days = daysBetween(from, until);
  const scope = await scopeOf(db, { user_id, username: '', channel_id: 0 }, by);

  const usage = await usageOf(sources, { by, scope, from, until, points: days });
  const names = new GroupNames(db, by, live.owners);
  await names.meet(usage.map(({ key }) => key));
  const dayOf = indexIn(days);
  const sums = new Map<string, { day: number; key: string; sums: typeof noUsage }>();
  for (const row of usage) {
    const place = `${dayOf(row.start)} ${row.key}`;
    const before = sums.get(place)?.sums ?? noUsage;
    sums.set(place, { day: dayOf(row.start), key: row.key, sums: addUsage(before, row) });
  }
  const dated = <T>(values: readonly T[]) => values.map((value, day) => ({ date: days[day]?.date ?? '', value }));
  return {
    user_statistics: dated(await registrationsIn(db, days))
      .filter(({ value }) => value.count > 0)
      .map(({ date, value }) => ({ date, user_count: value.count, inviter_user_count: value.invited })),
    channel_statistics: [...sums.values()]
      .toSorted((a, b) => a.day - b.day || b.sums.quota - a.sums.quota)
      .map(({ day, key, sums: sum }) => ({
        Date: days[day]?.date ?? '',
        Channel: names.of(key),
        RequestCount: sum.request_count,
        Quota: sum.quota,
        PromptTokens: sum.prompt_tokens,
        CompletionTokens: sum.completion_tokens,
        RequestTime: sum.request_time,
      })),
    redemption_statistics: dated(await redemptionsIn(db, days))
      .filter(({ value }) => value.count > 0)
      .map(({ date, value }) => ({ date, quota: value.quota, user_count: value.users })),
    order_statistics: [],
  };
}
