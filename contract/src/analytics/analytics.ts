import * as z from 'zod/mini';
import { ownUsageFields, periodFields, usageFields } from './analytics-input.ts';
import { attemptKinds } from '../channel/attempt-kind.ts';
import { usageSteps } from './codes.ts';
import { csvFile } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { numberFilter, textFilter } from '../list.ts';
import { credits, seconds } from '../values.ts';

const periodShape = {
  /** IANA time zone of the days: the requested one, or the server’s. */
  time_zone: z.string(),
  /**
   * Minutes by which each day begins before midnight, in zones with half-hour offsets: usage is summed by whole hours of
   * UTC. 0 in all other zones.
   */
  early_minutes: z.int(),
  step: z.enum(usageSteps),
  /** Points of every series, oldest first, without gaps and future points. */
  points: z.array(
    z.object({
      /** `2026-11-19`, `2026-11-19 14:00` or `2026-11`, in that zone. */
      date: z.string(),
      start: seconds,
      end: seconds,
    }),
  ),
};

/** Prompt caches by reported usage; of hours before they were counted, 0. docs/prices.md explains the savings. */
export const cacheFields = {
  /** All input tokens: those of prompts, read from caches and written to them. */
  cache_input: z.int(),
  /** Tokens read from caches among them. */
  cache_read: z.int(),
  /** Credits saved by caches: reads at a lower rate, minus the surcharge of writes. Negative: writes cost more. */
  cache_saved: z.int(),
};

/** Purchase costs, for administrators alone: schemas of replies to users lack them. */
export const costFields = {
  /** Known costs of all attempts in credits, with up to three decimals. */
  cost: z.optional(z.number()),
  /** Credits charged for calls whose cost is known; less `cost`, the margin. */
  costed: z.optional(credits),
};

const costSeries = { cost: z.optional(z.array(z.number())), costed: z.optional(z.array(credits)) };

/** Usage totals. */
const ownTotals = {
  requests: z.int(),
  failures: z.int(),
  quota: credits,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int(),
  ...cacheFields,
  /** Milliseconds, summed over the calls. */
  request_time: z.int(),
};

const usageTotals = z.object({ ...ownTotals, ...costFields });
export type UsageTotals = z.infer<typeof usageTotals>;

/** Usage by point. */
const ownSeries = {
  requests: z.array(z.int()),
  failures: z.array(z.int()),
  quota: z.array(credits),
  /** Input and output together. */
  tokens: z.array(z.int()),
  request_time: z.array(z.int()),
};

const usageSeries = z.object({ ...ownSeries, ...costSeries });
export type UsageSeries = z.infer<typeof usageSeries>;

const group = {
  id: z.string(),
  /** Empty: none, or unknown. */
  name: z.string(),
};

const usageGroup = z.extend(usageTotals, {
  ...group,
  /** Only for the `top` groups by charge, by requests or by tokens. */
  series: z.nullable(usageSeries),
});
export type UsageGroup = z.infer<typeof usageGroup>;

const loss = z.extend(usageTotals, group);
export type UsageLoss = z.infer<typeof loss>;

const comparedHours = <Totals extends z.ZodMiniType>(totals: Totals) =>
  z.object({ until: seconds, now: totals, before: totals });

export const usageReport = z.object({
  ...periodShape,
  /** All calls that reached a channel. */
  total: z.extend(usageTotals, { series: usageSeries }),
  /** By charge, highest first: at least the first ten, and all groups with a series. */
  groups: z.array(usageGroup),
  /** Total number of groups. */
  group_count: z.int(),
  /** For administrators: groups that cost more than was charged for them, largest loss first; at most ten. */
  losses: z.optional(z.array(loss)),
  /** For administrators: tests and checks of channels, which are free of charge and in no other sum. */
  own: z.optional(z.object({ calls: z.int(), failed: z.int(), cost: z.number(), unknown: z.int() })),
  /** Completed hours, and the same hours of the preceding period. */
  compared: comparedHours(usageTotals),
});
export type UsageReport = z.infer<typeof usageReport>;

/** The same without costs. */
const ownReport = z.object({
  ...periodShape,
  total: z.object({ ...ownTotals, series: z.object(ownSeries) }),
  groups: z.array(z.object({ ...ownTotals, ...group, series: z.nullable(z.object(ownSeries)) })),
  group_count: z.int(),
  compared: comparedHours(z.object(ownTotals)),
});

/** Milliseconds that half, 95 % and 99 % of the successful calls did not exceed; null without calls. */
export const speedQuantiles = z.object({
  calls: z.int(),
  p50: z.nullable(z.int()),
  p95: z.nullable(z.int()),
  p99: z.nullable(z.int()),
});
export type SpeedQuantiles = z.infer<typeof speedQuantiles>;

const speedSeries = z.extend(speedQuantiles, {
  /** By point. */
  series: z.object({ calls: z.array(z.int()), p50: z.array(z.nullable(z.int())), p95: z.array(z.nullable(z.int())) }),
  /** Of the same hours in the preceding period; see `compared` of the usage. */
  before: speedQuantiles,
  now: speedQuantiles,
});
export type SpeedSeries = z.infer<typeof speedSeries>;

