import type { ExtraRatios, PriceInput } from '@relay-hub/contract';

/** A price of the old program, in our terms. */
export type ArrivingPrice = PriceInput & { extra_ratios: ExtraRatios };

/** Without the error of binary products: 0.1 × 3 is 0.3. */
export const exact = (value: number): number => Number(value.toPrecision(12));
