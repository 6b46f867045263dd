import type { IncidentKind, IncidentParams, Language, WayConfig } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import * as z from 'zod/mini';
import type { BaseDeps } from '#base-deps.ts';
import type { Tables } from '#db/tables.ts';
import { AppError } from '#errors.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { callerReach, operatorReach } from '#http/outbound/reach.ts';
import { mailLanguage } from '#mail/mail-language.ts';
import type { Mailer } from '#mail/mailer.ts';
import { operatorAddresses } from '#mail/operator-addresses.ts';
import { utcText } from '#mail/utc-text.ts';
import { writeMail } from '#mail/write-mail.ts';
import { creditsText } from '#quota/credits-text.ts';
import { masked } from '#secrets.ts';
import { filled, incidentText } from './alarm-texts.ts';
import { type WayMessage, type WayOutcome, services } from './way-kinds.ts';
import { serverTexts } from '#i18n/texts.ts';

export type DeliverDeps = Pick<BaseDeps, 'config' | 'db' | 'live' | 'log' | 'now' | 'secrets'> & {
  mailer: Mailer;
  /** Recipients of the site's mails, for when the database cannot be asked. */
  operators?: readonly { email: string }[];
};
export type WayRow = Selectable<Tables['ways']>;
export type EventRow = Selectable<Tables['outbox']>;
export type DeliveryRow = Selectable<Tables['deliveries']>;

const TIMEOUT_MS = 15_000;
const MAX_ANSWER = 500;
const MAX_REQUEST = 2000;

const emptyConfig: WayConfig = { address: '', target: '', token: '', secret: '' };

/** The destination of a way. */
export const configOf = ({ secrets }: Pick<BaseDeps, 'secrets'>, { config_cipher: cipher }: WayRow): WayConfig =>
  cipher === '' ? emptyConfig : { ...emptyConfig, ...(JSON.parse(secrets.decrypt(cipher)) as WayConfig) };

export const isIncident = (type: string): boolean => type.startsWith('incident.');

/** Written by `settleIncidents`. */
export const incidentData = z.object({
  id: z.number(),
  kind: z.custom<IncidentKind>(),
  object: z.string(),
  cause: z.string(),
  params: z.custom<IncidentParams>(),
});

/** Address of a page of the console; empty: the site has none. */
export const siteLink = ({ live }: DeliverDeps, path: string): string =>
  live.settings.ServerAddress === '' ? '' : `${live.settings.ServerAddress}${path}`;

/** Of the person who gets it; the site's for operators. */
export async function languageOf({ db, live }: DeliverDeps, way: WayRow): Promise<Language> {
  const row =
    way.user_id === 0
      ? undefined
      : await db.selectFrom('users').where('id', '=', way.user_id).select('language').executeTakeFirst();
  return mailLanguage(live.settings.Language, row?.language);
}

/** The message of a delivery, in the language of its reader. */
export async function messageOf(
  deps: DeliverDeps,
  way: WayRow,
  row: Pick<DeliveryRow, 'id' | 'object'>,
  event: EventRow,
): Promise<WayMessage> {
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
  const words = serverTexts(language).alarms;
  const data: unknown = JSON.parse(payload);
  if (type !== 'incident.opened' && type !== 'incident.closed') {
    const { balance, expires, ...others } = data as Record<string, unknown>; // by `addEvent`
    const values = {
      ...others,
      ...(typeof balance === 'number' && { balance: creditsText(balance, deps.live.settings) }),
      ...(typeof expires === 'number' && { expires: utcText(expires) }),
    };
    const lines = type === 'login.new' || type === 'key.rotated' ? [words.notYou] : [];
    return { title: filled(words.events[type], values), lines, link: siteLink(deps, '') };
  }
  const { id, kind, params, cause } = incidentData.parse(data);
  const { title, advice } = incidentText(kind, params, language);
  const link = siteLink(deps, `/panel/incident?show=${id}`);
  if (type === 'incident.closed') return { title: `${words.over}: ${title}`, lines: [], link };
  return { title, lines: [...(cause === '' ? [] : [`${words.cause}: ${cause}`]), advice], link };
}

/** How an attempt went, without secrets. */
export interface Sent {
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
  { title, lines, link, object, type }: WayMessage,
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
      await mailer.trySend(email, { ...mail, ...threadOf(deps, object, type) });
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

/** Mails about one incident are a thread: its first has an id that the others refer to. */
function threadOf(deps: DeliverDeps, object: string, type: string) {
  if (!isIncident(type)) return {};
  const host = URL.parse(siteLink(deps, '/'))?.host ?? 'relay-hub';
  const first = `<${object.replace(':', '-')}@${host}>`;
  return type === 'incident.opened' ? { messageId: first } : { inReplyTo: first, references: first };
}

async function recipientsOf(deps: DeliverDeps, way: WayRow): Promise<readonly { email: string; language?: string }[]> {
  if (way.user_id === 0) {
    const { target } = configOf(deps, way);
    if (target !== '') return [{ email: target }];
    return deps.operators ?? operatorAddresses(deps);
  }
  // A person's own address only: a way must not mail strangers.
  return deps.db
    .selectFrom('users')
    .where('id', '=', way.user_id)
    .where('email', '<>', '')
    .select(['email', 'language'])
    .execute();
}
