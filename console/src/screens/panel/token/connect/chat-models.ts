import type { priceApi, ReplyOf } from '@relay-hub/contract';

type Available = ReplyOf<(typeof priceApi)['available']>;

/** Names of the models available to a group; wildcards (`gpt-4*`) are left out. */
export const modelsOfGroup = (available: Available, group: string): string[] =>
  Object.entries(available)
    .filter(([name, { groups }]) => !name.includes('*') && groups.includes(group))
    .map(([name]) => name)
    .toSorted();

/** The cheapest chat model for a first call: chat models have an output price above their input price. */
export function firstModel(available: Available, names: readonly string[]): string | undefined {
  const cost = (name: string) => {
    const price = available[name]?.price;
    return price?.type === 'tokens' && price.input > 0 && price.output > price.input ? price.output : Infinity;
  };
  return names.toSorted((a, b) => cost(a) - cost(b))[0];
}
