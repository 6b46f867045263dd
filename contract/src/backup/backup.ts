import * as z from 'zod/mini';
import { LEAST_PASSPHRASE } from '../codes.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { idParam, seconds, text } from '../values.ts';

export const backupCauses = ['schedule', 'console', 'command'] as const;
export type BackupCause = (typeof backupCauses)[number];

export const backupStates = ['running', 'done', 'failed'] as const;
export type BackupState = (typeof backupStates)[number];

/** For an archive; the same rule for the console and the commands. */
export const passphrase = z
  .string()
  .check(z.minLength(LEAST_PASSPHRASE, { error: 'passphrase.short' }), z.maxLength(1000));

export const backup = z.object({
  id: z.int(),
  cause: z.enum(backupCauses),
  /** The user who started it; empty for the others. */
  actor: z.string(),
  state: z.enum(backupStates),
  /** From 0 to 100. */
  percent: z.int(),
  started_time: seconds,
  /** 0: not ended. */
  ended_time: seconds,
  /** Name of the machine that made it. */
  host: z.string(),
  /** Path of the archive there; empty: none, or it was removed. */
  file: z.string(),
  bytes: z.int(),
  /** With a passphrase. Only then it has the data key. */
  encrypted: z.boolean(),
  /** Whether the node that answers has the file. */
  here: z.boolean(),
  /** Why it failed; empty otherwise. */
  error: z.string(),
});
export type Backup = z.infer<typeof backup>;

export const backupSchemas = {
  list: {
    audience: 'root',
    summary: 'List the latest backups, newest first, and when the next one is due',
    reply: z.object({
      backups: z.array(backup),
      /** 0: no schedule. */
      next_time: seconds,
      /** The folder on the server. */
      folder: z.string(),
    }),
  },
  start: {
    audience: 'root',
    summary: 'Start a backup with the settings of the schedule',
    reply: z.object({ id: z.int() }),
  },
  link: {
    audience: 'root',
    summary:
      'Get an address, valid for a minute, that downloads a backup with the data key, encrypted with a passphrase',
    params: z.object({ id: idParam }),
    body: z.object({ passphrase }),
    reply: z.object({ address: z.string() }),
  },
  download: {
    audience: 'root',
    summary: 'Download a backup by an address that was given for it',
    query: z.object({ ticket: text(4000, 1) }),
    file: 'application/octet-stream',
  },
  remove: {
    audience: 'root',
    summary: 'Delete the file of a backup',
    params: z.object({ id: idParam }),
  },
} as const satisfies SchemasByEndpoint;
