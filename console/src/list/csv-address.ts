import { addressOf } from '#api/call.ts';
import { languageTag } from '#i18n/i18n.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';

/** Address of a list as a CSV file, in the reader's language and time zone; what is not set is left out. */
export const csvAddress = (path: string, query: object): string =>
  addressOf(path, undefined, { ...query, language: languageTag(), time_zone: localTimeZone() });
