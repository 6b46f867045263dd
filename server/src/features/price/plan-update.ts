import type { PriceDifference, PriceInput, PriceSource, PriceUpdateMode } from '@relay-hub/contract';
import { priceInput, priceStep, samePrice } from '@relay-hub/contract';
import type { PreviewedList } from '#db/tables/models.ts';
import { AppError } from '#errors.ts';
import { PriceBook } from '#live/price-book.ts';
import type { InForce, Plan } from './change-prices.ts';
import { withKeptTerms } from './price-queries.ts';
import { someNames } from './some-names.ts';

export interface Differences {
  changed: PriceDifference[];
  added: PriceDifference[];
  dropped: PriceDifference[];
  unchanged: string[];
}

type IsServed = (model: string) => boolean;

/**
 * Changes that a list would make to the active prices. Models with a rejected row are neither changed nor dropped,
 * since their price is unknown rather than gone.
 */
export function differencesOf(
  { prices, refused, isPartial }: PreviewedList,
  inForce: InForce,
  served: IsServed,
): Differences {
  const found: Differences = { changed: [], added: [], dropped: [], unchanged: [] };
  const book = new PriceBook(
    [...inForce.values()].map((price) => withKeptTerms(price, undefined)),
    undefined,
  );
  for (const price of prices) {
    const before = inForce.get(price.model);
    const after = withKeptTerms(price, before);
    if (before && samePrice(before, after)) found.unchanged.push(price.model);
    else {
      // A new name is compared with the wildcard price that applies to it now.
      const compared = before ?? book.listed(price.model);
      const step = compared ? priceStep(compared, after) : { factor: null, jumps: [] };
      const difference = { model: price.model, after, served: served(price.model), ...step };
      if (before) found.changed.push({ ...difference, before: bare(before), source: before.source });
      else found.added.push({ ...difference, before: null, source: null });
    }
  }
  if (isPartial) return found;
  const listed = new Set([...prices.map(({ model }) => model), ...refused]);
  for (const [model, before] of inForce) {
    if (listed.has(model)) continue;
    const { source } = before;
    found.dropped.push({
      model,
      before: bare(before),
      after: null,
      source,
      factor: null,
      jumps: [],
      served: served(model),
    });
  }
  return found;
}

/** A price without version and date. */
const bare = (price: PriceInput): PriceInput => priceInput.parse(price);

export interface UpdateSelection {
  mode: PriceUpdateMode;
  /** Models to leave unchanged. */
  leave: readonly string[];
  /** Models with a confirmed price jump. */
  confirmed: readonly string[];
}

/** Plans the selected differences. Throws `price.jump` with the unconfirmed ones. */
export function planUpdate(found: Differences, { mode, leave, confirmed }: UpdateSelection, source: PriceSource): Plan {
  const [left, meant] = [new Set(leave), new Set(confirmed)];
  const selected = (differences: PriceDifference[]) => differences.filter(({ model }) => !left.has(model));
  const overwrites = mode === 'overwrite';
  const set = selected([...found.added, ...(overwrites ? found.changed : [])]);
  const jumping = set.filter(({ model, jumps }) => jumps.length > 0 && !meant.has(model)).map(({ model }) => model);
  if (jumping.length > 0) throw new AppError('price.jump', { field: 'confirmed', ...someNames(jumping) });
  return {
    set: set.flatMap(({ after }) => (after ? [{ ...after, source }] : [])),
    end: overwrites ? selected(found.dropped).map(({ model }) => model) : [],
  };
}
