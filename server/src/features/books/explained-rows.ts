import { explainRow, logType } from '@relay-hub/contract';
import type { AttemptCounts } from './attempt-counts.ts';
import type { CostCounts } from './cost-counts.ts';
import type { LimitCounts } from './limit-counts.ts';
import { type CheckContext, type CheckResult, MOST_DIFFERENCES } from './book-checks.ts';
import type { Shortfalls } from './shortfalls.ts';
import type { DigestedRow } from './day-digests.ts';

const PIECE = 5_000;

interface RowReaders {
  counts: readonly [Pick<AttemptCounts, 'add'>, Pick<CostCounts, 'add'>];
  limits: Pick<LimitCounts, 'add'>;
  shortfalls: Pick<Shortfalls, 'add'>;
  digest?: { addRow(row: DigestedRow): void } | undefined;
}

/**
 * Checks that each row's counts, ratios and rounding give its charge, less what was uncollected for insufficient
 * credits. Hands every row to the others, so that the log is read only once.
 */
export async function explainedRows(
  { db, span: { rows: range, hours } }: CheckContext,
  { counts, limits, shortfalls, digest }: RowReaders,
): Promise<CheckResult> {
  const found: CheckResult = { compared: 0, differing: 0, differences: [] };
  const calls = db
    .selectFrom('logs')
    .where('type', '=', logType.consume)
    .select(['id', 'request_id', 'quota', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'metadata'])
    .select(['channel_id', 'created_at', 'failed', 'token_id', 'user_id', 'username', 'model_name', 'cost']);
  let last = range.after;
  for (;;) {
    const rows = await calls.where('id', '>', last).where('id', '<=', range.upTo).orderBy('id').limit(PIECE).execute();
    for (const row of rows) {
      digest?.addRow(row);
      if (row.request_id.startsWith('import-')) continue;
      const expected = chargeOf(row);
      for (const count of counts) count.add(row);
      limits.add(row);
      found.compared++;
      shortfalls.add(row);
      const { shortfall = 0, plans = [] } = row.metadata ?? {};
      const actual = plans.reduce((sum, { credits }) => sum + credits, row.quota + shortfall);
      if (expected === undefined || expected === actual) continue;
      found.differing++;
      if (found.differences.length < MOST_DIFFERENCES)
        found.differences.push({ of: `call ${row.request_id}`, expected: String(expected), found: String(actual) });
    }
    const end = rows.at(-1);
    if (!end || rows.length < PIECE) break;
    last = end.id;
  }
  // Calls that were written late count in their hour, and are read with the rows after this span.
  if (range.upTo < Number.MAX_SAFE_INTEGER)
    for (const row of await calls
      .where('id', '>', range.upTo)
      .where('created_at', '>=', hours.from)
      .where('created_at', '<', hours.until)
      .where('request_id', 'not like', 'import-%')
      .execute())
      for (const count of counts) count.add(row);
  return found;
}

/** The charge by the row's own values; undefined for rows imported without them. */
function chargeOf(row: Parameters<typeof explainRow>[0]): number | undefined {
  const { outcome, output_ratio: output } = row.metadata ?? {};
  if (outcome === 'failed' || outcome === 'released') return 0;
  return output === undefined ? undefined : explainRow(row)?.credits;
}
