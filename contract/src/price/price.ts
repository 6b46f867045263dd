import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { priceChange } from './price-change.ts';
import { priceEdit, priceEdits, priceGroupEdit, priceInput, priceModels, priceTerms } from './price-input.ts';
import { seconds } from '../values.ts';
import { priceSources } from './codes.ts';
import { feeEvents } from './served.ts';

/** `version` increases with every price change; log rows refer to it. */
export const price = z.extend(priceInput, {
  version: z.int(),
  valid_from: seconds,
  source: z.enum(priceSources),
});
export type Price = z.infer<typeof price>;

/** Without a version: a price of the built-in list that is not in use. */
const listed = z.extend(priceInput, {
  version: z.optional(z.int()),
  valid_from: z.optional(seconds),
  source: z.optional(z.enum(priceSources)),
});

/** A version of a price; current while `valid_to` is null. */
export const priceVersion = z.extend(price, { valid_to: z.nullable(seconds) });
export type PriceVersion = z.infer<typeof priceVersion>;

/** A version with the change that created it; `actor` is empty for the server. */
const pastVersion = z.extend(priceVersion, { change_id: z.nullable(z.int()), actor: z.string() });
export type PastVersion = z.infer<typeof pastVersion>;

const priceGroup = z.extend(priceTerms, { models: z.array(z.string()) });

const availableModel = z.object({
  groups: z.array(z.string()),
  owned_by: z.string(),
  /** Published context length in tokens, if known; of a virtual model, the smallest of its models. */
  context: z.optional(z.int()),
  /** Without a version: the default price. Of a virtual model, the dearest of its steps. */
  price: listed,
  /** The models of a virtual model in the order of its steps, with their prices; left out: it is a model. */
  chain: z.optional(z.array(z.object({ model: z.string(), price: listed }))),
});

const byModel = z.object({ model: z.string() });

export const priceSchemas = {
  list: {
    audience: 'public',
    summary:
      'List current prices (`type=db`) or the built-in list (`type=default`), by owner and model; `type=old` sends the current prices as an array without an envelope',
    query: z.object({ type: z._default(z.enum(['db', 'default', 'old']), 'db') }),
    reply: z.array(listed),
  },
  groups: {
    audience: 'admin',
    summary: 'List current prices, with models of equal terms grouped',
    reply: z.array(priceGroup),
  },
  names: {
    audience: 'admin',
    summary: 'List model names that have a price or an enabled channel',
    reply: z.array(z.string()),
  },
  unpriced: {
    audience: 'admin',
    summary: 'List models of enabled channels without an own price, with the number of channels',
    /** `refused`: without a default price, so their calls are refused. */
    reply: z.array(z.object({ model: z.string(), channels: z.int(), refused: z.boolean() })),
  },
  gaps: {
    audience: 'admin',
    summary:
      'List prices of models of enabled channels without a fee that the built-in price has, or with holidays that end',
    /** `ends`: the last date of the holidays, past or within 60 days. */
    reply: z.array(z.object({ model: z.string(), fees: z.array(z.enum(feeEvents)), ends: z.optional(z.string()) })),
  },
  history: {
    audience: 'admin',
    summary: 'List the versions of a model’s price, newest first; at most 200',
    params: byModel,
    reply: z.array(pastVersion),
  },
  version: {
    audience: 'user',
    summary: 'Get a price version, current or past',
    params: z.object({ version: z.coerce.number().check(z.int(), z.gte(1)) }),
    reply: priceVersion,
  },
  create: {
    audience: 'admin',
    summary: 'Create the price of a model that has none',
    body: priceInput,
    reply: price,
  },
  update: {
    audience: 'admin',
    summary: 'Update a price; creates a version that is valid at once',
    params: byModel,
    body: priceEdit,
    reply: price,
  },
  remove: {
    audience: 'admin',
    summary: 'Delete a price; returns the change, which can be undone by its id',
    params: byModel,
    reply: z.nullable(priceChange),
  },
  setGroup: {
    audience: 'admin',
    summary: 'Set one price for several models; models of `original_models` that are not in `models` lose theirs',
    body: priceGroupEdit,
    reply: z.nullable(priceChange),
  },
  setMany: {
    audience: 'admin',
    summary: 'Set the prices of several models at once',
    body: priceEdits,
    reply: z.nullable(priceChange),
  },
  removeMany: {
    audience: 'admin',
    summary: 'Delete the prices of several models',
    body: priceModels,
    reply: z.nullable(priceChange),
  },
  available: {
    audience: 'visitor',
    summary:
      'Models available to public groups or the caller’s group, with owner and price; models without a price are omitted',
    reply: z.record(z.string(), availableModel),
  },
} as const satisfies SchemasByEndpoint;
