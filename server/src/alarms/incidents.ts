import { type IncidentKind, type IncidentParams, incidentSeverities, type IncidentSeverity } from '@relay-hub/contract';
import type { Db, Tables } from '#db/tables.ts';
import { addEvent } from '#notifications/add-event.ts';
import type { Selectable } from 'kysely';

const MAX_CAUSE = 500;
/** Before the id, in the object of its events. */
const SUBJECT = 'incident:';

export type IncidentRow = Selectable<Tables['incidents']>;

/** A trouble that exists now. */
export interface PresentTrouble {
  kind: IncidentKind;
  object: string;
  severity: IncidentSeverity;
  params: IncidentParams;
  cause?: string;
  /** Unix seconds; left out: now. */
  beganAt?: number;
}

/** An open incident that the database cannot record yet. */
export interface UnwrittenIncident extends PresentTrouble {
  cause: string;
  beganAt: number;
  openedAt: number;
}

/** Written events of an incident that was just opened. */
interface OpenedIncident {
  /** As in `incident:5`. */
  object: string;
  /** Id of the event. */
  event: number;
}

const keyOf = ({ kind, object }: Pick<PresentTrouble, 'kind' | 'object'>): string => `${kind} ${object}`;

/** The part of an error message that is shown. PostgreSQL stores no NUL in text. */
export const causeOf = (text: string): string => text.slice(0, MAX_CAUSE).toWellFormed().replaceAll('\0', '');

const openRows = (db: Db): Promise<IncidentRow[]> =>
  db.selectFrom('incidents').where('open_key', 'is not', null).selectAll().execute();

/** The event of an incident as integrators get it. */
const dataOf = (row: Omit<IncidentRow, 'open_key'>) => ({
  id: row.id,
  kind: row.kind,
  object: row.object,
  severity: row.severity,
  began_at: row.began_at,
  opened_at: row.opened_at,
  closed_at: row.closed_at,
  cause: row.cause,
  params: row.params,
});

async function tell(
  trx: Db,
  row: IncidentRow,
  type: 'incident.opened' | 'incident.closed',
  now: number,
): Promise<OpenedIncident> {
  const object = `${SUBJECT}${row.id}`;
  const { severity } = row;
  return { object, event: await addEvent(trx, { type, object, userId: 0, severity, data: dataOf(row), now }) };
}

/**
 * Opens an incident with its event, in the transaction of its cause. Of several nodes one does; undefined: it is open
 * already.
 */
export async function openIncident(trx: Db, trouble: PresentTrouble, now: number): Promise<OpenedIncident | undefined> {
  const { kind, object, severity, params, cause = '', beganAt = now } = trouble;
  const row = await trx
    .insertInto('incidents')
    .values({
      kind,
      object,
      open_key: keyOf(trouble),
      severity,
      began_at: beganAt,
      opened_at: now,
      updated_at: now,
      cause: causeOf(cause),
      params: JSON.stringify(params),
    })
    .onConflict((conflict) => conflict.column('open_key').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && tell(trx, row, 'incident.opened', now);
}

async function close(db: Db, { id }: Pick<IncidentRow, 'id'>, now: number): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('incidents')
      .set({ open_key: null, closed_at: now, updated_at: now })
      .where('id', '=', id)
      .where('open_key', 'is not', null)
      .returningAll()
      .executeTakeFirst();
    if (!row) return false;
    await tell(trx, row, 'incident.closed', now);
    return true;
  });
}

/**
 * Makes the open incidents of some kinds equal to the present troubles: opens, updates and closes, each with its event in
 * the same transaction. One that becomes graver is an event too. Incidents of other kinds stay.
 */
export async function settleIncidents(
  db: Db,
  troubles: readonly PresentTrouble[],
  kinds: readonly IncidentKind[],
  now: number,
): Promise<{ opened: number; closed: number }> {
  const known = new Map((await openRows(db)).map((row) => [keyOf(row), row]));
  const done = { opened: 0, closed: 0 };
  for (const trouble of troubles) {
    const row = known.get(keyOf(trouble));
    known.delete(keyOf(trouble));
    if (!row) {
      if (await db.transaction().execute((trx) => openIncident(trx, trouble, now))) done.opened++;
      continue;
    }
    const params = JSON.stringify(trouble.params);
    const cause = causeOf(trouble.cause ?? '') || row.cause;
    const isGraver = incidentSeverities.indexOf(trouble.severity) > incidentSeverities.indexOf(row.severity);
    const severity = isGraver ? trouble.severity : row.severity;
    if (!isGraver && params === JSON.stringify(row.params) && cause === row.cause) continue;
    const change = { severity, params, cause, updated_at: now };
    await db.transaction().execute(async (trx) => {
      await trx.updateTable('incidents').set(change).where('id', '=', row.id).execute();
      if (isGraver) await tell(trx, { ...row, ...change, params: trouble.params }, 'incident.opened', now);
    });
  }
  for (const row of known.values()) if (kinds.includes(row.kind) && (await close(db, row, now))) done.closed++;
  return done;
}

/** Those of the objects, as in `incident:5`, whose messages are muted now. */
export async function mutedObjects(db: Db, rows: readonly { object: string }[], now: number): Promise<Set<string>> {
  const ids = rows.flatMap(({ object }) => (object.startsWith(SUBJECT) ? [Number(object.slice(SUBJECT.length))] : []));
  if (ids.length === 0) return new Set();
  const muted = await db
    .selectFrom('incidents')
    .where('id', 'in', [...new Set(ids)])
    .where('muted_until', '>', now)
    .select('id')
    .execute();
  return new Set(muted.map(({ id }) => `${SUBJECT}${id}`));
}

/** The open incidents of a kind by object. */
export async function openIncidents(db: Db, kind: IncidentKind): Promise<Map<string, IncidentRow>> {
  const rows = await openRows(db);
  return new Map(rows.filter((row) => row.kind === kind).map((row) => [row.object, row]));
}
