import * as z from 'zod/mini';
import { listQuery, numberFilter, textFilter } from '../list.ts';

export const logColumns = [
  'id',
  'created_at',
  'channel_id',
  'user_id',
  'token_name',
  'model_name',
  'type',
  'source_ip',
  'quota',
  'request_time',
] as const;

/** Which channel served a call is the operator's business, also as an order. */
const ownLogColumns = logColumns.filter((column) => column !== 'channel_id');

const choice = (last: number) => z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(last)), 0);

/** A place between two rows, as a page tells it; empty: none. */
const place = z._default(z.string().check(z.regex(/^(\d{1,10}-\d{1,16})?$/, { error: 'log.place' })), '');

/**
 * Filters are of whole values; a model may be the beginning of its name and a star. A request id also finds the refused
 * call that has it.
 */
export const ownLogFilters = {
  log_type: numberFilter,
  model_name: textFilter,
  token_name: textFilter,
  request_id: textFilter,
  start_timestamp: numberFilter,
  end_timestamp: numberFilter,
  /** 1: only calls that failed or broke off. */
  failed: choice(1),
  /** 1: only streams; 2: only replies in one piece. */
  stream: choice(2),
  /** 1: refused calls are listed among the others, in the order of time. `log_type=5` lists them alone. */
  refused: choice(1),
  /** Of refused calls: the error code that the caller got, or the reason, and the HTTP status. */
  code: textFilter,
  status: numberFilter,
};
export const logFilters = { ...ownLogFilters, username: textFilter, source_ip: textFilter, channel_id: numberFilter };

/**
 * A page is found by its number, or, without a row twice or left out while new ones come in, from the `next` or
 * `previous` of another page, given as `after` or `before`.
 */
const places = { after: place, before: place };

/**
 * `created_at` is the order of the log, newest first unless asked otherwise; `id` stands for the same. Any other order
 * is of the newest rows that the filters find, see `sorted_newest`.
 */
export const logQuery = z.extend(listQuery(logColumns), { ...logFilters, ...places });
export const ownLogQuery = z.extend(listQuery(ownLogColumns), { ...ownLogFilters, ...places });

export const unknownKeyColumns = ['last_time', 'unknown', 'missing', 'address'] as const;

/** Calls are counted by the hour, so times are taken as the hours that they are in. Kept for two weeks. */
export const unknownKeysQuery = z.extend(listQuery(unknownKeyColumns), {
  source_ip: textFilter,
  start_timestamp: numberFilter,
  end_timestamp: numberFilter,
});
