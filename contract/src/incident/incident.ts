import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf } from '../list.ts';
import { idParam, seconds, text } from '../values.ts';

/**
 * Subject of an incident. `channel`, `key`, `usage`, `balance` and `slow`: a channel; `model`: no channel serves it;
 * `success`: too many calls of the site fail; `refusals`: more are refused than usual at this hour; `price`: callers ask
 * for a model without a price; `shortfall`: calls cost more than the balance had; `database`: it did not answer; `node`: a
 * server process ended without stopping; `journal`: settlements are not written; `certificate`: that of a connection
 * expires; `credential`: a key of a channel is a token that expires; `way`: an alert could not be delivered; `version`: a
 * newer one was published.
 */
export const incidentKinds = [
  'model',
  'success',
  'database',
  'storage',
  'channel',
  'key',
  'balance',
  'slow',
  'refusals',
  'price',
  'usage',
  'shortfall',
  'node',
  'journal',
  'disk',
  'backup',
  'job',
  'gateway',
  'certificate',
  'credential',
  'way',
  'version',
] as const;
export type IncidentKind = (typeof incidentKinds)[number];

/** The mildest first. The console shows open `critical` ones on every page, and quiet hours do not hold them back. */
export const incidentSeverities = ['info', 'warning', 'error', 'critical'] as const;
export type IncidentSeverity = (typeof incidentSeverities)[number];

export const incidentParams = z.record(z.string(), z.union([z.string(), z.number()]));
export type IncidentParams = z.infer<typeof incidentParams>;

export const incident = z.object({
  /** 0: not recorded yet, because the database cannot be written. */
  id: z.int().check(z.gte(0)),
  kind: z.enum(incidentKinds),
  /** Id of the channel, key, gateway or way, or the name of the model or job; empty: the site. */
  object: z.string(),
  severity: z.enum(incidentSeverities),
  /** When the trouble began, and when it was noticed. */
  began_at: seconds,
  opened_at: seconds,
  updated_at: seconds,
  /** 0: open. */
  closed_at: seconds,
  /** The trouble and the remedy, in the reader's language. */
  title: z.string(),
  advice: z.string(),
  /** The last error message; empty: none. */
  cause: z.string(),
  /** Names and numbers of the title. */
  params: incidentParams,
  /** User name; empty: not acknowledged. */
  acknowledged_by: z.string(),
  acknowledged_at: seconds,
  /** No messages about it until then; 0: not muted. */
  muted_until: seconds,
  note: z.string(),
});
export type Incident = z.infer<typeof incident>;

/** A message about an incident: to whom, and how it went. */
const incidentMessage = z.object({
  time: seconds,
  event: z.string(),
  way: z.string(),
  status: z.enum(['waiting', 'delivered', 'failed']),
  answer: z.string(),
});

const incidentMonth = z.object({
  /** As in 2026-11, UTC. */
  month: z.string(),
  incidents: z.int(),
  /** Averages in seconds; null: nothing to average. */
  to_notice: z.nullable(z.number()),
  to_repair: z.nullable(z.number()),
});
export type IncidentMonth = z.infer<typeof incidentMonth>;

const withId = z.object({ id: idParam });

export const incidentSchemas = {
  list: {
    audience: 'admin',
    summary: 'List incidents: open ones first, the gravest and longest of them first',
    query: z.extend(listQuery(['id']), {
      state: z._default(z.enum(['', 'open', 'closed']), ''),
      kind: z._default(z.enum(['', ...incidentKinds]), ''),
    }),
    reply: pageOf(incident),
  },
  summary: {
    audience: 'admin',
    summary: 'Number of open incidents, and the critical ones among them',
    reply: z.object({ open: z.int(), critical: z.array(incident) }),
  },
  months: {
    audience: 'admin',
    summary: 'Incidents and times to notice and repair of the last six months, newest first',
    reply: z.array(incidentMonth),
  },
  get: {
    audience: 'admin',
    summary: 'Get an incident and the messages about it',
    params: withId,
    reply: z.extend(incident, { messages: z.array(incidentMessage) }),
  },
  update: {
    audience: 'admin',
    summary: 'Acknowledge an incident, mute its messages until a time, or write a note; absent fields stay',
    params: withId,
    body: z.object({
      acknowledged: z.optional(z.boolean()),
      muted_until: z.optional(seconds.check(z.gte(0), z.lte(253_402_300_799))),
      note: z.optional(text(2000)),
    }),
    reply: incident,
  },
} as const satisfies SchemasByEndpoint;
