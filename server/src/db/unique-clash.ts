/**
 * What an error says of the unique index or column that stood in the way (`users_email`, `users.username`); undefined
 * for every other error.
 */
export function uniqueClash(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && error.code === '23505') return 'constraint' in error ? String(error.constraint) : '';
  // SQLite names the columns, or the index where there is more to it than columns.
  return /^UNIQUE constraint failed: (.+)/.exec(error.message)?.[1];
}
