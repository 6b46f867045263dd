import type { PriceChange } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import type { PriceChangeContext } from './change-prices.ts';
import { changePrices } from './change-prices.ts';
import { getChange } from './price-change-queries.ts';
import { lean, priceColumns, withKeptTerms } from './price-queries.ts';
import { someNames } from './some-names.ts';

/**
 * Restores the prices before a change as new versions; later changes to other models stay. Throws `price.edited_since`
 * with the prices that were changed again, and `price.undone`.
 */
export async function undoChange(db: Kysely<Tables>, id: number, act: PriceChangeContext): Promise<PriceChange | null> {
  const { change } = await changePrices(db, { ...act, kind: 'undo' }, async (inForce, trx) => {
    const { undone } = await getChange(trx, id);
    ensure(!undone, 'price.undone');
    const versions = trx.selectFrom('prices').select(priceColumns);
    const begun = await versions.where('begun_by', '=', id).execute();
    const ended = await versions.where('ended_by', '=', id).execute();

    const left = new Map<string, number | undefined>(ended.map(({ model }) => [model, undefined]));
    for (const { model, version } of begun) left.set(model, version);
    const edited = [...left].filter(([model, version]) => inForce.get(model)?.version !== version);
    ensure(edited.length === 0, 'price.edited_since', someNames(edited.map(([model]) => model)));
    const restored = new Set(ended.map(({ model }) => model));
    return {
      set: ended.map((row) => withKeptTerms(lean(row), undefined)),
      end: begun.map(({ model }) => model).filter((model) => !restored.has(model)),
      undoes: id,
    };
  });
  return change;
}
