import * as z from 'zod/mini';
import { isTimeZone } from '../time-zone.ts';
import { isDate, ratio, seconds } from '../values.ts';
import { extraRatios } from './extra-ratios.ts';
import { feeEvents, serviceModes } from './served.ts';

/**
 * Rules of a price: what changes its rates (length of the prompt, service tier, region, time), and fees per event.
 * Declared data without expressions; the charge, the reservation, the log and the console read the same rules.
 */

const tokens = z.int().check(z.gte(0), z.lte(100_000_000));
const region = z.string().check(z.regex(/^[a-z0-9-]{1,32}$/, { error: 'price.region' }));
/** `HH:MM`; `24:00` is the end of the day. */
const timeOfDay = z.string().check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, { error: 'price.time_of_day' }));
const date = z
  .string()
  .check(
    z.regex(/^\d{4}-(?:0[1-9]|1[0-2])-\d{2}$/, { error: 'price.date' }),
    z.refine(isDate, { error: 'price.date' }),
  );

/** Conditions of a rule; all that are set must hold. */
export const ruleConditions = z.object({
  /** A number of tokens that the prompt exceeds, cached and written ones included. */
  over: z.optional(tokens),
  /** The largest prompt in tokens. */
  up_to: z.optional(tokens),
  /** One of these tiers served the call. */
  modes: z.optional(z.array(z.enum(serviceModes)).check(z.minLength(1), z.maxLength(serviceModes.length))),
  /** One of these regions served the call, by the names of the provider; `regional` matches each, but not global. */
  regions: z.optional(z.array(region).check(z.minLength(1), z.maxLength(30))),
  /** Whether the model reasoned. */
  reasoning: z.optional(z.boolean()),
  /** Zone of the days and hours. */
  zone: z.optional(z.string().check(z.maxLength(60), z.refine(isTimeZone, { error: 'analytics.time_zone' }))),
  /** Weekdays, 1 = Monday to 7 = Sunday. */
  days: z.optional(z.array(z.int().check(z.gte(1), z.lte(7))).check(z.minLength(1), z.maxLength(7))),
  /** Half-open hours; a window may end on the next day (`22:00` to `06:00`). */
  from: z.optional(timeOfDay),
  to: z.optional(timeOfDay),
  /** Dates in the zone on which the rule does not hold, such as public holidays. */
  except: z.optional(z.array(date).check(z.maxLength(400))),
  /** Validity in Unix seconds: from, inclusive, and to, exclusive. Either may lie in the future. */
  valid_from: z.optional(seconds),
  valid_to: z.optional(seconds),
});
export type RuleConditions = z.infer<typeof ruleConditions>;

const clockFields = ['days', 'from', 'to', 'except'] as const;

const isComplete = (rule: RuleConditions): boolean =>
  (rule.from === undefined) === (rule.to === undefined) &&
  (rule.zone !== undefined || clockFields.every((field) => rule[field] === undefined));

const isPossible = ({
  over = -1,
  up_to: most = Infinity,
  valid_from: start = 0,
  valid_to: end = Infinity,
}: RuleConditions) => over < most && start < end;

/**
 * A rule: its conditions and its effect. `multiply`: `input` and `output` multiply the rates of their sides, `kinds`
 * those of single kinds instead of their side. `replace`: `input` and `output` are ratios that replace the price's, and
 * `kinds` replace its multiples. The last `replace` rule that holds is the base of all `multiply` rules.
 */
export const priceRule = z
  .extend(ruleConditions, {
    effect: z.enum(['multiply', 'replace']),
    input: ratio,
    output: ratio,
    kinds: z.optional(extraRatios),
  })
  .check(z.refine(isComplete, { error: 'price.rule_clock' }), z.refine(isPossible, { error: 'price.rule_range' }));
export type PriceRule = z.infer<typeof priceRule>;

/** A fee per event: 1000 × `fee` credits, like the ratio of a `times` price. Rules do not multiply it. */
export const priceFee = z.object({
  event: z.enum(feeEvents),
  fee: ratio,
  /** Events of one call that are reserved for where its request has no limit; written into the request where possible. */
  most: z.int().check(z.gte(1), z.lte(1000)),
});
export type PriceFee = z.infer<typeof priceFee>;

export const priceRules = z.array(priceRule).check(z.maxLength(50));
export const priceFees = z.array(priceFee).check(
  z.maxLength(feeEvents.length),
  z.refine((fees) => new Set(fees.map(({ event }) => event)).size === fees.length, { error: 'price.fee_repeated' }),
);
