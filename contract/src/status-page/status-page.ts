import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { id, idParam, seconds } from '../values.ts';

/** Calls below which rates and times say nothing and are left out. */
export const FEWEST_CALLS = 20;

/** By the site's thresholds of success; `quiet`: too few calls in the last hour. */
export const modelStates = ['fine', 'degraded', 'failing', 'quiet'] as const;
export type ModelState = (typeof modelStates)[number];

const figures = z.object({
  calls: z.int(),
  /** Share from 0 to 1 of calls that did not fail at this site or a provider; null: too few calls. */
  success: z.nullable(z.number()),
  /** Median in milliseconds; null: too few streams. */
  first_token: z.nullable(z.number()),
});

const part = {
  state: z.enum(modelStates),
  /** Since `recent_from`. */
  recent: figures,
  total: figures,
  /** The days, oldest first; today is the last. */
  days: z.array(z.object({ calls: z.int(), success: z.nullable(z.number()) })),
};
const statusModel = z.object({ name: z.string(), ...part });
export type StatusModel = z.infer<typeof statusModel>;

/** Kinds of calls, whatever their dialect. */
export const statusEndpoints = [
  'chat',
  'embeddings',
  'images',
  'audio',
  'video',
  'realtime',
  'rerank',
  'moderations',
  'other',
] as const;
export type StatusEndpoint = (typeof statusEndpoints)[number];

const statusIncident = z.object({
  id,
  words: z.string(),
  began_at: seconds,
  /** 0: open. */
  closed_at: seconds,
});
export type StatusIncident = z.infer<typeof statusIncident>;

const statusReport = z.object({
  /** When it was computed; it is kept for a minute. */
  time: seconds,
  /** Begin of the hour before the running one. */
  recent_from: seconds,
  /** Begin of each day. */
  days: z.array(seconds),
  models: z.array(statusModel),
  /** Kinds of calls that were made, of all models of the site. */
  endpoints: z.array(z.object({ name: z.enum(statusEndpoints), ...part })),
  incidents: z.array(statusIncident),
  maintenance: z.array(z.object({ id, text: z.string(), start_time: seconds, end_time: seconds })),
});
export type StatusReport = z.infer<typeof statusReport>;

/** https://www.jsonfeed.org/version/1.1/ */
const jsonFeed = z.object({
  version: z.string(),
  title: z.string(),
  home_page_url: z.optional(z.string()),
  items: z.array(z.object({ id: z.string(), title: z.string(), content_text: z.string(), date_published: z.string() })),
});

/** An incident of the last 90 days, for administrators who publish it. */
const publishable = z.object({
  id,
  title: z.string(),
  began_at: seconds,
  closed_at: seconds,
  /** Null: not published. */
  words: z.nullable(z.string()),
});
export type PublishableIncident = z.infer<typeof publishable>;

const words = z.nullable(z.string().check(z.trim(), z.minLength(1), z.maxLength(2000)));

export const statusPageSchemas = {
  get: {
    audience: 'visitor',
    summary: 'Success and time to first token by model and endpoint, published incidents and planned maintenance',
    reply: statusReport,
  },
  jsonFeed: {
    audience: 'visitor',
    summary: 'Published incidents and maintenance as a JSON Feed, without an envelope',
    reply: jsonFeed,
  },
  atomFeed: {
    audience: 'visitor',
    summary: 'Published incidents and maintenance as an Atom feed',
    file: 'application/atom+xml',
  },
  incidents: {
    audience: 'admin',
    summary: 'List incidents of the last 90 days with what the status page says of them',
    reply: z.array(publishable),
  },
  publish: {
    audience: 'admin',
    summary: 'Show an incident on the status page with these words; null: hide it',
    params: z.object({ id: idParam }),
    body: z.object({ words }),
    reply: publishable,
  },
} as const satisfies SchemasByEndpoint;
