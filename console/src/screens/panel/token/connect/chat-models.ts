import type { priceApi, ReplyOf } from '@relay-hub/contract';

type Available = ReplyOf<(typeof priceApi)['available']>;

/** The models that callers of a group can name, by name; a pattern (`gpt-4*`) is no name. */
export const modelsOfGroup = (available: Available, group: string): string[] =>
  Object.entries(available)
    .filter(([name, { groups }]) => !name.includes('*') && groups.includes(group))
    .map(([name]) => name)
    .toSorted();

/** Of those, one for a first call: it talks (answers cost more than questions), and no other that does costs less. */
export function firstModel(available: Available, names: readonly string[]): string | undefined {
  const cost = (name: string) => {
    const price = available[name]?.price;
    return price?.type === 'tokens' && price.input > 0 && price.output > price.input ? price.output : Infinity;
  };
  return names.toSorted((a, b) => cost(a) - cost(b))[0];
}
