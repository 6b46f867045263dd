import type { Transaction } from 'kysely';
import * as z from 'zod/mini';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { jsonMap } from '#settings/setting.ts';

/** A setting without a stored text: the ratios of all user groups, by symbol. */
export const GROUP_RATIO = 'GroupRatio';

export const groupRatioRule = jsonMap(z.number().check(z.gte(0), z.lte(1_000_000)));

export async function groupRatios(db: Db): Promise<string> {
  const groups = await db.selectFrom('user_groups').select(['symbol', 'ratio']).orderBy('id').execute();
  return JSON.stringify(Object.fromEntries(groups.map(({ symbol, ratio }) => [symbol, ratio])));
}

/** Groups missing from the map keep their ratio. Throws `group.unknown`. */
export async function writeGroupRatios(trx: Transaction<Tables>, ratios: Record<string, number>): Promise<void> {
  const rows = await locked(trx.selectFrom('user_groups').select(['symbol', 'ratio']).orderBy('id'), trx).execute();
  const known = new Map(rows.map(({ symbol, ratio }) => [symbol, ratio]));
  for (const [symbol, ratio] of Object.entries(ratios)) {
    ensure(known.has(symbol), 'group.unknown', { field: GROUP_RATIO, name: symbol });
    if (known.get(symbol) === ratio) continue;
    await trx.updateTable('user_groups').set({ ratio }).where('symbol', '=', symbol).execute();
  }
}
