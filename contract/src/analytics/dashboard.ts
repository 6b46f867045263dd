import * as z from 'zod/mini';
import { costFields } from './analytics.ts';
import { timeZoneField } from './analytics-input.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { credits, seconds } from '../values.ts';

/** Usage of a day. */
const ownDay = z.object({
  requests: z.int(),
  failures: z.int(),
  /** Calls that this server refused by its own fault (status 500 or more); not among the requests. */
  unserved: z.int(),
  quota: credits,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
});

const hubDay = z.extend(ownDay, costFields);
export type DayUsage = z.infer<typeof hubDay>;

const usageOf = <Day extends z.ZodMiniType>(day: Day) =>
  z.object({
    /** IANA time zone of the days. */
    time_zone: z.string(),
    /**
     * Minutes by which each day begins before midnight, in zones with half-hour offsets: usage is summed by whole hours of
     * UTC. 0 in all other zones.
     */
    early_minutes: z.int(),
    /** The last seven, oldest first, including today. */
    days: z.array(
      z.object({
        /** `2026-11-19`. */
        date: z.string(),
        start: seconds,
        end: seconds,
        total: day,
        /** Usage up to the current time of day, for comparison. */
        until: seconds,
        so_far: day,
      }),
    ),
    /** By model and day, without models that had no calls. */
    models: z.array(
      z.object({
        model: z.string(),
        requests: z.array(z.int()),
        quota: z.array(credits),
        tokens: z.array(z.int()),
      }),
    ),
  });

const hubUsage = usageOf(hubDay);
export type DashboardUsage = z.infer<typeof hubUsage>;

const query = z.object({ time_zone: timeZoneField });

export const dashboardSchemas = {
  own: {
    audience: 'user',
    summary: 'Your usage of the last 7 days by day and model, and up to the current hour of each day',
    query,
    reply: usageOf(ownDay),
  },
  hub: {
    audience: 'admin',
    summary: 'Usage of all users in the last 7 days: all calls that reached a channel',
    query,
    reply: hubUsage,
  },
} as const satisfies SchemasByEndpoint;
