import { incidentSeverities } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { filled } from './alarm-texts.ts';
import { mutedObjects } from './incidents.ts';
import {
  type DeliverDeps,
  type DeliveryRow,
  type EventRow,
  isIncident,
  languageOf,
  messageOf,
  send,
  type Sent,
  siteLink,
  type WayRow,
} from './send-message.ts';
import type { WayMessage } from './way-kinds.ts';
import { serverTexts } from '#i18n/texts.ts';

const DUE_AT_ONCE = 500;
const WAYS_AT_ONCE = 8;
/** Longer than an attempt: a claim whose process died is repeated after it. */
const LEASE_S = 60;
/** More waiting incidents than this become one message for people. */
const FLOOD = 5;
const LISTED = 10;
/** Permanent refusals in a row after which a way is switched off. */
const MOST_REFUSALS = 3;

/** Pauses after failed attempts: an alert that is a day late is noise, an event of an order is not. */
const alertPausesS = [10, 60, 300, 1800, 7200];
const eventPausesS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/**
 * Sends due deliveries: one after the other by each way, several ways at a time. Every node takes part, each delivery is
 * claimed by one. Returns the number of messages.
 */
export async function sendDeliveries(deps: DeliverDeps, isOver: () => boolean = () => false): Promise<number> {
  const { db, now } = deps;
  const waiting = await db
    .selectFrom('deliveries')
    .where('status', '=', 'waiting')
    .where('next_at', '<=', now())
    .selectAll()
    .orderBy('id')
    .limit(DUE_AT_ONCE)
    .execute();
  if (waiting.length === 0) return 0;
  const byWay = [...Map.groupBy(waiting, ({ way_id }) => way_id)];
  let count = 0;
  const work = async (): Promise<void> => {
    for (let next = byWay.pop(); next; next = byWay.pop()) {
      if (isOver()) return;
      try {
        count += await sendBy(deps, next[0], next[1], isOver);
      } catch (error) {
        // One way that fails must not stop the others; the lease of its message ends.
        deps.log.warn({ err: error, way: next[0] }, 'messages of a way could not be sent');
      }
    }
  };
  await Promise.all(Array.from({ length: WAYS_AT_ONCE }, work));
  return count;
}

async function sendBy(deps: DeliverDeps, wayId: number, due: readonly DeliveryRow[], isOver: () => boolean) {
  const { db } = deps;
  const way = await db.selectFrom('ways').where('id', '=', wayId).selectAll().executeTakeFirst();
  if (!way?.enabled) {
    const ids = due.map(({ id }) => id);
    await db
      .updateTable('deliveries')
      .set({ status: 'failed', next_at: 0, answer: 'off' })
      .where('id', 'in', ids)
      .execute();
    return 0;
  }
  const rows = await inOrder(db, wayId, due);
  const events = await eventsOf(db, rows);
  const muted = await mutedObjects(db, rows, deps.now());
  const alerts = rows.filter((row) => isIncident(events.get(row.event_id)?.type ?? '') && !muted.has(row.object));
  const isForPrograms = way.kind === 'webhook' || way.kind === 'pagerduty';
  const folded = !isForPrograms && alerts.length > FLOOD ? alerts : [];
  let count = 0;
  if (folded.length > 0 && !isOver()) count += await sendTogether(deps, way, folded, events);
  for (const row of rows) {
    const event = events.get(row.event_id);
    if (isOver()) break;
    if (folded.includes(row) || !event || !(await claim(deps, row))) continue;
    // Muted while it waited.
    if (muted.has(row.object)) {
      await db
        .updateTable('deliveries')
        .set({ status: 'failed', next_at: 0, answer: 'muted' })
        .where('id', '=', row.id)
        .execute();
      continue;
    }
    const message = await messageOf(deps, way, row, event);
    await note(
      deps,
      way,
      [row],
      await send(deps, way, message, row),
      isIncident(event.type) ? alertPausesS : eventPausesS,
    );
    count++;
  }
  return count;
}

