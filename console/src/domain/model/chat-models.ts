import type { priceApi, ReplyOf } from '@relay-hub/contract';

type Available = ReplyOf<(typeof priceApi)['available']>;

/** Names of the models available to a group; wildcards (`gpt-4*`) are left out. */
export const modelsOfGroup = (available: Available, group: string): string[] =>
  Object.entries(available)
    .filter(([name, { groups }]) => !name.includes('*') && groups.includes(group))
    .map(([name]) => name)
    .toSorted();

/** Output price of a chat model, which is above its input price; infinite for other models. */
const chatCost = (available: Available, name: string): number => {
  const price = available[name]?.price;
  return price?.type === 'tokens' && price.input > 0 && price.output > price.input ? price.output : Infinity;
};

/** The cheapest chat model for a first call. */
export const firstModel = (available: Available, names: readonly string[]): string | undefined =>
  names.toSorted((a, b) => chatCost(available, a) - chatCost(available, b))[0];

export interface ToolModel {
  name: string;
  /** Made for the tool, by its name. */
  suits: boolean;
}

/**
 * The chat models among `names`, best for a tool first: by the order of `preferred`, and within one pattern the newest
 * name first; then the others, cheapest first. All names if none looks like a chat model.
 */
export function modelsFor(
  available: Available,
  names: readonly string[],
  preferred: readonly RegExp[] = [],
): ToolModel[] {
  const cost = (name: string) => chatCost(available, name);
  const chats = names.filter((name) => cost(name) < Infinity);
  const rank = (name: string) => {
    const at = preferred.findIndex((pattern) => pattern.test(name));
    return at < 0 ? preferred.length : at;
  };
  const { compare } = new Intl.Collator('en', { numeric: true });
  return (chats.length > 0 ? chats : names)
    .map((name) => ({ name, at: rank(name), suits: rank(name) < preferred.length }))
    .toSorted((a, b) => a.at - b.at || (a.suits ? compare(b.name, a.name) : cost(a.name) - cost(b.name)))
    .map(({ name, suits }) => ({ name, suits }));
}
