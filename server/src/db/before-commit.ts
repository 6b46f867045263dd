import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** Called just before a transaction commits; may write in it. If it throws, the transaction rolls back. */
export type Witness = (trx: Transaction<Tables>) => Promise<void>;

const witnesses = new AsyncLocalStorage<Witness>();

/** Runs work and calls the witness for every transaction that it commits. */
export const withWitness = <T>(witness: Witness, work: () => Promise<T>): Promise<T> => witnesses.run(witness, work);

/** Makes the transactions of a database call the witness of their work. */
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
