import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** Is told of each transaction just before it commits, and may write along with it; what it throws rolls it back. */
export type Witness = (trx: Transaction<Tables>) => Promise<void>;

const witnesses = new AsyncLocalStorage<Witness>();

/** Does the work, with a witness of every transaction that it commits. */
export const withWitness = <T>(witness: Witness, work: () => Promise<T>): Promise<T> => witnesses.run(witness, work);

/** Makes the transactions of a database tell the witness of the work that they belong to. */
export function tellWitnesses(db: Kysely<Tables>): void {
  const begin = db.transaction.bind(db);
  db.transaction = () => {
    const builder = begin();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) =>
      execute(async (trx) => {
        const result = await work(trx);
        await witnesses.getStore()?.(trx);
        return result;
      });
    return builder;
  };
}
