import * as z from 'zod/mini';
import { periodFields, usageFields } from './analytics-input.ts';
import { usageSteps } from './codes.ts';
import { csvFile } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { numberFilter, textFilter } from '../list.ts';
import { credits, seconds } from '../values.ts';

const periodShape = {
  /** IANA time zone of the days: the requested one, or the server’s. */
  time_zone: z.string(),
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

/** Usage totals. */
const usageTotals = z.object({
  requests: z.int(),
  failures: z.int(),
  quota: credits,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int(),
  /** Milliseconds, summed over the calls. */
  request_time: z.int(),
});
export type UsageTotals = z.infer<typeof usageTotals>;

/** Usage by point. */
const usageSeries = z.object({
  requests: z.array(z.int()),
  failures: z.array(z.int()),
  quota: z.array(credits),
  /** Input and output together. */
  tokens: z.array(z.int()),
  request_time: z.array(z.int()),
});
export type UsageSeries = z.infer<typeof usageSeries>;

const usageGroup = z.extend(usageTotals, {
  id: z.string(),
  /** Empty: none, or unknown. */
  name: z.string(),
  /** Only for the first six groups. */
  series: z.nullable(usageSeries),
});
export type UsageGroup = z.infer<typeof usageGroup>;

export const usageReport = z.object({
  ...periodShape,
  /** All calls that reached a channel. */
  total: z.extend(usageTotals, { series: usageSeries }),
  /** By cost, highest first; at most ten. */
  groups: z.array(usageGroup),
  /** Total number of groups. */
  group_count: z.int(),
  /** Completed hours, and the same hours of the preceding period. */
  compared: z.object({ until: seconds, now: usageTotals, before: usageTotals }),
});
export type UsageReport = z.infer<typeof usageReport>;

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
