import type { BillSource, BillSourceEdit, KeptBill, NewBillSource } from '@relay-hub/contract';
import { billVendors } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { clockOf } from '#features/analytics/analytics-period.ts';
import { monthOf } from '#features/ledger/statement.ts';
import { HOUR_S } from '#roll-ups/usage-scope.ts';
import { hintOf } from '#secrets.ts';
import { destination, ensureSameDestination } from '#stored-secrets.ts';
import { fetchBill } from './fetch-bill.ts';
import { saveBill } from './kept-bills.ts';

type Row = Selectable<Tables['bill_sources']>;

export async function listSources(db: Db): Promise<BillSource[]> {
  return (await db.selectFrom('bill_sources').orderBy('name').selectAll().execute()).map(shownSource);
}

/** Throws `record.exists`. */
export async function createSource(
  { db, secrets }: Pick<Deps, 'db' | 'secrets'>,
  { key, channel_ids, ...given }: NewBillSource,
): Promise<BillSource> {
  const row = await db
    .insertInto('bill_sources')
    .values({
      ...given,
      key_cipher: secrets.encrypt(key),
      key_hint: hintOf(key),
      channel_ids: JSON.stringify(channel_ids),
      fetched_time: 0,
      last_error: '',
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  ensure(row, 'record.exists', { field: 'name', name: given.name });
  return shownSource(row);
}

/** Throws `record.not_found`, `record.exists` and, if a kept key would go elsewhere, `channel.key_again`. */
export async function updateSource(
  { db, secrets }: Pick<Deps, 'db' | 'secrets'>,
  id: number,
  { key, channel_ids, ...given }: BillSourceEdit,
): Promise<BillSource> {
  const before = await sourceOf(db, id);
  const addressOf = (base: string) => destination(base || billVendors[before.vendor]);
  ensureSameDestination(
    addressOf(before.base_url),
    addressOf(given.base_url),
    { key: key === '' },
    'channel.key_again',
  );
  const other = await db
    .selectFrom('bill_sources')
    .where('name', '=', given.name)
    .where('id', '<>', id)
    .select('id')
    .executeTakeFirst();
  ensure(!other, 'record.exists', { field: 'name', name: given.name });
  const row = await db
    .updateTable('bill_sources')
    .set({
      ...given,
      channel_ids: JSON.stringify(channel_ids),
      ...(key !== '' && { key_cipher: secrets.encrypt(key), key_hint: hintOf(key) }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return shownSource(row);
}

export async function removeSource(db: Db, id: number): Promise<void> {
  await sourceOf(db, id);
  await db.deleteFrom('bill_sources').where('id', '=', id).execute();
}

/**
 * Fetches a month of a bill and keeps it under the name of its source; a failure is stored. Throws
 * `channel.upstream_failed`, `bill.closed`, `bill.empty`, `outbound.*`.
 */
export async function fetchSource(
  deps: Pick<Deps, 'db' | 'secrets' | 'config' | 'live' | 'now'>,
  id: number,
  { month, actor }: { month: string; actor: string },
): Promise<KeptBill> {
  const { db, secrets, now } = deps;
  const { key_cipher: cipher, channel_ids, name, ...account } = await sourceOf(db, id);
  const clock = clockOf('UTC');
  const { until } = monthOf(month, clock, now());
  const note = (columns: { last_error?: string }) =>
    db
      .updateTable('bill_sources')
      .set({ fetched_time: now(), last_error: '', ...columns })
      .where('id', '=', id)
      .execute();
  try {
    // Today is not over, so its bill is not complete.
    const last = until <= now() ? until - HOUR_S : clock.dayOf(now()) - HOUR_S;
    const asked = { from: `${month}-01`, to: clock.dateOf(last) };
    const { days, lines, rate } = await fetchBill(deps, { ...account, key: secrets.decrypt(cipher) }, asked);
    ensure(lines.length > 0, 'bill.empty', { month });
    const bill = { provider: name, month, note: '', lines, channel_ids, time_zone: 'UTC', rate, unit: 0 };
    const kept = await saveBill(deps, bill, { actor, origin: 'api', days });
    await note({});
    return kept;
  } catch (error) {
    if (error instanceof AppError) await note({ last_error: String(error.values['reason'] ?? error.code) });
    throw error;
  }
}

async function sourceOf(db: Db, id: number): Promise<Row> {
  const row = await db.selectFrom('bill_sources').where('id', '=', id).selectAll().executeTakeFirst();
  if (!row) throw new AppError('record.not_found');
  return row;
}

const shownSource = ({ key_cipher: _cipher, ...row }: Row): BillSource => row;
