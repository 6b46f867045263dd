import * as z from 'zod/mini';
import { numberFilter, textFilter } from '../list.ts';
import { usageGroupings, usageSteps, longestPeriod } from './codes.ts';

const isDate = (text: string) => {
  const at = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
};

const date = z._default(z.string().check(z.refine((text) => text === '' || isDate(text), { error: 'date.form' })), '');

/** The zone whose days are meant, by its IANA name; empty: the server’s. */
export const timeZoneField = z._default(z.string().check(z.maxLength(64)), '');

/** Whole days of a time zone: the last so many, today included, or those from one date to another. */
export const periodFields = {
  days: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(longestPeriod)), 7),
  /** `YYYY-MM-DD`, both inclusive and both or neither; then `days` says nothing. */
  from: date,
  to: date,
  /** What a point stands for; empty: hours up to two days, days up to 92, months beyond. */
  step: z._default(z.enum(['', ...usageSteps]), ''),
  time_zone: timeZoneField,
};

export const usageFields = {
  ...periodFields,
  by: z._default(z.enum(usageGroupings), 'model'),
  /** Only the calls of one user or channel; told apart by model or owner alone, because more is not summed up. */
  user_id: numberFilter,
  username: textFilter,
  channel_id: numberFilter,
};
