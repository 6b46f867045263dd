import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { perLanguage } from '../language.ts';
import { limitUse, limitZone, subjectMeasures, subjectPeriods } from '../limit/limit.ts';
import { allowedModel } from '../token/token-limits.ts';
import { credits, id, idParam, LARGEST_MOVE, quota, seconds } from '../values.ts';
import { beyondRules, planUnits, subscriptionActions, subscriptionSources, subscriptionStatuses } from './codes.ts';

const amount = quota.check(z.lte(LARGEST_MOVE));
const words = (longest: number) => z._default(z.string().check(z.trim(), z.maxLength(longest)), '');
const texts = (longest: number) => z.object(perLanguage(() => words(longest)));
/** Texts by language; readers of an empty one get another. */
export const planNames = texts(60).check(
  z.refine((names) => Object.values(names).some((name) => name !== ''), { error: 'plan.name' }),
);
export type PlanNames = z.infer<typeof planNames>;

/** A limit within the period of a plan. `rolling`: it begins with its first call; `anchored`: with the period. */
export const planWindow = z.strictObject({
  measure: z.enum(subjectMeasures),
  period: z.enum(subjectPeriods),
  amount,
  reset: z._default(z.enum(['calendar', 'rolling', 'anchored']), 'anchored'),
});
export type PlanWindow = z.infer<typeof planWindow>;

/** Terms for a buyer of a plan. A change makes a new version; buyers keep theirs until they change. */
export const planTerms = z.strictObject({
  /** Credits of a period. */
  price: amount,
  unit: z.enum(planUnits),
  count: z.int().check(z.gte(1), z.lte(366)),
  time_zone: limitZone,
  /** Credits that calls of a period may cost; null: no limit but the windows. */
  allowance: z.nullable(amount),
  windows: z._default(
    z.array(planWindow).check(
      z.maxLength(8),
      z.refine((all) => new Set(all.map(({ measure, period }) => `${measure}:${period}`)).size === all.length, {
        error: 'limit.twice',
      }),
    ),
    [],
  ),
  /** Symbols of user groups whose calls it pays; empty: all. */
  groups: z._default(z.array(z.string().check(z.trim(), z.minLength(1), z.maxLength(50))).check(z.maxLength(100)), []),
  /** Models, with `*` for any characters; empty: all. */
  models: z._default(z.array(allowedModel).check(z.maxLength(500)), []),
  beyond: z._default(z.enum(beyondRules), 'choice'),
  /** Days after a renewal that the balance did not cover, with the old allowance. */
  grace_days: z._default(z.int().check(z.gte(0), z.lte(7)), 0),
});
export type PlanTerms = z.infer<typeof planTerms>;

const planFields = {
  enabled: z._default(z.boolean(), true),
  /** Lower is shown first. */
  sort: z._default(z.int().check(z.gte(0), z.lte(1_000_000)), 0),
  names: planNames,
  descriptions: z._default(
    texts(2000),
    perLanguage(() => ''),
  ),
  /** Subscriptions of one account at the same time, and in total, 0: any number. */
  most_active: z._default(z.int().check(z.gte(0), z.lte(1000)), 1),
  most_total: z._default(z.int().check(z.gte(0), z.lte(1000)), 0),
  /** Subscriptions of all accounts at the same time; null: any number. */
  stock: z._default(z.nullable(z.int().check(z.gte(0), z.lte(1_000_000_000))), null),
};
const version = {
  version_id: id,
  version: z.int(),
  terms: planTerms,
};

/** A plan with its version in force. */
export const plan = z.object({
  id,
  ...planFields,
  ...version,
  created_time: seconds,
  updated_time: seconds,
  /** Subscriptions that have not ended, of all. */
  active: z.int(),
  sold: z.int(),
  /** Credits paid for periods, less refunds. */
  revenue: credits,
  /** Credits of list price that calls have used, and what providers took for them. */
  used: credits,
  cost: credits,
});
export type Plan = z.infer<typeof plan>;

