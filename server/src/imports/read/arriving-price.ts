import type { ExtraRatios, PriceInput } from '@relay-hub/contract';

/** A price of the old program, in our terms. */
export type ArrivingPrice = PriceInput & { extra_ratios: ExtraRatios };
