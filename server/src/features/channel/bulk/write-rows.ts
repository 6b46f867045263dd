import type { Selectable, Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import type { ChannelBefore } from '#db/tables/channels.ts';
import { targetOf } from '#features/channel/channel-rules.ts';

/** Both databases limit the number of values per statement. */
const someAtOnce = 500;

/** Writes changed columns; channels with equal changes share a statement. */
export async function writeRows(trx: Transaction<Tables>, rows: readonly ChannelBefore[]): Promise<void> {
  const alike = Map.groupBy(rows, ({ after }) => JSON.stringify(after));
  for (const same of alike.values()) {
    const [first] = same;
    if (!first || Object.keys(first.after).length === 0) continue;
    for (const some of inParts(same)) {
      const ids = some.map(({ id }) => id);
      await trx.updateTable('channels').set(first.after).where('id', 'in', ids).execute();
    }
  }
}

/**
 * Locks and returns the channels that are unmodified since a change and whose secrets would go to the same destination
 * as before.
 */
export async function untouchedRows(
  trx: Transaction<Tables>,
  rows: readonly ChannelBefore[],
): Promise<ChannelBefore[]> {
  const still: ChannelBefore[] = [];
  for (const some of inParts(rows)) {
    const ids = some.map(({ id }) => id);
    const found = await locked(
      trx.selectFrom('channels').selectAll().where('id', 'in', ids).orderBy('id'),
      trx,
    ).execute();
    const now = new Map(found.map((row) => [row.id, row]));
    still.push(...some.filter((change) => isAs(now.get(change.id), change)));
  }
  return still;
}

export function inParts<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / someAtOnce);
  return Array.from({ length: count }, (_, i) => rows.slice(i * someAtOnce, (i + 1) * someAtOnce));
}

function isAs(row: Selectable<Tables['channels']> | undefined, { after, target }: ChannelBefore): boolean {
  if (row === undefined || (target !== undefined && targetOf(row) !== target)) return false;
  const columns: Record<string, unknown> = { ...row };
  return Object.entries(after).every(([column, value]) => columns[column] === value);
}