/** Speed and failures of a period. Times come from histograms: they are off by less than a quarter. */
export const qualityReport = z.object({
  ...periodShape,
  /** The first hour with times, if there were successful calls before it; null: all calls have times. */
  since: z.nullable(seconds),
  duration: speedSeries,
  /** Streams only. */
  first_token: speedSeries,
  /** By requests, most first; at most twelve. */
  groups: z.array(
    z.object({
      id: z.string(),
      /** Empty: none, or unknown. */
      name: z.string(),
      requests: z.int(),
      failures: z.int(),
      duration: speedQuantiles,
      first_token: speedQuantiles,
    }),
  ),
  /** Failed calls by model and outcome of the last attempt, most first. */
  failures: z.array(z.object({ model: z.string(), kind: z.enum(attemptKinds), calls: z.int() })),
  /** Refused calls, which are not among the requests. */
  refusals: z.array(z.object({ reason: z.string(), status: z.int(), calls: z.int() })),
});
export type QualityReport = z.infer<typeof qualityReport>;

export const accountsReport = z.object({
  ...periodShape,
  registrations: z.array(z.int()),
  /** Invited ones among them. */
  invited: z.array(z.int()),
  /** Redeemed codes: number, credits and distinct users. */
  redemptions: z.object({ count: z.array(z.int()), quota: z.array(credits), users: z.array(z.int()) }),
  redeemed: z.object({ count: z.int(), quota: credits, users: z.int() }),
});
export type AccountsReport = z.infer<typeof accountsReport>;

/** Current totals, in the format of the product family. */
const statistics = z.object({
  user_statistics: z.object({
    /** Sum of balances. */
    total_quota: credits,
    total_used_quota: credits,
    total_user: z.int(),
    total_inviter_user: z.int(),
  }),
  channel_statistics: z.array(z.object({ total_channels: z.int(), status: z.int() })),
  /** Enabled channels that are frozen; state of the responding node. */
  frozen_channels: z.int(),
  /** Enabled, unfrozen channels with failing attempts. */
  failing_channels: z.int(),
  /** Without disabled ones. */
  redemption_statistic: z.array(z.object({ count: z.int(), quota: credits, status: z.int() })),
  order_statistics: z.array(z.object({ quota: credits, money: z.number(), order_currency: z.string() })),
});
export type Statistics = z.infer<typeof statistics>;

const byDate = { date: z.string() };

export const analyticsSchemas = {
  usage: {
    audience: 'admin',
    summary: 'Usage in a period, grouped by model, owner, channel, user or user group',
    query: z.object(usageFields),
    reply: usageReport,
  },
  quality: {
    audience: 'admin',
    summary: 'Speed (p50, p95, p99), failures and refusals in a period, grouped like the usage',
    query: z.object(usageFields),
    reply: qualityReport,
  },
  ownUsage: {
    audience: 'user',
    summary: 'Your own usage in a period, grouped by model or token',
    query: z.object(ownUsageFields),
    reply: ownReport,
  },
  ownQuality: {
    audience: 'user',
    summary: 'Speed, failures and refusals of your own calls in a period',
    query: z.object(ownUsageFields),
    reply: qualityReport,
  },
  ownDownload: {
    audience: 'user',
    summary: 'Export your own usage of a period as CSV, one row per point and group',
    /** `language` is that of the headings, like `en-US`; empty: as Accept-Language has it. */
    query: z.object({ ...ownUsageFields, language: textFilter, account: numberFilter }),
    file: csvFile,
  },
  accounts: {
    audience: 'admin',
    summary: 'Registrations and redeemed codes in a period',
    query: z.object(periodFields),
    reply: accountsReport,
  },
  download: {
    audience: 'admin',
    summary: 'Export the usage of a period as CSV, one row per point and group',
    /** `language` is that of the headings, like `en-US`; empty: as Accept-Language has it. */
    query: z.object({ ...usageFields, language: textFilter }),
    file: csvFile,
  },
  statistics: {
    audience: 'admin',
    summary: 'Current totals of users, channels and redemption codes',
    reply: statistics,
  },
  period: {
    audience: 'admin',
    summary: 'Usage, registrations and redemptions by day in the server’s time zone, for clients of the product family',
    query: z.object({
      /** Widened to whole hours; absent: seven days, today included. */
      start_timestamp: numberFilter,
      end_timestamp: numberFilter,
      /** `model_type` (the owner), `model`, anything else: the channel. Days and groups without calls are left out. */
      group_type: z._default(z.string(), 'model_type'),
      /** Of the usage only; not with channels. */
      user_id: numberFilter,
    }),
    reply: z.object({
      user_statistics: z.array(z.object({ ...byDate, user_count: z.int(), inviter_user_count: z.int() })),
      channel_statistics: z.array(
        z.object({
          Date: z.string(),
          Channel: z.string(),
          RequestCount: z.int(),
          Quota: credits,
          PromptTokens: z.int(),
          CompletionTokens: z.int(),
          RequestTime: z.int(),
        }),
      ),
      redemption_statistics: z.array(z.object({ ...byDate, quota: credits, user_count: z.int() })),
      order_statistics: z.array(z.object({ ...byDate, order_amount: z.number() })),
    }),
  },
} as const satisfies SchemasByEndpoint;