/** Without those that have to wait for an earlier message about the same object. */
async function inOrder(db: Db, wayId: number, due: readonly DeliveryRow[]): Promise<DeliveryRow[]> {
  const waiting = await db
    .selectFrom('deliveries')
    .where('way_id', '=', wayId)
    .where('status', '=', 'waiting')
    .select(['object', (eb) => eb.fn.min<number>('id').as('first')])
    .groupBy('object')
    .execute();
  const first = new Map(waiting.map((row) => [row.object, row.first]));
  return due.filter(({ id, object }) => first.get(object) === id);
}

async function eventsOf(db: Db, rows: readonly DeliveryRow[]): Promise<Map<number, EventRow>> {
  if (rows.length === 0) return new Map();
  const ids = rows.map(({ event_id }) => event_id);
  const events = await db.selectFrom('outbox').where('id', 'in', ids).selectAll().execute();
  return new Map(events.map((event) => [event.id, event]));
}

async function claim({ db, now }: DeliverDeps, { id, next_at, attempts }: DeliveryRow): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set({ next_at: now() + LEASE_S, attempts: attempts + 1 })
    .where('id', '=', id)
    .where('status', '=', 'waiting')
    .where('next_at', '=', next_at)
    .where('attempts', '=', attempts)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** One message for many incidents. */
async function sendTogether(
  deps: DeliverDeps,
  way: WayRow,
  rows: readonly DeliveryRow[],
  events: ReadonlyMap<number, EventRow>,
): Promise<number> {
  const claimed: DeliveryRow[] = [];
  for (const row of rows) if (await claim(deps, row)) claimed.push(row);
  const [head] = claimed;
  if (!head) return 0;
  const words = serverTexts(await languageOf(deps, way)).alarms;
  const messages: WayMessage[] = [];
  for (const row of claimed) {
    const event = events.get(row.event_id);
    if (event) messages.push(await messageOf(deps, way, row, event));
  }
  const worst = messages.toSorted(
    (a, b) => incidentSeverities.indexOf(b.severity) - incidentSeverities.indexOf(a.severity),
  );
  const first = worst[0];
  if (!first) return 0;
  const more = messages.length - LISTED;
  const summary: WayMessage = {
    ...first,
    title: filled(words.several, { count: messages.length }),
    lines: [
      ...worst.slice(0, LISTED).map(({ title }) => title),
      ...(more > 0 ? [filled(words.more, { count: more })] : []),
    ],
    link: siteLink(deps, '/panel/incident'),
    replyTo: '',
  };
  await note(deps, way, claimed, await send(deps, way, summary, head), alertPausesS);
  return 1;
}

/** Stores how deliveries went, and at the way whether it works. */
async function note(
  { db, log, now }: DeliverDeps,
  way: WayRow,
  rows: readonly DeliveryRow[],
  { outcome, status, request, answer }: Sent,
  pausesS: readonly number[],
): Promise<void> {
  const attempts = (rows[0]?.attempts ?? 0) + 1;
  const pauseS = outcome.result === 'again' ? pausesS[attempts - 1] : undefined;
  const state = outcome.result === 'ok' ? 'delivered' : pauseS === undefined ? 'failed' : 'waiting';
  const nextS = Math.max(pauseS ?? 0, outcome.result === 'again' ? (outcome.afterS ?? 0) : 0);
  await db
    .updateTable('deliveries')
    .set({
      status: state,
      next_at: state === 'waiting' ? now() + nextS : 0,
      sent_at: now(),
      http_status: status,
      request,
      answer,
      ...(outcome.result === 'ok' && outcome.ref !== undefined && { ref: outcome.ref }),
    })
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute();
  if (outcome.result === 'ok') {
    if (way.failure !== '' || way.failures > 0)
      await db.updateTable('ways').set({ failure: '', failures: 0 }).where('id', '=', way.id).execute();
    return;
  }
  log.warn({ way: way.id, kind: way.kind, status, answer, state }, 'a message was not delivered');
  const failures = way.failures + (state === 'failed' ? 1 : 0);
  const isGone = way.kind === 'webhook' && status === 410;
  const isOff = isGone || (outcome.result === 'never' && failures >= MOST_REFUSALS);
  await db
    .updateTable('ways')
    .set({ failure: answer || String(status), failures, ...(isOff && { enabled: false }) })
    .where('id', '=', way.id)
    .execute();
  way.failures = failures;
}
