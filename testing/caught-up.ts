import { CompiledQuery } from 'kysely';
import type { Deps } from '#deps.ts';
import { isPostgres } from '#db/dialect-differences.ts';
import { script } from '#quota/pending-sums.ts';

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

/** Resolves when the settlements of this database's server are written, and the sums of all servers. */
export async function caughtUp(db: Deps['db']): Promise<void> {
  while ((books.get(db)?.waiting ?? 0) > 0) await books.get(db)?.caughtUp();
  const known = sums.get(db);
  if (known) await known.caughtUp();
  else if (isPostgres(db)) await addPending(db);
}

/** Adds up what servers in other processes have left. */
async function addPending(db: Deps['db']): Promise<void> {
  const isLast = await db.transaction().execute(async (trx) => {
    // Statements are sent one after the other; the script waits for the results that it reads.
    let sent: Promise<unknown> = Promise.resolve();
    const query = <Row>(text: string, values: readonly unknown[]): Promise<Row[]> => {
      const done = sent.then(() => trx.executeQuery<Row>(CompiledQuery.raw(text, [...values])));
      sent = done;
      return done.then(({ rows }) => rows);
    };
    const more = await script.run(query, { upTo: Number.MAX_SAFE_INTEGER }, ' for update');
    await sent;
    return !more;
  });
  if (!isLast) await addPending(db);
}
