/** The unique index or column that an error violates (`users_email`, `users.username`); undefined for other errors. */
export function uniqueClash(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && error.code === '23505') return 'constraint' in error ? String(error.constraint) : '';
  // SQLite names the columns, or the index if it is on an expression.
  return /^UNIQUE constraint failed: (.+)/.exec(error.message)?.[1];
}
