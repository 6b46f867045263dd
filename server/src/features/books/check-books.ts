import { type BookCheck, bookChecks, type BooksReport } from '@relay-hub/contract';
import { type Kysely, sql } from 'kysely';
import type { Storage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { cleanedBefore } from '#features/log/log-blocks.ts';
import { type LeftBehind, nodesWithJournals, readJournal, refusedIn } from '#quota/journal.ts';
import { AttemptCounts } from './attempt-counts.ts';
import { type CheckContext, type CheckResult, countIn, everything, sqlChecks } from './book-checks.ts';
import { CostCounts } from './cost-counts.ts';
import { explainedRows } from './explained-rows.ts';
import { LimitCounts } from './limit-counts.ts';
import { Shortfalls } from './shortfalls.ts';
import { lastSigned, signatureOf, signDays, SignedComparison, type SigningOptions, spanAfter } from './signed-days.ts';

/** The journals of a folder by node. */
type Journals = ReadonlyMap<string, LeftBehind>;

const journalsIn = (folder: string): Journals =>
  new Map(nodesWithJournals(folder).map((node) => [node, readJournal(folder, node)]));

/**
 * Checks that leases cover the open, unapplied entries of the journals. Only this machine's journals are readable and
 * calls continue meanwhile: `before` was read before the snapshot `db`, and an open call counts if it still is open now,
 * so its lease must be in the snapshot. A lease may be larger. Also returns the number of open calls.
 */
async function openJournals(
  db: Kysely<Tables>,
  folder: string,
  before: Journals,
): Promise<CheckResult & { openCalls: number }> {
  const leases = await db
    .selectFrom('leases')
    .where('token_id', '=', 0)
    .select(['node', ({ fn }) => fn.sum<number>('credits').as('credits')])
    .groupBy('node')
    .execute();
  const applied = new Map(
    (await db.selectFrom('journals').selectAll().execute()).map((row) => [row.node, row.applied]),
  );
  const after = journalsIn(folder);
  const found: CheckResult & { openCalls: number } = { compared: 0, differing: 0, differences: [], openCalls: 0 };
  for (const [node, { open, settlements }] of before) {
    const stillOpen = new Map(after.get(node)?.open.map(({ requestId, reserved }) => [requestId, reserved]));
    const lasting = open.filter(({ requestId }) => stillOpen.has(requestId));
    const waiting = settlements.filter(({ seq }) => seq > (applied.get(node) ?? 0));
    const owed =
      // The reservation of a call may have grown since.
      lasting.reduce((sum, { requestId, reserved }) => sum + Math.min(reserved, stillOpen.get(requestId) ?? 0), 0) +
      waiting.reduce((sum, { user }) => sum + user.take + user.back, 0);
    const leased = leases.find((lease) => lease.node === node)?.credits ?? 0;
    found.compared += lasting.length + waiting.length;
    found.openCalls += lasting.length;
    if (owed <= leased) continue;
    found.differing++;
    found.differences.push({ of: `node ${node}`, expected: `at least ${owed} leased`, found: String(leased) });
  }
  const refused = refusedIn(folder);
  if (refused > 0) {
    found.differing += refused;
    found.differences.push({ of: 'settlements that the database refused', expected: '0', found: String(refused) });
  }
  return found;
}

export interface BooksOptions extends Partial<Pick<SigningOptions, 'now' | 'rowsAtOnce'>> {
  /** Reads signed days again, too, and writes nothing. */
  full?: boolean;
  /** Called before each check, and while days are signed with the time up to which they are. */
  progress?: (check: BookCheck, done: number, until: number) => void;
}

/**
 * Recomputes balances from entries, entries from rows, and rows from their own counts. First, finished days that balance
 * are signed; then the rest is compared in one snapshot of the database.
 */
export async function checkBooks(
  storage: Pick<Storage, 'snapshot' | 'patient'>,
  folder: string,
  { full = false, now, rowsAtOnce, progress = () => {} }: BooksOptions = {},
): Promise<BooksReport> {
  const started = Date.now();
  progress('signed', 0, 0);
  const signed = full
    ? { days: 0, entries: 0, rows: 0 }
    : await signDays(storage, {
        now: now ?? Math.floor(started / 1000),
        rowsAtOnce,
        progress: (until) => progress('signed', 0, until),
      });
  // Read before the snapshot begins, see `openJournals`.
  const journals = journalsIn(folder);
  return storage.snapshot(async (db) => {
    const last = await lastSigned(db);
    const span = full ? everything : await spanAfter(db, last);
    const context: CheckContext = { db, cleanedBefore: await cleanedBefore(db), span };
    const before = await sumsOfSigned(db);
    const report: Omit<BooksReport, 'took'> = {
      balanced: true,
      full,
      started_time: Math.floor(started / 1000),
      users: await countIn(context, 'users'),
      entries: signed.entries + (await countIn(context, 'ledger')),
      rows: signed.rows + (await countIn(context, 'logs')),
      signed: {
        until: last?.until ?? 0,
        entries: before.entries,
        rows: before.rows,
        digest: last ? signatureOf(last) : '',
      },
      open_calls: 0,
      held: await heldOf(db),
      shortfall: 0,
      shortfall_calls: 0,
      shortfalls: [],
      checks: [],
    };
    const counts = [await AttemptCounts.of(context), new CostCounts(context)] as const;
    const limits = new LimitCounts(context.cleanedBefore);
    const comparison = full ? await SignedComparison.of(context) : undefined;
    const shortfalls = full ? new Shortfalls() : await Shortfalls.signed(db);
    const found = new Map<BookCheck, CheckResult>();
    for (const [done, check] of bookChecks.entries()) {
      if (check === 'signed') continue;
      progress(check, done, 0);
      if (check === 'explained')
        found.set(check, await explainedRows(context, { counts, limits, shortfalls, digest: comparison }));
      else if (check === 'journals') {
        const { openCalls, ...compared } = await openJournals(db, folder, journals);
        report.open_calls = openCalls;
        found.set(check, compared);
      } else if (check === 'attempts') found.set(check, await counts[0].compare(db));
      else if (check === 'costs') found.set(check, await counts[1].compare(db));
      else if (check === 'limits') found.set(check, await limits.compare(context));
      else found.set(check, await sqlChecks[check](context));
    }
    found.set('signed', (await comparison?.compare()) ?? { compared: signed.days, differing: 0, differences: [] });
    for (const check of bookChecks) {
      const result = found.get(check);
      if (result) report.checks.push({ check, ...result });
    }
    report.balanced = report.checks.every(({ differing }) => differing === 0);
    report.shortfall = shortfalls.total;
    report.shortfall_calls = shortfalls.calls;
    report.shortfalls = shortfalls.last;
    return { ...report, took: Date.now() - started };
  });
}

async function sumsOfSigned(db: Kysely<Tables>): Promise<{ entries: number; rows: number }> {
  return db
    .selectFrom('signed_days')
    .select(({ fn }) => [
      fn.coalesce(fn.sum<number>('entries'), sql.lit(0)).as('entries'),
      fn.coalesce(fn.sum<number>('rows'), sql.lit(0)).as('rows'),
    ])
    .executeTakeFirstOrThrow();
}

async function heldOf(db: Kysely<Tables>): Promise<number> {
  const { held } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.sum<number | null>('held').as('held'))
    .executeTakeFirstOrThrow();
  return held ?? 0;
}
