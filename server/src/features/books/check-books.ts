import { type BookCheck, bookChecks, type BooksReport } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Storage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { cleanedBefore } from '#features/log/log-blocks.ts';
import { AttemptCounts } from './attempt-counts.ts';
import { type CheckContext, type CheckResult, sqlChecks } from './book-checks.ts';
import { CostCounts } from './cost-counts.ts';
import { explainedRows } from './explained-rows.ts';
import { LimitCounts } from './limit-counts.ts';
import { journalsIn, openJournals } from './open-journals.ts';
import { Shortfalls } from './shortfalls.ts';

/**
 * Recomputes balances from entries, entries from rows, and rows from their own counts, in one snapshot of the database.
 * `progress` is called before each check.
 */
export async function checkBooks(
  storage: Pick<Storage, 'snapshot'>,
  folder: string,
  progress: (check: BookCheck, done: number) => void = () => {},
): Promise<BooksReport> {
  const started = Date.now();
  // Read before the snapshot begins, see `openJournals`.
  const journals = journalsIn(folder);
  return storage.snapshot(async (db) => {
    const context: CheckContext = { db, cleanedBefore: await cleanedBefore(db) };
    const report: Omit<BooksReport, 'took'> = {
      balanced: true,
      started_time: Math.floor(started / 1000),
      users: await count(db, 'users'),
      entries: await count(db, 'ledger'),
      rows: await count(db, 'logs'),
      open_calls: 0,
      held: await heldOf(db),
      shortfall: 0,
      shortfall_calls: 0,
      shortfalls: [],
      checks: [],
    };
    const attempts = await AttemptCounts.since(db, context.cleanedBefore);
    const limits = new LimitCounts(context.cleanedBefore);
    const costs = new CostCounts(context.cleanedBefore);
    for (const [done, check] of bookChecks.entries()) {
      progress(check, done);
      let found: CheckResult;
      if (check === 'explained') {
        const shortfalls = new Shortfalls();
        found = await explainedRows(db, [attempts, limits, costs], shortfalls);
        report.shortfall = shortfalls.total;
        report.shortfall_calls = shortfalls.calls;
        report.shortfalls = shortfalls.last;
      } else if (check === 'journals') {
        const { openCalls, ...compared } = await openJournals(db, folder, journals);
        report.open_calls = openCalls;
        found = compared;
      } else if (check === 'attempts') found = await attempts.compare(db);
      else if (check === 'costs') found = await costs.compare(db);
      else if (check === 'limits') found = await limits.compare(db);
      else found = await sqlChecks[check](context);
      report.balanced &&= found.differing === 0;
      report.checks.push({ check, ...found });
    }
    return { ...report, took: Date.now() - started };
  });
}

async function count(db: Kysely<Tables>, table: 'users' | 'ledger' | 'logs'): Promise<number> {
  const { rows } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  return rows;
}

async function heldOf(db: Kysely<Tables>): Promise<number> {
  const { held } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.sum<number | null>('held').as('held'))
    .executeTakeFirstOrThrow();
  return held ?? 0;
}
