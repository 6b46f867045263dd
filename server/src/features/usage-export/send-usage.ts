import { isPostgres } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import type { UsageEvent } from '#db/tables/bills.ts';
import type { Deps } from '#deps.ts';
import { AT_ONCE, type BillingTarget, deliverUsage, type UsageDelivery, NotTaken } from './billing-systems.ts';
import type { CommittedIds, LastIds } from './committed-ids.ts';
import { callsIn, returnsIn } from './usage-events.ts';
import { type ExportRow, targetOf } from './usage-exports.ts';

export type SendDeps = Pick<Deps, 'config' | 'db' | 'live' | 'log' | 'now' | 'secrets'>;

/** A system with more refused events is not tried further: it is set up wrongly. */
const MOST_REFUSED = 1000;
/** One round of a system, so that others are not kept waiting. */
const BATCHES = 200;
const pausesS = [10, 30, 60, 300, 900, 1800];

/**
 * Sends new usage to all billing systems, each on its own. A position moves only after its events were taken, so a
 * process that dies in between sends them again under their ids. Throws the failures, for the list of jobs.
 */
export async function sendUsage(
  deps: SendDeps,
  committed: CommittedIds,
  isOver: () => boolean = () => false,
): Promise<void> {
  const { db } = deps;
  const rows = await db.selectFrom('usage_exports').where('enabled', '=', true).selectAll().execute();
  if (rows.length === 0) return;
  const last = await committed.last(db);
  const failures = await Promise.all(rows.map((row) => sendTo(deps, row, { last, isOver })));
  const failing = failures.filter((failure) => failure !== '');
  if (failing.length > 0) throw new Error(failing.join('; '));
}

/** Why the system is failing; empty: it is not. */
async function sendTo(
  deps: SendDeps,
  row: ExportRow,
  { last, isOver }: { last: LastIds | undefined; isOver: () => boolean },
): Promise<string> {
  const { db, log, now } = deps;
  if (!last || row.next_time > now()) return row.failures > 0 ? `${row.name}: ${row.last_error}` : '';
  try {
    const target = targetOf(deps, row);
    await sendAgain(deps, row, target);
    for (let batch = 0; batch < BATCHES && !isOver(); batch++)
      if (!(await sendNext(deps, row, { target, last }))) break;
    if (row.failures > 0)
      await db
        .updateTable('usage_exports')
        .set({ failures: 0, last_error: '', next_time: 0 })
        .where('id', '=', row.id)
        .execute();
    return '';
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error;
    const pause = pausesS[Math.min(row.failures, pausesS.length - 1)] ?? 0;
    log.warn({ export: row.id, reason: error.message }, 'usage was not exported');
    await db
      .updateTable('usage_exports')
      .set({
        failures: row.failures + 1,
        last_error: error.message,
        next_time: now() + Math.max(pause, error.afterS),
      })
      .where('id', '=', row.id)
      .execute();
    return `${row.name}: ${error.message}`;
  }
}

/** Sends the next events and moves the position. False: there are none. */
async function sendNext(
  deps: SendDeps,
  row: ExportRow,
  { target, last }: { target: BillingTarget; last: LastIds },
): Promise<boolean> {
  const { db } = deps;
  const isCalls = row.log_position < last.logs;
  // On PostgreSQL another node may have seen newer ids.
  if (row.log_position > last.logs && !isPostgres(db)) return stepBack(db, row, last);
  if (!isCalls && row.ledger_position >= last.ledger) return false;
  const range = { limit: AT_ONCE };
  // Returned charges come after their calls.
  const { events, position } = isCalls
    ? await callsIn(db, { ...range, after: row.log_position, upTo: last.logs })
    : await returnsIn(db, { ...range, after: row.ledger_position, upTo: last.ledger });
  const moved = isCalls ? { log_position: position } : { ledger_position: position };
  if (events.length === 0) return move(db, row, moved);
  await ensureFewRefused(db, row);
  return note(deps, row, { moved, events, delivery: await deliverUsage(target, events, deps) });
}

