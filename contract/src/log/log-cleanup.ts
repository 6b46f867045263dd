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
    summary: 'Begin to delete the calls before a time; the answer is how many there are. Statistics and ledger stay',
    query: z.object({ target_timestamp: z.coerce.number().check(z.int(), z.gte(1), z.lte(2_147_483_647)) }),
    reply: z.int(),
  },
  progress: {
    audience: 'admin',
    summary: 'How far the clean-up is',
    reply: logCleanup,
  },
  cancel: {
    audience: 'admin',
    summary: 'Stop the clean-up; what is deleted stays deleted',
    reply: logCleanup,
  },
} as const satisfies SchemasByEndpoint;
