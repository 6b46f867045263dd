import type { Language, ParsedOf } from '@relay-hub/contract';
import { analyticsApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { csv } from '#http/csv.ts';
import { serve, serveFile } from '#http/serve.ts';
import { accountsReport, statistics } from './account-queries.ts';
import { usageCsv, usageRows } from './analytics-csv.ts';
import { periodOf } from './analytics-period.ts';
import { familyPeriod } from './family-period.ts';
import { qualityReport } from './quality-report.ts';
import { ownScope, scopeOf } from './usage-question.ts';
import type { UsageQuestion } from './usage-report.ts';
import { usageReport } from './usage-report.ts';

type UsageQuery = ParsedOf<typeof analyticsApi.usage>['query'];
type OwnQuery = ParsedOf<typeof analyticsApi.ownUsage>['query'];

export function analyticsRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now } = deps;
  const questionOf = async (query: UsageQuery): Promise<UsageQuestion> => ({
    by: query.by,
    scope: await scopeOf(db, query, query.by),
    period: periodOf(query, now()),
    top: query.top,
  });
  // The scope is the signed-in user's, whatever the query has.
  const ownQuestion = (query: OwnQuery, userId: number): UsageQuestion => ({
    by: query.by,
    scope: ownScope(userId, query.token_id),
    period: periodOf(query, now()),
    top: query.top,
  });
  const fileOf = (question: UsageQuestion, language: Language, reader: 'owner' | 'administrator') => {
    const { by, period } = question;
    const [first, last] = [period.points[0]?.date ?? '', period.points.at(-1)?.date ?? ''];
    return {
      name: `usage by ${by} ${first.slice(0, 10)} ${last.slice(0, 10)}.csv`,
      pieces: csv(usageCsv(language, by, period.time_zone, reader), usageRows(deps, question)),
    };
  };

  serve(app, deps, analyticsApi.usage, async ({ query }) => usageReport(deps, await questionOf(query)));
  serve(app, deps, analyticsApi.quality, async ({ query }) => qualityReport(deps, await questionOf(query)));
  serveFile(app, deps, analyticsApi.download, async ({ query }, { language }) =>
    fileOf(await questionOf(query), language, 'administrator'),
  );
  serve(app, deps, analyticsApi.ownUsage, ({ query }, { viewer }) => usageReport(deps, ownQuestion(query, viewer.id)));
  serve(app, deps, analyticsApi.ownQuality, ({ query }, { viewer }) =>
    qualityReport(deps, ownQuestion(query, viewer.id)),
  );
  serveFile(app, deps, analyticsApi.ownDownload, async ({ query }, { language, viewer }) =>
    fileOf(ownQuestion(query, viewer.id), language, 'owner'),
  );
  serve(app, deps, analyticsApi.accounts, ({ query }) => accountsReport(db, periodOf(query, now())));

  serve(app, deps, analyticsApi.statistics, () => statistics(db, deps));
  serve(app, deps, analyticsApi.period, ({ query }) => familyPeriod(deps, query, now()));
}
