import { hostname } from 'node:os';
import { causeOf, openIncident, type UnwrittenIncident } from '#alarms/incidents.ts';
import { tells } from '#alarms/plan-deliveries.ts';
import { type DeliverDeps, type EventRow, messageOf, send, type Sent, type WayRow } from '#alarms/send-message.ts';
import { asError } from '#caught-error.ts';
import { isFull } from '#db/outage.ts';
import type { NodeTrouble } from '#db/tables/alarms.ts';
import type { Deps } from '#deps.ts';

type SilenceDeps = DeliverDeps & Pick<Deps, 'unwritten'>;

/** Silence of the database from which on it is an incident. */
const SILENT_S = 20;
/** Pause after a message that was not taken, doubled by each further one. */
const AGAIN_S = 10;

/** A way, and how its message went. */
interface Message {
  way: WayRow;
  attempts: number;
  nextAt: number;
  sent?: Sent;
}

interface Known {
  ways: readonly WayRow[];
  operators: NonNullable<DeliverDeps['operators']>;
  /** Whether an incident of the storage is recorded and was sent already. */
  isStorageOpen: boolean;
}

/**
 * The incident of a database that cannot be written: kept in memory, sent by the ways that were known before, and
 * recorded with its messages as soon as the database answers.
 */
export class DatabaseSilence {
  readonly #deps: SilenceDeps;
  /** Begin of the first round without an answer; 0: there is none. */
  #since = 0;
  #failure: { error: unknown; storage: NodeTrouble | undefined } | undefined;
  #known: Known = { ways: [], operators: [], isStorageOpen: false };
  #messages: Message[] = [];
  #sending: Promise<unknown> = Promise.resolve();

  constructor(deps: SilenceDeps) {
    this.#deps = deps;
  }

  /** Whether the last round got no answer. */
  get isSilent(): boolean {
    return this.#failure !== undefined;
  }

  /** Keeps what an outage cannot look up. */
  know(known: Known): void {
    this.#known = known;
  }

  /** A round begins that needs the database. */
  begin(): void {
    this.#since ||= this.#deps.now();
  }

  /** The round failed. `storage`: this node cannot write its journal either, which is the better name. */
  fail(error: unknown, storage: NodeTrouble | undefined): void {
    this.#failure = { error, storage };
  }

  /** Opens the incident when the silence is long enough, and sends the messages that were not taken yet. */
  async tell(): Promise<void> {
    const { unwritten, now } = this.#deps;
    const trouble = this.#trouble();
    if (this.#since === 0 || now() - this.#since < SILENT_S) return;
    if (trouble.kind === 'storage' && this.#known.isStorageOpen) return;
    const isNew = unwritten.incident === undefined;
    const openedAt = unwritten.incident?.openedAt ?? now();
    unwritten.incident = { ...trouble, severity: 'critical', beganAt: this.#since, openedAt };
    const event = eventOf(unwritten.incident);
    const canMail = this.#deps.mailer.isSetUp() && this.#known.operators.length > 0;
    if (isNew)
      this.#messages = this.#known.ways
        .filter((way) => tells(way, event) && (way.kind !== 'mail' || canMail))
        .map((way) => ({ way, attempts: 0, nextAt: 0 }));
    this.#sending = Promise.all([this.#sending, ...this.#messages.map((message) => this.#send(message, event))]);
    await this.#sending;
  }

  /** Records the incident and its messages, when the database answers again. */
  async record(): Promise<void> {
    const { db, unwritten } = this.#deps;
    const { incident } = unwritten;
    if (!incident) return;
    // Else a message under way would be sent again.
    await this.#sending;
    // The time until now.
    const { params } = incident.kind === 'database' ? this.#trouble() : incident;
    await db.transaction().execute(async (trx) => {
      const opened = await openIncident(trx, { ...incident, params }, incident.openedAt);
      if (!opened) return;
      // Planning leaves out the ways that have a delivery of its beginning.
      const rows = this.#messages.flatMap(({ way, attempts, sent }) =>
        sent?.outcome.result === 'ok'
          ? {
              event_id: opened.event,
              way_id: way.id,
              object: opened.object,
              status: 'delivered' as const,
              attempts,
              created_at: incident.openedAt,
              next_at: 0,
              sent_at: incident.openedAt,
              http_status: sent.status,
              request: sent.request,
              answer: sent.answer,
              ref: sent.outcome.ref ?? eventOf(incident).object,
            }
          : [],
      );
      if (rows.length > 0) await trx.insertInto('deliveries').values(rows).execute();
    });
  }

  /** The round got its answers. */
  end(): void {
    this.#since = 0;
    this.#failure = undefined;
    this.#messages = [];
    this.#deps.unwritten.incident = undefined;
  }

  #trouble() {
    const { error, storage } = this.#failure ?? {};
    const cause = error === undefined ? '' : causeOf(asError(error).message);
    const host = hostname();
    if (storage) return { kind: storage.kind, object: storage.object, params: storage.params, cause: storage.cause };
    if (isFull(error)) return { kind: 'storage' as const, object: host, params: { host }, cause };
    return { kind: 'database' as const, object: '', params: { seconds: this.#deps.now() - this.#since }, cause };
  }

  async #send(message: Message, event: EventRow): Promise<void> {
    const { log, now } = this.#deps;
    const { way, sent, nextAt } = message;
    if (now() < nextAt || (sent && sent.outcome.result !== 'again')) return;
    message.nextAt = Infinity;
    message.attempts++;
    const deps = { ...this.#deps, operators: this.#known.operators };
    try {
      const written = await messageOf(deps, way, { id: 0, object: event.object }, event);
      message.sent = await send(deps, way, { ...written, id: `msg_${event.object.replace(':', '_')}_${way.id}` });
      const { status, answer, outcome } = message.sent;
      if (outcome.result !== 'ok')
        log.warn({ way: way.id, kind: way.kind, status, answer }, 'the outage of the database was not told');
    } catch (error) {
      log.warn({ err: error, way: way.id }, 'the outage of the database was not told');
    }
    message.nextAt = now() + AGAIN_S * 2 ** (message.attempts - 1);
  }
}

/** Its event, as if it was recorded. Services know both ends of it by the object. */
function eventOf({ kind, object, severity, beganAt, openedAt, cause, params }: UnwrittenIncident): EventRow {
  const times = { began_at: beganAt, opened_at: openedAt, closed_at: 0 };
  return {
    id: 0,
    type: 'incident.opened',
    object: `outage:${beganAt}`,
    user_id: 0,
    severity,
    payload: JSON.stringify({ id: 0, kind, object, severity, ...times, cause, params }),
    time: openedAt,
    planned: true,
  };
}
