import { ratesOf } from '@relay-hub/contract';
import type { BookedPrice, PriceBook } from '#live/price-book.ts';

/** Prefix of the name of a price that applies to a model's batches. */
const PREFIX = 'batch/';

/** The price of a model in batches: the one named `batch/` and the model, else half of the model's own. */
export function batchPrice(prices: PriceBook, model: string, usual: BookedPrice): BookedPrice {
  const own = prices.exact(PREFIX + model);
  if (own) return own;
  // Rules of a call, such as those for long prompts, say nothing about a sum of calls.
  const price = { ...usual, input: usual.input / 2, output: usual.output / 2, rules: [], fees: [] };
  return { ...price, ratesFor: (ratio) => ratesOf(price, ratio) };
}
