import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { extraRatios } from '../price/extra-ratios.ts';
import { priceFees, priceRules } from '../price/price-rules.ts';
import { textFilter } from '../list.ts';
import { id, idParam, modelPattern, ratio, seconds } from '../values.ts';

/** Currency by its three letters. */
export const currencyCode = z.string().check(z.regex(/^[A-Z]{3}$/, { error: 'currency.form' }));

const terms = {
  type: z.enum(['tokens', 'times']),
  /** Ratios as in a price, in units of `currency`: 1 is 2 units for a million tokens. */
  input: ratio,
  output: ratio,
  extra_ratios: z._default(extraRatios, {}),
  rules: z._default(priceRules, []),
  fees: z._default(priceFees, []),
  currency: z._default(currencyCode, 'USD'),
  /** Dollars for one unit of the currency. */
  rate: z._default(z.number().check(z.gt(0), z.lte(1_000_000)), 1),
};

/**
 * Price that a channel pays for a model, or for all models with a prefix such as `gpt-4*`. Of several entries of a model, the
 * last one that has begun is in force, so a new exchange rate is a new entry.
 */
export const purchasePrice = z.object({
  model: modelPattern,
  ...terms,
  /** 0: it always was. */
  valid_from: z._default(seconds.check(z.gte(0)), 0),
});
export type PurchasePriceInput = z.input<typeof purchasePrice>;
export type PurchasePrice = z.output<typeof purchasePrice>;

const stored = z.extend(purchasePrice, { id });
export type StoredPurchasePrice = z.output<typeof stored>;

const prices = z.array(purchasePrice).check(
  z.maxLength(2000),
  z.refine((list) => new Set(list.map(({ model, valid_from: from }) => `${from} ${model}`)).size === list.length, {
    error: 'model.repeated',
  }),
);

/** Price that a channel pays for a model now: own terms, or the list price, times `rate`. */
const offer = z.object({
  channel_id: id,
  channel: z.string(),
  /** Null: the terms of the list price. */
  own: z.nullable(z.object(terms)),
  /** Multiple of the list price, or dollars for a unit of the own currency. */
  rate: z.number(),
});
export type PurchaseOffer = z.output<typeof offer>;

const withId = z.object({ id: idParam });

export const purchasePriceSchemas = {
  list: {
    audience: 'admin',
    summary: 'List a channel’s own purchase prices by model and date',
    params: withId,
    reply: z.array(stored),
  },
  set: {
    audience: 'admin',
    summary: 'Replace a channel’s own purchase prices; unchanged ones keep their id',
    params: withId,
    body: z.object({ prices }),
    reply: z.array(stored),
  },
  offers: {
    audience: 'admin',
    summary: 'What the enabled channels with a model pay for it now; channels of unknown cost are left out',
    query: z.object({ model: textFilter }),
    reply: z.array(offer),
  },
} as const satisfies SchemasByEndpoint;
