import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf } from '../list.ts';
import { id, idParam, seconds, text } from '../values.ts';
import { isTimeZone } from '../time-zone.ts';
import { eventTypes } from './event.ts';
import { incidentKinds, incidentSeverities } from './incident.ts';

/** How messages are delivered. `webhook`: Standard Webhooks, for programs. */
export const wayKinds = [
  'mail',
  'webhook',
  'telegram',
  'slack',
  'discord',
  'feishu',
  'dingtalk',
  'wecom',
  'teams',
  'ntfy',
  'bark',
  'pagerduty',
] as const;
export type WayKind = (typeof wayKinds)[number];

/** Fields of the destination that each kind has; those with `?` may be empty. All are stored encrypted. */
const wayFields = {
  mail: ['target?'],
  webhook: ['address', 'secret?'],
  telegram: ['token', 'target', 'address?'],
  slack: ['address'],
  discord: ['address'],
  feishu: ['address', 'secret?'],
  dingtalk: ['address', 'secret?'],
  wecom: ['address'],
  teams: ['address'],
  ntfy: ['address', 'target', 'token?'],
  bark: ['address', 'token'],
  pagerduty: ['token', 'address?'],
} as const satisfies Record<WayKind, readonly (keyof WayConfig | `${keyof WayConfig}?`)[]>;

/** The fields of a kind's destination. */
export const fieldsOfWay = (kind: WayKind): { field: keyof WayConfig; isOptional: boolean }[] =>
  wayFields[kind].map((spelled) => ({
    field: spelled.replace('?', '') as keyof WayConfig, // `satisfies` above
    isOptional: spelled.endsWith('?'),
  }));

const line = text(1000);

/** Destination; which fields a kind needs is in `fieldsOfWay`. */
export const wayConfig = z.object({
  /** Address of a webhook or server. */
  address: z._default(line, ''),
  /** Mail address, chat id or topic. */
  target: z._default(line, ''),
  /** Of a bot, device or integration. */
  token: z._default(line, ''),
  /** Signs messages; a webhook without one gets a random one. */
  secret: z._default(line, ''),
});
export type WayConfig = z.infer<typeof wayConfig>;

const clock = z.string().check(z.regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d)?$/, { error: 'way.clock' }));

const zone = z.string().check(
  z.maxLength(64),
  z.refine((name) => name === '' || isTimeZone(name), { error: 'time.zone' }),
);

const subscription = {
  enabled: z._default(z.boolean(), true),
  events: z._default(z.array(z.enum(eventTypes)), ['incident.opened', 'incident.closed']),
  /** Kinds of incidents; empty: all. */
  kinds: z._default(z.array(z.enum(incidentKinds)), []),
  /** The mildest incident that is delivered. */
  severity: z._default(z.enum(incidentSeverities), 'warning'),
  /** Messages that are not critical wait from one time of day to the other; empty: never. */
  quiet_from: z._default(clock, ''),
  quiet_to: z._default(clock, ''),
  /** Zone of these times; empty: UTC. */
  quiet_zone: z._default(zone, ''),
};

const newWay = z.object({
  /** For the operators instead of yourself; the super administrator only. */
  site: z._default(z.boolean(), false),
  kind: z.enum(wayKinds),
  name: z._default(text(60), ''),
  config: z._default(wayConfig, { address: '', target: '', token: '', secret: '' }),
  ...subscription,
});
export type NewWay = z.infer<typeof newWay>;

const wayEdit = z.object({
  id,
  name: z._default(text(60), ''),
  /** Absent: unchanged. */
  config: z.optional(wayConfig),
  ...subscription,
});
export type WayEdit = z.infer<typeof wayEdit>;

export const way = z.object({
  id,
  site: z.boolean(),
  kind: z.enum(wayKinds),
  name: z.string(),
  /** Host and last characters of the destination. */
  hint: z.string(),
  enabled: z.boolean(),
  events: z.array(z.enum(eventTypes)),
  kinds: z.array(z.enum(incidentKinds)),
  severity: z.enum(incidentSeverities),
  quiet_from: z.string(),
  quiet_to: z.string(),
  quiet_zone: z.string(),
  /** When a person confirmed that a test message arrived; 0: never. */
  confirmed_at: seconds,
  /** Of the last test that was accepted; 0: none. */
  tested_at: seconds,
  /** Why the last message failed; empty: it did not. */
  failure: z.string(),
});
export type DeliveryWay = z.infer<typeof way>;

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;

const delivery = z.object({
  id,
  event: z.string(),
  object: z.string(),
  status: z.enum(deliveryStates),
  attempts: z.int(),
  created_at: seconds,
  sent_at: seconds,
  /** Of the next attempt; 0: none. */
  next_at: seconds,
  http_status: z.int(),
  /** Body sent and answer received, without secrets. */
  request: z.string(),
  answer: z.string(),
});
export type Delivery = z.infer<typeof delivery>;

const withId = z.object({ id: idParam });

export const waySchemas = {
  list: {
    audience: 'user',
    summary: 'Your ways of being told; administrators also get those of the site',
    reply: z.array(way),
  },
  create: {
    audience: 'user',
    summary: 'Add a way; the secret of a webhook is in this reply only',
    body: newWay,
    reply: z.extend(way, { secret: z.string() }),
  },
  update: {
    audience: 'user',
    summary: 'Change a way; a new destination has to be confirmed again',
    body: wayEdit,
    reply: way,
  },
  remove: { audience: 'user', summary: 'Remove a way', params: withId },
  test: {
    audience: 'user',
    summary: 'Send a test message now; returns the answer of the service',
    params: withId,
    reply: z.object({ ok: z.boolean(), http_status: z.int(), answer: z.string(), ms: z.int() }),
  },
  confirm: { audience: 'user', summary: 'Confirm that the test message arrived', params: withId, reply: way },
  deliveries: {
    audience: 'user',
    summary: 'Messages by a way, newest first',
    params: withId,
    query: listQuery(['id']),
    reply: pageOf(delivery),
  },
  replay: {
    audience: 'user',
    summary: 'Send a message again, under the same id',
    params: z.object({ id: idParam, delivery: idParam }),
  },
} as const satisfies SchemasByEndpoint;
