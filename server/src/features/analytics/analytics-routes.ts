import type { ParsedOf } from '@relay-hub/contract';
import { analyticsApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { csv } from '#http/csv.ts';
import { serve, serveFile } from '#http/serve.ts';
import { accountsReport, statistics } from './account-queries.ts';
import { usageCsv, usageRows } from './analytics-csv.ts';
import { periodOf } from './analytics-period.ts';
import { familyPeriod } from './family-period.ts';
import { scopeOf } from './usage-question.ts';
import { usageReport } from './usage-report.ts';

type UsageQuery = ParsedOf<typeof analyticsApi.usage>['query'];

export function analyticsRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now } = deps;
  const questionOf = async (query: UsageQuery) => ({
    by: query.by,
    scope: await scopeOf(db, query, query.by),
    period: periodOf(query, now()),
  });

  serve(app, deps, analyticsApi.usage, async ({ query }) => usageReport(deps, await questionOf(query)));
  serve(app, deps, analyticsApi.accounts, ({ query }) => accountsReport(db, periodOf(query, now())));
  serveFile(app, deps, analyticsApi.download, async ({ query }, { language }) => {
    const question = await questionOf(query);
    const { points, time_zone: timeZone } = question.period;
    const [first, last] = [points[0]?.date ?? '', points.at(-1)?.date ?? ''];
    return {
      name: `usage by ${query.by} ${first.slice(0, 10)} ${last.slice(0, 10)}.csv`,
      pieces: csv(usageCsv(language, query.by, timeZone), usageRows(deps, question)),
    };
  });

  serve(app, deps, analyticsApi.statistics, () => statistics(db, deps));
  serve(app, deps, analyticsApi.period, ({ query }) => familyPeriod(deps, query, now()));
}
