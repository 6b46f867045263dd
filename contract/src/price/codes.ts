/** Kinds of price changes: manual, from a price list, or an undo. */
export const priceChangeKinds = ['edit', 'update', 'undo'] as const;

/** Source of a price: built in, fetched list, or manual. */
export const priceSources = ['built_in', 'remote', 'own'] as const;

export type PriceSource = (typeof priceSources)[number];

/** `overwrite`: replaces all prices by the list. `add`: only models without a price. */
export const priceUpdateModes = ['overwrite', 'add'] as const;

export type PriceUpdateMode = (typeof priceUpdateModes)[number];
