import * as z from 'zod/mini';
import { isTimeZone } from '../time-zone.ts';
import { limitMeasures, limitPeriods } from '../token/token-limits.ts';
import { idParam, LARGEST_MOVE, seconds } from '../values.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { limitSubjects } from './limit-scope.ts';

/** Measures and periods of the limits of accounts, members, cost centres and plans. */
export const subjectMeasures = ['credits', 'requests', 'tokens'] as const;
export const subjectPeriods = ['hour', 'five_hours', 'day', 'week', 'month'] as const;

export const subjectCap = z.strictObject({
  measure: z.enum(subjectMeasures),
  period: z.enum(subjectPeriods),
  amount: z.int().check(z.gte(0), z.lte(LARGEST_MOVE)),
});
export type SubjectCap = z.infer<typeof subjectCap>;

/** At most one cap per measure and period. */
export const subjectCaps = z.array(subjectCap).check(
  z.maxLength(15),
  z.refine((caps) => new Set(caps.map(({ measure, period }) => `${measure}:${period}`)).size === caps.length, {
    error: 'limit.twice',
  }),
);

export const limitZone = z._default(
  z.string().check(z.maxLength(64), z.refine(isTimeZone, { error: 'time.zone' })),
  'UTC',
);

/** Limits of an account, a member or a cost centre. */
export const subjectLimits = z.strictObject({
  caps: subjectCaps,
  /** `anchored`: whole periods after `anchor`. */
  reset: z._default(z.enum(['calendar', 'rolling', 'anchored']), 'calendar'),
  time_zone: limitZone,
  anchor: z._default(seconds.check(z.gte(0)), 0),
});
export type SubjectLimits = z.infer<typeof subjectLimits>;

/** A cap with its use. */
export const limitUse = z.object({
  subject: z.enum(limitSubjects),
  measure: z.enum(limitMeasures),
  /** `period`: the whole period of a plan. */
  period: z.enum([...limitPeriods, 'period']),
  /** Null: no limit. */
  amount: z.nullable(z.int()),
  /** Includes what open calls have reserved. */
  used: z.int(),
  left: z.nullable(z.int()),
  /** 0: it begins with the next call. */
  resets_time: seconds,
});
export type LimitUse = z.infer<typeof limitUse>;

const withId = z.object({ id: idParam });
/** The limits of an account and their use. */
export const accountLimits = z.object({ limits: z.nullable(subjectLimits), use: z.array(limitUse) });
export type AccountLimits = z.infer<typeof accountLimits>;

export const limitSchemas = {
  self: {
    audience: 'user',
    summary: 'Limits of my account, and their use',
    reply: accountLimits,
  },
  get: {
    audience: 'admin',
    summary: 'Limits of an account, and their use',
    params: withId,
    reply: accountLimits,
  },
  set: {
    audience: 'admin',
    summary: 'Set the limits of an account; without caps it has none',
    params: withId,
    body: subjectLimits,
    reply: accountLimits,
  },
} as const satisfies SchemasByEndpoint;
