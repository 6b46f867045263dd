import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { date, id, idParam, seconds, text } from '../values.ts';
import { type BillingSystem, billingSystems, usageMeasures } from './codes.ts';

const kind = z.enum(Object.keys(billingSystems) as [BillingSystem, ...BillingSystem[]]); // its keys
const measure = z.enum(usageMeasures);
const secret = z._default(z.string().check(z.trim(), z.maxLength(500)), '');

/** A billing system that gets the charged calls, at least once and in order, each under a fixed id. */
const usageExport = z.object({
  id,
  name: z.string(),
  kind,
  address: z.string(),
  /** Ends of the key; empty: none. */
  key_hint: z.string(),
  /** Requests are signed as in Standard Webhooks. */
  signed: z.boolean(),
  /** Type of the events, code of the billable metric, or event name of the meter. */
  event: z.string(),
  measure,
  enabled: z.boolean(),
  /** Events that the receiver has. */
  sent: z.int(),
  /** Events for accounts without a customer id, which Stripe cannot take. */
  skipped: z.int(),
  /** Events that the receiver refused and that are kept, and why it refused the last one. */
  refused: z.int(),
  last_refusal: z.string(),
  /** Calls that wait, up to 10,000, and the time of the first one; 0: none. */
  waiting: z.int(),
  waiting_since: seconds,
  /** Last time that the receiver took events; 0: never. */
  success_time: seconds,
  /** Why the last attempt failed; empty: it did not. */
  last_error: z.string(),
  /** Next attempt after a failure; 0: none failed. */
  next_time: seconds,
});
export type UsageExport = z.output<typeof usageExport>;

const given = {
  name: text(60, 1),
  /** Empty: the vendor's own. */
  address: z._default(z.string().check(z.trim(), z.maxLength(500)), ''),
  event: text(100, 1),
  /** Quantity of a meter's value; the other systems get all quantities. */
  measure: z._default(measure, 'credits'),
  enabled: z._default(z.boolean(), true),
  key: secret,
  /** Secret of Standard Webhooks, for CloudEvents. */
  secret,
};
/** First day whose calls are sent, in UTC; left out: calls from now on. */
const since = z.optional(date);
const newExport = z.object({ kind, ...given, since });
export type NewUsageExport = z.output<typeof newExport>;

/** An empty key or secret keeps the stored one, which is refused for another address. */
const exportEdit = z.object(given);
export type UsageExportEdit = z.output<typeof exportEdit>;

const withId = z.object({ id: idParam });

export const usageExportSchemas = {
  list: {
    audience: 'root',
    summary: 'List the billing systems that usage is exported to; keys are never returned',
    reply: z.array(usageExport),
  },
  create: {
    audience: 'root',
    summary: 'Add a billing system that gets charged calls: CloudEvents (OpenMeter), Lago or Stripe meters',
    body: newExport,
    reply: usageExport,
  },
  update: {
    audience: 'root',
    summary: 'Update a billing system that usage is exported to, and try it again at once',
    params: withId,
    body: exportEdit,
    reply: usageExport,
  },
  remove: {
    audience: 'root',
    summary: 'Delete a billing system that usage is exported to, with its refused events',
    params: withId,
  },
  test: {
    audience: 'root',
    summary: 'Try address and key: a test event for CloudEvents, else a query for the metric or meter',
    params: withId,
  },
  restart: {
    audience: 'root',
    summary: 'Send all calls since a day again; receivers recognise the ids of those that they have',
    params: withId,
    body: z.object({ since: date }),
    reply: usageExport,
  },
  retry: {
    audience: 'root',
    summary: 'Send the refused events again',
    params: withId,
    reply: usageExport,
  },
} as const satisfies SchemasByEndpoint;
