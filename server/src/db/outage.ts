import { codeOf, sqliteCodeOf } from '#caught-error.ts';

/** SQLite: busy, locked, no memory, read-only, input or output, corrupt, full, cannot be opened, no database. */
const sqlite = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26]);
/** PostgreSQL: connection, transaction state, rolled back, resources (a full disk), intervention, system, internal. */
const postgres = new Set(['08', '25', '40', '53', '57', '58', 'XX']);

/** The database is unreachable or stopped answering. Whether the statement was executed is unknown. */
export class Outage extends Error {
  constructor(cause: unknown) {
    super(`the database does not answer: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Whether an error means that the database cannot write anything now. Other errors may be caused by the statement
 * itself.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof Outage) return true;
  const result = sqliteCodeOf(error);
  if (result !== undefined) return sqlite.has(result & 0xff);
  const code = codeOf(error) ?? '';
  return /^[0-9A-Z]{5}$/.test(code) && postgres.has(code.slice(0, 2));
}

/** SQLite: another process writes, or has locked the file. */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
/** PostgreSQL: disk_full. */
const DISK_FULL = '53100';

/** Whether another process kept the SQLite file locked for as long as a writer waits. */
export const isLocked = (error: unknown): boolean => ((sqliteCodeOf(error) ?? 0) & 0xff) === SQLITE_BUSY;

/** Whether the disk of the database is full. */
export const isFull = (error: unknown): boolean =>
  ((sqliteCodeOf(error) ?? 0) & 0xff) === SQLITE_FULL || codeOf(error) === DISK_FULL;

/** SQLite: the file is no longer where it was opened. */
export const SQLITE_MOVED = 8 | (4 << 8);
/** SQLite: corrupt, not a database. */
const damagedSqlite = new Set([11, 26]);
/** PostgreSQL: data_corrupted, index_corrupted. */
const damagedPostgres = new Set(['XX001', 'XX002']);

/** Whether an error reports damaged data, so that nothing may be written any more. */
export function isDamage(error: unknown): boolean {
  const result = sqliteCodeOf(error);
  if (result === undefined) return damagedPostgres.has(codeOf(error) ?? '');
  return result === SQLITE_MOVED || damagedSqlite.has(result & 0xff);
}

/** Whether two transactions conflicted; a retry can succeed. */
export const isClash = (error: unknown): boolean => isOutage(error) && (codeOf(error) ?? '').startsWith('40');

/** The reason as text. An error of several tried addresses has no message, only a code. */
export function reasonOf(error: unknown): string {
  if (error instanceof Outage) return reasonOf(error.cause);
  return (error instanceof Error && error.message) || codeOf(error) || String(error);
}
