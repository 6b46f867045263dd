import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { idParam, seconds } from '../values.ts';

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
  /** Number of calls that it has written into archives. */
  archived: z.int(),
  /** Why it made no progress when it last tried, for example because the disk is full; empty: it does. */
  error: z.string(),
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

/** A file of calls that are no longer in the log. */
export const logArchive = z.object({
  id: z.int(),
  /** Start of its month (UTC), and its number among the files of the month, from 1. */
  month: seconds,
  part: z.int(),
  /** The times of its calls; the second is exclusive. */
  from_time: seconds,
  until_time: seconds,
  rows: z.int(),
  credits: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  /** Name in the folder of archives, and the machine that wrote it. */
  file: z.string(),
  host: z.string(),
  /** Whether the node that answers has the file. */
  here: z.boolean(),
  created_time: seconds,
});
export type LogArchive = z.infer<typeof logArchive>;

export const logArchiveSchemas = {
  list: {
    audience: 'admin',
    summary: 'List the archives of old calls, newest month first, and their folder',
    reply: z.object({ archives: z.array(logArchive), folder: z.string() }),
  },
  download: {
    audience: 'admin',
    summary: 'Download an archive of old calls as Parquet',
    params: z.object({ id: idParam }),
    file: 'application/vnd.apache.parquet',
  },
} as const satisfies SchemasByEndpoint;
