import { channelStatus, parseTextMap, splitList, type Channel } from '@relay-hub/contract';

export const isWildcard = (model: string): boolean => model.endsWith('*');

const prefixOf = (wildcard: string): string => wildcard.slice(0, -1);

/** Whether a list of names and wildcards matches a name. */
function covers(list: readonly string[], name: string): boolean {
  return list.some((each) => each === name || (isWildcard(each) && name.startsWith(prefixOf(each))));
}

/** Models that only `gone` serve among all enabled channels; without these, no call can use them. */
export function orphanedModels(gone: readonly Channel[], all: readonly Channel[]): string[] {
  const going = new Set(gone.map(({ id }) => id));
  const enabled = all.filter(({ status }) => status === channelStatus.enabled);
  const modelsOf = (channels: readonly Channel[]) => [...new Set(channels.flatMap(({ models }) => splitList(models)))];
  const kept = modelsOf(enabled.filter(({ id }) => !going.has(id)));
  return modelsOf(enabled.filter(({ id }) => going.has(id))).filter((name) => !covers(kept, name));
}

/** Models whose calls would be refused for lack of a price; the mapping decides which name is billed. */
export function unpricedModels(models: readonly string[], mapping: string, priced: readonly string[]): string[] {
  const targets = new Map(Object.entries(parseTextMap(mapping) ?? {}));
  const billed = (model: string) => {
    const target = targets.get(model);
    return target === undefined || target.startsWith('+') ? model : target;
  };
  const hasPrice = (name: string) =>
    covers(priced, name) || (isWildcard(name) && priced.some((each) => each.startsWith(prefixOf(name))));
  return models.filter((model) => !hasPrice(billed(model)));
}

export interface ModelChanges {
  /** Offered by the provider, neither in the list nor matched by its wildcards. */
  added: string[];
  /** In the list but no longer offered; mapped names and wildcards are ignored. */
  gone: string[];
}

/** Compares a channel's models with those its provider offers. */
export function compareModels(models: readonly string[], offered: readonly string[], mapping: string): ModelChanges {
  const own = parseTextMap(mapping) ?? {};
  const known = new Set(offered);
  return {
    added: offered.filter((name) => !covers(models, name)),
    gone: models.filter((name) => !isWildcard(name) && !known.has(name) && !Object.hasOwn(own, name)),
  };
}

/** The first names, with an ellipsis for the rest: `a, b …`. */
export const shortList = (names: readonly string[], most: number): string =>
  names.slice(0, most).join(', ') + (names.length > most ? ' …' : '');
