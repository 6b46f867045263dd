import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { seconds } from '../values.ts';

/** How far the clean-up of the log is, or how the last one ended. */
export const logCleanup = z.object({
  state: z.enum(['none', 'running', 'done', 'cancelled']),
  /** Calls before this time go. */
  target_timestamp: seconds,
  /** How many calls there were before it, and how many of them are gone. */
  total: z.int(),
  deleted: z.int(),
  started_time: seconds,
  /** 0 while it runs. */
  ended_time: seconds,
});
export type LogCleanup = z.infer<typeof logCleanup>;

export const logCleanupSchemas = {
  start: {
    audience: 'admin',
    summary: 'Start deleting calls before a time; returns their number. Statistics and ledger are kept',
    query: z.object({ target_timestamp: z.coerce.number().check(z.int(), z.gte(1), z.lte(2_147_483_647)) }),
    reply: z.int(),
  },
  progress: {
    audience: 'admin',
    summary: 'Progress of the log clean-up',
    reply: logCleanup,
  },
  cancel: {
    audience: 'admin',
    summary: 'Cancel the log clean-up; deleted rows are not restored',
    reply: logCleanup,
  },
} as const satisfies SchemasByEndpoint;
