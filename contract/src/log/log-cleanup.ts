import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { seconds } from '../values.ts';

/** Progress of the running log clean-up, or the result of the last one. */
export const logCleanup = z.object({
  state: z.enum(['none', 'running', 'done', 'cancelled']),
  /** Calls before this time are deleted. */
  target_timestamp: seconds,
  /** Number of calls before it, and of deleted ones. */
  total: z.int(),
  deleted: z.int(),
  started_time: seconds,
  /** 0 while it runs. */
  ended_time: seconds,
});
export type LogCleanup = z.infer<typeof logCleanup>;

export const logCleanupSchemas = {
  start: {
    audience: 'root',
    summary: 'Start deleting calls before a time; returns their number. Statistics and ledger are kept',
    // A number below a day is not a time: 30 may have meant days.
    query: z.object({ target_timestamp: z.coerce.number().check(z.int(), z.gte(86_400), z.lte(2_147_483_647)) }),
    reply: z.int(),
  },
  progress: {
    audience: 'root',
    summary: 'Progress of the log clean-up',
    reply: logCleanup,
  },
  cancel: {
    audience: 'root',
    summary: 'Cancel the log clean-up; deleted rows are not restored',
    reply: logCleanup,
  },
} as const satisfies SchemasByEndpoint;
