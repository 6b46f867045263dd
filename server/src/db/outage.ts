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
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return sqlite.has(errcode & 0xff);
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && postgres.has(code.slice(0, 2));
}

/** SQLite: corrupt, not a database. */
const damagedSqlite = new Set([11, 26]);
/** PostgreSQL: data_corrupted, index_corrupted. */
const damagedPostgres = new Set(['XX001', 'XX002']);

/** Whether an error says that what the database has stored is damaged, so that nothing may be written to it any more. */
export function isDamage(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return damagedSqlite.has(errcode & 0xff);
  return typeof code === 'string' && damagedPostgres.has(code);
}

/** Whether it could write, and only these two transactions not beside each other. */
export const isClash = (error: unknown): boolean =>
  isOutage(error) && String((error as { code?: unknown }).code).startsWith('40');

/** Why, in words. One that was tried at several addresses has none of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof Outage) return reasonOf(error.cause);
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
