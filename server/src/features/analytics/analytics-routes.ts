import type { Language, ParsedOf } from '@relay-hub/contract';
import { analyticsApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { csv } from '#http/csv.ts';
import { tokensWithin } from '#features/token/tokens-within.ts';
import { serve, serveFile } from '#http/serve.ts';
import type { Viewer } from '#http/session/session.ts';
import { ownUsage } from '#roll-ups/own-usage.ts';
import { COST_UNITS } from '#roll-ups/usage-scope.ts';
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

/** Tests and checks of one channel, or of all. */
async function ownTotals(db: Deps['db'], channelId: number | undefined, { from, until }: UsageQuestion['period']) {
  const own = { calls: 0, failed: 0, cost: 0, unknown: 0 };
  const channels = channelId === undefined ? undefined : [channelId];
  for (const row of await ownUsage(db, { channels, from, until }))
    for (const name of ['calls', 'failed', 'cost', 'unknown'] as const) own[name] += row[name];
  return { ...own, cost: own.cost / COST_UNITS };
}

export function analyticsRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now } = deps;
  const questionOf = async (query: UsageQuery): Promise<UsageQuestion> => ({
    by: query.by,
    scope: await scopeOf(db, query, query.by),
    period: periodOf(query, now()),
    top: query.top,
  });
  // The scope is the signed-in user's, whatever the query has.
  const ownQuestion = async (query: OwnQuery, viewer: Viewer): Promise<UsageQuestion> => ({
    by: query.by,
    scope: ownScope(viewer.id, (await tokensWithin(db, viewer, query)) ?? query.token_id),
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

  serve(app, deps, analyticsApi.usage, async ({ query }) => {
    const question = await questionOf(query);
    const { scope, period } = question;
    // Tests have no user.
    const own = scope.userId === undefined ? await ownTotals(db, scope.channelId, period) : undefined;
    return { ...(await usageReport(deps, question)), ...(own && { own }) };
  });
  serve(app, deps, analyticsApi.quality, async ({ query }) => qualityReport(deps, await questionOf(query)));
  serveFile(app, deps, analyticsApi.download, async ({ query }, { language }) =>
    fileOf(await questionOf(query), language, 'administrator'),
  );
  serve(app, deps, analyticsApi.ownUsage, async ({ query }, { viewer }) =>
    usageReport(deps, await ownQuestion(query, viewer)),
  );
  serve(app, deps, analyticsApi.ownQuality, async ({ query }, { viewer }) =>
    qualityReport(deps, await ownQuestion(query, viewer)),
  );
  serveFile(app, deps, analyticsApi.ownDownload, async ({ query }, { language, viewer }) =>
    fileOf(await ownQuestion(query, viewer), language, 'owner'),
  );
  serve(app, deps, analyticsApi.accounts, ({ query }) => accountsReport(db, periodOf(query, now())));

  serve(app, deps, analyticsApi.statistics, () => statistics(db, deps));
  serve(app, deps, analyticsApi.period, ({ query }) => familyPeriod(deps, query, now()));
}
