/** SQLite: busy, locked, no memory, read-only, input or output, corrupt, full, cannot be opened, no database. */
const sqlite = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26]);
/** PostgreSQL: connection, transaction state, rolled back, resources (a full disk), intervention, system, internal. */
const postgres = new Set(['08', '25', '40', '53', '57', '58', 'XX']);

/**
 * Whether an error says that the database cannot write now, whatever it is to write. What else fails may be the fault
 * of what was to be written.
 */
export function isOutage(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return sqlite.has(errcode & 0xff);
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && postgres.has(code.slice(0, 2));
}
