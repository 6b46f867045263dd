import type { Deps } from '#deps.ts';

const books = new WeakMap<Deps['db'], Deps['book']>();

/** Makes tests' reads of the server's database wait for pending settlements. */
export function catchUpBefore({ db, book }: Pick<Deps, 'db' | 'book'>): void {
  books.set(db, book);
}

/** Resolves when the settlements of this database's server are written; at once for other databases. */
export async function caughtUp(db: Deps['db']): Promise<void> {
  while ((books.get(db)?.waiting ?? 0) > 0) await books.get(db)?.caughtUp();
}
