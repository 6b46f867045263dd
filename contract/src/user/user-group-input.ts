import * as z from 'zod/mini';
import { channelPreference } from '../channel/channel-preference.ts';
import { id, ratio, text } from '../values.ts';
import { allowedModel, groupTokenLimits } from '../token/token-limits.ts';

const apiRate = z.int().check(z.gte(0), z.lte(10_000_000));

/** Of new groups; `api_rate` is calls per minute. */
export const DEFAULT_RATIO = 1;
export const DEFAULT_API_RATE = 600;

const models = z._default(z.array(allowedModel).check(z.maxLength(500)), []);

/** Model names, in which `*` stands for any characters. `deny` is stronger; an empty `allow` allows all. */
export const modelSwitch = z.strictObject({ allow: models, deny: models });
export type ModelSwitch = z.infer<typeof modelSwitch>;

/** Most calls of a group that wait on a node while all channels of their model are at limits, and for how long. */
export const limitWait = z.strictObject({
  seconds: z.int().check(z.gte(1), z.lte(120)),
  calls: z.int().check(z.gte(1), z.lte(10_000)),
});
export type LimitWait = z.output<typeof limitWait>;

export const newUserGroup = z.object({
  // `__proto__` cannot be a key of a JSON object by symbol.
  symbol: text(50, 1).check(z.regex(/^(?!__proto__$)[A-Za-z0-9_-]+$/, { error: 'group.symbol' })),
  name: text(50, 1),
  ratio: z._default(ratio, DEFAULT_RATIO),
  api_rate: z._default(apiRate, DEFAULT_API_RATE),
  public: z._default(z.boolean(), false),
  enable: z._default(z.boolean(), true),
  /** Without it a `ratio` or `api_rate` of 0 means the default: scripts for older servers send 0 for "not given". */
  keep_zero: z._default(z.boolean(), false),
  /** Null: none; left out: unchanged. */
  token_limits: z.optional(z.nullable(groupTokenLimits)),
  /** Models that the group may call. Null: all; left out: unchanged. */
  model_switch: z.optional(z.nullable(modelSwitch)),
  /** Null: calls do not wait; left out: unchanged. */
  limit_wait: z.optional(z.nullable(limitWait)),
  /** How channels of one priority share the calls. Null: as the site says; left out: unchanged. */
  channel_preference: z.optional(z.nullable(channelPreference)),
});

/**
 * `symbol` is immutable, and `enable` is ignored because older clients send it back unchanged; `set_enable` enables or
 * disables the group.
 */
export const userGroupEdit = z.object({
  id,
  name: text(50, 1),
  ratio,
  api_rate: apiRate,
  public: z.boolean(),
  set_enable: z.optional(z.boolean()),
  /** Null: none; left out: unchanged. */
  token_limits: z.optional(z.nullable(groupTokenLimits)),
  /** Models that the group may call. Null: all; left out: unchanged. */
  model_switch: z.optional(z.nullable(modelSwitch)),
  /** Null: calls do not wait; left out: unchanged. */
  limit_wait: z.optional(z.nullable(limitWait)),
  /** How channels of one priority share the calls. Null: as the site says; left out: unchanged. */
  channel_preference: z.optional(z.nullable(channelPreference)),
});
