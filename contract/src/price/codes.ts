/** What was done to prices in one step: by hand, by an update from a list, or by taking one of those back. */
export const priceChangeKinds = ['edit', 'update', 'undo'] as const;

/** Where a price in force comes from: this build, a list that was fetched, or somebody's own hand. */
export const priceSources = ['built_in', 'remote', 'own'] as const;

export type PriceSource = (typeof priceSources)[number];

/** `overwrite`: the list as it is, own prices replaced or dropped. `add`: only models that have no price. */
export const priceUpdateModes = ['overwrite', 'add'] as const;

export type PriceUpdateMode = (typeof priceUpdateModes)[number];
