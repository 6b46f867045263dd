import type { PriceRule, RuleConditions } from './price-rules.ts';
import type { Served } from './served.ts';

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

/** Matches every region, but not the global service. */
const ANY_REGION = 'regional';

/** Whether a region is one of those of a rule. */
export const isIn = (regions: readonly string[], served: string | undefined): boolean =>
  served !== undefined && (regions.includes(served) || regions.includes(ANY_REGION));

const isStandard = ({ modes }: Served): boolean => modes.every((mode) => mode === 'standard');

/** Whether validity, days and hours of a rule include an instant in Unix seconds. */
export function isInTime(rule: RuleConditions, at: number): boolean {
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

/** Days before its end at which a list of dates should be continued. */
const NEAR_END_S = 60 * 86_400;

/** The last date of a rule's list of exceptions, if it is past or near at an instant in Unix seconds. */
export function endingDates({ except, valid_to: end = Infinity }: RuleConditions, at: number): string | undefined {
  const last = except?.toSorted().at(-1);
  if (last === undefined || end <= at) return undefined;
  const ends = Date.parse(last) / 1000;
  return ends < at + NEAR_END_S && ends < end ? last : undefined;
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

/** Calls of a minute read the same clocks. */
const read = new Map<string, Clock>();
const MOST_READ = 200;

function clockOf(zone: string, at: number): Clock {
  const key = `${zone} ${Math.floor(at / 60)}`;
  let clock = read.get(key);
  if (!clock) {
    if (read.size >= MOST_READ) read.clear();
    read.set(key, (clock = clockAt(zone, at)));
  }
  return clock;
}

function clockAt(zone: string, at: number): Clock {
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
