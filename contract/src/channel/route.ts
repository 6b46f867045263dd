import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { faultCauses } from '../log/log.ts';
import { priceInput } from '../price/price-input.ts';

/** Why a channel is not used for a call; empty: it can be. */
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
  'unpriced',
  'lower_priority',
  'switched_off',
] as const;
export type SkipReason = (typeof skipReasons)[number];

const candidate = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  priority: z.int(),
  weight: z.int(),
  /** How likely it is to be drawn for such a call, 0 to 1. */
  share: z.number(),
  skipped: z.enum(skipReasons),
  /** While it is frozen or closed after failures: until when. Unix milliseconds; 0: it is not. */
  until: z.int(),
  /** What it rests for; empty: it does not, or its rest is over and no call has tried it yet. */
  cause: z.union([z.enum(faultCauses), z.literal('')]),
  /** Its rest is over, or binds other callers only: the next call tries whether it works again. */
  probe: z.boolean(),
  /** Where its calls go, with the port, and the proxy on the way: `api.example.com:443 via proxy.example.com:8080`. */
  host: z.string(),
  /** No connection could be made to that host lately; all channels at it rest. */
  host_down: z.boolean(),
  upstream_model: z.string(),
  billed_model: z.string(),
  price: z.nullable(priceInput),
});
export type RouteCandidate = z.infer<typeof candidate>;

export const routeSchemas = {
  explain: {
    audience: 'admin',
    summary:
      'Explain the routing of a call: the channel it would use now, the price, and why others are skipped. Sends nothing',
    body: z.object({
      model: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
      /** The call is made with this token; else for `group`. */
      token_id: z._default(z.int().check(z.gte(0)), 0),
      group: z._default(z.string().check(z.trim(), z.maxLength(100)), ''),
      operation: z._default(z.enum(['chat', 'embeddings']), 'chat'),
      /** What the request has that a channel may not do. */
      stream: z._default(z.boolean(), false),
      tools: z._default(z.boolean(), false),
      images: z._default(z.boolean(), false),
    }),
    reply: z.object({
      group: z.string(),
      group_ratio: z.number(),
      /** What would refuse the call before any channel is chosen; empty: nothing. */
      refused: z.string(),
      candidates: z.array(candidate),
    }),
  },
} as const satisfies SchemasByEndpoint;
