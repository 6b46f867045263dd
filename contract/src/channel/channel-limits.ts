import * as z from 'zod/mini';
import { isTimeZone } from '../time-zone.ts';
import { limitMeasures, limitPeriods, tokenCaps } from '../token/token-limits.ts';
import { seconds } from '../values.ts';

/**
 * Limits of the use of a provider by a channel. Minutes slide; hours, days, weeks and months are those of the calendar
 * in `time_zone`; five hours begin with their first call.
 */
export const channelLimits = z.strictObject({
  /** Of the channel with all its keys. */
  caps: z._default(tokenCaps, []),
  /** Of each key alone: it can be an account at the provider. */
  key_caps: z._default(tokenCaps, []),
  /** IANA name. */
  time_zone: z._default(z.string().check(z.maxLength(64), z.refine(isTimeZone, { error: 'time.zone' })), 'UTC'),
  /** Limits that the provider names in its replies apply to each key and model, where no cap is set for them. */
  learn: z._default(z.boolean(), false),
});
export type ChannelLimits = z.output<typeof channelLimits>;

/** Use of one limit now, over all nodes. */
export const channelLimitUse = z.object({
  /** 0: of the channel with all its keys. */
  key_id: z.int(),
  /** Upstream model of a learnt limit; empty: a limit that is set, which counts all models. */
  model: z.string(),
  measure: z.enum(limitMeasures),
  period: z.enum(limitPeriods),
  amount: z.int(),
  used: z.int(),
  /** When the period ends; 0: it slides, or lasts as long as the calls. */
  ends: seconds,
});
export type ChannelLimitUse = z.output<typeof channelLimitUse>;
