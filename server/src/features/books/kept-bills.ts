import type { BillReport, KeptBill, NewBill } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { clockOf } from '#features/analytics/analytics-period.ts';
import { monthOf } from '#features/ledger/statement.ts';
import { HOUR_S } from '#roll-ups/usage-scope.ts';
import { compareBill } from './compare-bill.ts';

type Row = Selectable<Tables['bills']>;
type Actor = Pick<KeptBill['events'][number], 'actor' | 'note'>;

const MOST_LISTED = 500;
const MOST_EVENTS = 100;

/** Newest month first. */
export async function listBills(db: Db): Promise<KeptBill[]> {
  const rows = await db
    .selectFrom('bills')
    .orderBy('month', 'desc')
    .orderBy('provider')
    .limit(MOST_LISTED)
    .selectAll()
    .execute();
  return rows.map(shownBill);
}

/** A kept bill with its report: computed now while it is open. Throws `record.not_found`. */
export async function billOf(db: Db, id: number): Promise<KeptBill & { report: BillReport }> {
  const row = await rowOf(db, id);
  const report = row.closed ? row.report : await reportOf(db, row.question);
  return { ...shownBill({ ...row, report }), report };
}

/**
 * Keeps a month of a bill, or replaces an open one. Without `days`, all days of the month are compared; of the present
 * month, those up to the last one of the bill. Throws `bill.closed`, `bill.month`, `analytics.future`, `analytics.time_zone`.
 */
export async function saveBill(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { provider, month, note, ...question }: NewBill,
  { actor, origin, days }: { actor: string; origin: KeptBill['origin']; days?: { from: string; to: string } },
): Promise<KeptBill> {
  ensure(
    question.lines.every(({ date }) => date.startsWith(month)),
    'bill.month',
    { field: 'lines' },
  );
  const clock = clockOf(question.time_zone);
  const { until } = monthOf(month, clock, now());
  const last = question.lines.reduce((latest, { date }) => (date > latest ? date : latest), `${month}-01`);
  const whole = { from: `${month}-01`, to: until <= now() ? clock.dateOf(until - HOUR_S) : last };
  const asked = { ...question, ...(days ?? whole) };
  const report = await reportOf(db, asked);
  const known = await db
    .selectFrom('bills')
    .where('provider', '=', provider)
    .where('month', '=', month)
    .select(['events'])
    .executeTakeFirst();
  const values = {
    origin,
    updated_time: now(),
    question: JSON.stringify(asked),
    report: JSON.stringify(report),
    events: eventsAfter(known?.events ?? [], { act: 'saved', time: now(), actor, note }),
  };
  const row = await db
    .insertInto('bills')
    .values({ provider, month, closed: false, ...values })
    .onConflict((conflict) =>
      conflict.columns(['provider', 'month']).doUpdateSet(values).where('bills.closed', '=', false),
    )
    .returningAll()
    .executeTakeFirst();
  ensure(row, 'bill.closed', { provider, month });
  return shownBill(row);
}

/** Closes a bill with its comparison of now. Throws `record.not_found` and `bill.closed`. */
export async function closeBill(deps: Pick<Deps, 'db' | 'now'>, id: number, by: Actor): Promise<KeptBill> {
  const { question } = await rowOf(deps.db, id);
  return change(deps, id, { closed: true, act: 'closed', by, report: await reportOf(deps.db, question) });
}

/** Throws `record.not_found` and `bill.open`. */
export const reopenBill = (deps: Pick<Deps, 'db' | 'now'>, id: number, by: Actor): Promise<KeptBill> =>
  change(deps, id, { closed: false, act: 'reopened', by });

/** Throws `record.not_found` and `bill.closed`. */
export async function removeBill(db: Db, id: number): Promise<void> {
  const { provider, month } = await rowOf(db, id);
  const gone = await db
    .deleteFrom('bills')
    .where('id', '=', id)
    .where('closed', '=', false)
    .returning('id')
    .executeTakeFirst();
  ensure(gone, 'bill.closed', { provider, month });
}

async function change(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  id: number,
  { closed, act, by, report }: { closed: boolean; act: 'closed' | 'reopened'; by: Actor; report?: BillReport },
): Promise<KeptBill> {
  const { events, provider, month } = await rowOf(db, id);
  const row = await db
    .updateTable('bills')
    .set({
      closed,
      updated_time: now(),
      events: eventsAfter(events, { act, time: now(), ...by }),
      ...(report && { report: JSON.stringify(report) }),
    })
    .where('id', '=', id)
    .where('closed', '=', !closed)
    .returningAll()
    .executeTakeFirst();
  ensure(row, closed ? 'bill.closed' : 'bill.open', { provider, month });
  return shownBill(row);
}

async function rowOf(db: Db, id: number): Promise<Row> {
  const row = await db.selectFrom('bills').where('id', '=', id).selectAll().executeTakeFirst();
  if (!row) throw new AppError('record.not_found');
  return row;
}

const reportOf = (db: Db, { time_zone: zone, ...question }: Row['question']): Promise<BillReport> =>
  compareBill(db, question, clockOf(zone));

/** A bill that is fetched every night keeps the last of such events only. */
function eventsAfter(events: KeptBill['events'], added: KeptBill['events'][number]): string {
  const last = events.at(-1);
  const isRepeated = added.actor === '' && last?.actor === '' && last.act === added.act;
  return JSON.stringify([...(isRepeated ? events.slice(0, -1) : events), added].slice(-MOST_EVENTS));
}

function shownBill({ question, report, ...row }: Row): KeptBill {
  const { from, to, channel_ids } = question;
  return { ...row, from, to, channel_ids, bill: report.bill, ours: report.ours };
}
