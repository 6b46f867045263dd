import type { Language, UsageGrouping } from '@relay-hub/contract';
import type { UsageSums } from '#db/tables/roll-ups.ts';
import type { CsvColumn } from '#http/csv.ts';
import { COST_UNITS, type UsageScope } from '#roll-ups/usage-scope.ts';
import type { AnalyticsPeriod } from './analytics-period.ts';
import { GroupNames } from './group-names.ts';
import type { UsageSources } from './usage-question.ts';
import { ranked, sumsByKey, usageOf } from './usage-question.ts';
import { serverTexts } from '#i18n/texts.ts';

const CREDITS_PER_USD = 500_000;

interface UsageCsvRow {
  date: string;
  id: string;
  name: string;
  sums: UsageSums;
}

/** The columns of an export, with costs for administrators. Times are in the server's time zone, named in the heading. */
export function usageCsv(
  language: Language,
  by: UsageGrouping,
  timeZone: string,
  reader: 'owner' | 'administrator',
): CsvColumn<UsageCsvRow>[] {
  const { by: names, headings } = serverTexts(language).csv.analytics;
  const [time, id, calls, failed, credits, usd, input, cached, output, latency, cost, margin] = headings;
  // A model has no id besides its name.
  const ids: CsvColumn<UsageCsvRow>[] = by === 'model' ? [] : [{ heading: id, cell: (row) => row.id }];
  return [
    { heading: `${time} (${timeZone})`, cell: ({ date }) => date },
    ...ids,
    { heading: names[by], cell: ({ name }) => name },
    { heading: calls, cell: ({ sums }) => sums.request_count },
    { heading: failed, cell: ({ sums }) => sums.failed_count },
    { heading: credits, cell: ({ sums }) => sums.quota },
    { heading: usd, cell: ({ sums }) => sums.quota / CREDITS_PER_USD },
    { heading: input, cell: ({ sums }) => sums.prompt_tokens },
    { heading: cached, cell: ({ sums }) => sums.cached_tokens },
    { heading: output, cell: ({ sums }) => sums.completion_tokens },
    { heading: latency, cell: ({ sums }) => averageOf(sums) },
    ...(reader === 'owner'
      ? []
      : [
          { heading: cost, cell: ({ sums }: UsageCsvRow) => sums.cost / COST_UNITS },
          { heading: margin, cell: ({ sums }: UsageCsvRow) => (sums.costed * COST_UNITS - sums.cost) / COST_UNITS },
        ]),
  ];
}

const averageOf = ({ request_time: ms, request_count: count }: UsageSums) =>
  count === 0 ? null : Math.round(ms / count);

/** Every group with calls at every point, by time, then by cost. Points are read one at a time, on demand. */
export async function* usageRows(
  sources: UsageSources,
  { by, scope, period }: { by: UsageGrouping; scope: UsageScope; period: AnalyticsPeriod },
): AsyncGenerator<UsageCsvRow, void> {
  const names = new GroupNames(sources.db, by, sources.live.owners);
  for (const { date, start, end } of period.points) {
    const rows = await usageOf(sources, { by, scope, from: start, until: end });
    const groups = ranked(sumsByKey(rows));
    await names.meet(groups.map(([id]) => id));
    for (const [id, sums] of groups) yield { date, id, name: names.of(id), sums };
  }
}
