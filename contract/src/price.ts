import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { modelPattern, ratio, seconds } from './values.ts';

/**
 * Multiples of the input or output ratio for kinds of token that cost something else.
 * A kind that is not named costs what `extraRatioDefaults` says.
 */
export const extraRatios = z.object({
  /** Part of the prompt that the provider had cached (OpenAI, Gemini, DeepSeek …); × input. */
  cached_tokens_ratio: z.optional(ratio),
  /** Anthropic's cache read and write counters; × input. */
  cached_read_ratio: z.optional(ratio),
  cached_write_ratio: z.optional(ratio),
  cached_write_1h_ratio: z.optional(ratio),
  input_audio_tokens_ratio: z.optional(ratio),
  input_image_tokens_ratio: z.optional(ratio),
  /** × output. */
  output_audio_tokens_ratio: z.optional(ratio),
  reasoning_tokens_ratio: z.optional(ratio),
});
export type ExtraRatios = z.infer<typeof extraRatios>;

export const priceInput = z.object({
  model: modelPattern,
  /** `tokens`: by token; `times`: 1000 × input credits for each answered call. */
  type: z.enum(['tokens', 'times']),
  /** Who makes the model: an id of the model owners. */
  channel_type: z.int().check(z.gte(0), z.lte(2_147_483_647)),
  input: ratio,
  output: ratio,
  extra_ratios: z.optional(extraRatios),
});
export type PriceInput = z.infer<typeof priceInput>;

/** `version` grows with every change of any price; a log row names the version that it was charged with. */
export const price = z.extend(priceInput, { version: z.int(), valid_from: seconds });
export type Price = z.infer<typeof price>;

const byModel = z.object({ model: z.string() });

export const priceApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/prices',
    audience: 'public',
    summary: 'Prices in force (`type=db`) or the built-in list (`type=default`), by owner and model',
    query: z.object({ type: z._default(z.enum(['db', 'default']), 'db') }),
    reply: z.array(z.extend(priceInput, { version: z.optional(z.int()), valid_from: z.optional(seconds) })),
  }),
  names: endpoint({
    method: 'GET',
    path: '/api/prices/model_list',
    audience: 'admin',
    summary: 'Names that have a price or are used by an enabled channel',
    reply: z.array(z.string()),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/prices/single',
    audience: 'admin',
    summary: 'Set the price of a model that has none',
    body: priceInput,
    reply: price,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/prices/single/:model',
    audience: 'admin',
    summary: 'Change a price; a new version, valid from now',
    params: byModel,
    body: priceInput,
    reply: price,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/prices/single/:model',
    audience: 'admin',
    summary: 'End a price',
    params: byModel,
  }),
  available: endpoint({
    method: 'GET',
    path: '/api/available_model',
    audience: 'visitor',
    summary: 'Models that an enabled channel serves to a public group or to the caller’s, with owner and price',
    reply: z.record(
      z.string(),
      z.object({ groups: z.array(z.string()), owned_by: z.string(), price: z.nullable(priceInput) }),
    ),
  }),
};
