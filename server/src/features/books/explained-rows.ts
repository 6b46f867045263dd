import { explainRow, logType } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { AttemptCounts } from './attempt-counts.ts';
import type { CostCounts } from './cost-counts.ts';
import type { LimitCounts } from './limit-counts.ts';
import { type CheckResult, MOST_DIFFERENCES } from './book-checks.ts';
import type { Shortfalls } from './shortfalls.ts';

const PIECE = 5_000;

/**
 * Checks that each row's counts, ratios and rounding give its charge, less what was uncollected for insufficient
 * credits. Adds every row to `counts` and `shortfalls`, so that the log is read only once.
 */
export async function explainedRows(
  db: Kysely<Tables>,
  counts: readonly [Pick<AttemptCounts, 'add'>, Pick<LimitCounts, 'add'>, Pick<CostCounts, 'add'>],
  shortfalls: Pick<Shortfalls, 'add'>,
): Promise<CheckResult> {
  const found: CheckResult = { compared: 0, differing: 0, differences: [] };
  let last = 0;
  for (;;) {
    const rows = await db
      .selectFrom('logs')
      .where('id', '>', last)
      .where('type', '=', logType.consume)
      .select(['id', 'request_id', 'quota', 'prompt_tokens', 'completion_tokens', 'metadata'])
      .select(['channel_id', 'created_at', 'failed', 'token_id', 'user_id', 'username', 'model_name', 'cost'])
      .orderBy('id')
      .limit(PIECE)
      .execute();
    for (const row of rows) {
      if (row.request_id.startsWith('import-')) continue;
      const expected = chargeOf(row);
      for (const count of counts) count.add(row);
      found.compared++;
      shortfalls.add(row);
      const actual = row.quota + (row.metadata?.shortfall ?? 0);
      if (expected === undefined || expected === actual) continue;
      found.differing++;
      if (found.differences.length < MOST_DIFFERENCES)
        found.differences.push({ of: `call ${row.request_id}`, expected: String(expected), found: String(actual) });
    }
    const end = rows.at(-1);
    if (!end || rows.length < PIECE) return found;
    last = end.id;
  }
}

/** The charge by the row's own values; undefined for rows imported without them. */
function chargeOf(row: Parameters<typeof explainRow>[0]): number | undefined {
  const { outcome, output_ratio: output } = row.metadata ?? {};
  if (outcome === 'failed' || outcome === 'released') return 0;
  return output === undefined ? undefined : explainRow(row)?.credits;
}
