import * as z from 'zod/mini';
import { timeZoneField } from '../analytics/analytics-input.ts';
import { csvFile } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, numberFilter, pageOf, textFilter } from '../list.ts';
import { credits, date, id, month, seconds } from '../values.ts';
import { entryKinds } from './codes.ts';

const usageSum = { requests: z.int(), quota: credits };

/** Charges of a team's calls by the member who holds the token, and by the token's cost centre; highest first. */
export const holderUsage = z.object({
  /** 0 and an empty name: tokens without a holder. */
  members: z.array(z.object({ user_id: z.int(), username: z.string(), ...usageSum })),
  /** An empty name: none. */
  cost_centres: z.array(z.object({ name: z.string(), ...usageSum })),
});
export type HolderUsage = z.infer<typeof holderUsage>;

/** A user's account in a month: `opening` + `entries` − `spent` = `closing`, to the credit. */
export const statement = z.object({
  user_id: id,
  username: z.string(),
  /** `YYYY-MM`, of `time_zone`. */
  month: z.string(),
  time_zone: z.string(),
  /** Whole hours, the end exclusive. */
  from: seconds,
  until: seconds,
  /** The month is over. */
  closed: z.boolean(),
  opening: credits,
  closing: credits,
  /** All movements except calls, by kind; positive adds. */
  entries: z.array(z.object({ kind: z.enum(entryKinds), credits, count: z.int() })),
  /** Charges of calls. */
  spent: credits,
  /** Those of each token and model, highest first. */
  usage: z.array(
    z.object({
      token_id: z.int(),
      token_name: z.string(),
      /** Holder of a team's token, and its cost centre; empty: none. */
      member: z.string(),
      cost_centre: z.string(),
      model: z.string(),
      requests: z.int(),
      prompt_tokens: z.int(),
      completion_tokens: z.int(),
      quota: credits,
    }),
  ),
  ...holderUsage.shape,
  /** `spent` without the sum of `usage`; not 0 only where usage was imported. */
  unlisted: credits,
});
export type Statement = z.infer<typeof statement>;

const ofMonth = { month, time_zone: timeZoneField };
const whose = { user_id: numberFilter, username: textFilter };
const language = { language: textFilter };

/** A month in the format of the product family. */
const familyMonth = {
  /** The first day. */
  date: z.string(),
  request_count: z.int(),
  quota: credits,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Milliseconds, summed over the calls. */
  request_time: z.int(),
};

export const statementSchemas = {
  own: {
    audience: 'user',
    summary: 'Your statement of a month: balances, movements, usage by token and model',
    query: z.object(ofMonth),
    reply: statement,
  },
  ownDownload: {
    audience: 'user',
    summary: 'Export your statement of a month as CSV',
    query: z.object({ ...ofMonth, ...language }),
    file: csvFile,
  },
  get: {
    audience: 'admin',
    summary: 'A user’s statement of a month; the user by id or name',
    query: z.object({ ...ofMonth, ...whose }),
    reply: statement,
  },
  download: {
    audience: 'admin',
    summary: 'Export a user’s statement of a month as CSV',
    query: z.object({ ...ofMonth, ...whose, ...language }),
    file: csvFile,
  },
  familyMonths: {
    audience: 'user',
    summary: 'Your past months with usage in the server’s time zone, newest first, for clients of the product family',
    query: listQuery([]),
    reply: pageOf(z.object(familyMonth)),
  },
  familyMonth: {
    audience: 'user',
    summary: 'Your usage of a past month by model, for clients of the product family',
    /** Any day of the month, `YYYY-MM-DD`. */
    query: z.object({ date }),
    reply: z.array(z.object({ ...familyMonth, model_name: z.string() })),
  },
} as const satisfies SchemasByEndpoint;
