import { analyticsApi, type ParsedOf } from '@relay-hub/contract';
import { declarationOf } from '@relay-hub/contract/registry';
import { AppError } from '#errors.ts';
import { errorText } from '#i18n/language.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { queryOf } from '#relay/body/url-query.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { checkQueries } from '#relay/routes/billing.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { usageByGroup } from '#roll-ups/usage-by-group.ts';
import { addUsage, noUsage } from '#roll-ups/usage-scope.ts';
import { type AnalyticsPeriod, indexIn, periodOf } from './analytics-period.ts';
import { ownScope } from './usage-question.ts';

export const keyUsageRows: readonly PathRow[] = [
  { path: '/v1/usage', endpoint: '/v1/usage', answers: { GET: answerKeyUsage } },
];

/**
 * Usage of the API key itself by day (or hour, or month) and model, from settled calls. `days`, `from`, `to`, `step` and
 * `time_zone` are those of the analytics. Points and models without calls are left out.
 */
async function answerKeyUsage(context: HttpContext): Promise<void> {
  const { deps, response, requestId } = context;
  await checkQueries(context);
  const { caller } = await authenticate(context);
  const period = requestedPeriod(queryOf(context), deps.now());
  // Includes calls that have just finished.
  await deps.book.caughtUp();
  await deps.pendingSums.caughtUp();
  const { from, until, points } = period;
  const scope = ownScope(caller.userId, caller.tokenId);
  const [rows, token] = await Promise.all([
    usageByGroup(deps.db, { by: 'model', scope, from, until, points }),
    deps.db.selectFrom('tokens').where('id', '=', caller.tokenId).select('tag').executeTakeFirst(),
  ]);
  const at = indexIn(points);
  const money = (credits: number): number => credits / deps.live.settings.QuotaPerUnit;
  const shown = (sums: typeof noUsage) => ({
    requests: sums.request_count,
    failures: sums.failed_count,
    prompt_tokens: sums.prompt_tokens,
    cached_tokens: sums.cached_tokens,
    completion_tokens: sums.completion_tokens,
    credits: sums.quota,
    cost_usd: money(sums.quota),
  });
  const sums = new Map<string, { date: string; model: string; sum: typeof noUsage }>();
  for (const { start, key, ...row } of rows) {
    const date = points[at(start)]?.date ?? '';
    const name = JSON.stringify([date, key]);
    sums.set(name, { date, model: key, sum: addUsage(sums.get(name)?.sum ?? noUsage, row) });
  }
  const data = [...sums.values()].toSorted(
    (a, b) => a.date.localeCompare(b.date) || b.sum.quota - a.sum.quota || a.model.localeCompare(b.model),
  );
  sendJson(response, requestId, {
    object: 'usage',
    name: caller.tokenName,
    /** The cost centre of the key. */
    tag: token?.tag ?? '',
    time_zone: period.time_zone,
    step: period.step,
    start: from,
    end: until,
    total: shown(rows.reduce(addUsage, noUsage)),
    data: data.map(({ date, model, sum }) => ({ date, model, ...shown(sum) })),
  });
}

/** Throws a 400 that names the field. */
function requestedPeriod(query: URLSearchParams, now: number): AnalyticsPeriod {
  const parsed = declarationOf(analyticsApi.ownUsage).query.safeParse(Object.fromEntries(query));
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') ?? '';
    throw badRequest(`'${field}' is not valid. 'days' is a number, 'from' and 'to' are dates like 2026-01-31.`, field);
  }
  try {
    return periodOf(parsed.data as ParsedOf<typeof analyticsApi.ownUsage>['query'], now);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw badRequest(errorText(error, 'en_US'), error.field);
  }
}
