import {
  incidentSeverities,
  type IncidentKind,
  type IncidentParams,
  type Language,
  type WayConfig,
} from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import * as z from 'zod/mini';
import type { BaseDeps } from '#base-deps.ts';
import type { Db, Tables } from '#db/tables.ts';
import { AppError } from '#errors.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { callerReach, operatorReach } from '#http/outbound/reach.ts';
import { mailLanguage } from '#mail/mail-language.ts';
import type { Mailer } from '#mail/mailer.ts';
import { operatorAddresses } from '#mail/operator-addresses.ts';
import { writeMail } from '#mail/write-mail.ts';
import { masked } from '#secrets.ts';
import { alarmWords, filled, incidentText } from './alarm-texts.ts';
import { quietUntil } from './quiet-hours.ts';
import { type WayMessage, type WayOutcome, services } from './way-kinds.ts';

export type DeliverDeps = Pick<BaseDeps, 'config' | 'db' | 'live' | 'log' | 'now' | 'secrets'> & { mailer: Mailer };
export type WayRow = Selectable<Tables['ways']>;
type EventRow = Selectable<Tables['outbox']>;
type DeliveryRow = Selectable<Tables['deliveries']>;

const PLANNED_AT_ONCE = 200;
const DUE_AT_ONCE = 500;
const WAYS_AT_ONCE = 8;
/** Longer than an attempt: a claim whose process died is repeated after it. */
const LEASE_S = 60;
const TIMEOUT_MS = 15_000;
/** More waiting incidents than this become one message for people. */
const FLOOD = 5;
const LISTED = 10;
/** Permanent refusals in a row after which a way is switched off. */
const MOST_REFUSALS = 3;
const MAX_ANSWER = 500;
const MAX_REQUEST = 2000;

/** Pauses after failed attempts: an alert that is a day late is noise, an event of an order is not. */
const alertPausesS = [10, 60, 300, 1800, 7200];
const eventPausesS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

const emptyConfig: WayConfig = { address: '', target: '', token: '', secret: '' };

/** The destination of a way. */
export const configOf = ({ secrets }: Pick<BaseDeps, 'secrets'>, { config_cipher: cipher }: WayRow): WayConfig =>
  cipher === '' ? emptyConfig : { ...emptyConfig, ...(JSON.parse(secrets.decrypt(cipher)) as WayConfig) };

const isIncident = (type: string): boolean => type.startsWith('incident.');

/** Whether a way delivers an event: the site's ways all that they chose, a person's those of the account. */
export function tells(way: WayRow, event: EventRow): boolean {
  const { type, severity, user_id: owner, payload } = event;
  if (!way.enabled || type === 'way.test' || !way.events.includes(type)) return false;
  if (!isIncident(type)) return way.user_id === 0 || way.user_id === owner;
  if (way.user_id !== 0 || incidentSeverities.indexOf(severity) < incidentSeverities.indexOf(way.severity))
    return false;
  const { kind, object } = incidentData.parse(JSON.parse(payload));
  // A way cannot deliver its own failure.
  if (kind === 'way' && object === String(way.id)) return false;
  return way.kinds.length === 0 || way.kinds.includes(kind);
}

/** Written by `settleIncidents`. */
const incidentData = z.object({
  id: z.number(),
  kind: z.custom<IncidentKind>(),
  object: z.string(),
  cause: z.string(),
  params: z.custom<IncidentParams>(),
});

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
  const ways = await db.selectFrom('ways').where('enabled', '=', true).selectAll().orderBy('id').execute();
  const canMail = deps.mailer.isSetUp() && (await operatorAddresses(deps)).length > 0;
  let count = 0;
  for (const event of events) {
    const told = ways.filter((way) => tells(way, event) && (way.kind !== 'mail' || way.user_id !== 0 || canMail));
    count += await db.transaction().execute((trx) => plan(trx, event, told, deps.now()));
  }
  return count;
}

async function plan(trx: Db, event: EventRow, told: readonly WayRow[], now: number): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('outbox')
    .set({ planned: true })
    .where('id', '=', event.id)
    .where('planned', '=', false)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n || told.length === 0 || (await isMuted(trx, event, now))) return 0;
  const heard = event.type === 'incident.closed' ? await waysThatHeard(trx, event.object) : undefined;
  const rows = told
    .filter(({ id }) => heard?.has(id) ?? true)
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

