import {
  type Incident,
  type incidentApi,
  type IncidentMonth,
  incidentSeverities,
  type InputOf,
  type Language,
  type Page,
  type ParsedOf,
} from '@relay-hub/contract';
import { incidentText } from '#alarms/alarm-texts.ts';
import type { IncidentRow } from '#alarms/incidents.ts';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';

const MONTHS_S = 186 * 86_400;
const MOST_CRITICAL = 5;

/** Open ones first, the gravest and longest of them first. Closed ones are equal. */
const grave = sql.join(
  incidentSeverities.map((severity, at) => sql`when ${severity} then ${sql.lit(-at)}`),
  sql` `,
);
const rank = sql`case when closed_at <> 0 then 1 else case severity ${grave} end end`;
const age = sql`case when closed_at = 0 then opened_at else 0 end`;

const shown = ({ open_key: _openKey, ...row }: IncidentRow, language: Language): Incident => ({
  ...row,
  ...incidentText(row.kind, row.params, language),
});

type IncidentDeps = Pick<Deps, 'db' | 'unwritten'>;

/** The incident of a database that cannot be written, with id 0. */
function unwrittenIncident({ unwritten }: IncidentDeps, language: Language): Incident[] {
  const { incident } = unwritten;
  if (!incident) return [];
  const { kind, object, severity, params, cause, beganAt, openedAt } = incident;
  return [
    {
      id: 0,
      kind,
      object,
      severity,
      params,
      cause,
      ...incidentText(kind, params, language),
      began_at: beganAt,
      opened_at: openedAt,
      updated_at: openedAt,
      closed_at: 0,
      acknowledged_by: '',
      acknowledged_at: 0,
      muted_until: 0,
      note: '',
    },
  ];
}

export async function listIncidents(
  deps: IncidentDeps,
  { state, kind, ...query }: ParsedOf<typeof incidentApi.list>['query'],
  language: Language,
): Promise<Page<Incident>> {
  const { db } = deps;
  let rows = db.selectFrom('incidents').selectAll();
  if (state === 'open') rows = rows.where('open_key', 'is not', null);
  if (state === 'closed') rows = rows.where('open_key', 'is', null);
  if (kind !== '') rows = rows.where('kind', '=', kind);
  const order = `rank,age,${query.order || '-id'}`;
  const page = await pageOfRows(rows, { ...query, order }, { rank, age });
  const unwritten = unwrittenIncident(deps, language).filter(
    (incident) => query.page === 1 && state !== 'closed' && (kind === '' || incident.kind === kind),
  );
  const data = [...unwritten, ...page.data.map((row) => shown(row, language))];
  return { ...page, data, total_count: page.total_count + unwritten.length };
}

/** Throws `record.not_found`. */
export async function getIncident(db: Db, id: number, language: Language): Promise<Incident> {
  const row = await db.selectFrom('incidents').where('id', '=', id).selectAll().executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return shown(row, language);
}

/** The messages about an incident, in their order. */
export async function messagesOf(db: Db, id: number) {
  const rows = await db
    .selectFrom('deliveries as d')
    .innerJoin('outbox as e', 'e.id', 'd.event_id')
    .leftJoin('ways as w', 'w.id', 'd.way_id')
    .where('d.object', '=', `incident:${id}`)
    .select(['d.created_at', 'd.sent_at', 'd.status', 'd.answer', 'e.type', 'w.kind', 'w.name'])
    .orderBy('d.id')
    .execute();
  return rows.map(({ created_at: created, sent_at: sent, status, answer, type, kind, name }) => ({
    time: sent || created,
    event: type,
    way: name || (kind ?? ''),
    status,
    answer,
  }));
}

interface Change {
  id: number;
  by: string;
  now: number;
}

/** Throws `record.not_found`. */
export async function updateIncident(
  db: Db,
  { id, by, now }: Change,
  { acknowledged, muted_until, note }: InputOf<typeof incidentApi.update>['body'],
): Promise<void> {
  const changed = await db
    .updateTable('incidents')
    .set({
      updated_at: now,
      ...(acknowledged !== undefined && {
        acknowledged_by: acknowledged ? by : '',
        acknowledged_at: acknowledged ? now : 0,
      }),
      ...(muted_until !== undefined && { muted_until }),
      ...(note !== undefined && { note }),
    })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  ensure(changed, 'record.not_found', { field: 'id' });
}

/** State for every page of the console. */
export async function incidentSummary(deps: IncidentDeps, language: Language) {
  const { db } = deps;
  const unwritten = unwrittenIncident(deps, language);
  const open = await db.selectFrom('incidents').where('open_key', 'is not', null).selectAll().orderBy('id').execute();
  const critical = open.filter(({ severity }) => severity === 'critical').slice(0, MOST_CRITICAL);
  return {
    open: open.length + unwritten.length,
    critical: [...unwritten, ...critical.map((row) => shown(row, language))],
  };
}

/** Times to notice and repair by month, newest first. */
export async function incidentMonths(db: Db, now: number): Promise<IncidentMonth[]> {
  const rows = await db
    .selectFrom('incidents')
    .where('opened_at', '>', now - MONTHS_S)
    .select(['began_at', 'opened_at', 'closed_at'])
    .execute();
  const months = Map.groupBy(rows, ({ opened_at: at }) => new Date(at * 1000).toISOString().slice(0, 7));
  return [...months]
    .map(([month, all]) => ({
      month,
      incidents: all.length,
      to_notice: average(all.map((row) => row.opened_at - row.began_at)),
      to_repair: average(all.filter((row) => row.closed_at > 0).map((row) => row.closed_at - row.began_at)),
    }))
    .toSorted((a, b) => (a.month < b.month ? 1 : -1));
}

const average = (all: readonly number[]): number | null =>
  all.length === 0 ? null : all.reduce((sum, each) => sum + each, 0) / all.length;
