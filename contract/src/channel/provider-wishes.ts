import * as z from 'zod/mini';
import { text } from '../values.ts';

const names = z.array(text(100, 1)).check(z.maxLength(50));
/** Dollars; OpenRouter's clients send numbers and texts. */
const dollars = z.union([
  z.number().check(z.gte(0)),
  z.string().check(
    z.regex(/^\d{1,9}(?:\.\d{1,12})?$/),
    z.overwrite((value) => value),
  ),
]);

export const wishSorts = ['price', 'throughput', 'latency'] as const;
export type WishSort = (typeof wishSorts)[number];

/** A channel keeps no prompts and trains no models with them, or may do so; empty: unknown. */
export const dataPolicies = ['', 'deny', 'allow'] as const;

/** Wishes of a caller about the providers of a call, in the words of OpenRouter's `provider`; `region` is ours. */
export const providerWishes = z.strictObject({
  /** Providers that come first, in this order. */
  order: z.optional(names),
  only: z.optional(names),
  ignore: z.optional(names),
  /** False: none but those of `order`. */
  allow_fallbacks: z.optional(z.boolean()),
  sort: z.optional(z.enum(wishSorts)),
  data_collection: z.optional(z.enum(['allow', 'deny'])),
  quantizations: z.optional(names),
  region: z.optional(names),
  /** The price of the caller, in dollars per million tokens. */
  max_price: z.optional(z.strictObject({ prompt: z.optional(dollars), completion: z.optional(dollars) })),
  /** Only channels that drop no field of the request. False: a dropped field is named in a header. */
  require_parameters: z.optional(z.boolean()),
});
export type ProviderWishes = z.output<typeof providerWishes>;
