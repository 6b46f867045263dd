import { randomUUID } from 'node:crypto';
import type { BillingSystem, UsageMeasure } from '@relay-hub/contract';
import { signedHeaders } from '#alarms/way-kinds.ts';
import type { UsageEvent } from '#db/tables/bills.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { isObject, listOr, objectOr, parseJson, textOr } from '#json.ts';
import { masked } from '#secrets.ts';

/** A billing system with its secrets. */
export interface BillingTarget {
  kind: BillingSystem;
  address: string;
  event: string;
  measure: UsageMeasure;
  key: string;
  secret: string;
}

export type BillingDeps = Pick<Deps, 'config' | 'live' | 'now'>;

/** An event that would be refused again, and why. */
export interface RefusedEvent {
  event: UsageEvent;
  reason: string;
}

/** Result of a batch. Events that are neither refused nor skipped are at the receiver. */
export interface UsageDelivery {
  refused: RefusedEvent[];
  /** Events that this system cannot take. */
  skipped: number;
}

/** The receiver did not take the events now. */
export class NotTaken extends Error {
  /** Seconds that the receiver wants to be left alone; 0: it does not say. */
  readonly afterS: number;

  constructor(reason: string, afterS = 0) {
    super(reason);
    this.afterS = afterS;
  }
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  json: unknown;
  /** Status and message, without secrets. */
  reason: string;
}

interface System {
  deliver: (target: BillingTarget, events: readonly UsageEvent[], deps: BillingDeps) => Promise<UsageDelivery>;
  /** Tries address and key. Rejects with `NotTaken`. */
  test: (target: BillingTarget, deps: BillingDeps) => Promise<void>;
}

/** Events of a request: Lago takes no more. */
export const AT_ONCE = 100;
const STRIPE_AT_ONCE = 8;
const TIMEOUT_MS = 15_000;
const MAX_BYTES = 1024 * 1024;
const LONGEST_REASON = 300;
const LONGEST_WAIT_S = 7200;
/** Statuses by which a receiver says that the events themselves are wrong. */
const wrong = [400, 413, 422];

/** Sends events in their order, at most `AT_ONCE`. Rejects with `NotTaken`. */
export const deliverUsage: System['deliver'] = (target, ...given) => systems[target.kind].deliver(target, ...given);

export const testBillingSystem: System['test'] = (target, deps) => systems[target.kind].test(target, deps);

/**
 * Sources: CloudEvents 1.0 with its JSON batch format, as OpenMeter's `POST /api/v1/events` takes it; Lago's
 * `POST /api/v1/events/batch`; Stripe's `POST /v1/billing/meter_events`.
 */
