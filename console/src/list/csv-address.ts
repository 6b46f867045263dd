import { atBase } from '#base-path.ts';
import { addressOf } from '#api/call.ts';
import { currentAccount } from '#api/session.ts';
import { languageTag } from '#i18n/i18n.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';

/** URL of the CSV export of a list, in the user's language and time zone. Unset filters are omitted. */
export const csvAddress = (path: string, query: object): string =>
  atBase(
    addressOf(path, undefined, {
      ...query,
      account: currentAccount()?.id,
      language: languageTag(),
      time_zone: localTimeZone(),
    }),
  );
