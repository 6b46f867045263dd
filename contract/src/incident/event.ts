import * as z from 'zod/mini';
import { seconds } from '../values.ts';
import { incidentKinds, incidentParams, incidentSeverities } from './incident.ts';

/** Version of the payloads. Members may be added to one; it grows when one changes its meaning or is removed. */
export const EVENT_VERSION = 1;

const incidentEvent = z.object({
  /** 0: sent while the database could not be written; its end has the id. */
  id: z.int(),
  kind: z.enum(incidentKinds),
  object: z.string(),
  severity: z.enum(incidentSeverities),
  began_at: seconds,
  opened_at: seconds,
  /** 0: open. */
  closed_at: seconds,
  cause: z.string(),
  params: incidentParams,
});

/** `minor`: in the smallest unit of the currency. */
const orderEvent = z.object({ trade_no: z.string(), minor: z.int(), currency: z.string(), credits: z.int() });

const token = { id: z.int(), name: z.string() };

/** The `data` of each type of event. Ids are those of the management API; credits and Unix seconds are integers. */
export const eventData = {
  'incident.opened': incidentEvent,
  'incident.closed': incidentEvent,
  'order.paid': orderEvent,
  'order.refunded': orderEvent,
  'user.created': z.object({ id: z.int(), username: z.string() }),
  /** A sign-in from a browser and network that are new for the account. */
  'login.new': z.object({ ip: z.string(), user_agent: z.string() }),
  'balance.low': z.object({ balance: z.int(), threshold: z.int() }),
  'key.created': z.object(token),
  'key.rotated': z.object(token),
  'key.ended': z.object({ ...token, reason: z.enum(['disabled', 'deleted']) }),
  'key.expiring': z.object({ ...token, expires: seconds }),
  /** `percent`: 50, 80 or 100. `measure`: what the limit counts. */
  'key.budget': z.object({
    ...token,
    percent: z.int(),
    used: z.number(),
    limit: z.number(),
    measure: z.string(),
    period: z.string(),
    resets: seconds,
  }),
  'task.ended': z.object({ task_id: z.string(), status: z.enum(['SUCCESS', 'FAILURE', 'CANCEL']), credits: z.int() }),
} as const;

export type EventType = keyof typeof eventData;
export type EventData<T extends EventType> = z.infer<(typeof eventData)[T]>;

/**
 * Events of the site and of users. Each is delivered at least once, and those of one object in their order. A person gets
 * the events of the own account, without incidents.
 */
export const eventTypes = Object.keys(eventData) as [EventType, ...EventType[]]; // the keys above

/** Events that are mailed to the owner of an account unless they switch it off. */
export const mailedEvents: readonly EventType[] = ['order.paid', 'order.refunded', 'login.new', 'key.rotated'];
