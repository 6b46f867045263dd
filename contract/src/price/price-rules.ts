import * as z from 'zod/mini';
import { isTimeZone } from '../time-zone.ts';
import { ratio, seconds } from '../values.ts';
import { extraRatios } from './extra-ratios.ts';

/**
 * Rules of a price: what changes its rates (length of the prompt, service tier, region, time), and fees per event.
 * Declared data without expressions; the charge, the reservation, the log and the console read the same rules.
 */

/**
 * Service tiers and speeds as providers bill them, under one name each: OpenAI's `default`, Groq's `on_demand` and
 * Anthropic's `standard` are `standard`; OpenAI's `fast` is `priority`; `fast` is Anthropic's `speed: "fast"`.
 */
export const serviceModes = [
  'standard',
  'flex',
  'priority',
  'fast',
  'ultrafast',
  'scale',
  'batch',
  'optimized',
  'offpeak',
] as const;
export type ServiceMode = (typeof serviceModes)[number];

/**
 * Events with a fee of their own, apart from tokens. `web_search`: a search or query. `grounded_prompt`: a call that
 * searched at all. `code_session`: a container started. `image`: a picture that a hosted tool made. `post_read` and
 * `profile_read`: results of a social network. `request`: every answered call.
 */
export const feeEvents = [
  'web_search',
  'grounded_prompt',
  'file_search',
  'code_session',
  'map_search',
  'page_read',
  'image',
  'post_read',
  'profile_read',
  'request',
] as const;
export type FeeEvent = (typeof feeEvents)[number];

const tokens = z.int().check(z.gte(0), z.lte(100_000_000));
const region = z.string().check(z.regex(/^[a-z0-9-]{1,32}$/, { error: 'price.region' }));
/** `HH:MM`; `24:00` is the end of the day. */
const timeOfDay = z.string().check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, { error: 'price.time_of_day' }));
const date = z.string().check(z.regex(/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, { error: 'price.date' }));

/** Conditions of a rule; all that are set must hold. */
export const ruleConditions = z.object({
  /** The prompt has more tokens than this, cached and written ones included. */
  over: z.optional(tokens),
  /** The prompt has at most so many tokens. */
  up_to: z.optional(tokens),
  /** One of these tiers served the call. */
  modes: z.optional(z.array(z.enum(serviceModes)).check(z.minLength(1), z.maxLength(serviceModes.length))),
  /** One of these regions served the call, by the names of the provider; `regional`: any, as opposed to global. */
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

/** How a call was served: what decides which rules hold. */
export interface Served {
  /** Tiers that served the call; empty: standard. */
  modes: readonly ServiceMode[];
  region: string | undefined;
  /** Tokens of the longest prompt. */
  promptTokens: number;
  reasoning: boolean;
  /** Start of the attempt that answered, in Unix seconds. */
  at: number;
}

/** Counts of events with a fee. */
export type EventCounts = Partial<Record<FeeEvent, number>>;

/** The rules of a price that hold for a call. */
export const rulesFor = (rules: readonly PriceRule[], served: Served): PriceRule[] =>
  rules.filter((rule) => holds(rule, served));

export function holds(rule: RuleConditions, served: Served): boolean {
  const { over, up_to: most, modes, regions, reasoning } = rule;
  if (over !== undefined && served.promptTokens <= over) return false;
  if (most !== undefined && served.promptTokens > most) return false;
  if (modes && !modes.some((mode) => (mode === 'standard' ? isStandard(served) : served.modes.includes(mode))))
    return false;
  if (regions && !isIn(regions, served.region)) return false;
  if (reasoning !== undefined && reasoning !== served.reasoning) return false;
  return isInTime(rule, served.at);
}

/** A region that stands for all. */
const ANY_REGION = 'regional';

const isIn = (regions: readonly string[], served: string | undefined): boolean =>
  served !== undefined && (regions.includes(served) || regions.includes(ANY_REGION));

const isStandard = ({ modes }: Served): boolean => modes.every((mode) => mode === 'standard');

function isInTime(rule: RuleConditions, at: number): boolean {
  const { valid_from: start, valid_to: end, zone, days, from, to, except } = rule;
  if (start !== undefined && at < start) return false;
  if (end !== undefined && at >= end) return false;
  if (zone === undefined || (!days && from === undefined && !except)) return true;
  const { day, minute, date: today } = clockOf(zone, at);
  if (from !== undefined && to !== undefined) {
    const [begins, ends] = [minutesOf(from), minutesOf(to)];
    if (begins < ends) {
      if (minute < begins || minute >= ends) return false;
    } else if (minute < begins) {
      if (minute >= ends) return false;
      // After midnight, the day on which the window began decides.
      return isOn(clockOf(zone, at - 86_400), { days, except });
    }
  }
  return isOn({ day, date: today }, { days, except });
}

const isOn = (
  { day, date: today }: Pick<Clock, 'day' | 'date'>,
  { days, except }: Pick<RuleConditions, 'days' | 'except'>,
) => (!days || days.includes(day)) && !except?.includes(today);

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

interface Clock {
  day: number;
  minute: number;
  date: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function clockOf(zone: string, at: number): Clock {
  let formatted = formats.get(zone);
  if (!formatted) {
    formatted = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    formats.set(zone, formatted);
  }
  const parts = Object.fromEntries(formatted.formatToParts(at * 1000).map(({ type, value }) => [type, value]));
  return {
    day: weekdays.indexOf(parts['weekday'] ?? '') + 1,
    minute: Number(parts['hour']) * 60 + Number(parts['minute']),
    date: `${(parts['year'] ?? '').padStart(4, '0')}-${parts['month']}-${parts['day']}`,
  };
}
