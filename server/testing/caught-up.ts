import type { Deps } from '#deps.ts';

const books = new WeakMap<Deps['db'], Deps['book']>();
const sums = new WeakMap<Deps['db'], Deps['pendingSums']>();

/** Makes tests' reads of the server's database wait for pending settlements and sums. */
export function catchUpBefore({ db, book, pendingSums }: Pick<Deps, 'db' | 'book' | 'pendingSums'>): void {
  books.set(db, book);
  sums.set(db, pendingSums);
}

/** The same for the sums of a database without a server. */
export function addUpBefore(db: Deps['db'], pendingSums: Deps['pendingSums']): void {
  sums.set(db, pendingSums);
}

/** Resolves when the settlements and sums of this database's server are written; at once for other databases. */
export async function caughtUp(db: Deps['db']): Promise<void> {
  while ((books.get(db)?.waiting ?? 0) > 0) await books.get(db)?.caughtUp();
  await sums.get(db)?.caughtUp();
}
