import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { priceChange } from './price-change.ts';
import { priceInput } from './price-input.ts';
import { seconds } from '../values.ts';
import { priceListFormats, priceRemarks, priceSources, priceUpdateModes } from './codes.ts';

/**
 * Source of new prices: built in, a URL, or an uploaded list: an array, `{"data": […]}`, or a public list, which is
 * recognised by its content.
 */
export const priceUpdateSource = z.discriminatedUnion('from', [
  z.object({ from: z.literal('built_in') }),
  z.object({ from: z.literal('address'), address: z.string().check(z.trim(), z.minLength(1), z.maxLength(2000)) }),
  z.object({ from: z.literal('list'), prices: z.unknown() }),
]);
export type PriceUpdateSource = z.infer<typeof priceUpdateSource>;

const difference = z.object({
  model: z.string(),
  before: z.nullable(priceInput),
  after: z.nullable(priceInput),
  /** Source of the current price. */
  source: z.nullable(z.enum(priceSources)),
  /** After ÷ before of the rate that changes most; null if one of them is zero or absent. */
  factor: z.nullable(z.number()),
  /** Rates that change tenfold or more, or from or to zero; these need confirmation. */
  jumps: z.array(z.string()),
  /** Whether an enabled channel has the model now. */
  served: z.boolean(),
});
export type PriceDifference = z.infer<typeof difference>;

const rejected = z.object({
  /** From 1. */
  row: z.int(),
  model: z.string(),
  field: z.string(),
  problem: z.string(),
  /** It has a current price, which is kept in any mode. */
  kept: z.boolean(),
});
export type RejectedPrice = z.infer<typeof rejected>;

/** Parts of a public list that were not taken over, by kind and field. */
const remark = z.object({
  remark: z.enum(priceRemarks),
  field: z.string(),
  count: z.int(),
  /** Some of the models. */
  models: z.array(z.string()),
});

export const pricePreview = z.object({
  id: z.string(),
  from: z.enum(['built_in', 'address', 'list']),
  address: z.string(),
  /** A public list has no price of most models: it drops none, and what it does not say of a price stays. */
  format: z.enum(priceListFormats),
  created_time: seconds,
  /** Prices in the list, rejected ones included. */
  total: z.int(),
  /** Number of current prices. */
  own: z.int(),
  changed: z.array(difference),
  added: z.array(difference),
  dropped: z.array(difference),
  unchanged: z.array(z.string()),
  rejected: z.array(rejected),
  remarks: z.array(remark),
});
export type PricePreview = z.infer<typeof pricePreview>;

const names = z._default(z.array(z.string()).check(z.maxLength(20_000)), []);

export const priceUpdateSchemas = {
  preview: {
    audience: 'admin',
    summary: 'Preview a price update: prices added, changed and dropped',
    body: priceUpdateSource,
    reply: pricePreview,
  },
  apply: {
    audience: 'admin',
    summary: 'Apply a previewed price update; refused if prices have changed since',
    body: z.object({
      id: z.string().check(z.maxLength(100)),
      mode: z.enum(priceUpdateModes),
      /** Models to keep unchanged. */
      leave: names,
      /** Models whose price jump is confirmed. */
      confirmed: names,
    }),
    reply: z.nullable(priceChange),
  },
  sync: {
    audience: 'admin',
    summary: 'Update prices from a list at once, for older clients; refused for an invalid row or a price jump',
    query: z.object({ overwrite: z._default(z.enum(['true', 'false']), 'false') }),
    body: z.array(z.unknown()).check(z.minLength(1), z.maxLength(20_000)),
    reply: z.nullable(priceChange),
  },
} as const satisfies SchemasByEndpoint;
