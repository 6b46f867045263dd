import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { priceChange } from './price-change.ts';
import { priceEdit, priceEdits, priceGroupEdit, priceInput, priceModels, priceTerms } from './price-input.ts';
import { seconds } from '../values.ts';
import { priceSources } from './codes.ts';

/** `version` grows with every change of any price; a log row names the version that it was charged with. */
export const price = z.extend(priceInput, {
  version: z.int(),
  valid_from: seconds,
  source: z.enum(priceSources),
});
export type Price = z.infer<typeof price>;

/** Without a version: a price of the built-in list, which is in force only where it was taken over. */
const listed = z.extend(priceInput, {
  version: z.optional(z.int()),
  valid_from: z.optional(seconds),
  source: z.optional(z.enum(priceSources)),
});

/** One version of a price; in force while `valid_to` is null. */
export const priceVersion = z.extend(price, { valid_to: z.nullable(seconds) });
export type PriceVersion = z.infer<typeof priceVersion>;

/** A version, and the change that began it; `actor` is empty where it was the server itself. */
const pastVersion = z.extend(priceVersion, { change_id: z.nullable(z.int()), actor: z.string() });
export type PastVersion = z.infer<typeof pastVersion>;

const priceGroup = z.extend(priceTerms, { models: z.array(z.string()) });

const availableModel = z.object({
  groups: z.array(z.string()),
  owned_by: z.string(),
  /** Without a version: the default price of models that have none. */
  price: listed,
});

const byModel = z.object({ model: z.string() });

export const priceSchemas = {
  list: {
    audience: 'public',
    summary: 'Prices in force (`type=db`) or the built-in list (`type=default`), by owner and model',
    query: z.object({ type: z._default(z.enum(['db', 'default']), 'db') }),
    reply: z.array(listed),
  },
  groups: {
    audience: 'admin',
    summary: 'Prices in force with the models of equal terms together',
    reply: z.array(priceGroup),
  },
  names: {
    audience: 'admin',
    summary: 'Names that have a price or are used by an enabled channel',
    reply: z.array(z.string()),
  },
  unpriced: {
    audience: 'admin',
    summary: 'Models of enabled channels that have no price of their own, with the number of those channels',
    /** `refused`: no default price covers them either, so their calls are refused. */
    reply: z.array(z.object({ model: z.string(), channels: z.int(), refused: z.boolean() })),
  },
  history: {
    audience: 'admin',
    summary: 'Versions of a model’s price, newest first; at most 200',
    params: byModel,
    reply: z.array(pastVersion),
  },
  version: {
    audience: 'user',
    summary: 'The price that a log row names, in force or not',
    params: z.object({ version: z.coerce.number().check(z.int(), z.gte(1)) }),
    reply: priceVersion,
  },
  create: {
    audience: 'admin',
    summary: 'Set the price of a model that has none',
    body: priceInput,
    reply: price,
  },
  update: {
    audience: 'admin',
    summary: 'Change a price; a new version, valid from now',
    params: byModel,
    body: priceEdit,
    reply: price,
  },
  remove: {
    audience: 'admin',
    summary: 'End a price; the reply can be undone by its id',
    params: byModel,
    reply: z.nullable(priceChange),
  },
  setGroup: {
    audience: 'admin',
    summary: 'One price for several models; those of `original_models` that are not in `models` lose theirs',
    body: priceGroupEdit,
    reply: z.nullable(priceChange),
  },
  setMany: {
    audience: 'admin',
    summary: 'Prices of several models in one step',
    body: priceEdits,
    reply: z.nullable(priceChange),
  },
  removeMany: {
    audience: 'admin',
    summary: 'End the prices of several models',
    body: priceModels,
    reply: z.nullable(priceChange),
  },
  available: {
    audience: 'visitor',
    summary: 'Models that a public group or the caller’s can call, with owner and price. What has no price is left out',
    reply: z.record(z.string(), availableModel),
  },
} as const satisfies SchemasByEndpoint;
