import * as z from 'zod/mini';
import { modelPattern, ratio } from '../values.ts';
import { extraRatios } from './extra-ratios.ts';
import { priceFees, priceRules } from './price-rules.ts';

/** The terms of a price, without the model. */
export const priceTerms = z.object({
  /** `tokens`: by token; `times`: 1000 × input credits for each answered call. */
  type: z.enum(['tokens', 'times']),
  /** Id of the model owner. */
  channel_type: z.int().check(z.gte(0), z.lte(2_147_483_647)),
  input: ratio,
  output: ratio,
  /** In an update, absent keeps the multiples and `{}` removes them. */
  extra_ratios: z.optional(extraRatios),
  /** In an update, absent keeps the rules and `[]` removes them. */
  rules: z.optional(priceRules),
  /** Likewise. */
  fees: z.optional(priceFees),
});

export const priceInput = z.extend(priceTerms, { model: modelPattern });
export type PriceInput = z.infer<typeof priceInput>;

/** With `version`, the update is refused if that version is no longer current. */
export const priceEdit = z.extend(priceInput, { version: z.optional(z.int()) });
export type PriceEdit = z.infer<typeof priceEdit>;

const most = 5000;
const once = { error: 'model.repeated' };
const models = z.array(modelPattern).check(
  z.maxLength(most),
  z.refine((names) => new Set(names).size === names.length, once),
);

/** One price for several models; models only in `original_models` lose theirs. */
export const priceGroupEdit = z.object({
  original_models: z._default(z.array(z.string()).check(z.maxLength(most)), []),
  models: models.check(z.minLength(1)),
  price: priceTerms,
  /** Versions the edit is based on; refused if one is no longer current. */
  versions: z.optional(z.array(z.int()).check(z.maxLength(most))),
});
export type PriceGroupEdit = z.infer<typeof priceGroupEdit>;

/** Prices of several models, each its own. */
export const priceEdits = z.object({
  prices: z.array(priceEdit).check(
    z.minLength(1),
    z.maxLength(most),
    z.refine((prices) => new Set(prices.map(({ model }) => model)).size === prices.length, once),
  ),
});

export const priceModels = z.object({ models: models.check(z.minLength(1)) });