/** A plan on sale. */
export const planOffer = z.object({
  id,
  names: planNames,
  descriptions: texts(2000),
  ...version,
  /** Null: any number. */
  left: z.nullable(z.int()),
});
export type PlanOffer = z.infer<typeof planOffer>;

/** A subscription with its period in force. */
export const subscription = z.object({
  id,
  user_id: id,
  username: z.string(),
  plan_id: id,
  names: planNames,
  ...version,
  status: z.enum(subscriptionStatuses),
  source: z.enum(subscriptionSources),
  renew: z.boolean(),
  /** Whether the balance pays what the plan does not. */
  beyond: z.boolean(),
  /** The version from the next period on; null: the same. */
  next_version_id: z.nullable(id),
  period: z.int(),
  starts: seconds,
  ends: seconds,
  /** With grace. */
  usable_until: seconds,
  price: credits,
  rolled_over: credits,
  /** Credits that a refund would return now. */
  refundable: credits,
  use: z.array(limitUse),
  created_time: seconds,
});
export type Subscription = z.infer<typeof subscription>;

/** Chosen by the client; repeated with the same value, the request changes nothing and has the same reply. */
const request_key = z.string().check(z.trim(), z.minLength(8), z.maxLength(64));
const withId = z.object({ id: idParam });

export const planSchemas = {
  offers: {
    audience: 'visitor',
    summary: 'Plans on sale',
    reply: z.array(planOffer),
  },
  mine: {
    audience: 'user',
    summary: 'My subscriptions that have not ended, with what is left',
    reply: z.array(subscription),
  },
  buy: {
    audience: 'user',
    summary: 'Buy a plan from the balance',
    body: z.object({
      /** As shown; a plan that has changed meanwhile is not bought. */
      version_id: id,
      request_key,
      /** `after`: when my last subscription of the plan ends. */
      start: z._default(z.enum(['now', 'after']), 'now'),
      renew: z._default(z.boolean(), true),
      beyond: z._default(z.boolean(), true),
    }),
    reply: subscription,
  },
  set: {
    audience: 'user',
    summary: 'Renew or cancel my subscription at its end, and choose who pays beyond it',
    params: withId,
    body: z.object({ renew: z.optional(z.boolean()), beyond: z.optional(z.boolean()) }),
    reply: subscription,
  },
  change: {
    audience: 'user',
    summary: 'Change to another plan: at once if it costs more, else from the next period on',
    params: withId,
    body: z.object({ version_id: id }),
    reply: subscription,
  },
} as const satisfies SchemasByEndpoint;

export const planAdminSchemas = {
  list: { audience: 'admin', summary: 'List plans with subscribers, revenue and cost', reply: z.array(plan) },
  get: { audience: 'admin', summary: 'Get a plan', params: withId, reply: plan },
  create: {
    audience: 'admin',
    summary: 'Create a plan',
    body: z.strictObject({ ...planFields, terms: planTerms }),
    reply: plan,
  },
  update: {
    audience: 'admin',
    summary: 'Update a plan; other terms are a new version, which present buyers do not get',
    params: withId,
    body: z.strictObject({ ...planFields, terms: planTerms }),
    reply: plan,
  },
  remove: { audience: 'admin', summary: 'Delete a plan that was never sold', params: withId },
  subscriptions: {
    audience: 'admin',
    summary: 'Subscriptions of a plan, newest first',
    params: withId,
    reply: z.array(subscription),
  },
  give: {
    audience: 'admin',
    summary: 'Give a plan to an account for one period',
    params: withId,
    body: z.strictObject({ user_id: id, request_key }),
    reply: subscription,
  },
  manage: {
    audience: 'admin',
    summary: 'Pause, resume, cancel or refund a subscription',
    params: withId,
    body: z.strictObject({ action: z.enum(subscriptionActions) }),
    reply: subscription,
  },
} as const satisfies SchemasByEndpoint;