async function isMuted(trx: Db, { type, object }: EventRow, now: number): Promise<boolean> {
  if (!isIncident(type)) return false;
  const row = await trx
    .selectFrom('incidents')
    .where('id', '=', Number(object.slice('incident:'.length)))
    .select('muted_until')
    .executeTakeFirst();
  return (row?.muted_until ?? 0) > now;
}

/** Ways without the beginning of an incident do not get its end. */
async function waysThatHeard(trx: Db, object: string): Promise<Set<number>> {
  const rows = await trx.selectFrom('deliveries').where('object', '=', object).select('way_id').execute();
  return new Set(rows.map(({ way_id }) => way_id));
}

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
  const alerts = rows.filter(({ event_id }) => isIncident(events.get(event_id)?.type ?? ''));
  const isForPrograms = way.kind === 'webhook' || way.kind === 'pagerduty';
  const folded = !isForPrograms && alerts.length > FLOOD ? alerts : [];
  let count = 0;
  if (folded.length > 0 && !isOver()) count += await sendTogether(deps, way, folded, events);
  for (const row of rows) {
    const event = events.get(row.event_id);
    if (isOver()) break;
    if (folded.includes(row) || !event || !(await claim(deps, row))) continue;
    // Muted while it waited.
    if (await isMuted(db, event, deps.now())) {
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
  const words = alarmWords(await languageOf(deps, way));
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

const siteLink = ({ live }: DeliverDeps, path: string): string =>
  live.settings.ServerAddress === '' ? '' : `${live.settings.ServerAddress}${path}`;

/** Of the person who gets it; the site's for operators. */
async function languageOf({ db, live }: DeliverDeps, way: WayRow): Promise<Language> {
  const row =
    way.user_id === 0
      ? undefined
      : await db.selectFrom('users').where('id', '=', way.user_id).select('language').executeTakeFirst();
  return mailLanguage(live.settings.Language, row?.language);
}

async function messageOf(deps: DeliverDeps, way: WayRow, row: DeliveryRow, event: EventRow): Promise<WayMessage> {
  const isOver = event.type === 'incident.closed';
  const earlier = isOver
    ? await deps.db
        .selectFrom('deliveries')
        .where('way_id', '=', way.id)
        .where('object', '=', row.object)
        .where('id', '<', row.id)
        .where('ref', '<>', '')
        .select('ref')
        .executeTakeFirst()
    : undefined;
  return {
    ...wordsOf(deps, event, await languageOf(deps, way)),
    id: `msg_${event.id}_${way.id}`,
    type: event.type,
    object: event.object,
    severity: event.severity,
    isOver,
    data: JSON.parse(event.payload),
    time: event.time,
    now: deps.now(),
    replyTo: earlier?.ref ?? '',
  };
}

/** Title, further lines and link of an event, for people. */
function wordsOf(deps: DeliverDeps, { type, payload }: EventRow, language: Language) {
  const words = alarmWords(language);
  const data: unknown = JSON.parse(payload);
  if (type !== 'incident.opened' && type !== 'incident.closed')
    return { title: filled(words.events[type], data as Record<string, unknown>), lines: [], link: siteLink(deps, '') };
  const { id, kind, params, cause } = incidentData.parse(data);
  const { title, advice } = incidentText(kind, params, language);
  const link = siteLink(deps, `/panel/incident?show=${id}`);
  if (type === 'incident.closed') return { title: `${words.over}: ${title}`, lines: [], link };
  return { title, lines: [...(cause === '' ? [] : [`${words.cause}: ${cause}`]), advice], link };
}

interface Sent {
  outcome: WayOutcome;
  status: number;
  request: string;
  answer: string;
}

/** Sends a message once, by whatever way. Never throws for a service's or mail server's refusal. */
export async function send(
  deps: DeliverDeps,
  way: WayRow,
  message: WayMessage,
  row?: Pick<DeliveryRow, 'id' | 'ref'>,
): Promise<Sent> {
  if (way.kind === 'mail') return sendMails(deps, way, message, row);
  const config = configOf(deps, way);
  const bare = (text: string, most: number) => masked(withoutConfig(text, config)).slice(0, most).toWellFormed();
  let request = '';
  try {
    const { address, headers = {}, body } = services[way.kind].request(config, message);
    request = bare(body, MAX_REQUEST);
    const reach = way.user_id === 0 ? operatorReach(deps) : callerReach(deps);
    const answer = await fetchGuarded(address, {
      reach,
      maxBytes: 64 * 1024,
      timeoutMs: TIMEOUT_MS,
      accept: '*/*',
      request: { method: 'POST', headers, body },
    });
    const text = answer.body.toString('utf8').replaceAll('\0', '');
    const outcome = services[way.kind].read({ status: answer.status, headers: answer.headers, body: text });
    return { outcome, status: answer.status, request, answer: bare(text, MAX_ANSWER) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // An answer that is too long came from a service that took the message or not: it is asked again.
    const isPermanent = ['outbound.address', 'outbound.never', 'outbound.private'].includes(error.code);
    const answer = [error.code, error.values['reason']].filter((part) => part !== undefined).join(': ');
    return {
      outcome: { result: isPermanent ? 'never' : 'again' },
      status: 0,
      request,
      answer: bare(answer, MAX_ANSWER),
    };
  }
}

/** Services repeat what they were sent, and their address may be the secret. */
function withoutConfig(text: string, { address, token, secret }: WayConfig): string {
  let bare = text;
  for (const part of [token, secret, address]) if (part.length >= 6) bare = bare.replaceAll(part, '••••');
  return bare;
}

/** To all recipients; `ref` remembers who got it, for the attempts that follow. */
async function sendMails(
  deps: DeliverDeps,
  way: WayRow,
  { title, lines, link }: WayMessage,
  row?: Pick<DeliveryRow, 'id' | 'ref'>,
): Promise<Sent> {
  const { db, live, mailer } = deps;
  const done = new Set(row?.ref.split(' ') ?? []);
  const sent = { status: 0, request: [title, ...lines].join('\n').slice(0, MAX_REQUEST) };
  try {
    for (const { email, language } of await recipientsOf(deps, way)) {
      if (done.has(email)) continue;
      const mail = writeMail({
        kind: 'alarm',
        language: mailLanguage(live.settings.Language, language),
        site: live.settings.SystemName,
        values: { title },
        events: lines.map((line) => ({ kind: 'line', values: { line } })),
        ...(link !== '' && { link }),
      });
      await mailer.trySend(email, mail);
      done.add(email);
      const ref = [...done].join(' ').trim();
      if (row) await db.updateTable('deliveries').set({ ref }).where('id', '=', row.id).execute();
    }
    return { ...sent, outcome: { result: 'ok' }, answer: [...done].join(' ').trim() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const answer = [error.code, error.values['reply'] ?? error.values['reason']].filter((part) => part !== undefined);
    return { ...sent, outcome: { result: 'again' }, answer: answer.join(': ').slice(0, MAX_ANSWER) };
  }
}

async function recipientsOf(deps: DeliverDeps, way: WayRow): Promise<{ email: string; language?: string }[]> {
  if (way.user_id === 0) {
    const { target } = configOf(deps, way);
    return target === '' ? operatorAddresses(deps) : [{ email: target }];
  }
  // A person's own address only: a way must not mail strangers.
  return deps.db
    .selectFrom('users')
    .where('id', '=', way.user_id)
    .where('email', '<>', '')
    .select(['email', 'language'])
    .execute();
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

const KEPT_S = 30 * 86_400;
const INCIDENTS_KEPT_S = 400 * 86_400;

/** Deletes events and deliveries after a month, and incidents after more than a year. */
export async function forgetDeliveries({ db, now }: Pick<DeliverDeps, 'db' | 'now'>): Promise<void> {
  const before = now() - KEPT_S;
  await db.deleteFrom('deliveries').where('status', '<>', 'waiting').where('created_at', '<', before).execute();
  await db.deleteFrom('outbox').where('time', '<', before).where('planned', '=', true).execute();
  await db
    .deleteFrom('incidents')
    .where('open_key', 'is', null)
    .where('closed_at', '<', now() - INCIDENTS_KEPT_S)
    .execute();
}
