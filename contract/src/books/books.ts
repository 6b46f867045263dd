import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { seconds } from '../values.ts';

/** Reconciliation checks, in order. */
export const bookChecks = [
  'signed',
  'balances',
  'entry_chain',
  'held',
  'charges',
  'rows',
  'orders',
  'tasks',
  'explained',
  'roll_ups',
  'attempts',
  'costs',
  'tokens',
  'channels',
  'limits',
  'journals',
] as const;
export type BookCheck = (typeof bookChecks)[number];

const difference = z.object({
  /** The object: user, token, channel, request or node. */
  of: z.string(),
  expected: z.string(),
  found: z.string(),
});
export type BookDifference = z.infer<typeof difference>;

const checked = z.object({
  check: z.enum(bookChecks),
  /** Number of accounts, entries or rows compared. */
  compared: z.int(),
  differing: z.int(),
  /** The first differences. */
  differences: z.array(difference),
});
export type BookChecked = z.infer<typeof checked>;

/**
 * Why a call cost more than could be charged. `cut_stream`: the last read of a stream that was ended. `session`: the last
 * turn of a realtime session. `usage`: the reported usage was above the reservation.
 */
export const shortfallCauses = ['cut_stream', 'session', 'usage'] as const;

const shortfallRow = z.object({
  request_id: z.string(),
  /** The row of the log. */
  log_id: z.int(),
  user_id: z.int(),
  username: z.string(),
  model: z.string(),
  created_at: seconds,
  /** Credits that were charged, and that were not. */
  charged: z.int(),
  uncollected: z.int(),
  cause: z.enum(shortfallCauses),
});
export type ShortfallRow = z.infer<typeof shortfallRow>;

export const booksReport = z.object({
  balanced: z.boolean(),
  /** Signed days were read again, too. */
  full: z.boolean(),
  started_time: seconds,
  /** Milliseconds. */
  took: z.int(),
  users: z.int(),
  /** Entries and log rows that were read. */
  entries: z.int(),
  rows: z.int(),
  /** Days that have balanced, up to a midnight of UTC (0: none), with all their entries and calls. */
  signed: z.object({
    until: seconds,
    entries: z.int(),
    rows: z.int(),
    /** Over all of them. A full check has to find the same one later, unless days were signed since. */
    digest: z.string(),
  }),
  /** Open calls: admitted and not settled. */
  open_calls: z.int(),
  /** Credits reserved by them and by nodes. */
  held: z.int(),
  /** Total cost beyond balances, which was never charged. */
  shortfall: z.int(),
  /** Number of such calls, and the last of them. */
  shortfall_calls: z.int(),
  shortfalls: z.array(shortfallRow),
  checks: z.array(checked),
});
export type BooksReport = z.infer<typeof booksReport>;

export const booksSchemas = {
  state: {
    audience: 'admin',
    summary: 'Get the last reconciliation report and the progress of a running one',
    reply: z.object({
      /** Null: none is running. */
      running: z.nullable(
        z.object({
          check: z.enum(bookChecks),
          done: z.int(),
          of: z.int(),
          /** Time up to which days are signed; 0: not known. */
          until: seconds,
        }),
      ),
      report: z.nullable(booksReport),
      failed: z.string(),
    }),
  },
  run: {
    audience: 'admin',
    summary:
      'Start a reconciliation: recompute balances from entries, entries from log rows, and log rows from their token counts',
    /** `full`: read signed days again, too. */
    query: z.object({ full: z._default(z.enum(['true', 'false']), 'false') }),
  },
} as const satisfies SchemasByEndpoint;