const systems: Record<BillingSystem, System> = {
  cloudevents: {
    async deliver(target, events, deps) {
      const answer = await ask(target, deps, cloudRequest(target, deps, events.map(cloudEvent(target, deps))));
      if (isTaken(answer)) return { refused: [], skipped: 0 };
      if (!wrong.includes(answer.status)) throw notTaken(answer);
      const [first] = events;
      if (events.length === 1 && first) return { refused: [{ event: first, reason: answer.reason }], skipped: 0 };
      // One of them is wrong: halves find it in a few requests.
      const middle = Math.ceil(events.length / 2);
      const halves = [
        await this.deliver(target, events.slice(0, middle), deps),
        await this.deliver(target, events.slice(middle), deps),
      ];
      return { refused: halves.flatMap(({ refused }) => refused), skipped: 0 };
    },
    async test(target, deps) {
      const id = `test:${randomUUID()}`;
      const test = {
        ...envelopeOf(deps, { id, time: deps.now() }),
        type: 'relay-hub.test',
        subject: 'relay-hub',
        data: {},
      };
      const answer = await ask(target, deps, cloudRequest(target, deps, [test]));
      if (!isTaken(answer)) throw notTaken(answer);
    },
  },
  lago: {
    async deliver(target, events, deps) {
      const refused: RefusedEvent[] = [];
      let left = [...events];
      // A batch is refused as a whole, and names the events at fault by their index.
      while (left.length > 0) {
        const answer = await ask(target, deps, {
          path: '/api/v1/events/batch',
          body: { events: left.map(lagoEvent(target)) },
        });
        if (answer.status === 200 && Array.isArray(objectOr(answer.json)['events'])) break;
        const faults = answer.status === 422 ? faultsIn(answer.json, left.length) : new Map<number, string>();
        if (faults.size === 0) throw notTaken(answer);
        for (const [at, reason] of faults) {
          const event = left[at];
          if (event && reason !== '') refused.push({ event, reason });
        }
        left = left.filter((_, at) => !faults.has(at));
      }
      return { refused, skipped: 0 };
    },
    async test(target, deps) {
      const path = `/api/v1/billable_metrics/${encodeURIComponent(target.event)}`;
      const answer = await ask(target, deps, { path });
      if (answer.status !== 200) throw notTaken(answer);
    },
  },
  stripe: {
    async deliver(target, events, deps) {
      const known = events.filter(({ customer }) => customer !== '');
      // A returned charge is no fewer tokens or calls.
      const counted = known.filter((event) => target.measure === 'credits' || measured(target.measure, event) !== 0);
      const refused: RefusedEvent[] = [];
      const waiting = [...counted];
      const work = async (): Promise<void> => {
        for (let event = waiting.shift(); event; event = waiting.shift()) {
          const answer = await ask(target, deps, { path: '/v1/billing/meter_events', form: meterEvent(target, event) });
          const message = textOr(objectOr(objectOr(answer.json)['error'])['message'], '');
          if (answer.status === 200 && objectOr(answer.json)['object'] === 'billing.meter_event') continue;
          // It was sent before, and the answer was lost.
          if (answer.status === 400 && message.includes('already exists with identifier')) continue;
          if (answer.status !== 400) {
            // The other requests stop as well.
            waiting.length = 0;
            throw notTaken(answer);
          }
          refused.push({ event, reason: answer.reason });
        }
      };
      const results = await Promise.allSettled(Array.from({ length: STRIPE_AT_ONCE }, work));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      return { refused, skipped: events.length - known.length };
    },
    async test(target, deps) {
      const answer = await ask(target, deps, { path: '/v1/billing/meters?status=active&limit=100' });
      if (answer.status !== 200) throw notTaken(answer);
      const names = listOr(objectOr(answer.json)['data']).map((meter) => objectOr(meter)['event_name']);
      if (!names.includes(target.event)) throw new NotTaken(`there is no active meter for ${target.event}`);
    },
  },
};

/** A vendor may say with a good status that it failed. */
function isTaken({ status, json }: Answer): boolean {
  const { error, errors } = objectOr(json);
  const isFailure = (value: unknown) => Boolean(Array.isArray(value) ? value.length : value);
  return status >= 200 && status < 300 && !isFailure(error) && !isFailure(errors);
}

function notTaken({ status, headers, reason }: Answer): NotTaken {
  const asked = Number(headers['retry-after']);
  const afterS = status === 429 || status >= 500 ? Math.min(Math.max(0, asked || 0), LONGEST_WAIT_S) : 0;
  return new NotTaken(reason, Math.ceil(afterS));
}

interface Question {
  /** Left out: the address itself. */
  path?: string;
  body?: unknown;
  form?: Record<string, string>;
  headers?: (text: string) => Record<string, string>;
}

