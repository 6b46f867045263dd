import { touch } from '#live/revisions.ts';
import { isSecret, settings, type SettingKey } from '#settings.ts';
import type { ArrivingOption } from '#imports/read/read-options.ts';
import { keepRecord } from './import-groups.ts';
import { type ImportRun, stateOf } from './record-rules.ts';

const MOST_SHOWN = 200;

/**
 * Takes over settings. One that is set here and was not imported, or was changed since, stays. Guarded ones are only
 * listed unless `run.securitySettings`.
 */
export async function importOptions(run: ImportRun, options: readonly ArrivingOption[]): Promise<void> {
  const { db, report, secrets } = run;
  const rows = await db.selectFrom('options').select(['key', 'value']).execute();
  const here = new Map(rows.map(({ key, value }) => [key, value]));
  const records = await db
    .selectFrom('import_records')
    .where('source', '=', run.source)
    .where('kind', '=', 'option')
    .select(['old_id', 'old_state', 'new_state'])
    .execute();
  const recordOf = new Map(records.map((record) => [record.old_id, record]));
  const plain = (key: SettingKey): string | undefined => {
    const stored = here.get(key);
    return stored === undefined || !isSecret(key) ? stored : secrets.decrypt(stored);
  };
  for (const { key, text, guarded } of options) {
    const state = stateOf(text);
    const record = recordOf.get(key);
    const stored = plain(key);
    if (record?.old_state === state || stored === text || (guarded && (stored ?? settings[key].fallback) === text)) {
      report.count('option', 'same');
      continue;
    }
    if (stored !== undefined && stateOf(stored) !== record?.new_state) {
      report.count('option', 'left');
      report.remark('option_here', key);
      continue;
    }
    if (guarded && !run.securitySettings) {
      report.count('option', 'left');
      report.remark('option_guarded', `${key}: ${isSecret(key) ? '(a secret)' : text.slice(0, MOST_SHOWN)}`);
      continue;
    }
    report.count('option', stored === undefined ? 'added' : 'changed');
    if (!run.apply) continue;
    const value = isSecret(key) ? secrets.encrypt(text) : text;
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('options')
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute();
      await keepRecord(trx, run, { kind: 'option', oldId: key }, state);
      await touch(trx, 'settings');
    });
  }
}
