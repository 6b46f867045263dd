import type { WhatIfQuestion, WhatIfReport, WhatIfRun } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { clockOf } from '#features/analytics/analytics-period.ts';
import { monthOf } from '#features/ledger/statement.ts';
import { usageBlocks } from '#roll-ups/usage-blocks.ts';

/** Reports that are kept. */
const MOST_RUNS = 30;

const columns = ['id', 'created_time', 'actor', 'question', 'state', 'total', 'done', 'ended_time', 'error'] as const;

/** Orders a report; `WhatIfWorker` makes it. Throws `what_if.running`, `analytics.future` and `analytics.time_zone`. */
export async function orderWhatIf(
  { db, now, nodeId }: Pick<Deps, 'db' | 'now' | 'nodeId'>,
  question: WhatIfQuestion,
  actor: string,
): Promise<WhatIfRun> {
  const { from, until } = monthOf(question.month, clockOf(question.time_zone), now());
  const total = (await usageBlocks(db, {}, from, until)).reduce((sum, { request_count: count }) => sum + count, 0);
  const added = await db.transaction().execute(async (trx) => {
    const run = await trx
      .insertInto('what_ifs')
      .values({
        created_time: now(),
        actor,
        question: JSON.stringify(question),
        state: 'running',
        total,
        done: 0,
        node: nodeId,
        seen_time: now(),
        ended_time: 0,
        error: '',
        report: null,
      })
      // A unique index lets one run at a time.
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    ensure(run, 'what_if.running');
    const kept = await trx.selectFrom('what_ifs').orderBy('id', 'desc').limit(MOST_RUNS).select('id').execute();
    await trx
      .deleteFrom('what_ifs')
      .where('id', '<', kept.at(-1)?.id ?? 0)
      .execute();
    return run.id;
  });
  return runOf(db, added);
}

export const listRuns = (db: Db): Promise<WhatIfRun[]> =>
  db.selectFrom('what_ifs').orderBy('id', 'desc').select(columns).execute();

/** Throws `record.not_found`. */
export async function runOf(db: Db, id: number): Promise<WhatIfRun> {
  const run = await db.selectFrom('what_ifs').where('id', '=', id).select(columns).executeTakeFirst();
  if (!run) throw new AppError('record.not_found');
  return run;
}

/** A report with its run; null until it is done. Throws `record.not_found`. */
export async function reportOf(db: Db, id: number): Promise<WhatIfRun & { report: WhatIfReport | null }> {
  const run = await db
    .selectFrom('what_ifs')
    .where('id', '=', id)
    .select([...columns, 'report'])
    .executeTakeFirst();
  if (!run) throw new AppError('record.not_found');
  return run;
}

/** Stops a report before its next piece, on whichever node it runs. */
export async function cancelWhatIf({ db, now }: Pick<Deps, 'db' | 'now'>, id: number): Promise<WhatIfRun> {
  await db
    .updateTable('what_ifs')
    .set({ state: 'cancelled', ended_time: now() })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute();
  return runOf(db, id);
}
