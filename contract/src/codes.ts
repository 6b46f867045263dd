/** Numbers on the wire, names in code. */

export const role = { guest: 0, user: 1, admin: 10, root: 100 } as const;

export const userStatus = { enabled: 1, disabled: 2 } as const;

/** `testDisabled`: disabled by the server, after failures or a slow test. */
export const channelStatus = { unknown: 0, enabled: 1, disabled: 2, testDisabled: 3 } as const;

export const tokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

/** `expired` is derived from the expiry time, and never stored. */
export const redemptionStatus = { enabled: 1, disabled: 2, used: 3, expired: 4 } as const;

/** `refused`: calls refused before channel selection; omitted from lists unless requested. */
export const logType = { all: 0, topup: 1, consume: 2, manage: 3, system: 4, refused: 5 } as const;

/** Roles from 10 are administrators. */
export const isAdmin = (value: number): boolean => value >= role.admin;

/** Ids up to this one are built-in model owners; they equal the channel types. */
export const LAST_RESERVED_OWNER = 1000;

/** Characters of a passphrase for a backup or an export; the same for the console and the commands. */
export const LEAST_PASSPHRASE = 12;

/** Name of the token that calls of the playground are booked on. */
export const playgroundToken = 'sys_playground';

/** Work that a node repeats at intervals. */
export const jobNames = [
  'balances',
  'bills',
  'plans',
  'backups',
  'callers',
  'files',
  'fileClean',
  'fileNotices',
  'incidents',
  'messages',
  'metrics',
  'months',
  'objects',
  'oldRows',
  'orders',
  'outage',
  'report',
  'states',
  'sums',
  'traces',
  'upgrade',
  'usageExports',
] as const;
export type JobName = (typeof jobNames)[number];

/** Work that waits. */
export const systemQueues = ['settlements', 'sums', 'messages', 'tasks', 'files', 'callbacks', 'orders'] as const;
