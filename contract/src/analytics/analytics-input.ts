import * as z from 'zod/mini';
import { numberFilter, textFilter } from '../list.ts';
import { isDate } from '../values.ts';
import { longestPeriod, mostSeries, ownGroupings, usageGroupings, usageSteps } from './codes.ts';

const date = z._default(z.string().check(z.refine((text) => text === '' || isDate(text), { error: 'date.form' })), '');

/** IANA time zone of the days; empty: the server’s. */
export const timeZoneField = z._default(z.string().check(z.trim(), z.maxLength(64)), '');

/** Whole days of a time zone: the last `days`, including today, or a range of dates. */
export const periodFields = {
  days: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(longestPeriod)), 7),
  /** `YYYY-MM-DD`, inclusive; both or neither. They override `days`. */
  from: date,
  to: date,
  /** Size of a point; empty: hours up to two days, days up to 92, months beyond. */
  step: z._default(z.enum(['', ...usageSteps]), ''),
  time_zone: timeZoneField,
};

/** Groups with a series per measure: those that lead by cost, by requests and by tokens. */
const top = z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(mostSeries)), 6);

export const usageFields = {
  ...periodFields,
  by: z._default(z.enum(usageGroupings), 'model'),
  top,
  /** Only calls of one user or channel; grouped by model or owner only, and those of a user by token. */
  user_id: numberFilter,
  username: textFilter,
  channel_id: numberFilter,
};

export const ownUsageFields = {
  ...periodFields,
  by: z._default(z.enum(ownGroupings), 'model'),
  top,
  /** Only calls of one token, of the tokens of one member of a team, or of one cost centre. */
  token_id: numberFilter,
  member_id: numberFilter,
  tag: textFilter,
};
