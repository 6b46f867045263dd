import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { seconds } from '../values.ts';

/** What is compared, in order. */
export const bookChecks = [
  'balances',
  'entry_chain',
  'held',
  'charges',
  'rows',
  'explained',
  'roll_ups',
  'attempts',
  'tokens',
  'channels',
  'journals',
] as const;
export type BookCheck = (typeof bookChecks)[number];

const difference = z.object({
  /** Of whom or what: a user, a token, a channel, a request, a node. */
  of: z.string(),
  expected: z.string(),
  found: z.string(),
});
export type BookDifference = z.infer<typeof difference>;

const checked = z.object({
  check: z.enum(bookChecks),
  /** How many accounts, entries or rows were compared. */
  compared: z.int(),
  differing: z.int(),
  /** The first of them. */
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
  /** Calls under way: admitted, and not settled. */
  open_calls: z.int(),
  /** What they and the nodes have reserved, in credits. */
  held: z.int(),
  /** What calls cost beyond what was left, all in all; it was never taken. */
  shortfall: z.int(),
  checks: z.array(checked),
});
export type BooksReport = z.infer<typeof booksReport>;

export const booksSchemas = {
  state: {
    audience: 'admin',
    summary: 'Get the last reconciliation report and the progress of a running one',
    reply: z.object({
      /** Null: none is under way. */
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
