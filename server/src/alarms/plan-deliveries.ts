import { incidentSeverities, mailedEvents } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { operatorAddresses } from '#mail/operator-addresses.ts';
import { mutedObjects } from './incidents.ts';
import { quietUntil } from './quiet-hours.ts';
import { type DeliverDeps, type EventRow, incidentData, isIncident, type WayRow } from './send-message.ts';

const PLANNED_AT_ONCE = 200;
/** Owner of the ways of the site. */
const SITE = 0;
const KEPT_S = 30 * 86_400;
const INCIDENTS_KEPT_S = 400 * 86_400;

/** Whether a way delivers an event: the site's ways all that they chose, a person's those of the account. */
export function tells(way: WayRow, event: EventRow): boolean {
  const { type, severity, user_id: owner, payload } = event;
  if (!way.enabled || !way.events.includes(type)) return false;
  if (!isIncident(type)) return way.user_id === 0 || way.user_id === owner;
  if (way.user_id !== 0 || incidentSeverities.indexOf(severity) < incidentSeverities.indexOf(way.severity))
    return false;
  const { kind, object } = incidentData.parse(JSON.parse(payload));
  // A way cannot deliver its own failure.
  if (kind === 'way' && object === String(way.id)) return false;
  return way.kinds.length === 0 || way.kinds.includes(kind);
}

/** Plans the deliveries of new events. Each event is planned by one node, once. Returns the number of deliveries. */
export async function planDeliveries(deps: DeliverDeps): Promise<number> {
  const { db } = deps;
  const events = await db
    .selectFrom('outbox')
    .where('planned', '=', false)
    .selectAll()
    .orderBy('id')
    .limit(PLANNED_AT_ONCE)
    .execute();
  if (events.length === 0) return 0;
  const owners = [SITE, ...new Set(events.map(({ user_id }) => user_id))];
  const ways = await db
    .selectFrom('ways')
    .where('user_id', 'in', owners)
    .where('enabled', '=', true)
    .selectAll()
    .orderBy('id')
    .execute();
  const canMail = deps.mailer.isSetUp();
  const canMailSite = canMail && (await operatorAddresses(deps)).length > 0;
  for (const { type, user_id: owner } of events)
    if (canMail && owner !== SITE && mailedEvents.includes(type)) ways.push(...(await addMailWay(db, owner)));
  const muted = await mutedObjects(db, events, deps.now());
  let count = 0;
  for (const event of events) {
    const isMuted = muted.has(event.object);
    const told = ways.filter(
      (way) => !isMuted && tells(way, event) && (way.kind !== 'mail' || (way.user_id === SITE ? canMailSite : canMail)),
    );
    count += await db.transaction().execute((trx) => plan(trx, event, told, deps.now()));
  }
  return count;
}

/** Gives a person with an address their way by mail, which they can switch off; none if they have it. */
async function addMailWay(db: Db, owner: number): Promise<WayRow[]> {
  const person = await db
    .selectFrom('users')
    .where('id', '=', owner)
    .where('email', '<>', '')
    .where('deleted_time', 'is', null)
    .select('id')
    .executeTakeFirst();
  if (!person) return [];
  return db
    .insertInto('ways')
    .values({
      user_id: owner,
      kind: 'mail',
      name: '',
      config_cipher: '',
      hint: '',
      enabled: true,
      events: JSON.stringify(mailedEvents),
      kinds: '[]',
      severity: 'warning',
      quiet_from: '',
      quiet_to: '',
      quiet_zone: '',
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute();
}

async function plan(trx: Db, event: EventRow, told: readonly WayRow[], now: number): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('outbox')
    .set({ planned: true })
    .where('id', '=', event.id)
    .where('planned', '=', false)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n || told.length === 0) return 0;
  const isEnd = event.type === 'incident.closed';
  // An incident whose severity rose is also sent to ways that skipped the lower severity.
  const heard = isIncident(event.type) ? await waysThatHeard(trx, event.object) : undefined;
  const rows = told
    .filter(({ id }) => heard === undefined || heard.has(id) === isEnd)
    .map((way) => ({
      event_id: event.id,
      way_id: way.id,
      object: event.object,
      created_at: now,
      next_at: event.severity === 'critical' ? now : quietUntil(way, now),
    }));
  if (rows.length > 0) await trx.insertInto('deliveries').values(rows).execute();
  return rows.length;
}

/** Ways without the beginning of an incident do not get its end. */
async function waysThatHeard(trx: Db, object: string): Promise<Set<number>> {
  const rows = await trx.selectFrom('deliveries').where('object', '=', object).select('way_id').execute();
  return new Set(rows.map(({ way_id }) => way_id));
}

/** Deletes events and deliveries after a month, and incidents after more than a year. */
export async function forgetDeliveries({ db, now }: Pick<DeliverDeps, 'db' | 'now'>): Promise<void> {
  const before = now() - KEPT_S;
  await db.deleteFrom('deliveries').where('status', '<>', 'waiting').where('created_at', '<', before).execute();
  await db.deleteFrom('outbox').where('time', '<', before).where('planned', '=', true).execute();
  await db.deleteFrom('shortfalls').where('created_at', '<', before).execute();
  await db
    .deleteFrom('incidents')
    .where('open_key', 'is', null)
    .where('closed_at', '<', now() - INCIDENTS_KEPT_S)
    .execute();
}
