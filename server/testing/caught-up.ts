import type { Deps } from '#deps.ts';

const books = new WeakMap<Deps['db'], Deps['book']>();

/** Lets what reads a server's database in tests see every call that has ended before. */
export function catchUpBefore({ db, book }: Pick<Deps, 'db' | 'book'>): void {
  books.set(db, book);
}

/** Resolves when the settlements of the server that this database is of are in the books; at once for another's. */
export async function caughtUp(db: Deps['db']): Promise<void> {
  while ((books.get(db)?.waiting ?? 0) > 0) await books.get(db)?.caughtUp();
}
