import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { seconds } from '../values.ts';

/** Reconciliation checks, in order. */
export const bookChecks = [
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

export const booksReport = z.object({
  balanced: z.boolean(),
  started_time: seconds,
  /** Milliseconds. */
  took: z.int(),
  users: z.int(),
  entries: z.int(),
  rows: z.int(),
  /** Open calls: admitted and not settled. */
  open_calls: z.int(),
  /** Credits reserved by them and by nodes. */
  held: z.int(),
  /** Total cost beyond balances, which was never charged. */
  shortfall: z.int(),
  checks: z.array(checked),
});
export type BooksReport = z.infer<typeof booksReport>;

export const booksSchemas = {
  state: {
    audience: 'admin',
    summary: 'Get the last reconciliation report and the progress of a running one',
    reply: z.object({
      /** Null: none is running. */
      running: z.nullable(z.object({ check: z.enum(bookChecks), done: z.int(), of: z.int() })),
      report: z.nullable(booksReport),
      failed: z.string(),
    }),
  },
  run: {
    audience: 'admin',
    summary:
      'Start a reconciliation: recompute balances from entries, entries from log rows, and log rows from their token counts',
  },
} as const satisfies SchemasByEndpoint;