async function ask(
  { address, key, secret }: BillingTarget,
  deps: BillingDeps,
  { path, body, form, headers }: Question,
): Promise<Answer> {
  const text = form ? new URLSearchParams(form).toString() : body === undefined ? undefined : JSON.stringify(body);
  const contentType = form ? 'application/x-www-form-urlencoded' : 'application/json';
  try {
    const answer = await fetchGuarded(path === undefined ? address : address.replace(/\/+$/, '') + path, {
      reach: operatorReach(deps),
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      accept: 'application/json',
      field: 'address',
      request: {
        method: text === undefined ? 'GET' : 'POST',
        headers: {
          ...(key !== '' && { authorization: `Bearer ${key}` }),
          ...(text !== undefined && { 'content-type': contentType, ...headers?.(text) }),
        },
        body: text,
      },
    });
    const reply = answer.body.toString('utf8').replaceAll('\0', '');
    const bare = [key, secret].reduce((rest, part) => (part.length < 6 ? rest : rest.replaceAll(part, '••••')), reply);
    const json = parseJson(reply);
    const shown = isObject(json) ? bare.replaceAll(/\s+/g, ' ') : '';
    const reason = masked(`HTTP ${answer.status} ${shown}`.trim()).slice(0, LONGEST_REASON).toWellFormed();
    return { status: answer.status, headers: answer.headers, json, reason };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new NotTaken([error.code, error.values['reason']].filter((part) => part !== undefined).join(': '));
  }
}

const cloudRequest = ({ secret }: BillingTarget, { now }: BillingDeps, events: readonly object[]): Question => ({
  body: events,
  headers: (text) => ({
    'content-type': 'application/cloudevents-batch+json',
    // The same events make the same message.
    ...(secret !== '' && signedHeaders(secret, `msg_${idsOf(events)}`, now(), text)),
  }),
});

/** First id and number of a batch: positions only move with what was taken, so the same batch has the same. */
const idsOf = (events: readonly object[]): string => `${String(objectOr(events[0])['id'])}_${events.length}`;

const envelopeOf = ({ live }: BillingDeps, { id, time }: { id: string; time: number }) => ({
  specversion: '1.0',
  id,
  source: live.settings.ServerAddress || 'relay-hub',
  time: new Date(time * 1000).toISOString(),
  datacontenttype: 'application/json',
});

const cloudEvent =
  ({ event: type }: BillingTarget, deps: BillingDeps) =>
  (event: UsageEvent) => ({
    ...envelopeOf(deps, event),
    type,
    subject: accountOf(event),
    data: quantitiesOf(event),
  });

const lagoEvent =
  ({ event: code }: BillingTarget) =>
  (event: UsageEvent) => ({
    transaction_id: event.id,
    external_subscription_id: accountOf(event),
    code,
    timestamp: event.time,
    properties: quantitiesOf(event),
  });

const meterEvent = ({ event: name, measure }: BillingTarget, event: UsageEvent): Record<string, string> => ({
  event_name: name,
  identifier: event.id,
  timestamp: String(event.time),
  'payload[stripe_customer_id]': event.customer,
  'payload[value]': String(measured(measure, event)),
});

const accountOf = ({ customer, user_id: id }: UsageEvent): string => customer || String(id);

/** Millionths of a dollar for a credit. */
const MICRO_DOLLARS = 2;

function quantitiesOf({ id: _id, time: _time, customer: _customer, ...quantities }: UsageEvent) {
  const micro = BigInt(quantities.credits) * BigInt(MICRO_DOLLARS);
  const digits = (micro < 0n ? -micro : micro).toString().padStart(7, '0');
  return { ...quantities, usd: `${micro < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}` };
}

function measured(measure: UsageMeasure, { credits, input_tokens, output_tokens, calls }: UsageEvent): number {
  return { credits, tokens: input_tokens + output_tokens, calls }[measure];
}

/** Faults of a batch by index; empty text: the event is there already. */
function faultsIn(json: unknown, count: number): Map<number, string> {
  const faults = new Map<number, string>();
  for (const [at, details] of Object.entries(objectOr(objectOr(json)['error_details']))) {
    if (!/^\d+$/.test(at) || Number(at) >= count) continue;
    const isThere = listOr(objectOr(details)['transaction_id']).includes('value_already_exist');
    faults.set(Number(at), isThere ? '' : JSON.stringify(details).slice(0, LONGEST_REASON));
  }
  return faults;
}
