/** Kinds of price changes: manual, from a price list, or an undo. */
export const priceChangeKinds = ['edit', 'update', 'undo'] as const;

/** Source of a price: built in, fetched list, or manual. */
export const priceSources = ['built_in', 'remote', 'own'] as const;

export type PriceSource = (typeof priceSources)[number];

/** `overwrite`: replaces all prices by the list. `add`: only models without a price. */
export const priceUpdateModes = ['overwrite', 'add'] as const;

export type PriceUpdateMode = (typeof priceUpdateModes)[number];

/** Formats of price lists: of this program and its family, LiteLLM's, and those of models.dev, OpenRouter, genai-prices. */
export const priceListFormats = ['own', 'litellm', 'models_dev', 'open_router', 'genai_prices'] as const;

export type PriceListFormat = (typeof priceListFormats)[number];

/** Why something in a public list was not taken over; `known_error`: the list is known to be wrong there. */
export const priceRemarks = ['unknown_field', 'no_price', 'not_convertible', 'known_error', 'other_provider'] as const;

export type PriceRemark = (typeof priceRemarks)[number];
