import * as z from 'zod/mini';
import { channelLimitUse } from './channel-limits.ts';
import { channelPreference } from './channel-preference.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { faultCauses } from '../log/log.ts';
import { providerWishes } from './provider-wishes.ts';
import { priceInput } from '../price/price-input.ts';
import { stepConditions, stepFailures } from '../virtual-model/codes.ts';

/** Why a channel is skipped for a call; empty: it is not. */
export const skipReasons = [
  '',
  'pinned_to_another',
  'excluded',
  'not_for_operation',
  'only_chat',
  'excluded_feature',
  'closed',
  'host_down',
  'frozen',
  'full',
  'unpriced',
  'unwished',
  'outside_token',
  'lower_priority',
  'worse_by_wish',
  'less_preferred',
  'kept_elsewhere',
  'switched_off',
  'model_off',
] as const;
export type SkipReason = (typeof skipReasons)[number];

const candidate = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  channel_type: z.int(),
  priority: z.int(),
  weight: z.int(),
  /** Probability of being selected, 0 to 1. */
  share: z.number(),
  skipped: z.enum(skipReasons),
  /** End of the freeze, or when a full limit may have room, in Unix milliseconds; 0: neither. */
  until: z.int(),
  /** How far the limits of the channel are used; empty: it has none. */
  limits: z.array(channelLimitUse),
  /** Cause of the freeze; empty: none, or it is over and not yet probed. */
  cause: z.union([z.enum(faultCauses), z.literal('')]),
  /** The freeze is over, or applies to other callers only: the next call is a probe. */
  probe: z.boolean(),
  /** Host and port of its calls, and the proxy if any: `api.example.com:443 via proxy.example.com:8080`. */
  host: z.string(),
  /**
   * The figure that its share depends on besides the weight: by `latency` milliseconds to the first content, by `cost`
   * dollars for a thousand tokens in and out, or a call. Null: not known yet, or there is no preference.
   */
  figure: z.nullable(z.number()),
  /** It holds the prompt cache of the session. */
  kept: z.boolean(),
  /** The host is unreachable, so all its channels are skipped. */
  host_down: z.boolean(),
  upstream_model: z.string(),
  billed_model: z.string(),
  price: z.nullable(priceInput),
  /** The request before and after the channel's rules; null: no rule applies. */
  rules: z.nullable(
    z.object({
      /** JSON in the channel's format, with secrets masked. */
      before: z.string(),
      after: z.string(),
      /** Changed headers; null: not sent. */
      headers: z.array(z.object({ name: z.string(), before: z.nullable(z.string()), after: z.nullable(z.string()) })),
      /** Why the rules make no valid request; empty: they do. */
      problem: z.string(),
    }),
  ),
});
export type RouteCandidate = z.infer<typeof candidate>;

/** A step of a virtual model, for one call. */
const routeStep = z.object({
  /** From 1. */
  number: z.int(),
  /** The models of the step with their parts of its calls, 0 to 1, and whether any channel of the group serves them. */
  models: z.array(z.object({ model: z.string(), share: z.number(), served: z.boolean() })),
  /** The model that the call draws; the others are as likely as their shares unless the step is sticky. */
  model: z.string(),
  /** All conditions hold. */
  usable: z.boolean(),
  conditions: z.array(
    z.object({
      condition: z.enum(stepConditions),
      holds: z.boolean(),
      /** Value that the step asks for, and that of the call. */
      wanted: z.string(),
      found: z.string(),
    }),
  ),
  next_on: z.array(z.enum(stepFailures)),
});
export type RouteStep = z.infer<typeof routeStep>;

export const routeSchemas = {
  explain: {
    audience: 'admin',
    summary:
      'Explain the routing of a call: the channel it would use now, the price, and why others are skipped. Sends nothing',
    body: z.object({
      model: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
      /** The token of the call; without one, `group` applies. */
      token_id: z._default(z.int().check(z.gte(0)), 0),
      group: z._default(z.string().check(z.trim(), z.maxLength(100)), ''),
      operation: z._default(z.enum(['chat', 'embeddings']), 'chat'),
      /** The API that the client calls with a chat. */
      api: z._default(z.enum(['chat', 'responses', 'messages', 'gemini']), 'chat'),
      /** JSON of the request that the rules are shown with; empty: a short one. */
      body: z._default(z.string().check(z.trim(), z.maxLength(60_000)), ''),
      /** Features required by the request. */
      stream: z._default(z.boolean(), false),
      tools: z._default(z.boolean(), false),
      images: z._default(z.boolean(), false),
      /** Estimated tokens of the prompt and headers of the request, for conditions of virtual models. */
      prompt_tokens: z._default(z.int().check(z.gte(0), z.lte(100_000_000)), 0),
      headers: z._default(
        z.record(z.string().check(z.trim(), z.maxLength(100)), z.string().check(z.trim(), z.maxLength(200))),
        {},
      ),
      /** The step of a virtual model whose channels are listed; 0: the first that can be used. */
      step: z._default(z.int().check(z.gte(0), z.lte(100)), 0),
      /** Wishes of the call, as in its member `provider`. */
      provider: z.optional(providerWishes),
      /** Session id that the client sends; it needs `token_id`. */
      session: z._default(z.string().check(z.trim(), z.maxLength(512)), ''),
    }),
    reply: z.object({
      group: z.string(),
      group_ratio: z.number(),
      /** Error code of a refusal before channel selection; empty: none. */
      refused: z.string(),
      /** The model that the candidates are for: the requested one, or that of a step. */
      model: z.string(),
      /** The steps of a virtual model; null: the name is that of a model. */
      virtual: z.nullable(z.object({ version: z.int(), step: z.int(), steps: z.array(routeStep) })),
      /** The site's preference among channels of one priority. */
      preference: channelPreference,
      candidates: z.array(candidate),
    }),
  },
} as const satisfies SchemasByEndpoint;
