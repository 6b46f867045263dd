import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { textFilter } from '../list.ts';
import { id, idParam } from '../values.ts';

const ratios = z.record(z.string(), z.number());
const ratio = z.optional(z.number());

/** 1 is $2 per million input tokens. Ratios of output, caches, pictures and sound are multiples of it. */
const pricing = z.object({
  model_name: z.string(),
  owner_by: z.string(),
  /** 1: `model_price` dollars per call. */
  quota_type: z.union([z.literal(0), z.literal(1)]),
  model_ratio: z.number(),
  model_price: z.number(),
  completion_ratio: z.number(),
  cache_ratio: ratio,
  create_cache_ratio: ratio,
  image_ratio: ratio,
  audio_ratio: ratio,
  audio_completion_ratio: ratio,
  enable_groups: z.array(z.string()),
  supported_endpoint_types: z.array(z.string()),
  /** Tiers, lengths, hours or fees change the charge, which these ratios cannot say: `/api/prices` has them. */
  has_rules: z.boolean(),
});

export const newApiSchemas = {
  tokenKey: {
    audience: 'user',
    summary: 'Reveal the key of one of your tokens, without `sk-`, as new-api does',
    params: z.object({ id: idParam }),
    reply: z.object({ key: z.string() }),
  },
  tokenKeys: {
    audience: 'user',
    summary: 'Reveal the keys of up to 100 of your tokens, without `sk-`, as new-api does',
    body: z.object({ ids: z.array(id).check(z.minLength(1), z.maxLength(100)) }),
    /** By id; ids of other users are left out. */
    reply: z.object({ keys: z.record(z.string(), z.string()) }),
  },
  models: {
    audience: 'user',
    summary: 'Names of the models that you can call, in all your groups or in one',
    query: z.object({ group: textFilter }),
    reply: z.array(z.string()),
  },
  groups: {
    audience: 'user',
    summary: 'The groups that your tokens can have, with their ratios',
    reply: z.record(z.string(), z.object({ ratio: z.number(), desc: z.string() })),
  },
  pricing: {
    audience: 'visitor',
    summary: 'Prices in the ratios of new-api, with the groups that you can use beside them',
    reply: z.object({
      success: z.literal(true),
      message: z.literal(''),
      data: z.array(pricing),
      vendors: z.array(z.object({ id: z.int(), name: z.string() })),
      group_ratio: ratios,
      usable_group: z.record(z.string(), z.string()),
      supported_endpoint: z.record(z.string(), z.object({ path: z.string(), method: z.string() })),
      auto_groups: z.array(z.string()),
    }),
  },
  ratios: {
    audience: 'public',
    summary: 'Prices as the ratio tables of new-api, for its price synchronisation',
    reply: z.object({
      model_ratio: ratios,
      completion_ratio: ratios,
      cache_ratio: ratios,
      create_cache_ratio: ratios,
      model_price: ratios,
    }),
  },
} as const satisfies SchemasByEndpoint;
