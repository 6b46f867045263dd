import { createStore } from '#api/store.ts';
import { fewCalls } from '#ui/format/number.ts';

interface Limits {
  fine: number;
  poor: number;
}

/** Percentages of successful attempts: below `fine` is a warning, below `poor` an error. Settings of the site. */
export const successLimits = createStore<Limits>({ fine: 99, poor: 95 });

/** `few`: some failed, of too few to judge. */
export type SuccessLevel = 'none' | 'few' | 'fine' | 'some' | 'failing';

interface Tries {
  requests: number;
  failures: number;
}

/** The level of success of a day or of all calls. */
export function levelOf({ requests, failures }: Tries, { fine, poor }: Limits): SuccessLevel {
  if (requests === 0) return 'none';
  if (failures === 0) return 'fine';
  if (requests < fewCalls) return 'few';
  // Rounded like the shown rate, so that both agree.
  const percent = Math.round(((requests - failures) / requests) * 1e4) / 100;
  return percent >= fine ? 'fine' : percent >= poor ? 'some' : 'failing';
}

/** An hour with fewer failures is neither good nor bad. */
export const manyFailures = 3;

/** The level of an hour: it needs several failures for a colour, also where two are a tenth of all attempts. */
export function levelOfHour(hour: Tries, limits: Limits): SuccessLevel {
  const level = levelOf(hour, limits);
  if (level === 'none' || level === 'fine') return level;
  if (hour.failures < manyFailures) return 'few';
  return level === 'few' ? (hour.failures * 2 >= hour.requests ? 'failing' : 'some') : level;
}
