import type { BillQuestion, BillSource, BillSourceEdit, KeptBill, NewBillSource } from '@relay-hub/contract';
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

type FetchDeps = Pick<Deps, 'db' | 'secrets' | 'config' | 'live' | 'now'>;

/**
 * Fetches a month of a bill and keeps it under the name of its source; a failure is stored. Throws
 * `channel.upstream_failed`, `bill.closed`, `bill.empty`, `outbound.*`.
 */
export async function fetchSource(
  deps: FetchDeps,
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
    const earlier = await earlierDays(db, { provider: name, month, from: asked.from, until: days.from });
    const bill = { month, note: '', channel_ids, time_zone: 'UTC', rate, unit: 0 };
    const kept = await saveBill(
      deps,
      { ...bill, provider: name, lines: [...(earlier?.lines ?? []), ...lines] },
      { actor, origin: 'api', days: { from: earlier?.from ?? days.from, to: days.to } },
    );
    await note({});
    return kept;
  } catch (error) {
    if (error instanceof AppError) await note({ last_error: String(error.values['reason'] ?? error.code) });
    throw error;
  }
}

/** Days of a kept bill that its provider no longer has. */
async function earlierDays(
  db: Db,
  { provider, month, from, until }: { provider: string; month: string; from: string; until: string },
): Promise<(Pick<BillQuestion, 'lines'> & { from: string }) | undefined> {
  if (until <= from) return undefined;
  const kept = await db
    .selectFrom('bills')
    .where('provider', '=', provider)
    .where('month', '=', month)
    .where('origin', '=', 'api')
    .select('question')
    .executeTakeFirst();
  if (!kept || kept.question.from >= until) return undefined;
  return { from: kept.question.from, lines: kept.question.lines.filter(({ date }) => date < until) };
}

/** When bills are fetched, in seconds after midnight of UTC: providers need some hours for the day before. */
const NIGHT_S = 5 * HOUR_S;
const DAY_S = 24 * HOUR_S;

/**
 * Fetches the bills of the running and of the last month that are open, once a day and again after an hour if that
 * failed. Throws the failures when all were tried; sources show their own.
 */
export async function fetchNightly(deps: FetchDeps, isOver: () => boolean = () => false): Promise<void> {
  const { db, now } = deps;
  const slot = Math.floor((now() - NIGHT_S) / DAY_S) * DAY_S + NIGHT_S;
  const clock = clockOf('UTC');
  const today = clock.dateOf(clock.dayOf(now()));
  const running = monthOf(today.slice(0, 7), clock, now());
  const last = clock.dateOf(running.from - HOUR_S).slice(0, 7);
  // On its first day, no day of a month is over.
  const months = today.endsWith('-01') ? [last] : [last, today.slice(0, 7)];
  const failures: string[] = [];
  for (const { id, name, fetched_time: fetched, last_error: failure } of await listSources(db)) {
    const isLate = fetched < slot || (failure !== '' && fetched <= now() - HOUR_S);
    if (isOver()) break;
    if (!isLate) {
      if (failure !== '') failures.push(`${name}: ${failure}`);
      continue;
    }
    for (const month of months) {
      const closed = await db
        .selectFrom('bills')
        .where('provider', '=', name)
        .where('month', '=', month)
        .where('closed', '=', true)
        .select('id')
        .executeTakeFirst();
      if (closed) continue;
      try {
        await fetchSource(deps, id, { month, actor: '' });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // A month without usage is no failure, nor is one that was closed meanwhile.
        if (error.code === 'bill.empty' || error.code === 'bill.closed') {
          await db.updateTable('bill_sources').set({ last_error: '' }).where('id', '=', id).execute();
          continue;
        }
        failures.push(`${name}: ${String(error.values['reason'] ?? error.code)}`);
        break;
      }
    }
  }
  if (failures.length > 0) throw new Error(failures.join('; '));
}

async function sourceOf(db: Db, id: number): Promise<Row> {
  const row = await db.selectFrom('bill_sources').where('id', '=', id).selectAll().executeTakeFirst();
  if (!row) throw new AppError('record.not_found');
  return row;
}

const shownSource = ({ key_cipher: _cipher, ...row }: Row): BillSource => row;