/** SQLite counts rows from the beginning when all of them were deleted: rows of the last hour may be sent again. */
async function stepBack(db: Db, row: ExportRow, last: LastIds): Promise<boolean> {
  const first = await db
    .selectFrom('logs')
    .where('created_at', '>=', row.success_time - 3600)
    .select('id')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return move(db, row, { log_position: first ? first.id - 1 : last.logs });
}

/** Moves positions, unless someone else has moved them. Returns whether it did. */
async function move(
  db: Db,
  row: ExportRow,
  moved: Partial<Pick<ExportRow, 'log_position' | 'ledger_position'>>,
  counted: Partial<Pick<ExportRow, 'sent' | 'skipped' | 'success_time'>> = {},
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('usage_exports')
    .set({ ...moved, ...counted })
    .where('id', '=', row.id)
    .where('log_position', '=', row.log_position)
    .where('ledger_position', '=', row.ledger_position)
    .executeTakeFirstOrThrow();
  Object.assign(row, moved, counted);
  return numUpdatedRows > 0n;
}

const note = (
  { db, now }: SendDeps,
  row: ExportRow,
  {
    moved,
    events,
    delivery: { refused, skipped },
  }: {
    moved: Partial<Pick<ExportRow, 'log_position' | 'ledger_position'>>;
    events: readonly UsageEvent[];
    delivery: UsageDelivery;
  },
): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    const taken = events.length - refused.length - skipped;
    const counted = {
      sent: row.sent + taken,
      skipped: row.skipped + skipped,
      ...(taken > 0 && { success_time: now() }),
    };
    if (!(await move(trx, row, moved, counted))) return false;
    if (refused.length > 0)
      await trx
        .insertInto('refused_usage')
        .values(
          refused.map(({ event, reason }) => ({
            export_id: row.id,
            event_id: event.id,
            event: JSON.stringify(event),
            reason,
            waiting: false,
          })),
        )
        .onConflict((conflict) =>
          conflict.columns(['export_id', 'event_id']).doUpdateSet((eb) => ({ reason: eb.ref('excluded.reason') })),
        )
        .execute();
    return true;
  });

async function ensureFewRefused(db: Db, { id }: ExportRow): Promise<void> {
  const { count } = await db
    .selectFrom('refused_usage')
    .where('export_id', '=', id)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count >= MOST_REFUSED) throw new NotTaken(`${count} events were refused`);
}

/** Sends refused events that an operator wants sent again; those refused again are kept. */
async function sendAgain({ db, ...deps }: SendDeps, row: ExportRow, target: BillingTarget): Promise<void> {
  for (;;) {
    const rows = await db
      .selectFrom('refused_usage')
      .where('export_id', '=', row.id)
      .where('waiting', '=', true)
      .orderBy('id')
      .limit(AT_ONCE)
      .select(['id', 'event'])
      .execute();
    if (rows.length === 0) return;
    // Its account may have got an id since.
    const users = await db
      .selectFrom('users')
      .where(
        'id',
        'in',
        rows.map(({ event }) => event.user_id),
      )
      .select(['id', 'customer_id'])
      .execute();
    const customers = new Map(users.map(({ id, customer_id }) => [id, customer_id]));
    const events = rows.map(({ event }) => ({ ...event, customer: customers.get(event.user_id) ?? event.customer }));
    const { refused } = await deliverUsage(target, events, deps);
    const reasons = new Map(refused.map(({ event, reason }) => [event.id, reason]));
    await db.transaction().execute(async (trx) => {
      for (const { id, event } of rows) {
        const reason = reasons.get(event.id);
        if (reason === undefined) await trx.deleteFrom('refused_usage').where('id', '=', id).execute();
        else await trx.updateTable('refused_usage').set({ waiting: false, reason }).where('id', '=', id).execute();
      }
      const sent = row.sent + rows.length - reasons.size;
      await trx.updateTable('usage_exports').set({ sent }).where('id', '=', row.id).execute();
      row.sent = sent;
    });
  }
}
