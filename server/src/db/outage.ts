import { codeOf, sqliteCodeOf } from '#caught-error.ts';

/** SQLite: busy, locked, no memory, read-only, input or output, corrupt, full, cannot be opened, no database. */
const sqlite = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26]);
/** PostgreSQL: connection, transaction state, rolled back, resources (a full disk), intervention, system, internal. */
const postgres = new Set(['08', '25', '40', '53', '57', '58', 'XX']);

/** The database cannot be reached, or does not answer any more. Whether it has done what it was asked is not known. */
export class Outage extends Error {
  constructor(cause: unknown) {
    super(`the database does not answer: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Whether an error says that the database cannot write now, whatever it is to write. What else fails may be the fault
 * of what was to be written.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof Outage) return true;
  const result = sqliteCodeOf(error);
  if (result !== undefined) return sqlite.has(result & 0xff);
  const code = codeOf(error) ?? '';
  return /^[0-9A-Z]{5}$/.test(code) && postgres.has(code.slice(0, 2));
}

/** SQLite: corrupt, not a database. */
const damagedSqlite = new Set([11, 26]);
/** PostgreSQL: data_corrupted, index_corrupted. */
const damagedPostgres = new Set(['XX001', 'XX002']);

/** Whether an error says that what the database has stored is damaged, so that nothing may be written to it any more. */
export function isDamage(error: unknown): boolean {
  const result = sqliteCodeOf(error);
  return result === undefined ? damagedPostgres.has(codeOf(error) ?? '') : damagedSqlite.has(result & 0xff);
}

/** Whether it could write, and only these two transactions not beside each other. */
export const isClash = (error: unknown): boolean => isOutage(error) && (codeOf(error) ?? '').startsWith('40');

/** Why, in words. One that was tried at several addresses has none of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof Outage) return reasonOf(error.cause);
  return (error instanceof Error && error.message) || codeOf(error) || String(error);
}
