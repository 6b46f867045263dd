import * as z from 'zod/mini';
import { textFilter } from './list.ts';

export const csvFile = 'text/csv';

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/** How a table is written into a file. A plain link cannot send headers, so it says here what it would say in them. */
export const downloadOptions = {
  /** Of the headings, like `en-US`; empty: as Accept-Language has it. */
  language: textFilter,
  /** Of the times, by its IANA name; empty: UTC. */
  time_zone: textFilter.check(z.refine((name) => name === '' || isTimeZone(name), { error: 'time.zone' })),
};
