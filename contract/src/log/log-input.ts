import * as z from 'zod/mini';
import { choice, listQuery, numberFilter, textFilter } from '../list.ts';

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

/** Users cannot see, or sort by, the channel that served a call. */
const ownLogColumns = logColumns.filter((column) => column !== 'channel_id');

/** A cursor from `next` or `previous` of a page; empty: none. */
const place = z._default(z.string().check(z.regex(/^(\d{1,10}-\d{1,16})?$/, { error: 'log.place' })), '');

/**
 * Filters match exactly; models also by prefix and `*`. A request id also finds refused calls. `token_id` finds the calls
 * of one token, whatever its name is or was; `token_name` those of any token that had the name then.
 */
export const ownLogFilters = {
  log_type: numberFilter,
  model_name: textFilter,
  token_id: numberFilter,
  token_name: textFilter,
  request_id: textFilter,
  start_timestamp: numberFilter,
  end_timestamp: numberFilter,
  /** 1: only failed or broken calls. */
  failed: choice(1),
  /** 1: only streams; 2: only replies in one piece. */
  stream: choice(2),
  /** 1: includes refused calls, in order of time. `log_type=5` lists only these. */
  refused: choice(1),
  /** Error code or reason of refused calls, and their HTTP status. */
  code: textFilter,
  status: numberFilter,
};
export const logFilters = {
  ...ownLogFilters,
  username: textFilter,
  source_ip: textFilter,
  channel_id: numberFilter,
  /** 1: only calls whose known cost is above their charge. */
  losing: choice(1),
};

/** Cursors: `next` or `previous` of another page. Unlike page numbers, they neither repeat nor skip rows. */
const places = { after: place, before: place };

/** Ordered by `created_at` (or `id`), newest first by default. Other orders sort only the newest rows, see `sorted_newest`. */
export const logQuery = z.extend(listQuery(logColumns), { ...logFilters, ...places });

/** Only calls of the tokens of one member of a team, or of one cost centre. */
export const holderFilters = { member_id: numberFilter, tag: textFilter };
export const ownLogQuery = z.extend(listQuery(ownLogColumns), { ...ownLogFilters, ...holderFilters, ...places });

/**
 * An export in parts: at most `limit` rows after the cursor `after`, without headings if it is not the first. The header
 * `x-next` has the cursor of the next part; it is empty after the last one. 0: all rows at once.
 */
export const exportParts = { limit: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(100_000)), 0) };

export const unknownKeyColumns = ['last_time', 'unknown', 'missing', 'address'] as const;

/** Counted by hour, so times are rounded to hours. Kept for two weeks. */
export const unknownKeysQuery = z.extend(listQuery(unknownKeyColumns), {
  source_ip: textFilter,
  start_timestamp: numberFilter,
  end_timestamp: numberFilter,
});
