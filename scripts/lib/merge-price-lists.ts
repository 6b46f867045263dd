import { priceInput, priceStep, samePrice, type PriceInput } from '@relay-hub/contract';
import { withListed } from '../../server/src/features/price/public-lists/public-list.ts';

/** A source of prices: its name in the report, the day it is of, and its prices. */
export interface PriceSourceRead {
  name: string;
  /** `YYYY-MM-DD` */
  date: string;
  prices: readonly PriceInput[];
  /** Prices of a seller, which are compared and never taken over. */
  isSeller: boolean;
}

/** Prices of the built-in list that differ from a source on purpose; docs/prices.md says why. */
const kept: readonly { model: RegExp; why: string }[] = [
  { model: /^gpt-4o-mini-tts/, why: 'charged by its audio' },
  { model: /embed/, why: 'embeddings have no cache' },
];

export interface ComparedPrice {
  model: string;
  before: PriceInput | undefined;
  after: PriceInput;
  source: string;
  /** Why it is not written; empty: it is. */
  held: string;
}

export interface MergedLists {
  /** The built-in list with the accepted changes, by owner and model. */
  prices: PriceInput[];
  found: ComparedPrice[];
  /** Models of which two sources say different things, with the source that would win. */
  differing: { model: string; says: { name: string; price: PriceInput }[]; wins: string }[];
  /** Models of the sources that the built-in list does not have. */
  unlisted: string[];
}

/**
 * Reads sources over the built-in list. Where they differ from each other the most recent one wins, and its price is
 * written only if the model is confirmed, as is a price that jumps. Models that are not in the list are added by name.
 */
export function mergePriceLists(
  builtIn: readonly PriceInput[],
  sources: readonly PriceSourceRead[],
  { confirmed, added }: { confirmed: ReadonlySet<string>; added: ReadonlySet<string> },
): MergedLists {
  const merged = new Map(builtIn.map((price) => [price.model, price]));
  const result: MergedLists = { prices: [], found: [], differing: [], unlisted: [] };
  const makers = sources.filter(({ isSeller }) => !isSeller);
  for (const model of new Set(sources.flatMap(({ prices }) => prices.map((price) => price.model)))) {
    const before = merged.get(model);
    const says = (of: readonly PriceSourceRead[]) =>
      of.flatMap(({ name, date, prices }) => {
        const listed = prices.find((price) => price.model === model);
        return listed ? [{ name, date, price: priceInput.parse(withListed(listed, before)) }] : [];
      });
    const all = says(sources).toSorted((a, b) => (a.date < b.date ? 1 : -1));
    const [newest] = says(makers).toSorted((a, b) => (a.date < b.date ? 1 : -1));
    const isDiffering = all.some(({ price }) => !samePrice(price, all[0]!.price)); // there is one for each model
    if (!before && !added.has(model)) {
      if (newest) result.unlisted.push(model);
      continue;
    }
    if (isDiffering) result.differing.push({ model, says: all, wins: newest?.name ?? 'the built-in list' });
    if (!newest || (before && samePrice(before, newest.price))) continue;
    const held = holdOf(model, before, newest.price, { isDiffering, isConfirmed: confirmed.has(model) });
    result.found.push({ model, before, after: newest.price, source: newest.name, held });
    if (held === '') merged.set(model, newest.price);
  }
  followUndated(builtIn, merged);
  result.prices = [...merged.values()].toSorted(
    (a, b) => a.channel_type - b.channel_type || (a.model < b.model ? -1 : 1),
  );
  return result;
}

function holdOf(
  model: string,
  before: PriceInput | undefined,
  after: PriceInput,
  { isDiffering, isConfirmed }: { isDiffering: boolean; isConfirmed: boolean },
): string {
  const exception = kept.find((each) => each.model.test(model));
  if (exception) return `kept: ${exception.why}`;
  if (isConfirmed) return '';
  if (isDiffering) return 'sources differ';
  return before && priceStep(before, after).jumps.length > 0 ? 'jumps' : '';
}

/** Snapshots (`gpt-5-2025*`) change with their undated name, if they had its terms. */
function followUndated(builtIn: readonly PriceInput[], merged: Map<string, PriceInput>): void {
  for (const price of builtIn) {
    const undated = price.model.replace(/-(?:20\d\d)?\*$/, '');
    const [before, after] = [builtIn.find(({ model }) => model === undated), merged.get(undated)];
    if (undated !== price.model && before && after && samePrice(price, before))
      merged.set(price.model, { ...after, model: price.model });
  }
}

/** The text of the built-in list: one price a line. */
export const listText = (prices: readonly PriceInput[]): string => `[\n${prices.map(lineOf).join(',\n')}\n]\n`;

function lineOf({ model, type, channel_type, input, output, extra_ratios, rules, fees }: PriceInput): string {
  const all = { model, type, channel_type, input, output, extra_ratios, rules, fees };
  const set = Object.entries(all).filter(
    ([, value]) => value !== undefined && !(typeof value === 'object' && Object.keys(value).length === 0),
  );
  return `  ${spaced(Object.fromEntries(set))}`;
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}: ${spaced(each)}`)
    .join(', ')} }`;
}
