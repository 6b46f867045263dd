import * as z from 'zod/mini';
import { numberFilter, textFilter } from './list.ts';
import { isTimeZone } from './time-zone.ts';

export const csvFile = 'text/csv';

/** Options of CSV downloads. A plain link cannot send headers, so they are in the query. */
export const downloadOptions = {
  /** Language of the headings, like `en-US`; empty: from Accept-Language. */
  language: textFilter,
  /** IANA time zone of the times; empty: UTC. */
  time_zone: textFilter.check(z.refine((name) => name === '' || isTimeZone(name), { error: 'time.zone' })),
};

/** Options of downloads that follow the account; `account` stands for the header `X-Account`. */
export const ownDownloadOptions = { ...downloadOptions, account: numberFilter };
