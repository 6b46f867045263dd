import type { TransactionScript } from '#db/transaction-script.ts';

/** Inserts a number into the table `t`. */
export const script: TransactionScript<number, void> = {
  module: import.meta.url,
  async run(query, input) {
    await query('insert into t values ($1)', [input]);
  },
};
