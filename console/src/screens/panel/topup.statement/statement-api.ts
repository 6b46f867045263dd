import { statementApi, type Statement } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { atBase } from '#base-path.ts';
import { addressOf, call } from '#api/call.ts';
import { currentAccount } from '#api/session.ts';
import { languageTag } from '#i18n/i18n.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { formatDate } from '#ui/format/time.ts';

/** `month`: `YYYY-MM`, empty for the present one. `username`: another user's, for administrators. */
export interface StatementSearch {
  month: string;
  username: string;
}

export const presentMonth = (): string => formatDate(Math.floor(Date.now() / 1000)).slice(0, 7);

const queryOf = ({ month }: StatementSearch) => ({ month: month || presentMonth(), time_zone: localTimeZone() });

export const statementQuery = (search: StatementSearch) =>
  queryOptions({
    queryKey: [statementApi.own.path, search],
    queryFn: ({ signal }): Promise<Statement> =>
      search.username === ''
        ? call(statementApi.own, { query: queryOf(search), signal })
        : call(statementApi.get, { query: { ...queryOf(search), username: search.username }, signal }),
    meta: { quiet: true },
  });

/** Address of the statement as CSV. */
export const statementFile = (search: StatementSearch): string =>
  atBase(
    addressOf((search.username === '' ? statementApi.ownDownload : statementApi.download).path, undefined, {
      ...queryOf(search),
      ...(search.username !== '' && { username: search.username }),
      account: currentAccount()?.id,
      language: languageTag(),
    }),
  );
