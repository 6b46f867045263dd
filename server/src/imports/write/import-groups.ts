import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { ArrivingGroup } from '#imports/read/old-world.ts';
import { type ImportRun, stateOf } from './record-rules.ts';

/** A group of a new hub, unchanged. */
const isFresh = ({ ratio, api_rate, enable }: ArrivingGroup): boolean => ratio === 1 && api_rate === 600 && enable;

const termsOf = ({ name, ratio, api_rate, public: open, enable }: ArrivingGroup) => ({
  name,
  ratio,
  api_rate,
  public: open,
  enable,
});

/** Takes over groups by their symbol. One that is here with other terms stays, unless it is as new or as imported. */
export async function importGroups(run: ImportRun, groups: Iterable<ArrivingGroup>): Promise<void> {
  const { db, report } = run;
  const here = new Map((await db.selectFrom('user_groups').selectAll().execute()).map((row) => [row.symbol, row]));
  const records = await db
    .selectFrom('import_records')
    .where('source', '=', run.source)
    .where('kind', '=', 'group')
    .select(['old_id', 'old_state', 'new_state'])
    .execute();
  const recordOf = new Map(records.map((record) => [record.old_id, record]));
  const write = async (work: (trx: Transaction<Tables>) => Promise<void>): Promise<void> => {
    if (run.apply) await db.transaction().execute(work);
  };
  for (const group of groups) {
    const terms = termsOf(group);
    const state = stateOf(terms);
    const row = here.get(group.symbol);
    const record = recordOf.get(group.symbol);
    const stateHere = row && stateOf(termsOf(row));
    if (record?.old_state === state || (row && stateHere === state)) {
      report.count('group', 'same');
      if (!record) await write((trx) => keepRecord(trx, run, { kind: 'group', oldId: group.symbol }, state));
      continue;
    }
    const isOurs = row && (record ? stateHere === record.new_state : isFresh(row));
    if (row && !isOurs) {
      report.count('group', 'left');
      report.remark('left', `group ${group.symbol}: ratio ${row.ratio} here, ${group.ratio} there`);
      continue;
    }
    report.count('group', row ? 'changed' : 'added');
    await write(async (trx) => {
      if (row) await trx.updateTable('user_groups').set(terms).where('symbol', '=', group.symbol).execute();
      else
        await trx
          .insertInto('user_groups')
          .values({ ...terms, symbol: group.symbol })
          .execute();
      await keepRecord(trx, run, { kind: 'group', oldId: group.symbol }, state);
    });
  }
}

/** A record of something without an id here. Both sides are alike when it is written. */
export async function keepRecord(
  trx: Transaction<Tables>,
  { source, run }: ImportRun,
  { kind, oldId }: { kind: string; oldId: string },
  state: string,
): Promise<void> {
  const values = { source, kind, old_id: oldId, new_id: 0, old_state: state, new_state: state, figures: '{}', run };
  await trx
    .insertInto('import_records')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['source', 'kind', 'old_id']).doUpdateSet({ old_state: state, new_state: state, run }),
    )
    .execute();
}
