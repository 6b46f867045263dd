import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { ImportFigures } from '#db/tables/imports.ts';
import { unstorable } from '../old-row.ts';
import { type ImportRun, linkedKinds, type RecordRow, type RecordRules, stateOf } from './record-rules.ts';

interface Numbered {
  oldId: number;
}

/** Records per transaction: a broken run loses at most these, and a running server waits for no more. */
const AT_ONCE = 100;

/**
 * Takes over all records of a kind: new ones are added, changed ones written over records that are unchanged here, and
 * figures moved by their differences. A run that was broken off goes on where it stopped.
 */
export async function importRecords<A extends Numbered, P>(
  run: ImportRun,
  rules: RecordRules<A, P>,
  arrivals: AsyncIterable<A>,
): Promise<void> {
  let batch: A[] = [];
  let done = 0;
  const take = async (): Promise<void> => {
    const some = batch;
    batch = [];
    if (run.apply) await run.db.transaction().execute((trx) => importSome({ run, rules, trx, db: trx }, some));
    else await importSome({ run, rules, trx: undefined, db: run.db }, some);
    run.progress(rules.kind, (done += some.length));
  };
  for await (const arrival of arrivals) {
    const place = unstorable(arrival);
    if (place !== undefined) {
      run.report.count(rules.kind, 'lost');
      run.report.remark('lost', `${rules.label(arrival)}: ${place} has characters that cannot be stored`);
      continue;
    }
    batch.push(arrival);
    if (batch.length === AT_ONCE) await take();
  }
  if (batch.length > 0) await take();
  await endMissing(run, rules);
}

interface Batch<A, P> {
  run: ImportRun;
  rules: RecordRules<A, P>;
  trx: Transaction<Tables> | undefined;
  db: Kysely<Tables>;
}

async function importSome<A extends Numbered, P>(batch: Batch<A, P>, arrivals: readonly A[]): Promise<void> {
  const { run, rules, db } = batch;
  const records = await recordsOf(
    db,
    run,
    rules.kind,
    arrivals.map((arrival) => keyOf(rules, arrival)),
  );
  const known = [...records.values()].map(({ new_id }) => new_id);
  const here = known.length === 0 ? new Map<number, string>() : await rules.here(db, known);
  for (const arrival of arrivals) {
    const record = records.get(keyOf(rules, arrival));
    if (record) await importAgain(batch, arrival, { record, here: here.get(record.new_id) });
    else await importNew(batch, arrival);
  }
}

async function importNew<A extends Numbered, P>({ run, rules, trx }: Batch<A, P>, arrival: A): Promise<void> {
  const prepared = rules.prepare(arrival);
  if (prepared === undefined) {
    run.report.count(rules.kind, 'lost');
    return;
  }
  run.report.count(rules.kind, 'added');
  const ids = idsOf(run, rules.kind);
  if (!trx) {
    ids?.set(arrival.oldId, rules.existing?.(prepared) ?? -arrival.oldId);
    return;
  }
  const newId = await rules.add(trx, arrival, prepared);
  ids?.set(arrival.oldId, newId);
  const figures = rules.figures(arrival);
  const here = await rules.here(trx, [newId]);
  await trx
    .insertInto('import_records')
    .values({
      source: run.source,
      kind: rules.kind,
      old_id: keyOf(rules, arrival),
      new_id: newId,
      old_state: stateOf(rules.state(arrival)),
      new_state: here.get(newId) ?? '',
      figures: JSON.stringify(figures),
      used_quota: figures.used ?? 0,
      run: run.run,
    })
    .execute();
}

async function importAgain<A extends Numbered, P>(
  { run, rules, trx }: Batch<A, P>,
  arrival: A,
  { record, here }: { record: RecordRow; here: string | undefined },
): Promise<void> {
  const { report } = run;
  const state = stateOf(rules.state(arrival));
  const figures = rules.figures(arrival);
  const isMoved = !sameFigures(figures, record.figures);
  const isChanged = state !== record.old_state;
  const isLeft = isChanged && here !== record.new_state;
  if (isLeft) report.remark('left', rules.label(arrival));
  report.count(rules.kind, isLeft ? 'left' : isChanged || isMoved ? 'changed' : 'same');
  if (isMoved) await rules.move?.(trx, arrival, record);
  if (!trx) return;
  if (isChanged && !isLeft) await rules.change(trx, arrival, record.new_id);
  const after = isChanged && !isLeft ? (await rules.here(trx, [record.new_id])).get(record.new_id) : record.new_state;
  await trx
    .updateTable('import_records')
    .set({
      run: run.run,
      // A record that was left is listed again at each run.
      ...(isChanged && !isLeft && { old_state: state, new_state: after ?? '' }),
      ...(isMoved && {
        figures: JSON.stringify(figures),
        used_quota: record.used_quota + (figures.used ?? 0) - (record.figures.used ?? 0),
      }),
    })
    .where('source', '=', run.source)
    .where('kind', '=', rules.kind)
    .where('old_id', '=', record.old_id)
    .execute();
}

const sameFigures = (a: ImportFigures, b: ImportFigures): boolean =>
  a.quota === b.quota && a.used === b.used && JSON.stringify(a.restriction) === JSON.stringify(b.restriction);

const keyOf = <A extends Numbered, P>({ key }: RecordRules<A, P>, arrival: A): string =>
  key?.(arrival) ?? String(arrival.oldId);

function idsOf(run: ImportRun, kind: string): Map<number, number> | undefined {
  const linked = linkedKinds.find((each) => each === kind);
  return linked && run.ids[linked];
}

async function recordsOf(
  db: Kysely<Tables>,
  { source }: ImportRun,
  kind: string,
  oldIds: readonly string[],
): Promise<Map<string, RecordRow>> {
  const rows = await db
    .selectFrom('import_records')
    .where('source', '=', source)
    .where('kind', '=', kind)
    .where('old_id', 'in', oldIds)
    .select(['old_id', 'new_id', 'old_state', 'new_state', 'figures', 'used_quota'])
    .execute();
  return new Map(rows.map((row) => [row.old_id, row]));
}

/** Switches off records that were deleted at the old side and are unchanged here, after a complete run. */
async function endMissing<A extends Numbered, P>(run: ImportRun, rules: RecordRules<A, P>): Promise<void> {
  const { end } = rules;
  if (!end || !run.apply) return;
  for (;;) {
    const missing = await run.db
      .selectFrom('import_records')
      .where('source', '=', run.source)
      .where('kind', '=', rules.kind)
      .where('run', '<', run.run)
      .select(['old_id', 'new_id', 'new_state', 'figures'])
      .orderBy('old_id')
      .limit(AT_ONCE)
      .execute();
    if (missing.length === 0) return;
    await run.db.transaction().execute(async (trx) => {
      const here = await rules.here(
        trx,
        missing.map(({ new_id }) => new_id),
      );
      for (const { old_id, new_id, new_state, figures } of missing) {
        const isUnchanged = here.get(new_id) === new_state;
        const label = `${rules.kind} ${old_id}${figures.name ? ` (${figures.name})` : ''}`;
        run.report.remark(isUnchanged ? 'gone' : 'left', label);
        if (isUnchanged) await end(trx, new_id);
        const state = (await rules.here(trx, [new_id])).get(new_id) ?? '';
        await trx
          .updateTable('import_records')
          .set({ run: run.run, ...(isUnchanged && { new_state: state, old_state: 'gone' }) })
          .where('source', '=', run.source)
          .where('kind', '=', rules.kind)
          .where('old_id', '=', old_id)
          .execute();
      }
    });
  }
}
